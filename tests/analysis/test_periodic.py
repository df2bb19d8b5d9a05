"""Periodic motions against elliptic integrals, and Floquet multipliers against the linearised motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import polhode as ph
from polhode.analysis import libration_near, periodic, relative_equilibrium


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
    end = ph.simulate(found.state, step=found.period / 100, steps=100, method=ph.Exact()).final
    np.testing.assert_allclose(end.R @ found.state.R.T, ph.so3.exp(found.symmetry), atol=1e-8)


def _nutation_period(state: ph.State, J: float, weight: float) -> float:
    """Of Lagrange's top: u = cos θ moves between the lesser two roots of the cubic u̇²."""
    Pi, vertical = state.Pi, state.R[2] @ state.Pi
    energy = 0.5 * (Pi[0] ** 2 + Pi[1] ** 2) / J + weight * state.R[2, 2]
    poly = np.polynomial.Polynomial
    f = poly([energy, -weight]) * poly([1, 0, -1]) * 2.0 / J - poly([vertical, -Pi[2]]) ** 2 / J**2
    a, b, c = np.sort(f.roots().real)
    return float(4.0 / np.sqrt(2.0 * weight / J * (c - a)) * ellipk((b - a) / (c - a)))


@pytest.mark.verify
@pytest.mark.parametrize(("tilt", "omega"), [(0.7, [0.1, 0.3, 5.0]), (1.9, [0.4, -0.2, 3.0]), (0.3, [1.5, 0.0, 8.0])])
def test_nutations_of_lagranges_top(tilt: float, omega: list[float]) -> None:
    top = ph.Pendulum3D([1.0, 1.0, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0)
    start = top.state(R=ph.so3.exp([tilt, 0, 0]), omega=omega)
    exact = _nutation_period(start, 1.0 + 0.4**2, 0.8)
    held = ["energy", "vertical_momentum", "axial_momentum"]
    found = periodic(start, 1.02 * exact, steps=40, relative=True, hold=held)
    assert found.period == pytest.approx(exact, rel=1e-10)
    assert found.normal_multipliers.size == 0  # integrable: all six belong to conserved quantities
    assert found.verdict == "spectrally stable"


@pytest.mark.verify
@pytest.mark.parametrize("mode", [0, 1])
def test_nutations_of_a_top_with_three_different_moments(mode: int) -> None:
    """Closed under the flow, computed by another method, up to a turn about the vertical."""
    top = ph.Pendulum3D([1.0, 1.45, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0)
    asleep = relative_equilibrium(top.state(omega=[0, 0, 6.0]))
    assert asleep.rates == pytest.approx([6.0])
    found = libration_near(asleep, mode, amplitude=0.3, steps=40)
    assert found.state.R[2, 2] < 0.97
    end = ph.simulate(found.state, t_end=found.period, method=ph.DOP853(rtol=1e-13, atol=1e-13)).final
    np.testing.assert_allclose(end.Pi, found.state.Pi, atol=1e-10 * np.linalg.norm(end.Pi))
    np.testing.assert_allclose(end.R, ph.so3.exp([0, 0, found.symmetry[0]]) @ found.state.R, atol=1e-10)
    one, other = found.normal_multipliers
    assert one * other == pytest.approx(1.0, abs=1e-9)


def test_no_periodic_motion_is_said() -> None:
    falling = ph.ConstantBodyMoment([1.0, 1.0, 1.0], moment=[0, 0, 1.0]).state()
    with pytest.raises(ph.PolhodeError, match="no periodic motion"):
        periodic(falling, 1.0, method=ph.LGVI())
    with pytest.raises(ph.InvalidInputError, match="period"):
        periodic(falling, -1.0)
