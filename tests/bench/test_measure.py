"""Entries are timed in turn with the yard-stick, and compared with what they name."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

import pytest

import polhode as ph
from polhode.bench import Bar, Effort, Entry, Problem, measure
from polhode.bench.accuracy import Steps
from polhode.bench.entries import YARDSTICK
from polhode.bench.motions import error, free_body
from polhode.bench.timing import timed

COSTS = Problem("costs", "Costs", "step", lambda effort, peers: iter(()))
MOTION = Problem("motion", "A motion", "run", lambda effort, peers: iter(()), accuracy=True)
UNIT = Entry(YARDSTICK, "", lambda: 2.0, work=2.0, own_time=True)  # one second per unit


def lasting(seconds: float) -> Callable[[], float]:
    return lambda: seconds


def test_ratios_are_per_unit_of_work() -> None:
    entries = [
        Entry("slow", "a", lasting(30.0), work=10.0, own_time=True, bar=Bar(limit=2.5)),
        Entry("fast", "a", lasting(6.0), work=12.0, own_time=True, bar=Bar("slow", 6.0, gain=True)),
        Entry("fast", "b", lasting(6.0), own_time=True, bar=Bar("slow", 6.0, gain=True)),
    ]
    slow, fast, alone = measure(COSTS, entries, UNIT, Effort.small()).rows
    assert (slow.ratio, slow.compared, slow.cleared, slow.bar) == (3.0, 3.0, False, "≤ 2.5")
    assert (fast.ratio, fast.compared, fast.cleared, fast.compared_with) == (0.5, 6.0, True, "slow")
    assert alone.compared is None  # nothing to compare with at its setting


def test_the_best_of_all_rounds_counts() -> None:
    times = iter([5.0, 4.0, 3.0, 9.0])
    effort = Effort(share=30.0, most_rounds=3)
    (row,) = measure(COSTS, [Entry("a", "", lambda: next(times), own_time=True)], UNIT, effort).rows
    assert row.seconds == 3.0
    assert list(times) == []


def test_a_slow_solver_gets_no_finer_setting_and_what_is_no_solution_is_left_out() -> None:
    def no_solution(result: float) -> float:
        raise ArithmeticError

    entries = [
        Entry("slow", "1", lasting(7.0), own_time=True, error=lambda result: 1e-3),
        Entry("slow", "2", lasting(70.0), own_time=True, error=lambda result: 1e-6),
        Entry("wrong", "1", lasting(0.1), own_time=True, error=no_solution),
        Entry("quick", "1", lasting(0.1), own_time=True, error=lambda result: 1e-5),
    ]
    rows = measure(MOTION, entries, UNIT, Effort(share=0.0, fewest_rounds=1)).rows
    assert [(row.solver, row.setting, row.error) for row in rows] == [("slow", "1", 1e-3), ("quick", "1", 1e-5)]


def test_our_runs_have_their_errors() -> None:
    motion = free_body()
    truth = motion.of_state(ph.simulate(motion.state, step=100.0, steps=1, method=ph.Exact()).final)
    found = []
    for method, n in ((ph.RK4(), 2000), (ph.RK4(), 4000), (ph.Exact(), 1)):
        steps = Steps(motion, method, n)
        steps()
        found.append(error(steps.end(steps()), truth))  # from the start again
    coarse, fine, exact = found
    assert coarse / fine == pytest.approx(16.0, rel=0.2)
    assert exact < 1e-14
    with pytest.raises(ArithmeticError):
        steps.end(False)


def test_work_in_a_thread_of_its_own_is_timed_on_the_wall() -> None:
    """Waiting takes no time of the processor."""
    assert timed(lambda: sleep(0.2)) < 0.1 < 0.2 <= timed(lambda: sleep(0.2), on_the_wall=True)
