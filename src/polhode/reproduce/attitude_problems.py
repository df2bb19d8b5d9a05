"""Problems 6.3–6.5, 6.8, 6.12, 6.14 and 6.18 of the chapter on rotating rigid bodies: bodies in the plane, the closed form of
the free body, charges, constant moments, and coupled bodies."""

from __future__ import annotations

import numpy as np

from ..core.system import State
from ..geometry import so3
from ..methods import Exact
from ..simulation.driver import simulate
from ..systems import (
    ChargedBody,
    ConstantBodyMoment,
    CoupledBodies,
    DoublePlanarPendulum,
    FreeRigidBody,
    PlanarBody,
    PlanarPendulum,
    linearize,
)
from .attitude_bodies import (
    DIFFERENCES,
    E2,
    E3,
    OMEGA,
    J,
    R,
    integrate,
    largest,
    largest_change,
    moment_of,
    rate_of,
)
from .base import Comparison, correct_statement, counted


def compare_problems() -> list[Comparison]:
    """The problems."""
    return [*_plane(), *_double_pendulum(), *_free_body(), *_charges(), *_constant_moment(), *_coupled()]


def _energy_change(state: State) -> float:
    return largest_change(integrate(state).invariants()["energy"])


def _plane() -> list[Comparison]:
    """Problems 6.3 and 6.4, on SO(2)."""
    k1, k2, inertia = 0.8, -0.5, 1.3
    state = PlanarBody(inertia, harmonics=[k1, k2]).state(theta=0.9, omega=0.7)
    S, R2 = np.array([[0.0, -1.0], [1.0, 0.0]]), np.asarray(state.R)
    G = -0.5 * k1 * np.eye(2) - 0.5 * k2 * R2.T  # ∂U/∂R of U = k₁(1 − ½ tr R) + ½k₂(1 − ½ tr R²)
    moment = -np.trace(G.T @ R2 @ S)
    pendulum, m, length, g = PlanarPendulum(1.2, 1.5, 0.6), 1.5, 0.6, 9.81
    rates = np.concatenate([linearize(e).eigenvalues for e in pendulum.equilibria()])
    expected = np.array([-1.0, -1.0, 1.0, 1.0]) * m * g * length / 1.2
    off = np.sort((rates**2).real) - expected
    return [
        correct_statement("problem 6.3 (b)", "J dω/dt + tr((∂U/∂R)ᵀRS)", inertia * rate_of(state, "omega") - moment, DIFFERENCES),
        correct_statement("problem 6.3 (d)", "change of energy over t = 10", _energy_change(state)),
        correct_statement("problem 6.4 (d)", "eigenvalues² about both equilibria ± mgl/J", largest(off) / expected[-1]),
    ]  # fmt: skip


def _double_pendulum() -> list[Comparison]:
    """Problem 6.5."""
    J1, J2, m1, m2, l1, c1, c2, g = 0.4, 0.3, 1.0, 0.8, 0.6, 0.3, 0.25, 9.81
    body = DoublePlanarPendulum(J1, J2, m1, m2, l1, c1, c2, g)
    state = body.state(theta=[0.7, -0.4], omega=[1.1, -0.6])
    (a, b), (u, v) = np.asarray(state.theta), np.asarray(state.omega)
    coupling = m2 * l1 * c2 * np.sin(b - a) * u * v
    weights = np.array([(m1 * c1 + m2 * l1) * g * np.sin(a), m2 * c2 * g * np.sin(b)])
    off = rate_of(state, "p") - np.array([coupling, -coupling]) + weights
    unstable = [linearize(e).verdict == "unstable" for e in body.equilibria()]
    return [
        correct_statement("problem 6.5 (b)", "dp/dt ∓ m₂l₁l_c₂ sin(θ₂ − θ₁) ω₁ω₂ + weights", largest(off), DIFFERENCES),
        correct_statement("problem 6.5 (c)", "change of energy over t = 10", _energy_change(state)),
        counted("problem 6.5 (d)", "equilibria", 4, len(unstable)),
        counted("problem 6.5 (d)", "unstable ones among them", 3, sum(unstable)),
    ]  # fmt: skip


def _free_body() -> list[Comparison]:
    """Problem 6.8: by elliptic functions, beside the equations integrated."""
    start = FreeRigidBody(J).state(R=R, omega=OMEGA)
    closed = simulate(start, step=10.0, steps=1, method=Exact()).final
    return [correct_statement("problem 6.8", "R(10) − that by elliptic functions", largest(integrate(start).final.R - closed.R))]  # fmt: skip


