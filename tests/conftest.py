"""Which tests run in the same process, where several share the work."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from typing import Any

import pytest

SUBJECT = re.compile(r"tests/verification/.*?\[([^-\]]+)")


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """A process that was started in the background ignores Ctrl-C, and so would the tests of it and their children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def group(nodeid: str) -> str:
    """Tests that use the same compiled code run in the same process: those of one system, or else of one file."""
    subject = SUBJECT.match(nodeid)
    return subject[1] if subject else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    # not `--dist loadgroup`: pytest-xdist 3.8 passes groups on in node ids, which pytest 9.2 no longer lets it change
    from xdist.scheduler import LoadScopeScheduling

    class Grouped(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    return Grouped(config, log)
