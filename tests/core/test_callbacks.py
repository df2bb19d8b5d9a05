"""Functions that a user gives: their errors and Ctrl-C end a run where they come, and never change its numbers."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.core.callbacks import defer_signals, treat_termination_as_interrupt
from polhode.simulation.events import Crossing

STEPS = 40


class Potential:
    """U(R), with an act of the test's at one of its calls."""

    __name__ = "potential"

    def __init__(self) -> None:
        self.calls, self.when, self.least = 0, 0, -2.0
        self.act: Callable[[], Any] = lambda: None

    def __call__(self, R: np.ndarray) -> float:
        self.calls += 1
        if self.calls == self.when:
            self.act()
        if R[2, 2] < self.least:
            fail()
        return float(0.7 * R[2, 2] + 0.2 * R[0, 1] ** 2)

    def at(self, call: int, act: Callable[[], Any]) -> None:
        self.calls, self.when, self.act = 0, call, act


@pytest.fixture(scope="module")
def potential() -> Potential:
    return Potential()


@pytest.fixture(scope="module")
def start(potential: Potential) -> ph.State:
    with pytest.warns(UserWarning, match="a Python function is called"):
        body = ph.AttitudeBody([1, 2, 2.5], potential=potential)
    return body.state(omega=[0.3, -0.5, 0.9])


@pytest.fixture(scope="module")
def whole(start: ph.State) -> ph.Trajectory:
    return ph.simulate(start, step=0.05, steps=STEPS)


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def fail() -> None:
    raise LookupError("mine")


def same(run: ph.Trajectory, whole: ph.Trajectory) -> bool:
    n = len(run)
    return bool(np.array_equal(run.Pi, whole.Pi[:n]) and np.array_equal(run.R, whole.R[:n]))


@pytest.mark.parametrize("call", [30, 31, 200, 417, 418, 700])
def test_an_interruption_inside_a_function_changes_no_number(
    call: int, potential: Potential, start: ph.State, whole: ph.Trajectory
) -> None:
    potential.at(call, interrupt)
    with pytest.raises(ph.RunInterruptedError) as stop:
        ph.simulate(start, step=0.05, steps=STEPS)
    assert potential.calls < call + 48  # it does not wait for the end of the run
    run = stop.value.trajectory
    assert same(run, whole)
    again = ph.resume(run, steps=STEPS - run.stats.steps)
    assert len(again) == STEPS + 1
    assert same(again, whole)


