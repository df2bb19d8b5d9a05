"""How the processes of pytest-xdist share the tests: those that use the same compiled code run in the same process."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

from xdist.scheduler import LoadScopeScheduling

SUBJECT = re.compile(r"tests/verification/.*?\[([^-\]]+)")
EXAMPLE = re.compile(r"src/polhode/(.*/)?(\w+)\.py")


def group(nodeid: str) -> str:
    """What the test shares compiled code with: the tests of its system, or else of its file; the examples in the docstrings of a
    module belong to the tests of it."""
    subject, example = SUBJECT.match(nodeid), EXAMPLE.match(nodeid)
    if example:
        return f"tests/{example[1] or ''}test_{example[2]}.py"
    return subject[1] if subject else nodeid.partition("::")[0]


def folder(name: str) -> str:
    """Where the tests of a group lie, which have compiled code in common too; systems have none."""
    return name.rpartition("/")[0] or name


# not `--dist loadgroup`: pytest-xdist 3.8 passes groups on in node ids, which pytest 9.2 no longer lets it change
class Shared(LoadScopeScheduling):
    """A process gets the next test of its group, or else begins a group: one of the same folder, or else of a folder that no
    other process is in, so that nothing is compiled in both; the smallest first, since tests that are long are in files of few.
    When all are begun it helps with the one that has most tests left, from its end."""

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
            here = folder(name)
            others = {folder(each) for process, each in self.current.items() if process is not node}
            order = {each: (folder(each) != here, folder(each) in others, size[each]) for each in new}
            name = self.current[node] = min(new, key=order.__getitem__) if new else max(size, key=size.__getitem__)
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