def _charges() -> list[Comparison]:
    """Problem 6.12."""
    p, K = np.array([0.3, -0.2, 0.4]), np.array([[0.5, 0.1, 0.0], [0.1, 0.3, -0.1], [0.0, -0.1, 0.4]])
    E, B = 1.4, 0.9
    body = ChargedBody(J, dipole=p, charge=K, E=-E * E3, B=B * E2)
    state = body.state(R=R, omega=OMEGA)
    turning = J @ rate_of(state, "omega") + np.cross(OMEGA, J @ OMEGA)
    said = -E * np.cross(p, R.T @ E3) + B * np.cross(OMEGA, K @ R.T @ E2)
    run = integrate(state)
    energy = 0.5 * np.einsum("ni,ij,nj->n", run.omega, J, run.omega) + E * run.R[:, 2] @ p
    return [
        correct_statement("problem 6.12 (d)", "J dω/dt + ω × Jω + E p × Rᵀe₃ − B ω × KRᵀe₂", largest(turning - said), DIFFERENCES),
        correct_statement("problem 6.12", "change of ½ ω·Jω + E e₃·Rp over t = 10", largest_change(energy)),
    ]  # fmt: skip


def _constant_moment() -> list[Comparison]:
    """Problem 6.14: the moment of a force fixed in the body."""
    moments, b, F = np.array([1.0, 2.0, 2.5]), np.array([0.5, -0.3, 0.8]), np.array([0.4, 0.9, -0.6])
    pushed = ConstantBodyMoment(J, point=b, force=F).state(R=R, omega=OMEGA)
    c = np.array([0.5, -1.5, 1.0])  # J₃ − J₂, J₁ − J₃, J₂ − J₁
    found = {s: ConstantBodyMoment(moments, moment=[-0.1 * s, 0.2, 0.3]).equilibria() for s in (1.0, -1.0)}
    a = np.array([-0.1, 0.2, 0.3])
    squares = np.array([a[1] * a[2] * c[0], a[2] * a[0] * c[1], a[0] * a[1] * c[2]])
    squares /= np.array([a[0] * c[1] * c[2], a[1] * c[2] * c[0], a[2] * c[0] * c[1]])
    return [
        correct_statement("problem 6.14 (a)", "moment − b × F", largest(moment_of(pushed) - np.cross(b, F)), DIFFERENCES),
        counted("problem 6.14 (b)", "steady rotations where a₁a₂a₃ < 0", 2, len(found[1.0])),
        counted("problem 6.14 (b)", "steady rotations where a₁a₂a₃ > 0", 0, len(found[-1.0])),
        correct_statement("problem 6.14 (b)", "ω₁² − a₂a₃c₁/(a₁c₂c₃), …", max((largest(e.omega**2 - squares) for e in found[1.0]), default=np.inf)),
        counted("problem 6.14 (b)", "unstable ones among them", 2, sum(linearize(e).verdict == "unstable" for e in found[1.0])),
    ]  # fmt: skip


def _coupled() -> list[Comparison]:
    """Problem 6.18, for U = −tr(CᵀR₁ᵀR₂)."""
    inertias, rotor = [np.array([1.0, 2.0, 2.5]), np.array([2.0, 1.5, 1.0])], np.array([0.2, -0.1, 0.3])
    C = np.array([[0.5, 0.1, 0.0], [-0.2, 0.4, 0.1], [0.0, 0.3, 0.6]])
    body = CoupledBodies(inertias, couplings=[[0, 1, C]], gyros=[rotor, 0.0 * rotor])
    state = body.state(R=np.array([R, so3.exp([-0.4, 0.1, 0.2])]), omega=np.array([OMEGA, [0.3, 0.7, -0.2]]))
    Q = state.R[0].T @ state.R[1]
    moment = so3.vee2(Q @ C.T)
    left = rate_of(state, "omega")[0] * inertias[0] + np.cross(OMEGA, inertias[0] * OMEGA + rotor) - moment
    invariants = integrate(state).invariants()
    return [
        correct_statement(
            "problem 6.18 (a)", "J dω/dt + ω × (Jω + a) − M of the first of two", largest(left), DIFFERENCES
        ),
        *(
            correct_statement("problem 6.18", f"change of {name} over t = 10", largest_change(invariants[name]))
            for name in invariants
        ),
    ]
