"""The flows of `full_two_body`: the free motion, forces and tides of a pair, in momenta and in velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Layout, Variable
from ...core.manifolds import Euclidean, Rotations
from ...geometry.increments.rigid import solve_increment_
from ...geometry.stable_products import cayley_increment, compose, turned_back
from ...geometry.vectors import (
    Vector,
    add,
    apply,
    apply_symmetric,
    apply_transposed,
    cross,
    multiply,
    negate,
    scale,
    subtract,
    transpose,
)
from ...gravity import moment_on_second, mutual
from ...gravity.counts import count
from ...scalars import flow, get3, get9, kernel, par, par6, put3, put9, rate
from ...scalars.protocol import NO_SOLUTION, record
from .perturbation_kernels import outside
from .tides import TIDE, around, friction, impulse, turned_inertia

Array = NDArray[np.float64]

# parameters: m₁, m₂, then six numbers each of J₁, J₁⁻¹, J₂, J₂⁻¹, where the perturbations and the tides begin (0: none),
# the block of the interaction, the perturbations, the tides
J1, J1_INVERSE, J2, J2_INVERSE, OUTSIDE, TIDES, BLOCK = 2, 8, 14, 20, 26, 27, 28
# entries of the state
X, R, X2, R2, GAMMA, PI, PI2, GAMMA2 = 0, 3, 12, 15, 24, 27, 30, 33
FORCES, WORK = 36, 48


def _layout(*momenta: str) -> Layout:
    """Relative place and attitude, those of body 2, then momenta or velocities."""
    places = (("X", Euclidean(3)), ("R", Rotations()), ("x2", Euclidean(3)), ("R2", Rotations()))
    kicked = (Variable(name, Euclidean(3), kicked=True) for name in momenta)
    return Layout(*(Variable(name, manifold) for name, manifold in places), *kicked)


RELATIVE = _layout("Gamma", "Pi", "Pi2", "gamma2")
VELOCITIES = _layout("V", "Omega", "Omega2", "v2")


@flow
def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """(116)–(125) of [LLM07] without force; the first body's increment is found in its own frame, F = R F₁ Rᵀ."""
    A, Pi, Pi2 = get9(y, R, S), get3(y, PI, S), get3(y, PI2, S)
    g = scale(h, apply_transposed(A, Pi))
    c1, iterations, defect, failed = solve_increment_(par6(p, J1, S), par6(p, J1_INVERSE, S), g)
    record(report, iterations, defect)
    c2, iterations, defect, failed2 = solve_increment_(par6(p, J2, S), par6(p, J2_INVERSE, S), scale(h, Pi2))
    record(report, iterations, defect)
    if failed or failed2:
        return NO_SOLUTION
    m1, m2 = par(p, 0, S), par(p, 1, S)
    Gamma, gamma2 = get3(y, GAMMA, S), get3(y, GAMMA2, S)
    E2 = cayley_increment(c2)
    moved = add(get3(y, X, S), scale(h * (m1 + m2) / (m1 * m2), Gamma))
    put3(y, X, S, turned_back(E2, moved))
    put9(y, R, S, transpose(compose(transpose(compose(A, cayley_increment(c1))), E2)))
    put3(y, X2, S, add(get3(y, X2, S), scale(h / m2, gamma2)))
    put9(y, R2, S, compose(get9(y, R2, S), E2))
    put3(y, GAMMA, S, turned_back(E2, Gamma))
    put3(y, PI, S, turned_back(E2, Pi))
    put3(y, PI2, S, turned_back(E2, Pi2))
    return 0


