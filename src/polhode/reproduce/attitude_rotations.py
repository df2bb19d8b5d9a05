"""Sections 6.3 and 6.6.1 and problems 6.1–6.17 of the chapter on rotating rigid bodies: variations, the free body, bodies
under forces, coupled shells and geodesics."""

from __future__ import annotations

import numpy as np

from ..control.attitude_geodesics import geodesic
from ..geometry import so3
from ..methods import LGVI
from ..simulation.driver import simulate
from ..systems import AttitudeBody, ConcentricShells, FieldBody, FreeRigidBody, GeneralBody, PointForceBody, linearize
from .attitude_bodies import (
    DIFFERENCES,
    E3,
    MASSES,
    OMEGA,
    SPACING,
    Array,
    J,
    R,
    balanced_points,
    integrate,
    largest,
    largest_change,
    moment_of,
    rate_of,
)
from .base import Comparison, at_most, correct_statement, misprint


def compare_rotations() -> list[Comparison]:
    """Sections 6.3 and 6.6.1, and the problems."""
    return [*_variations(), *_general_equations(), *_free_body(), *_forces(), *_shells(), *_geodesics()]


def _variations() -> list[Comparison]:
    """6.3.1, problems 6.1 and 6.2: variations, and the moment of a potential."""

    # along R(t) = R exp(tS(ω)) with η = (t, t², 1 − t) at t = 0.4
    def rotation(t: float, e: float) -> Array:
        return np.asarray(R @ so3.exp(t * OMEGA) @ so3.exp(e * np.array([t, t * t, 1.0 - t])), np.float64)

    t, d, e = 0.4, 1e-3, 0.1
    eta, eta_rate = np.array([t, t * t, 1.0 - t]), np.array([1.0, 2.0 * t, -1.0])
    slope = (8.0 * (rotation(t + d, e) - rotation(t - d, e)) - (rotation(t + 2 * d, e) - rotation(t - 2 * d, e))) / (
        12.0 * d
    )
    turned = so3.exp(-e * eta) @ OMEGA

    # U = Σ C_ij R_ij + ½ (C₁·R C₂)², with its gradient, and the same as a formula for the library
    C = np.array([[0.5, 0.1, -0.2], [0.3, -0.4, 0.1], [0.2, 0.3, 0.6]])
    linear = " + ".join(f"({C[i, j]})*R{i + 1}{j + 1}" for i in range(3) for j in range(3))
    square = " + ".join(f"({float(C[0, i] * C[1, j])!r})*R{i + 1}{j + 1}" for i in range(3) for j in range(3))
    body = AttitudeBody(J, potential=f"{linear} + 0.5*({square})**2")
    G = C + (C[0] @ R @ C[1]) * np.outer(C[0], C[1])
    moment = moment_of(body.state(R=R))
    point, force, direction = np.array([0.5, -0.3, 0.8]), np.array([0.4, 0.9, -0.6]), np.array([0.3, -0.7, 0.2])
    pushed = moment_of(PointForceBody(J, point=point, force=force).state(R=R))
    work = force @ (R @ so3.hat(direction) @ point)
    return [
        misprint(
            "6.3.1",
            "ω^ε at ε = 0.1",
            turned + e * eta_rate,
            turned + so3.dexp_right(e * eta, e * eta_rate),
            0.5 * so3.vee2(rotation(t, e).T @ slope),
            "correct only to first order in ε: η and its derivative do not commute; (6.3) is not affected",
            DIFFERENCES,
        ),
        correct_statement("(6.3)", "δω − (dη/dt + ω × η) of a tangent map", _variation_residual(), DIFFERENCES),
        correct_statement("problem 6.1 (a)", "RᵀG − GᵀR + S(M), M the moment", largest(R.T @ G - G.T @ R + so3.hat(moment)), DIFFERENCES),
        correct_statement("problem 6.1 (b)", "Σ rᵢ × ∂U/∂rᵢ − M", largest(np.sum(np.cross(R, G), axis=0) - moment), DIFFERENCES),
        correct_statement("problem 6.2 (a)", "work F·δRρ of a force − η·M", work - direction @ pushed, DIFFERENCES),
    ]  # fmt: skip


