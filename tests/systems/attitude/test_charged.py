"""A charged body: the motion against Newton's law for each charge, both discretisations, and what each keeps."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import measured_order, symplectic_defect

STATE = ph.ChargedBody.example()
BODY = STATE.system
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)


def point_charges() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    return rng.normal(size=5), rng.normal(size=(5, 3))


def test_the_moment_is_that_of_lorentz_forces() -> None:
    """Π̇ of the canonical momentum, turned into J ω̇, against Σ q ρ × Rᵀ(E + v × B) of point charges."""
    charges, places = point_charges()
    dipole, K = charges @ places, np.einsum("i,ij,ik->jk", charges, places, places)
    E, B = np.array([0.3, -0.2, 0.5]), np.array([-0.4, 0.7, 0.2])
    body = ph.ChargedBody([1.0, 2.0, 2.5], dipole, K, E, B)
    state = body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.7, -0.5, 0.6])
    h = 1e-3
    ahead, behind = (ph.simulate(state, step=s * h, steps=1, method=TIGHT).final for s in (1.0, -1.0))
    change = (ahead.omega - behind.omega) / (2 * h)
    R, omega, J = state.R, state.omega, body.inertia.matrix
    forces = E + np.cross(np.cross(R @ omega, places @ R.T), B)
    moment = np.cross(places, charges[:, None] * (forces @ R)).sum(axis=0)
    np.testing.assert_allclose(J @ change + np.cross(omega, J @ omega), moment, atol=1e-5)


def test_larmor() -> None:
    """If the charge goes with the mass, dQ = κ dm, a small κ makes the frame precess at κB/2."""
    kappa, B, J = 1e-4, np.array([0.0, 0.0, 2.0]), np.diag([1.0, 2.0, 2.5])
    Jd = 0.5 * np.trace(J) * np.eye(3) - J
    body = ph.ChargedBody(J, np.zeros(3), kappa * Jd, B=B)
    free = ph.FreeRigidBody(J)
    omega = np.array([0.5, -0.4, 0.6])
    slow = omega + 0.5 * kappa * B  # the rate in the frame that turns at −κB/2
    t = 5.0
    charged = ph.simulate(body.state(omega=omega), step=t, steps=1, method=TIGHT).final
    turned = ph.simulate(free.state(omega=slow), step=t, steps=1, method=ph.Exact()).final
    np.testing.assert_allclose(charged.R, ph.so3.exp(-0.5 * kappa * B * t) @ turned.R, atol=1e-6)
    assert (
        np.abs(charged.R - ph.simulate(free.state(omega=omega), step=t, steps=1, method=ph.Exact()).final.R).max()
        > 1e-5
    )


def test_the_variational_step_solves_the_discrete_equations() -> None:
    """Both equations of the discrete Hamilton principle, in matrices as printed."""
    h = 0.05
    run = ph.simulate(STATE, step=h, steps=1)
    (R0, R1), (P0, P1), K = run.R, run.Pi, BODY.charge
    F, Jd = R0.T @ R1, BODY.inertia.nonstandard
    kinetic = ph.so3.vee(F @ Jd - Jd @ F.T) / h
    (b0, b1), (M0, M1) = (BODY.B @ run.R), np.cross(BODY.dipole, BODY.E @ run.R)
    trace = np.trace(F @ K)
    np.testing.assert_allclose(P0 + h / 2 * M0, kinetic + 0.5 * (trace * b0 - F @ K @ b0), atol=1e-14)
    np.testing.assert_allclose(P1, F.T @ kinetic + 0.5 * (trace * b1 - F.T @ K @ b1) + h / 2 * M1, atol=1e-14)


def test_the_forced_step_solves_its_equations() -> None:
    h = 0.05
    run = ph.simulate(STATE, step=h, steps=1, method=ph.ForcedLGVI())
    (R0, R1), (P0, P1), K = run.R, run.P, BODY.charge
    F, Jd = R0.T @ R1, BODY.inertia.nonstandard
    kinetic = ph.so3.vee(F @ Jd - Jd @ F.T) / h
    rate = ph.so3.vee2(F) / (2 * h)
    M0, M1 = np.cross(BODY.dipole, BODY.E @ run.R)
    before, after = (h / 2 * np.cross(rate, K @ b) for b in BODY.B @ run.R)
    np.testing.assert_allclose(P0 + h / 2 * M0 + before, kinetic, atol=1e-14)
    np.testing.assert_allclose(P1, F.T @ kinetic + after + h / 2 * M1, atol=1e-14)


def test_one_is_symplectic_and_the_other_is_not() -> None:
    assert ph.LGVI().symplectic
    assert not ph.ForcedLGVI().symplectic
    assert symplectic_defect(STATE, ph.LGVI(), 0.05, steps=1) < 1e-13
    assert 1e-7 < symplectic_defect(STATE, ph.ForcedLGVI(), 0.05, steps=1) < 1e-3
    for method in (ph.LGVI(), ph.ForcedLGVI()):
        np.testing.assert_allclose(measured_order(STATE, method, 2.0).orders, 2.0, atol=0.05)


def test_the_momentum_along_the_field() -> None:
    run = ph.simulate(STATE, step=0.05, steps=100_000, save_every=100)
    assert run.drift()["momentum_along_B"] < 1e-12
    forced = ph.simulate(STATE, step=0.05, steps=1000, method=ph.ForcedLGVI())
    assert 1e-6 < forced.drift()["momentum_along_B"] < 1e-1
    crossed = ph.ChargedBody([1, 2, 2.5], [0, 0, 1], [0.1, 0.2, 0.3], E=[1, 0, 0], B=[0, 1, 0])
    assert "momentum_along_B" not in crossed.conserved


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_equilibria_against_the_closed_linearisation(sign: float) -> None:
    """J ξ̈ + S(Kb) ξ̇ ± E|p| (1 − p̂p̂ᵀ) ξ = 0."""
    found = ph.linearize(BODY.equilibria()[0 if sign > 0 else 1])
    assert found.verdict == ("stable" if sign > 0 else "unstable")
    b, p = BODY.B @ found.state.R, BODY.dipole
    unit = p / np.linalg.norm(p)
    stiffness = sign * np.linalg.norm(BODY.E) * np.linalg.norm(p) * (np.eye(3) - np.outer(unit, unit))
    inverse = BODY.inertia.inverse
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ stiffness, -inverse @ ph.so3.hat(BODY.charge @ b)]])
    expected = np.linalg.eigvals(A)
    for value in found.eigenvalues:
        assert np.abs(value**2 - expected**2).min() < 1e-10


def test_steady_rotations_about_the_field() -> None:
    body = ph.ChargedBody([1, 2, 2.5], [0, 0, 0], [[0.3, 0.1, 0], [0.1, 0.5, 0], [0, 0, 0.2]], B=[0.0, 1.5, 0.0])
    found = body.steady_rotations(0.8)
    assert len(found) == 6, "about three axes, each of them along B or against it"
    for steady in found:
        run = ph.simulate(steady, step=2.0, steps=1, method=TIGHT)
        np.testing.assert_allclose(run.final.omega, steady.omega, atol=1e-12)
        ph.linearize(steady)


def test_rotations_are_steady_in_a_field_of_any_strength_but_none() -> None:
    body = ph.ChargedBody([1, 2, 2.5], [0, 0, 0], [0.3, 0.5, 0.2], B=[0.0, 0.0, 1.0])
    found = body.steady_rotations(0.8)
    # about each principal axis, along B or against it; which of them are in equilibrium does not depend on the strength
    axes = np.array([steady.omega / 0.8 for steady in found])
    assert len(axes) == 6
    np.testing.assert_allclose(np.sort(np.abs(axes), axis=1), [[0.0, 0.0, 1.0]] * 6, atol=1e-12)
    without = ph.ChargedBody([1, 2, 2.5], [0.1, 0, 0], [0.3, 0.5, 0.2], E=[0.0, 0.0, 1.0])
    with pytest.raises(ph.InvalidInputError, match=r"B = .*a magnetic field; without one see"):
        without.steady_rotations(0.8)
