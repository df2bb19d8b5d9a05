"""Which tests run in the same process, where several share the work; and the table of promises after the tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """A process that was started in the background ignores Ctrl-C, and so would the tests of it and their children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that use the same compiled code go together."""
    for item in items:
        case = getattr(item, "callspec", None) and item.callspec.params.get("case")
        group = case[1].__name__ if isinstance(case, tuple) and len(case) == 2 else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what each method promises on each system, and what was found; cells come with the reports of the tests."""
    reports = [r for group in ("passed", "failed") for r in terminalreporter.stats.get(group, [])]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for report in reports:
        for name, entry in getattr(report, "user_properties", []):
            if name == "promise":
                system, method, promise, text = entry
                cells.setdefault((system, method), {})[promise] = text
    if not cells:
        return
    terminalreporter.section("what each method promises on each system (✓ promised and kept)")
    promises = list(dict.fromkeys(promise for found in cells.values() for promise in found))
    rows = [["system", "method", *promises]]
    rows += [[*pair, *(found.get(promise, "not run") for promise in promises)] for pair, found in sorted(cells.items())]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        terminalreporter.write_line("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)))
