"""The flows of `relative`: the free motion, forces and tides of a pair, in momenta and in velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Layout, Variable
from ...core.manifolds import Euclidean, Rotations
from ...core.parameters import ParameterLayout
from ...geometry.increments.free_rotation import PRINCIPAL, exact_increment
from ...geometry.increments.rigid import solve_increment_
from ...geometry.stable_products import (
    NO_IMPULSE,
    Turn,
    cayley_turn,
    compose_from_both_sides,
    push_and_turn,
    turn_matrix,
    turn_vector,
)
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
    times_hat,
)
from ...gravity import moment_on_second, relative_gravity
from ...scalars import accumulate3, add3, flow, get3, get9, kernel, par, par6, put3, put9, rate
from ...scalars.protocol import NO_SOLUTION, SUCCESS, par_int, record
from .tides import ON, flows_with_tides, turned_inertia

Array = NDArray[np.float64]

# where the perturbations and the tides begin (0: none); the block of the interaction follows, then these
PAIR = ParameterLayout(m1=1, m2=1, J1=6, J1_inverse=6, J2=6, J2_inverse=6, perturbations=1, tides=1)
MASS1, MASS2, J1, J1_INVERSE = PAIR.offsets("m1", "m2", "J1", "J1_inverse")
J2, J2_INVERSE, PERTURBATIONS, TIDES = PAIR.offsets("J2", "J2_inverse", "perturbations", "tides")
BLOCK = PAIR.end


def _layout(*momenta: str) -> Layout:
    """Relative place and attitude, those of body 2, then momenta or velocities."""
    places = (("X", Euclidean(3)), ("R", Rotations()), ("x2", Euclidean(3)), ("R2", Rotations()))
    kicked = (Variable(name, Euclidean(3), kicked=True) for name in momenta)
    return Layout(*(Variable(name, manifold) for name, manifold in places), *kicked)


RELATIVE = _layout("Gamma", "Pi", "Pi2", "gamma2")
VELOCITIES = _layout("V", "Omega", "Omega2", "v2")
X, R, X2, R2 = RELATIVE.offsets("X", "R", "x2", "R2")
GAMMA, PI, PI2, GAMMA2 = RELATIVE.offsets("Gamma", "Pi", "Pi2", "gamma2")
ON_GAMMA, ON_PI, ON_PI2, ON_GAMMA2 = RELATIVE.force_slots("Gamma", "Pi", "Pi2", "gamma2")
WORK = RELATIVE.size + RELATIVE.forces
SECOND = 1  # the number of body 2


@kernel
def masses(S: Any, p: Any) -> tuple[Any, Any]:
    """m₁ and m₂."""
    return par(p, MASS1, S), par(p, MASS2, S)


@kernel
def move_freely(S: Any, y: Any, m1: Any, m2: Any, h: Any, turn1: Turn, turn2: Turn) -> None:
    """The motion of a pair without force whose bodies turn, each in its own frame."""
    put9(y, R, S, compose_from_both_sides(turn2, get9(y, R, S), turn1))
    turn_matrix(S, y, R2, turn2)
    share = h / (m1 * m2)
    accumulate3(y, X2, S, scale(share * m1, get3(y, GAMMA2, S)))
    push_and_turn(S, y, X, turn2, scale(share * (m1 + m2), get3(y, GAMMA, S)), NO_IMPULSE)
    turn_vector(S, y, GAMMA, turn2)
    turn_vector(S, y, PI, turn2)
    turn_vector(S, y, PI2, turn2)


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
    m1, m2 = masses(S, p)
    move_freely(S, y, m1, m2, h, cayley_turn(c1), cayley_turn(c2))
    return SUCCESS


# parameters of the exact drift, with the principal numbers of each body
FREE_PAIR = ParameterLayout(m1=1, m2=1, body1=PRINCIPAL, body2=PRINCIPAL)
FREE_MASS1, FREE_MASS2, FREE1, FREE2 = FREE_PAIR.offsets("m1", "m2", "body1", "body2")


@flow
def exact_drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The true motion without gravity."""
    E1 = exact_increment(p, FREE1, S, apply_transposed(get9(y, R, S), get3(y, PI, S)), h)
    E2 = exact_increment(p, FREE2, S, get3(y, PI2, S), h)
    move_freely(S, y, par(p, FREE_MASS1, S), par(p, FREE_MASS2, S), h, E1, E2)
    return SUCCESS


@kernel
def put_rates(S: Any, y: Any, dy: Any, V: Vector, v2: Vector, own: Vector, Omega2: Vector) -> None:
    """Set the rates without gravity of all but the angular momenta, or velocities; `own` is Ω₁ − RᵀΩ₂, in the first body's
    frame, and `Ṙ = R S(own)`."""
    put3(dy, X, S, add(V, cross(get3(y, X, S), Omega2)))
    put3(dy, X2, S, v2)
    put9(dy, R, S, times_hat(get9(y, R, S), own))
    put9(dy, R2, S, times_hat(get9(y, R2, S), Omega2))
    put3(dy, GAMMA, S, cross(get3(y, GAMMA, S), Omega2))
    put3(dy, GAMMA2, S, scale(0.0, Omega2))