def _variation_residual() -> float:
    """The residual of δω = dη/dt + ω × η for all columns of the tangent map of a free motion."""
    h = SPACING
    run = simulate(FreeRigidBody(J).state(R=R, omega=OMEGA), step=h, steps=40, method=LGVI(order=8), tangent=True)
    assert run.tangent is not None
    k = 20
    xi, dPi = run.tangent[:, :3], run.tangent[:, 3:]
    rate = (8.0 * (xi[k + 1] - xi[k - 1]) - (xi[k + 2] - xi[k - 2])) / (12.0 * h)
    return largest(np.linalg.solve(J, dPi[k]) - rate - so3.hat(run.omega[k]) @ xi[k])


def _general_equations() -> list[Comparison]:
    """Propositions 6.1 and 6.2, for a kinetic energy that is not quadratic: `L = −√(1 − ω·ω) − U`, `H = √(1 + Π·Π) + U`."""
    U, slope_33, slope_12 = "0.3*R33 + 0.2*R12**2", 0.3, 0.4 * R[0, 1]
    body = GeneralBody(lagrangian=f"-sqrt(1 - omega1**2 - omega2**2 - omega3**2) - ({U})")
    rate = 0.7 * OMEGA
    state, root = body.state(R=R, omega=rate), np.sqrt(1.0 - rate @ rate)
    # Σ rᵢ × ∂L/∂rᵢ over the rows of R
    turning = -np.cross(R[2], [0.0, 0.0, slope_33]) - np.cross(R[0], [0.0, slope_12, 0.0])
    left = rate_of(state, "Pi") + np.cross(rate, rate / root) + turning
    same = GeneralBody(hamiltonian=f"sqrt(1 + Pi1**2 + Pi2**2 + Pi3**2) + {U}").state(R=R, Pi=state.Pi)
    Pi = same.Pi
    velocity = Pi / np.sqrt(1.0 + Pi @ Pi)
    step = simulate(state, step=0.1, steps=2, method=LGVI())
    other = simulate(same, step=0.1, steps=2, method=LGVI())
    return [
        correct_statement("(6.6)", "d/dt ∂L/∂ω + ω × ∂L/∂ω + Σ rᵢ × ∂L/∂rᵢ, not quadratic", largest(left), DIFFERENCES),
        correct_statement(
            "(6.10)", "ṙᵢ = rᵢ × ∂H/∂Π, not quadratic", largest(rate_of(same, "R") - R @ so3.hat(velocity)), DIFFERENCES
        ),
        correct_statement(
            "(6.11)",
            "Π̇ = Π × ∂H/∂Π + Σ rᵢ × ∂H/∂rᵢ, not quadratic",
            largest(rate_of(same, "Pi") - np.cross(Pi, velocity) + turning),
            DIFFERENCES,
        ),
        correct_statement("6.4", "discrete flows of L and of H, not quadratic", largest(step.R - other.R)),
    ]


def _free_body() -> list[Comparison]:
    """6.6.1, problems 6.7 and 6.9."""
    body = FreeRigidBody(J)
    run = integrate(body.state(R=R, omega=OMEGA))
    rows = [
        correct_statement("6.6.1.3", f"change of {what} over t = 10", largest_change(run.invariants()[name]))
        for name, what in (("energy", "½ ω·Jω"), ("spatial_momentum", "RJω"), ("momentum_norm", "‖Jω‖"))
    ]
    steady = [largest(rate_of(state, "omega")) for state in body.steady_rotations(1.0)]
    rest = linearize(body.state())
    sphere = integrate(FreeRigidBody([2.0, 2.0, 2.0]).state(R=R, omega=OMEGA)).final
    J1, J3 = 1.0, 1.8
    final = integrate(FreeRigidBody([J1, J1, J3]).state(R=R, omega=OMEGA)).final
    nu = (J3 - J1) * OMEGA[2] / J1
    closed = R @ so3.exp(10.0 * np.diag([J1, J1, J3]) @ OMEGA / J1) @ so3.exp(-10.0 * nu * E3)
    return [
        *rows,
        correct_statement("6.6.1.4", "dω/dt for ω along the eigenvectors of J", max(steady)),
        correct_statement("6.6.1.4", "largest eigenvalue² of J d²ξ/dt² = 0", np.abs(rest.eigenvalues**2).max()),
        correct_statement("problem 6.7", "R(10) − R₀ exp(10 S(ω₀))", largest(sphere.R - R @ so3.exp(10.0 * OMEGA))),
        correct_statement("problem 6.9", "R(10) − R₀ exp(tS(Π₀/J₁)) exp(−νtS(e₃))", largest(final.R - closed)),
    ]