@rate
def rhs(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The motion without gravity."""
    A = get9(y, R, S)
    Gamma, Pi, Pi2 = get3(y, GAMMA, S), get3(y, PI, S), get3(y, PI2, S)
    m1, m2 = par(p, 0, S), par(p, 1, S)
    Omega2 = apply_symmetric(par6(p, J2_INVERSE, S), Pi2)
    # Ṙ = R S(Ω₁ − RᵀΩ₂), in the first body's frame
    own = subtract(apply_symmetric(par6(p, J1_INVERSE, S), apply_transposed(A, Pi)), apply_transposed(A, Omega2))
    put3(dy, X, S, add(scale((m1 + m2) / (m1 * m2), Gamma), cross(get3(y, X, S), Omega2)))
    put3(dy, X2, S, scale(1.0 / m2, get3(y, GAMMA2, S)))
    for k in range(3):
        put3(dy, R + 3 * k, S, cross(get3(y, R + 3 * k, S), own))
        put3(dy, R2 + 3 * k, S, cross(get3(y, R2 + 3 * k, S), Omega2))
    put3(dy, GAMMA, S, cross(Gamma, Omega2))
    put3(dy, PI, S, cross(Pi, Omega2))
    put3(dy, PI2, S, cross(Pi2, Omega2))
    put3(dy, GAMMA2, S, scale(0.0, Pi2))
    return 0


@rate
def rhs_lagrangian(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The same in velocities (54–61): `Ω̇ = J_R⁻¹(J_RΩ × Ω) + Ω × Ω₂`, since `J̇_R = [S(Ω − Ω₂), J_R]`."""
    A = get9(y, R, S)
    V, Omega, Omega2 = get3(y, GAMMA, S), get3(y, PI, S), get3(y, PI2, S)
    own = apply_transposed(A, Omega)
    turning = cross(apply_symmetric(par6(p, J1, S), own), own)
    turning2 = cross(apply_symmetric(par6(p, J2, S), Omega2), Omega2)
    relative = subtract(own, apply_transposed(A, Omega2))
    put3(dy, X, S, add(V, cross(get3(y, X, S), Omega2)))
    put3(dy, X2, S, get3(y, GAMMA2, S))
    for k in range(3):
        put3(dy, R + 3 * k, S, cross(get3(y, R + 3 * k, S), relative))
        put3(dy, R2 + 3 * k, S, cross(get3(y, R2 + 3 * k, S), Omega2))
    put3(dy, GAMMA, S, cross(V, Omega2))
    turned = apply(A, apply_symmetric(par6(p, J1_INVERSE, S), turning))
    put3(dy, PI, S, add(turned, cross(Omega, Omega2)))
    put3(dy, PI2, S, apply_symmetric(par6(p, J2_INVERSE, S), turning2))
    put3(dy, GAMMA2, S, scale(0.0, Omega2))
    return 0


@kernel
def mutual_force(S: Any, y: Any, p: Any) -> None:
    """Put −∂U/∂X, −M, X×∂U/∂X + M and R₂∂U/∂X into the slots."""
    place = get3(y, X, S)
    _, F, M = mutual(S, place, get9(y, R, S), p, BLOCK, y, WORK)
    put3(y, FORCES, S, negate(F))
    put3(y, FORCES + 3, S, negate(M))
    put3(y, FORCES + 6, S, moment_on_second(place, F, M))
    put3(y, FORCES + 9, S, apply(get9(y, R2, S), F))


@kernel
def add_outside(S: Any, y: Any, p: Any, t: float, pull: Any) -> None:
    """Add what perturbs the two bodies to the slots."""
    at = count(p, OUTSIDE, S)
    if at > 0:
        A, A2, x2 = get9(y, R, S), get9(y, R2, S), get3(y, X2, S)
        m1, m2 = par(p, 0, S), par(p, 1, S)
        x1 = add(x2, apply(A2, get3(y, X, S)))
        _, F1, M1 = pull(S, t, 0, m1, x1, multiply(A2, A), p, at, y, WORK)
        _, F2, M2 = pull(S, t, 1, m2, x2, A2, p, at, y, WORK)
        # ∂W/∂x is minus the force; m₁m₂/(m₁+m₂) times the difference of the accelerations
        difference = subtract(scale(m1 / (m1 + m2), F2), scale(m2 / (m1 + m2), F1))
        put3(y, FORCES, S, add(get3(y, FORCES, S), apply_transposed(A2, difference)))
        put3(y, FORCES + 3, S, add(get3(y, FORCES + 3, S), apply(A, M1)))
        put3(y, FORCES + 6, S, add(get3(y, FORCES + 6, S), M2))
        put3(y, FORCES + 9, S, subtract(get3(y, FORCES + 9, S), F2))


@kernel
def to_rates(S: Any, y: Any, p: Any) -> None:
    """Turn forces and moments in the slots into what they do to velocities."""
    A, m1, m2 = get9(y, R, S), par(p, 0, S), par(p, 1, S)
    put3(y, FORCES, S, scale((m1 + m2) / (m1 * m2), get3(y, FORCES, S)))
    own = apply_symmetric(par6(p, J1_INVERSE, S), apply_transposed(A, get3(y, FORCES + 3, S)))
    put3(y, FORCES + 3, S, apply(A, own))
    put3(y, FORCES + 6, S, apply_symmetric(par6(p, J2_INVERSE, S), get3(y, FORCES + 6, S)))
    put3(y, FORCES + 9, S, scale(1.0 / m2, get3(y, FORCES + 9, S)))


@flow
def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """What changes Γ, Π, Π₂ and γ₂ at fixed configuration."""
    mutual_force(S, y, p)
    add_outside(S, y, p, t, outside)
    return 0


@flow
def force_lagrangian(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """What changes V, Ω, Ω₂ and v₂ at fixed configuration."""
    status = force(S, y, p, t, h, report)  # type: ignore[operator]
    to_rates(S, y, p)
    return status


@kernel
def tide_at(S: Any, y: Any, p: Any, k: Any) -> Any:
    """Tide k: where the spin of the deformed body is kept, its strength, u, and its inverse inertia, in frame 2."""
    at = count(p, TIDES, S) + 1 + TIDE * k
    A, m1, m2 = get9(y, R, S), par(p, 0, S), par(p, 1, S)
    zero = 0.0 * A[0]
    one = zero + 1.0
    turn, inverse, spin = A, J1_INVERSE, PI
    if count(p, at, S) == 1:
        turn, inverse, spin = (one, zero, zero, zero, one, zero, zero, zero, one), J2_INVERSE, PI2
    W = turned_inertia(turn, par6(p, inverse, S))
    V = scale((m1 + m2) / (m1 * m2), get3(y, GAMMA, S))
    u = subtract(V, cross(apply(W, get3(y, spin, S)), get3(y, X, S)))
    return spin, par(p, at + 2, S), u, W


@kernel
def push(S: Any, where: Any, y: Any, spin: Any, g: Vector) -> None:
    """Add the impulse g on body 1 (in frame 2), −g on body 2, and −X × g on the spin to the momenta in `where`."""
    put3(where, GAMMA, S, add(get3(where, GAMMA, S), g))
    put3(where, spin, S, subtract(get3(where, spin, S), cross(get3(y, X, S), g)))
    put3(where, GAMMA2, S, subtract(get3(where, GAMMA2, S), apply(get9(y, R2, S), g)))


@kernel
def push_half(S: Any, y: Any, p: Any, k: Any, half: Any, after: bool) -> None:
    """Add the impulse of tide k in half a step."""
    inverse_mass = 1.0 / par(p, 0, S) + 1.0 / par(p, 1, S)
    spin, strength, u, W = tide_at(S, y, p, k)
    push(S, y, y, spin, impulse(half, strength, get3(y, X, S), u, inverse_mass, W, after))


@flow
def drift_forced(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The free motion between half the tides' impulses (`dissipation`)."""
    return around(S, y, p, t, h, report, count(p, count(p, TIDES, S), S), drift, push_half)


@rate
def rhs_forced(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The motion without gravity, with the tides."""
    status = rhs(S, y, p, t, dy, report)  # type: ignore[operator]
    for k in range(count(p, count(p, TIDES, S), S)):
        spin, strength, u, _ = tide_at(S, y, p, k)
        push(S, dy, y, spin, friction(strength, get3(y, X, S), u))
    return status
