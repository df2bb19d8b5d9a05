"""The step that a tolerance needs: how an error is estimated from two runs, and what is made of errors that do not fall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.simulation.pilot import Pilot, state_distance
from polhode.simulation.step_search import LARGEST_GAIN, LEAST_GAIN, Trials, _error, _is_slow

GAIN = 1.5**16 - 1.0


def test_a_part_of_the_gain_of_a_high_order_is_trusted() -> None:
    assert _error(1e-6, GAIN) == pytest.approx(1e-6 / LARGEST_GAIN)


def test_a_large_difference_says_only_that_steps_are_too_long() -> None:
    assert _error(0.5, GAIN) == pytest.approx(0.5 / LEAST_GAIN)


def test_a_low_order_has_an_error_as_large_as_the_difference() -> None:
    assert _error(1e-6, 1.5**2 - 1.0) == pytest.approx(1e-6 / 1.25)


def test_differences_that_fall_too_slowly() -> None:
    assert _is_slow([(100, 1e-4)], 200, 5e-5, 16)
    assert not _is_slow([(100, 1e-4)], 200, 1e-8, 16)
    assert not _is_slow([(100, 5e-3)], 200, 2e-3, 16)  # by chance two rough runs may end near each other


def test_a_run_begun_anew_is_the_same() -> None:
    state = ph.Pendulum3D.example()
    trials, method = Trials(state, 10.0), ph.GaussLegendre()
    for n in (20, 32, 20):
        alone = ph.simulate(state, step=10.0 / n, steps=n, method=method).final
        np.testing.assert_array_equal(trials.end(method, n, state), state.system.enter("default", alone))


def test_steps_that_are_compared_with_only_are_not_solved_to_rounding() -> None:
    """A few iterations less, for an error that is allowed; the next run is solved as ever."""
    state = ph.Pendulum3D.example()
    trials, method = Trials(state, 10.0), ph.GaussLegendre()
    whole = trials.end(method, 20, state)
    layout, counts = state.system.representations["default"].layout, []
    for change in (0.0, 1e-9):
        end = trials.end(method, 20, state, change)
        counts.append(trials._run.report.evaluations)
        assert state_distance(layout, end, whole) <= 1e3 * change
    assert counts[1] < 0.8 * counts[0]
    np.testing.assert_array_equal(trials.end(method, 20, state), whole)


def test_steps_that_are_too_long_are_not_taken_for_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another run differs by is no rounding if it is more than the motion can have made of that: shorter steps help."""
    state = ph.OrbitingBody([2.0, 2.5, 1.2], n=1.1).state(q=[0.02, -0.05, 0.05, 0.99], omega=[0.03, -1.05, 0.02])
    monkeypatch.setattr(Pilot, "rounding", lambda pilot, distance: 2e-9)
    ends, end = [], Trials.end

    def shifted(trials: Trials, *given: Any) -> Any:
        ends.append(given)
        return end(trials, *given) + (1e-8 if len(ends) == 2 else 0.0)

    monkeypatch.setattr(Trials, "end", shifted)
    assert ph.simulate(state, t_end=200.0, tolerance=1e-9).accuracy.estimated_error <= 1e-9


def test_an_end_that_is_not_reached_is_none() -> None:
    state = ph.FreeRigidBody([1.0, 2.0, 3.0]).state(omega=[0.1, 0.2, 4.0])
    assert Trials(state, 10.0).end(ph.LGVI(), 2, state) is None


def test_rounding_that_hides_behind_a_small_estimate_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the motion may magnify it, a run with other steps shows how far it goes."""
    state = ph.OrbitingBody([2.0, 2.5, 1.2], n=1.1).state(q=[0.02, -0.05, 0.05, 0.99], omega=[0.03, -1.05, 0.02])
    assert ph.simulate(state, t_end=200.0, tolerance=1e-9).accuracy.estimated_error <= 1e-9
    monkeypatch.setattr(Pilot, "rounding", lambda pilot, distance: np.inf)
    monkeypatch.setattr(Pilot, "more", lambda pilot, method: 1.0)  # so that the difference is not too small to hide it
    ends, end = [], Trials.end

    def shifted(trials: Trials, *given: Any) -> Any:
        ends.append(given)
        return end(trials, *given) + (1e-8 if len(ends) > 1 else 0.0)

    monkeypatch.setattr(Trials, "end", shifted)
    with pytest.warns(ph.AccuracyWarning):
        found = ph.simulate(state, t_end=200.0, tolerance=1e-9)
    assert found.accuracy.estimated_error > 1e-8
