"""How the tests are shared among processes: every one runs once, those of a group together, and no process waits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("xdist")

TESTS = [
    *(f"tests/a/test_many.py::test[{i}]" for i in range(12)),
    *(f"tests/verification/test_promises.py::test_promise[Top-LGVI()-{i}]" for i in range(4)),
    "tests/a/test_few.py::test_long",
    "tests/a/test_some.py::test_1",
    "tests/a/test_some.py::test_2",
    *(f"tests/verification/test_tangent.py::test_every_system[Top-{i}]" for i in range(2)),
]


class Process:
    """What a scheduler sees of a process: tests are sent to it, and it is told to stop."""

    shutting_down = False

    def __init__(self, name: str) -> None:
        self.gateway, self.sent = SimpleNamespace(id=name), []

    def send_runtest_some(self, indices: list[int]) -> None:
        self.sent += indices

    def shutdown(self) -> None:
        self.shutting_down = True


def begin(processes: list[Process]) -> Any:
    """A scheduler that has handed out the first tests."""
    from .sharing import Shared

    config: Any = SimpleNamespace(
        getvalue=lambda name: ["popen"] * len(processes), option=SimpleNamespace(loadscopereorder=True)
    )
    scheduler = Shared(config, SimpleNamespace(loadscopesched=lambda *words: None))
    for process in processes:
        scheduler.add_node(process)
    for process in processes:
        scheduler.add_node_collection(process, TESTS)
    scheduler.schedule()
    return scheduler


def work(scheduler: Any, *processes: Process) -> list[list[str]]:
    """What each process has run in the end, where they take turns."""
    ran: list[list[str]] = [[] for _ in processes]
    while scheduler.has_pending:
        for process, done in zip(processes, ran, strict=True):
            if len(done) < len(process.sent):
                index = process.sent[len(done)]
                done.append(TESTS[index])
                scheduler.mark_test_complete(process, index)
    return ran


def test_each_test_runs_once_and_groups_stay_together() -> None:
    from .sharing import group

    processes = [Process("a"), Process("b")]
    first, second = work(begin(processes), *processes)
    assert sorted(first + second) == sorted(TESTS)
    assert abs(len(first) - len(second)) <= 3
    assert first[0] == "tests/a/test_few.py::test_long"
    assert group(second[0]) == "Top"  # not of the folder that the first is in, which goes on there
    assert group(first[1]) == "tests/a/test_some.py"
    for name in ("tests/a/test_few.py", "tests/a/test_some.py"):
        assert len({test in first for test in TESTS if group(test) == name}) == 1
    # the promises of a system are one group over two files, and the largest group is left for the end, where both share it
    assert group(TESTS[12]) == group(TESTS[-1]) == "Top"
    assert {group(first[-1]), group(second[-1])} == {"tests/a/test_many.py"}
    assert all(process.shutting_down for process in processes)


def test_examples_of_a_module_belong_to_its_tests() -> None:
    from .sharing import group

    assert group("src/polhode/a/many.py::polhode.a.many.f") == group(TESTS[0])
    assert group("src/polhode/errors.py::polhode.errors") == "tests/test_errors.py"


def test_what_a_dead_process_had_is_run_by_the_others() -> None:
    one, other = processes = [Process("a"), Process("b")]
    scheduler = begin(processes)
    scheduler.mark_test_complete(one, one.sent[0])
    running = TESTS[one.sent[1]]
    assert scheduler.remove_node(one) == running
    (ran,) = work(scheduler, other)
    assert sorted([TESTS[one.sent[0]], *ran]) == sorted(TESTS)
