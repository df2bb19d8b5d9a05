"""The loop that a short system gets for itself does what the loop for all systems does, and both what the tableau says."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.methods.runge_kutta import RungeKuttaRun

START = ph.FreeRigidBody.example


def advanced(run: RungeKuttaRun, *, fused: bool) -> tuple[tuple[int, int], np.ndarray, np.ndarray, np.ndarray]:
    """What five steps return, sampled after every second, with the state and the report."""
    assert run._fused is not None
    if not fused:
        run._fused = None
    samples = np.zeros((2, run.row_size))
    return run.advance(0, 5, 2, samples), samples, run.sample.copy(), run.report.numbers.copy()


@pytest.mark.parametrize("method", [ph.RK4(), ph.Midpoint()])
@pytest.mark.parametrize("start", [START, ph.Pendulum3D.example])
def test_both_loops_give_the_same_bits(start, method):
    one, other = (advanced(method.start(start(), 0.1), fused=fused) for fused in (True, False))
    assert one[0] == other[0] == (0, 5)
    for left, right in zip(one[1:], other[1:], strict=True):
        assert np.array_equal(left, right)
    assert np.all(np.any(one[1] != 0.0, axis=1))


def test_a_long_state_and_one_on_other_scalars_take_the_loop_for_all():
    pair = ph.FullTwoBodyProblem.example()
    assert ph.RK4().start(pair, 0.1)._fused is None
    assert ph.RK4().start(START(), 0.1, ph.scalars.lanes(4))._fused is None


@pytest.mark.parametrize("method", [ph.RK4(), ph.Midpoint()])
def test_a_step_is_that_of_the_tableau(method):
    start, h = START(), 0.3
    inverse = start.system.inertia.inverse

    def slope(y):
        omega = inverse @ y[3]
        return np.cross(y, omega)  # each row of R, and Π

    y = np.vstack([start.R, start.Pi])
    if isinstance(method, ph.RK4):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        expected = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
    else:
        expected = y + h * slope(y + h / 2 * slope(y))
    end = ph.simulate(start, step=h, steps=1, method=method).final
    assert np.abs(np.vstack([end.R, end.Pi]) - expected).max() < 1e-14


def test_only_what_was_chosen_is_said() -> None:
    assert repr(ph.RK4()) == "RK4()"
    assert repr(ph.RK4(representation="quaternion")) == "RK4(representation='quaternion')"