@pytest.mark.parametrize("act", [interrupt, sys.exit])
def test_a_run_to_a_tolerance_takes_no_interruption_for_a_trial_that_failed(
    act: Callable[[], Any], potential: Potential, start: ph.State
) -> None:
    potential.at(0, act)
    ph.simulate(start, t_end=1.0, tolerance=1e-5)
    calls = potential.calls
    for call in range(30, calls, calls // 12):
        potential.at(call, act)
        with pytest.raises((KeyboardInterrupt, SystemExit)):
            ph.simulate(start, t_end=1.0, tolerance=1e-5)


@pytest.mark.parametrize("call", [1, 30, 200, 417, 700])
def test_a_users_error_ends_the_run_with_what_was_computed(
    call: int, potential: Potential, start: ph.State, whole: ph.Trajectory
) -> None:
    potential.at(call, fail)
    with pytest.raises(LookupError, match="mine") as error:
        ph.simulate(start, step=0.05, steps=STEPS)
    if call > 24:  # before that, the force at the start is not known
        run: ph.Trajectory = error.value.trajectory  # type: ignore[attr-defined]
        failed = 1 + (call - 25) // 24  # of the steps; it is repeated, and this time succeeds
        assert failed <= len(run) <= failed + 1
        assert same(run, whole)
        assert same(ph.resume(run, steps=STEPS + 1 - len(run)), whole)


def test_a_function_that_always_fails_somewhere_is_left_just_before(
    potential: Potential, start: ph.State, whole: ph.Trajectory
) -> None:
    potential.least = float(whole.R[:, 2, 2].min() + 0.3 * np.ptp(whole.R[:, 2, 2]))
    beyond = int(np.flatnonzero(whole.R[:, 2, 2] < potential.least - 0.01)[0])
    within = int(np.flatnonzero(whole.R[:, 2, 2] < potential.least + 0.12)[0])
    try:
        with pytest.raises(LookupError, match="mine") as error:
            ph.simulate(start, step=0.05, steps=STEPS)
    finally:
        potential.least = -2.0
    run: ph.Trajectory = error.value.trajectory  # type: ignore[attr-defined]
    assert max(within, 1) <= len(run) <= beyond
    assert same(run, whole)


def test_an_error_in_an_event_ends_the_run_with_what_was_computed(start: ph.State, whole: ph.Trajectory) -> None:
    def broken(state: ph.State) -> Any:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine") as error:
        ph.simulate(start, step=0.05, steps=STEPS, events=[Crossing("broken", broken)])
    run: ph.Trajectory = error.value.trajectory  # type: ignore[attr-defined]
    assert same(run, whole)


def test_signals_wait_for_the_end_of_a_block_and_go_to_their_handlers() -> None:
    seen: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append("handled"))
    try:
        with defer_signals():
            os.kill(os.getpid(), signal.SIGTERM)
            seen.append("finished")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == ["finished", "handled"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt), defer_signals():
        seen.extend("finished again" for _ in [interrupt()])
    assert seen[-1] == "finished again"


@pytest.mark.filterwarnings("ignore:potential. a Python function")
def test_functions_of_one_code_see_their_own_variables() -> None:
    """Two functions that look the same when their bodies are made, and differ later."""

    def of_its_own():  # type: ignore[no-untyped-def]
        factor = 1.0

        def potential(R: np.ndarray) -> float:
            return float(factor * R[2, 2])

        def change(to: float) -> None:
            nonlocal factor
            factor = to

        return potential, change

    (first, _), (second, change) = of_its_own(), of_its_own()
    states = [
        ph.AttitudeBody([1, 2, 3], potential=each).state(euler=[0.1, 0.5, 0.2], omega=[0.1, 0.2, 0.3])
        for each in (first, second)
    ]
    change(3.0)
    found = [ph.simulate(state, step=0.05, steps=3, method=ph.LGVI()).Pi[-1] for state in states]
    for Pi, factor in zip(found, (1, 3), strict=True):
        plain = ph.AttitudeBody([1, 2, 3], potential=f"{factor}*R33").state(R=states[0].R, Pi=states[0].Pi)
        np.testing.assert_allclose(Pi, ph.simulate(plain, step=0.05, steps=3, method=ph.LGVI()).Pi[-1], atol=1e-9)


def test_an_interruption_that_a_destructor_swallows_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[object] = []

    class Interrupted:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    class Failing:
        def __del__(self) -> None:
            raise OSError

    def end_and_wait() -> None:
        Interrupted()
        for _ in range(1000):
            time.sleep(0.01)

    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: lost.append(unraisable.exc_type))
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        treat_termination_as_interrupt()
        Failing()
        with pytest.raises(KeyboardInterrupt):
            end_and_wait()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert lost == [OSError]


@pytest.mark.parametrize("part", [0.3, 0.5, 0.8])
def test_an_adaptive_method_does_not_go_on_with_a_shorter_step_after_an_error(
    part: float, potential: Potential, start: ph.State
) -> None:
    potential.at(0, fail)
    whole = ph.simulate(start, step=0.05, steps=STEPS, method=ph.DOP853())
    potential.at(int(part * potential.calls), fail)
    with pytest.raises(LookupError) as error:
        ph.simulate(start, step=0.05, steps=STEPS, method=ph.DOP853())
    run: ph.Trajectory = error.value.trajectory  # type: ignore[attr-defined]
    assert len(run) < len(whole)
    assert same(run, whole)
