"""Which tests run in the same process, where several share the work."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """A process that was started in the background ignores Ctrl-C, and so would the tests of it and their children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that use the same compiled code run in the same process: those of one system, or else of one file."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        subject = parameters.get("subject") or getattr(parameters.get("case"), "subject", None)
        item.add_marker(pytest.mark.xdist_group(str(subject or item.path)))
