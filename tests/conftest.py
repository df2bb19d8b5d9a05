"""Which tests run in the same process, where several share the work: those that use the same compiled code."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        case = getattr(item, "callspec", None) and item.callspec.params.get("case")
        group = case[1].__name__ if isinstance(case, tuple) and len(case) == 2 else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))
