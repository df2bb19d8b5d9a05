"""The largest usable step: what it says works, and a little more does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.simulation.step_limit import rounded_down

OMEGA = [math.pi / 4, -math.pi / 5, math.pi / 6]


def _cases() -> dict[str, tuple[ph.State, ph.Method, float]]:
    pendulum = ph.Pendulum3D(inertia_cm=[0.13, 0.28, 0.17], mass=1, rho0=[0.02, -0.05, -0.3])
    pair = ph.DoublePlanarPendulum.example()
    free, pushed = ph.FreeRigidBody([1, 2, 3]), ph.Gyrostat([1, 2, 3], torque=[1.0, 2.0, 3.0])
    wheel, damped = ph.Gyrostat([1, 2, 3], rho=[0.1, -0.2, 0.3]), ph.DampedGyrostat([1, 2, 3], 0.2, 1.0, rho=[1, 2, 3])
    return {
        "free": (free.state(omega=OMEGA), ph.LGVI(), 2.0),
        "free, order 6": (free.state(omega=OMEGA), ph.LGVI(order=6), 2.0),
        "pendulum": (pendulum.state(q=[0.97, 0.1, 0.2, 0.1], omega=[0.5, -0.4, 1]), ph.LGVI(), 1.0),
        "double pendulum": (pair, ph.LGVI(), 1.0),
        "torque": (pushed.state(omega=OMEGA), ph.QuaternionVI(), 1.5),
        "torque at rest": (pushed.state(), ph.QuaternionVI(), 5.0),
        "backwards": (wheel.state(omega=OMEGA), ph.QuaternionVI(), -1.5),
        "damper, order 4": (damped.state(omega=OMEGA), ph.QuaternionVI(order=4), 1.9),
        "damper, full kick": (damped.state(omega=OMEGA), ph.FullKickVI(), 1.9),
    }


@pytest.mark.parametrize("name", _cases())
def test_an_error_names_a_step_that_works_and_is_the_largest(name: str) -> None:
    state, method, step = _cases()[name]
    with pytest.raises(ph.ConvergenceError, match="largest usable step from this state is") as caught:
        ph.simulate(state, step=step, steps=1, method=method)
    named = math.copysign(float(str(caught.value).split("this state is ")[1].split(",")[0]), step)
    ph.simulate(state, step=named, steps=1, method=method)
    with pytest.raises(ph.ConvergenceError):
        ph.simulate(state, step=1.00002 * named, steps=1, method=method)


def test_without_force_it_is_the_closed_form() -> None:
    body = ph.FreeRigidBody([1, 2, 3])
    state = body.state(omega=OMEGA)
    for near in (None, 1e-3, 0.9, 300.0):
        assert ph.largest_step(state, near=near) == pytest.approx(body.largest_step(state), rel=1e-8)
    assert ph.largest_step(body.state()) == np.inf
    assert ph.largest_step(state, ph.RK4()) == np.inf


def test_rounding_down() -> None:
    assert [rounded_down(x) for x in (1.05031548, 0.99999999, 123456789.0, 0.5, 0.0, np.inf)] == [
        "1.05031",
        "0.999999",
        "1.23456e+08",
        "0.5",
        "0",
        "inf",
    ]
