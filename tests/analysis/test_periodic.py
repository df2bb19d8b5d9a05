"""Periodic motions against elliptic integrals, and Floquet multipliers against the linearised motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import polhode as ph
from polhode.analysis import periodic


@pytest.mark.verify
def test_the_period_of_a_pendulum_and_its_multipliers() -> None:
    start = ph.PlanarPendulum(inertia=1.0, mass=1.0, length=1.0, g=1.0).state(theta=1.0)
    found = periodic(start, 6.4, steps=40, hold=["energy"])
    assert found.period == pytest.approx(4.0 * ellipk(np.sin(0.5) ** 2), rel=1e-10)
    assert np.abs(found.multipliers - 1.0).max() < 1e-4  # the motion and its energy: a defective pair
    assert found.verdict == "spectrally stable"
    longer = periodic(start, 7.0, steps=40, fixed_period=True)
    assert longer.period == 7.0
    amplitude = 2.0 * np.arcsin(np.sqrt(_modulus(7.0)))
    run = ph.simulate(longer.state, step=0.007, steps=1000)
    assert np.abs(run.theta).max() == pytest.approx(amplitude, abs=1e-4)


def _modulus(period: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda m: 4.0 * ellipk(m) - period, 0.0, 0.99))


def test_a_free_body_is_periodic_up_to_a_rotation() -> None:
    """Its momentum in the body frame has the period 4K/ν of Jacobi's functions; the attitude turns about the momentum."""
    state = ph.FreeRigidBody([1.0, 2.0, 2.7]).state(omega=[0.7, -0.6, 0.5])
    I, omega = np.array([1.0, 2.0, 2.7]), state.omega
    energy, square = float(np.sum(I * omega**2)), float(np.sum((I * omega) ** 2))
    a = I if square >= energy * I[1] else I[::-1]
    nu = np.sqrt((a[2] - a[1]) * (square - energy * a[0]) / I.prod())
    m = (a[1] - a[0]) * (energy * a[2] - square) / ((a[2] - a[1]) * (square - energy * a[0]))
    exact = 4.0 * ellipk(m) / abs(nu)
    found = periodic(state, 1.01 * exact, relative=True, hold=["energy", "spatial_momentum"])
    assert found.period == pytest.approx(exact, rel=1e-9)
    assert found.verdict == "spectrally stable"


def test_no_periodic_motion_is_said() -> None:
    falling = ph.ConstantBodyMoment([1.0, 1.0, 1.0], moment=[0, 0, 1.0]).state()
    with pytest.raises(ph.PolhodeError, match="no periodic motion"):
        periodic(falling, 1.0, method=ph.LGVI())
    with pytest.raises(ph.InvalidInputError, match="period"):
        periodic(falling, -1.0)