@rate
def rhs(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The motion without gravity."""
    A, Pi, Pi2 = get9(y, R, S), get3(y, PI, S), get3(y, PI2, S)
    m1, m2 = masses(S, p)
    Omega2 = apply_symmetric(par6(p, J2_INVERSE, S), Pi2)
    own = subtract(apply_symmetric(par6(p, J1_INVERSE, S), apply_transposed(A, Pi)), apply_transposed(A, Omega2))
    V, v2 = scale((m1 + m2) / (m1 * m2), get3(y, GAMMA, S)), scale(1.0 / m2, get3(y, GAMMA2, S))
    put_rates(S, y, dy, V, v2, own, Omega2)
    put3(dy, PI, S, cross(Pi, Omega2))
    put3(dy, PI2, S, cross(Pi2, Omega2))
    return SUCCESS


@rate
def rhs_lagrangian(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The same in velocities (54–61): `Ω̇ = J_R⁻¹(J_RΩ × Ω) + Ω × Ω₂`, since `J̇_R = [S(Ω − Ω₂), J_R]`."""
    A, Omega, Omega2 = get9(y, R, S), get3(y, PI, S), get3(y, PI2, S)
    Omega1 = apply_transposed(A, Omega)
    turning = cross(apply_symmetric(par6(p, J1, S), Omega1), Omega1)
    turning2 = cross(apply_symmetric(par6(p, J2, S), Omega2), Omega2)
    own = subtract(Omega1, apply_transposed(A, Omega2))
    put_rates(S, y, dy, get3(y, GAMMA, S), get3(y, GAMMA2, S), own, Omega2)
    turned = apply(A, apply_symmetric(par6(p, J1_INVERSE, S), turning))
    put3(dy, PI, S, add(turned, cross(Omega, Omega2)))
    put3(dy, PI2, S, apply_symmetric(par6(p, J2_INVERSE, S), turning2))
    return SUCCESS


@kernel
def mutual_force(S: Any, y: Any, p: Any, gravity: Any) -> None:
    """Put −∂U/∂X, −M, X×∂U/∂X + M and R₂∂U/∂X into the slots."""
    place = get3(y, X, S)
    _, F, M = relative_gravity(S, gravity, place, get9(y, R, S), p, BLOCK, y, WORK)
    put3(y, ON_GAMMA, S, negate(F))
    put3(y, ON_PI, S, negate(M))
    put3(y, ON_PI2, S, moment_on_second(place, F, M))
    put3(y, ON_GAMMA2, S, apply(get9(y, R2, S), F))


@kernel
def add_perturbations(S: Any, y: Any, p: Any, t: float, potential_forces: Any) -> None:
    """Add what perturbs the two bodies to the slots."""
    at = par_int(p, PERTURBATIONS, S)
    if at > 0:
        A, A2, x2 = get9(y, R, S), get9(y, R2, S), get3(y, X2, S)
        m1, m2 = masses(S, p)
        x1 = add(x2, apply(A2, get3(y, X, S)))
        _, F1, M1 = potential_forces(S, t, 0, m1, x1, multiply(A2, A), p, at, y, WORK)
        _, F2, M2 = potential_forces(S, t, 1, m2, x2, A2, p, at, y, WORK)
        # ∂W/∂x is minus the force; m₁m₂/(m₁+m₂) times the difference of the accelerations
        difference = subtract(scale(m1 / (m1 + m2), F2), scale(m2 / (m1 + m2), F1))
        add3(y, ON_GAMMA, S, apply_transposed(A2, difference))
        add3(y, ON_PI, S, apply(A, M1))
        add3(y, ON_PI2, S, M2)
        add3(y, ON_GAMMA2, S, negate(F2))


@kernel
def to_rates(S: Any, y: Any, p: Any) -> None:
    """Turn forces and moments in the slots into what they do to velocities."""
    A, (m1, m2) = get9(y, R, S), masses(S, p)
    put3(y, ON_GAMMA, S, scale((m1 + m2) / (m1 * m2), get3(y, ON_GAMMA, S)))
    own = apply_symmetric(par6(p, J1_INVERSE, S), apply_transposed(A, get3(y, ON_PI, S)))
    put3(y, ON_PI, S, apply(A, own))
    put3(y, ON_PI2, S, apply_symmetric(par6(p, J2_INVERSE, S), get3(y, ON_PI2, S)))
    put3(y, ON_GAMMA2, S, scale(1.0 / m2, get3(y, ON_GAMMA2, S)))


@kernel
def tide_of(S: Any, y: Any, p: Any, at: Any) -> Any:
    """What a tide acts on, in frame 2: where the spin of the deformed body is, X, the velocity u of body 1 as seen from
    it, 1/m₁ + 1/m₂ and the inverse inertia of the deformed body (see `tides`; with r and u both reversed g is, too)."""
    A, (m1, m2) = get9(y, R, S), masses(S, p)
    zero = 0.0 * A[0]
    one = zero + 1.0
    turn, inverse, spin = A, J1_INVERSE, PI
    if par_int(p, at + ON, S) == SECOND:
        turn, inverse, spin = (one, zero, zero, zero, one, zero, zero, zero, one), J2_INVERSE, PI2
    W = turned_inertia(turn, par6(p, inverse, S))
    V = scale((m1 + m2) / (m1 * m2), get3(y, GAMMA, S))
    u = subtract(V, cross(apply(W, get3(y, spin, S)), get3(y, X, S)))
    return spin, get3(y, X, S), u, 1.0 / m1 + 1.0 / m2, W


@kernel
def push(S: Any, to: Any, y: Any, p: Any, spin: Any, r: Vector, g: Vector) -> None:
    """Add the impulse g on body 1 (in frame 2), −g on body 2, and −X × g on the spin to the momenta in `to`."""
    add3(to, GAMMA, S, g)
    add3(to, spin, S, cross(g, r))
    add3(to, GAMMA2, S, negate(apply(get9(y, R2, S), g)))


drift_forced, rhs_forced = flows_with_tides(TIDES, drift, rhs, tide_of, push)