def _forces() -> list[Comparison]:
    """Problems 6.10, 6.11, 6.13."""
    b, F = np.array([0.5, -0.3, 0.8]), np.array([0.4, 0.9, -0.6])
    across = F - (F @ R @ b) / (b @ b) * (R @ b)
    moments = [moment_of(PointForceBody(J, point=b, force=f).state(R=R)) for f in (F, across)]
    start = PointForceBody(J, point=b, force=F).state(R=R, omega=OMEGA)
    final = integrate(start).final
    uniform = FieldBody(MASSES, balanced_points(), uniform=-9.81 * E3)
    free = FreeRigidBody(uniform.inertia.matrix)
    finals = [integrate(s.state(R=R, omega=OMEGA)).final.R for s in (uniform, free)]
    return [
        correct_statement("problem 6.10 (a)", "moment of the part of RᵀF along b", largest(moments[0] - moments[1]), DIFFERENCES),
        correct_statement("problem 6.11 (d)", "R(10) in a uniform field less that of the free body", largest(finals[0] - finals[1])),
        misprint(
            "problem 6.13 (a)",
            "moment in the inertial frame at t = 10",
            np.cross(start.R @ b, F),
            np.cross(final.R @ b, F),
            final.R @ moment_of(final),
            "it is called constant; R(r × Rᵀf) = Rr × f changes as the body rotates: the force is constant, not the moment",
            DIFFERENCES,
        ),
    ]  # fmt: skip


def _shells() -> list[Comparison]:
    """Problem 6.15."""
    J1, J2, K = np.array([1.0, 2.0, 2.5]), np.array([2.0, 1.5, 1.0]), 0.6
    near, elastic = (linearize(ConcentricShells(J1, J2, K=k).equilibria()[0]) for k in (K, -K))
    # turning together costs no energy: three double eigenvalues 0, which rounding splits into ±√ε
    squares = np.concatenate([np.repeat(-2.0 * K * (1.0 / J1 + 1.0 / J2), 2), np.zeros(6)])
    invariants = integrate(ConcentricShells.example()).invariants()
    return [
        misprint(
            "problem 6.15",
            "growth rate of aligned shells, K = 0.6",
            0.0,
            np.sqrt(2.0 * K * np.max(1.0 / J1 + 1.0 / J2)),
            near.eigenvalues.real.max(),
            "with U = +K tr(R₁ᵀR₂ − I) and K > 0, aligned shells are at a maximum of U; an elastic coupling has K < 0",
        ),
        correct_statement(
            "problem 6.15",
            "eigenvalues² of aligned shells, K = −0.6, + 2|K|(1/J₁ + 1/J₂) or 0",
            largest(np.sort((elastic.eigenvalues**2).real) - np.sort(squares)),
        ),
        *(
            correct_statement("problem 6.15 (c)", f"change of {name} over t = 10", largest_change(invariants[name]))
            for name in invariants
        ),
    ]


def _geodesics() -> list[Comparison]:
    """Problems 6.16 and 6.17."""
    end, inertia = so3.exp([-0.6, 0.9, 1.1]), np.diag([1.0, 2.0, 2.5])
    plain, heavy = geodesic(R, end), geodesic(R, end, inertia)
    motion = integrate(FreeRigidBody(inertia).state(R=R, omega=heavy.omega), t_end=1.0).final
    return [
        correct_statement("problem 6.16", "R₀ exp(S(ω)) − R₁, S(ω) = log R₀ᵀR₁", largest(R @ so3.exp(plain.omega) - end)),
        correct_statement("problem 6.17", "R(1) − R₁ of the free body found by shooting", largest(motion.R - end)),
        at_most("problem 6.17", "its action, that of the geodesic of 6.16", float(plain.omega @ inertia @ plain.omega), heavy.action,
            2.0 * float(motion.invariants()["energy"])),
    ]  # fmt: skip
