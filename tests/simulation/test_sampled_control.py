"""A controller in the loop: what it commands acts from the moment it is asked until the next, and nothing else changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InvalidInputError

STEP, EVERY = 0.05, 0.2
ZERO = {"u1": 0.0, "u2": 0.0, "u3": 0.0}


@pytest.fixture(scope="module")
def satellite() -> ph.Gyrostat:
    return ph.Gyrostat([3.0, 2.0, 1.5], torque=["u1", "u2", "u3"], parameters=ZERO)


def named(u: Any) -> dict[str, float]:
    return dict(zip(ZERO, map(float, u), strict=True))


def damping(t: float, state: ph.State) -> dict[str, float]:
    return named(-0.8 * state.omega)


def test_the_torque_of_each_interval_is_constant(satellite: ph.Gyrostat) -> None:
    """The same run by hand, interval by interval with a new body each, has the same bits."""
    start = satellite.state(omega=[0.3, -0.2, 0.4])
    run = ph.simulate(start, step=STEP, steps=20, controller=damping, every=EVERY)
    assert len(run) == 21
    state = start
    for k in range(5):
        torque = list(damping(0.0, state).values())
        np.testing.assert_array_equal([run.commands.values[name][k] for name in ZERO], torque)
        assert run.commands.t[k] == pytest.approx(k * EVERY)
        body = ph.Gyrostat([3.0, 2.0, 1.5], torque=["u1", "u2", "u3"], parameters=named(torque))
        piece = ph.simulate(body.state(R=state.R, Pi=state.Pi, t=k * 4 * STEP), step=STEP, steps=4)
        np.testing.assert_array_equal(piece.R, run.R[4 * k : 4 * k + 5])
        np.testing.assert_array_equal(piece.Pi, run.Pi[4 * k : 4 * k + 5])
        state = piece.final
    assert np.linalg.norm(run.omega[-1]) < 0.8 * np.linalg.norm(run.omega[0])
    assert run.system is satellite


def test_an_estimator_stands_between(satellite: ph.Gyrostat) -> None:
    seen = []

    def estimator(t: float, state: ph.State) -> ph.State:
        return satellite.state(R=state.R, omega=[0.0, 0.0, 0.0], t=t)

    def controller(t: float, state: ph.State) -> dict[str, float]:
        seen.append(state.omega)
        return {}

    start = satellite.state(omega=[0.3, -0.2, 0.4])
    run = ph.simulate(start, step=STEP, t_end=1.0, controller=controller, every=EVERY, estimator=estimator)
    assert len(seen) == 5
    np.testing.assert_array_equal(seen, np.zeros((5, 3)))
    free = ph.simulate(ph.Gyrostat([3.0, 2.0, 1.5]).state(omega=[0.3, -0.2, 0.4]), step=STEP, t_end=1.0)
    np.testing.assert_allclose(run.R[-1], free.R[-1], atol=1e-14)


def test_what_was_commanded_is_saved(satellite: ph.Gyrostat, tmp_path: Path) -> None:
    run = ph.simulate(
        satellite.state(omega=[0.3, -0.2, 0.4]), step=STEP, steps=22, controller=damping, every=EVERY, save_every=2
    )
    run.save(tmp_path / "run.nc")
    again = ph.load(tmp_path / "run.nc")
    assert run.commands is not None
    assert again.commands is not None
    np.testing.assert_array_equal(again.commands.t, run.commands.t)
    assert again.commands.values.keys() == run.commands.values.keys()
    for name, values in run.commands.values.items():
        np.testing.assert_array_equal(again.commands.values[name], values)
    np.testing.assert_array_equal(again.t, run.t)


def test_an_error_of_the_controller_comes_with_what_was_computed(satellite: ph.Gyrostat) -> None:
    def fails(t: float, state: ph.State) -> dict[str, float]:
        if t > 0.5:
            raise RuntimeError("no power")
        return {}

    with pytest.raises(RuntimeError, match="no power") as caught:
        ph.simulate(satellite.state(omega=[0.1, 0.0, 0.2]), step=STEP, t_end=2.0, controller=fails, every=EVERY)
    assert caught.value.trajectory.t[-1] == pytest.approx(0.6)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"controller": lambda t, state: {"v": 1.0}}, "a table of values of u1, u2, u3"),
        ({"controller": lambda t, state: None}, "a table of values of u1, u2, u3"),
        ({"controller": lambda t, state: {"u1": [1.0, 2.0]}}, "a single number, as it was made with"),
        ({"controller": lambda t, state: {"u1": np.nan}}, r"parameters\.u1"),
        ({"controller": 3.0}, "a function of the time and the state"),
        ({"every": None}, "the time from one sample"),
        ({"every": 0.12}, "a whole number of steps"),
        ({"save_every": 3}, "a divisor of the 4 steps"),
        ({"tangent": True}, "tangent and controller exclude each other"),
        ({"t_eval": [0.5]}, "t_eval and controller exclude each other"),
    ],
)
def test_mistakes_are_said(satellite: ph.Gyrostat, options: dict[str, Any], said: str) -> None:
    given = {"step": STEP, "steps": 8, "controller": damping, "every": EVERY} | options
    with pytest.raises(InvalidInputError, match=said):
        ph.simulate(satellite.state(omega=[0.1, 0.0, 0.2]), **given)


def test_a_system_without_named_parameters_says_what_to_do() -> None:
    with pytest.raises(InvalidInputError, match="a system with named parameters to command"):
        ph.simulate(ph.Gyrostat([3, 2, 1.5]).state(), step=STEP, steps=8, controller=damping, every=EVERY)
    with pytest.raises(InvalidInputError, match="every belongs to a controller"):
        ph.simulate(ph.Gyrostat([3, 2, 1.5]).state(), step=STEP, steps=8, every=EVERY)


def test_the_pace_may_be_a_quantity(satellite: ph.Gyrostat) -> None:
    start = satellite.state(omega=[0.3, -0.2, 0.4])
    runs = [
        ph.simulate(start, step=STEP, steps=8, controller=damping, every=every, units={"time": "min"})
        for every in (EVERY, "12 s")
    ]
    np.testing.assert_array_equal(runs[0].omega, runs[1].omega)
