"""Steady rotations in user potentials, and the momenta of their symmetries: against the pendulum, and by running them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import polhode as ph

JCM, RHO0, G = [0.13, 0.28, 0.17], np.array([0.02, -0.05, -0.3]), 9.81
PENDULUM = ph.Pendulum3D(JCM, mass=1.0, rho0=RHO0, g=G)
WEIGHT = "-9.81*(0.02*R31 - 0.05*R32 - 0.3*R33)"


def stay(states: list[ph.systems.Equilibrium], axis: list[float]) -> None:
    """Along the motion the axis stays where it is in the body, and so does the rate."""
    for state in states:
        run = ph.simulate(state, step=0.1, steps=4, method=ph.DOP853(rtol=1e-12, atol=1e-14))
        np.testing.assert_allclose(run.omega, np.tile(state.omega, (5, 1)), atol=1e-8)
        np.testing.assert_allclose(axis @ run.R, np.tile(axis @ state.R, (5, 1)), atol=1e-8)


@pytest.mark.verify
def test_staudes_rotations_by_a_formula() -> None:
    """The same directions of the vertical as those of the pendulum, which solves another equation for them."""
    body = ph.AttitudeBody(PENDULUM.inertia.matrix, potential=WEIGHT)
    assert list(body.conserved) == ["energy", "momentum_along_axis"]
    found = body.steady_rotations(5.0)
    expected = [e.R[2] for e in PENDULUM.steady_rotations(5.0)]
    assert len(found) == len(expected)
    for e in found:
        assert min(np.abs(e.R[2] - Gamma).max() for Gamma in expected) < 1e-8
    stay(found, [0.0, 0.0, 1.0])
    general = ph.GeneralBody(
        hamiltonian="0.5*("
        + " + ".join(
            f"({float(PENDULUM.inertia.inverse[i, j])!r})*Pi{i + 1}*Pi{j + 1}" for i in range(3) for j in range(3)
        )
        + f") + {WEIGHT}"
    )
    again = general.steady_rotations(5.0)
    assert len(again) == len(expected)
    for e in again:
        assert min(np.abs(e.R[2] - Gamma).max() for Gamma in expected) < 1e-8
    hanging = [e.R[2] for e in general.equilibria()]
    assert min(np.abs(Gamma - RHO0 / np.linalg.norm(RHO0)).max() for Gamma in hanging) < 1e-8
    assert len(hanging) == 2


def test_an_oblique_axis_a_linear_term_and_a_rotor() -> None:
    """U symmetric about (0.6, 0, 0.8), with A(R) along the same: rotations about it, and n·RΠ is conserved by LGVI."""
    gamma = [f"(0.6*R1{j} + 0.8*R3{j})" for j in (1, 2, 3)]
    body = ph.AttitudeBody(
        [1.0, 2.0, 2.5],
        potential=f"{gamma[0]}**2 + 0.7*{gamma[1]} - 0.4*{gamma[2]}*{gamma[0]}",
        linear=[f"0.3*{gamma[1]}", "0.2", f"0.1*{gamma[0]}"],
    )
    assert list(body.conserved) == ["energy", "momentum_along_axis"]
    np.testing.assert_allclose(body.axes[0], [[0.6, 0.0, 0.8]], atol=1e-12)
    found = body.steady_rotations(0.8)
    assert len(found) >= 2
    directions = [np.array([0.6, 0.0, 0.8]) @ e.R for e in found]
    assert min(np.abs(one - other).max() for one, other in combinations(directions, 2)) > 0.1, "one of each circle"
    stay(found, [0.6, 0.0, 0.8])
    start = body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.3, -0.5, 0.6])
    assert ph.simulate(start, step=0.05, steps=400).drift()["momentum_along_axis"] < 1e-13


def test_symmetries_of_the_body() -> None:
    top = ph.AttitudeBody([1.0, 1.0, 0.7], potential="0.5*R33**2 + R33", gyro=[0.0, 0.0, 0.3])
    assert list(top.conserved) == ["energy", "momentum_along_axis", "axial_momentum"]
    drift = ph.simulate(top.state(omega=[0.3, -0.5, 0.6]), step=0.05, steps=400).drift()
    assert max(drift["momentum_along_axis"], drift["axial_momentum"]) < 1e-13
    assert list(ph.AttitudeBody([1.0, 1.0, 0.7], potential="0.5*R33**2 + R12").conserved) == ["energy"]
    assert list(ph.AttitudeBody([1.0, 2.0, 0.7 + 1.0]).conserved) == ["energy", "spatial_momentum"]
    assert ph.AttitudeBody([1.0, 1.0, 0.7], potential="R33", damping=0.1).conserved == {}
    with pytest.raises(ph.InvalidInputError, match="symmetric about an axis"):
        ph.AttitudeBody([1.0, 1.0, 0.7], potential="R33*R12").steady_rotations(1.0)
