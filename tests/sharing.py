"""How the processes of pytest-xdist share the tests: those that use the same compiled code run in the same process."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

from xdist.scheduler import LoadScopeScheduling

SUBJECT = re.compile(r"tests/verification/.*?\[([^-\]]+)")


def group(nodeid: str) -> str:
    """What the test shares compiled code with: the tests of its system, or else of its file."""
    subject = SUBJECT.match(nodeid)
    return subject[1] if subject else nodeid.partition("::")[0]


# not `--dist loadgroup`: pytest-xdist 3.8 passes groups on in node ids, which pytest 9.2 no longer lets it change
class Shared(LoadScopeScheduling):
    """A process gets the next test of its group, or else begins a group: the smallest first, since tests that are long are
    in files of few. When all are begun it helps with the one that has most tests left, from its end."""

    def __init__(self, config: Any, log: Any = None) -> None:
        super().__init__(config, log)
        self.left: dict[str, deque[str]] = {}
        self.begun_by: dict[str, Any] = {}
        self.current: dict[Any, str] = {}

    def _split_scope(self, nodeid: str) -> str:
        return nodeid  # what is handed out at once is one test

    def _next(self, node: Any) -> str:
        if sum(map(len, self.left.values())) != len(self.workqueue):  # at the start, and when a process has died
            self.left = {}
            for nodeid in self.workqueue:
                self.left.setdefault(group(nodeid), deque()).append(nodeid)
        name = self.current.get(node, "")
        if name not in self.left:
            new = [each for each in self.left if each not in self.begun_by]
            size = {each: len(tests) for each, tests in self.left.items()}
            name = self.current[node] = min(new, key=size.__getitem__) if new else max(size, key=size.__getitem__)
        tests = self.left[name]
        nodeid = tests.popleft() if self.begun_by.setdefault(name, node) is node else tests.pop()
        if not tests:
            del self.left[name]
        return nodeid

    def _assign_work_unit(self, node: Any) -> None:
        self.workqueue.move_to_end(self._next(node), last=False)
        super()._assign_work_unit(node)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        self.assigned_work[node].pop(self.registered_collections[node][item_index])
        self._reschedule(node)
