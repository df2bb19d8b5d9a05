"""Reaction wheels: the torque on the body is the opposite of theirs, and limits hold."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.control import Wheels
from polhode.errors import InvalidInputError

PYRAMID = [[1, 0, 1], [-1, 0, 1], [0, 1, 1], [0, -1, 1]]


def test_four_wheels_give_any_torque_with_the_least_effort() -> None:
    wheels = Wheels(PYRAMID)
    torque = np.array([0.1, -0.3, 0.2])
    rotor_torque = wheels.command(torque, 2.0)
    np.testing.assert_allclose(rotor_torque, -torque, atol=1e-15)
    np.testing.assert_allclose(wheels.rho, 2.0 * rotor_torque, atol=1e-15)
    null = np.linalg.svd(wheels.axes.T)[2][-1]  # turning all four this way gives nothing
    assert abs(null @ wheels.momenta) < 1e-15


def test_limits_of_torque_and_momentum_are_kept_and_said_once() -> None:
    wheels = Wheels(np.eye(3), torque=0.1, momentum=0.25)
    with pytest.warns(ph.SaturationWarning, match="wheels at their limits: 0"):
        np.testing.assert_allclose(wheels.command([0.5, 0.05, 0.0], 1.0), [-0.1, -0.05, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(4):
            wheels.command([0.5, 0.05, 0.0], 1.0)
    np.testing.assert_allclose(wheels.momenta, [-0.25, -0.25, 0.0])
    assert wheels.saturated == 5


def test_with_a_gyrostat_the_momentum_of_all_stays() -> None:
    body = ph.Gyrostat([3, 2, 1.5], rotor_torque=["u1", "u2", "u3"], parameters={"u1": 0, "u2": 0, "u3": 0})
    wheels = Wheels(PYRAMID, torque=0.2, momentum=5.0)

    def point(t: float, state: ph.State) -> dict[str, float]:
        error = ph.so3.log(state.R)
        u = wheels.command(-1.0 * error - 2.0 * state.omega, 0.1)
        return dict(zip(("u1", "u2", "u3"), u, strict=True))

    start = body.state(euler=[0.4, -0.2, 0.3], omega=[0.01, 0.02, -0.01])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ph.SaturationWarning)
        run = ph.simulate(start, step=0.05, t_end=60.0, controller=point, every=0.1)
    assert np.linalg.norm(ph.so3.log(run.R[-1])) < 1e-3
    momentum = np.einsum("tij,tj->ti", run.R, run.Pi)
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-13)
    np.testing.assert_allclose(run.rho[-1], wheels.rho, atol=1e-12)


@pytest.mark.parametrize("axes", [[[1, 0, 0], [0, 1, 0]], [[1, 0], [0, 1]], [[0, 0, 0]] * 3, 7])
def test_axes_that_do_not_span_are_refused(axes: object) -> None:
    with pytest.raises(InvalidInputError, match="axes"):
        Wheels(axes)  # type: ignore[arg-type]
