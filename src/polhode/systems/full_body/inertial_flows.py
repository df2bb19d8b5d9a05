"""The flows of `inertial`: the free motion, forces and tides of n bodies, in momenta and in velocities.

A state holds the positions, the attitudes, the linear momenta and the angular momenta of all bodies, then the slots for
forces and moments, then the workspace of gravity. The functions `…_at` say where those of body i are."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies.inertia import INERTIA_ENTRIES
from ...core.manifolds import Euclidean, Rotations
from ...core.parameters import ParameterLayout
from ...geometry.increments.free_rotation import PRINCIPAL, exact_increment
from ...geometry.increments.rigid import solve_increment_
from ...geometry.stable_products import Turn, cayley_turn, turn_matrix, turn_vector
from ...geometry.vectors import (
    Vector,
    apply,
    apply_symmetric,
    apply_transposed,
    cross,
    negate,
    scale,
    subtract,
    times_hat,
)
from ...gravity import inertial_gravity
from ...scalars import accumulate3, add3, compiled, flow, get3, get9, kernel, par, par6, put, put3, put9, rate
from ...scalars.protocol import NO_SOLUTION, SUCCESS, par_int, record
from .tides import BY, ON, flows_with_tides, turned_inertia

Array = NDArray[np.float64]

# how many bodies and pairs there are, where the perturbations and the tides begin (0: none), how many entries of workspace a
# pair needs, then the numbers of each body, those of each pair, the blocks of the interactions, the perturbations, the tides
HEADER = ParameterLayout(bodies=1, pairs=1, perturbations=1, tides=1, room=1)
BODY = ParameterLayout(mass=1, **INERTIA_ENTRIES.sizes)
PAIR = ParameterLayout(first=1, second=1, block=1)
BODIES, PAIRS, PERTURBATIONS, TIDES, ROOM = HEADER.offsets("bodies", "pairs", "perturbations", "tides", "room")
MASS, INERTIA, INVERSE_INERTIA = BODY.offsets("mass", "J", "J_inverse")
FIRST, SECOND, BLOCK = PAIR.offsets("first", "second", "block")
FIRST_BODY, BODY_SIZE, PAIR_SIZE = HEADER.end, BODY.size, PAIR.size
VECTOR, MATRIX = Euclidean(3).size, Rotations().size  # entries of each


@kernel
def body_at(i: Any) -> Any:
    """Where the parameters of body i begin."""
    return FIRST_BODY + BODY_SIZE * i


@kernel
def position_at(i: Any) -> Any:
    """Where x of body i is."""
    return VECTOR * i


@kernel
def attitude_at(n: Any, i: Any) -> Any:
    """Where R of body i of n is."""
    return VECTOR * n + MATRIX * i


@kernel
def linear_at(n: Any, i: Any) -> Any:
    """Where γ, or v, of body i of n is."""
    return (VECTOR + MATRIX) * n + VECTOR * i


@kernel
def angular_at(n: Any, i: Any) -> Any:
    """Where Π, or ω, of body i of n is."""
    return (2 * VECTOR + MATRIX) * n + VECTOR * i


@kernel
def force_at(n: Any, i: Any) -> Any:
    """Where the slots for the force on body i of n are."""
    return (3 * VECTOR + MATRIX) * n + VECTOR * i


@kernel
def moment_at(n: Any, i: Any) -> Any:
    """Where the slots for the moment on body i of n are."""
    return (4 * VECTOR + MATRIX) * n + VECTOR * i


@kernel
def workspace_at(n: Any) -> Any:
    """Where the workspace begins."""
    return (5 * VECTOR + MATRIX) * n


@kernel
def move_freely(S: Any, y: Any, n: Any, i: Any, h: Any, inverse_mass: Any, turn: Turn) -> None:
    """The motion of body i of n without force, which turns in its own frame."""
    turn_matrix(S, y, attitude_at(n, i), turn)
    turn_vector(S, y, angular_at(n, i), turn)
    velocity = scale(inverse_mass, get3(y, linear_at(n, i), S))
    accumulate3(y, position_at(i), S, scale(h, velocity))


@flow
def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """Positions along γ/m, attitudes by the discrete free body (92, 94–96 of [LLM07])."""
    n = par_int(p, BODIES, S)
    for i in range(n):
        b, Pi = body_at(i), get3(y, angular_at(n, i), S)
        c, iterations, defect, failed = solve_increment_(
            par6(p, b + INERTIA, S), par6(p, b + INVERSE_INERTIA, S), scale(h, Pi)
        )
        record(report, iterations, defect)
        if failed:
            return NO_SOLUTION
        move_freely(S, y, n, i, h, 1.0 / par(p, b + MASS, S), cayley_turn(c))
    return SUCCESS


# parameters of the exact drift: how many bodies, then for each 1/m and its principal numbers
FREE_HEADER = ParameterLayout(bodies=1)
FREE_BODY = ParameterLayout(inverse_mass=1, principal=PRINCIPAL)
(FREE_BODIES,), FIRST_FREE, FREE_SIZE = FREE_HEADER.offsets("bodies"), FREE_HEADER.end, FREE_BODY.size
INVERSE_MASS, PRINCIPAL_NUMBERS = FREE_BODY.offsets("inverse_mass", "principal")


@flow
def exact_drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The true motion without gravity."""
    n = par_int(p, FREE_BODIES, S)
    for i in range(n):
        b = FIRST_FREE + FREE_SIZE * i
        E = exact_increment(p, b + PRINCIPAL_NUMBERS, S, get3(y, angular_at(n, i), S), h)
        move_freely(S, y, n, i, h, par(p, b + INVERSE_MASS, S), E)
    return SUCCESS


@kernel
def put_rates(S: Any, y: Any, dy: Any, n: Any, i: Any, velocity: Vector, omega: Vector, turning: Vector) -> None:
    """Set the rates of body i of n without gravity: `ẋ = v`, `Ṙ = R S(Ω)`, and `turning` for Π, or Ω."""
    put3(dy, position_at(i), S, velocity)
    put9(dy, attitude_at(n, i), S, times_hat(get9(y, attitude_at(n, i), S), omega))
    put3(dy, linear_at(n, i), S, (0.0, 0.0, 0.0))
    put3(dy, angular_at(n, i), S, turning)


@rate
def rhs(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The motion without gravity (29–32)."""
    n = par_int(p, BODIES, S)
    for i in range(n):
        Pi = get3(y, angular_at(n, i), S)
        omega = apply_symmetric(par6(p, body_at(i) + INVERSE_INERTIA, S), Pi)
        velocity = scale(1.0 / par(p, body_at(i) + MASS, S), get3(y, linear_at(n, i), S))
        put_rates(S, y, dy, n, i, velocity, omega, cross(Pi, omega))
    return SUCCESS


@rate
def rhs_lagrangian(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The same in velocities (25–28): `Ω̇ = J⁻¹(JΩ × Ω)`."""
    n = par_int(p, BODIES, S)
    for i in range(n):
        omega = get3(y, angular_at(n, i), S)
        turning = cross(apply_symmetric(par6(p, body_at(i) + INERTIA, S), omega), omega)
        change = apply_symmetric(par6(p, body_at(i) + INVERSE_INERTIA, S), turning)
        put_rates(S, y, dy, n, i, get3(y, linear_at(n, i), S), omega, change)
    return SUCCESS


@kernel
def pair_gravity(S: Any, y: Any, p: Any, n: Any, k: Any, gravity: Any) -> Any:
    """Bodies i and j of pair k, and U, ∂U/∂xᵢ, Mᵢ, Mⱼ; the workspace lies behind the slots for the forces."""
    at = body_at(n) + PAIR_SIZE * k
    i, j, block = par_int(p, at + FIRST, S), par_int(p, at + SECOND, S), par_int(p, at + BLOCK, S)
    xi, Ri = get3(y, position_at(i), S), get9(y, attitude_at(n, i), S)
    xj, Rj = get3(y, position_at(j), S), get9(y, attitude_at(n, j), S)
    U, F, Mi, Mj = inertial_gravity(S, gravity, xi, Ri, xj, Rj, p, block, y, workspace_at(n))
    return i, j, U, F, Mi, Mj


@kernel
def sum_pairs(S: Any, y: Any, p: Any, gravity: Any) -> None:
    """Put −∂U/∂x and M of every body, summed over pairs, into the slots."""
    n, pairs = par_int(p, BODIES, S), par_int(p, PAIRS, S)
    for e in range(force_at(n, 0), workspace_at(n)):
        put(y, e, S, 0.0)
    for k in range(pairs):
        i, j, _, F, Mi, Mj = pair_gravity(S, y, p, n, k, gravity)
        add3(y, force_at(n, i), S, negate(F))
        add3(y, force_at(n, j), S, F)
        add3(y, moment_at(n, i), S, Mi)
        add3(y, moment_at(n, j), S, Mj)


@kernel
def add_perturbations(S: Any, y: Any, p: Any, t: float, potential_forces: Any) -> None:
    """Add what perturbs every body to the slots."""
    n, at = par_int(p, BODIES, S), par_int(p, PERTURBATIONS, S)
    for i in range(n if at > 0 else 0):
        x, R, m = get3(y, position_at(i), S), get9(y, attitude_at(n, i), S), par(p, body_at(i) + MASS, S)
        _, F, M = potential_forces(S, t, i, m, x, R, p, at, y, workspace_at(n))
        add3(y, force_at(n, i), S, negate(F))
        add3(y, moment_at(n, i), S, M)


@kernel
def to_rates(S: Any, y: Any, p: Any) -> None:
    """Turn forces and moments in the slots into what they do to velocities: divide by m and by J."""
    n = par_int(p, BODIES, S)
    for i in range(n):
        b, f, m = body_at(i), force_at(n, i), moment_at(n, i)
        put3(y, f, S, scale(1.0 / par(p, b + MASS, S), get3(y, f, S)))
        put3(y, m, S, apply_symmetric(par6(p, b + INVERSE_INERTIA, S), get3(y, m, S)))


@kernel
def tide_of(S: Any, y: Any, p: Any, at: Any) -> Any:
    """What a tide acts on: bodies a and b, r, u, 1/m_a + 1/m_b and the inverse inertia of a (see `tides`)."""
    n = par_int(p, BODIES, S)
    a, b = par_int(p, at + ON, S), par_int(p, at + BY, S)
    ma, mb = par(p, body_at(a) + MASS, S), par(p, body_at(b) + MASS, S)
    A, J = get9(y, attitude_at(n, a), S), par6(p, body_at(a) + INVERSE_INERTIA, S)
    omega = apply(A, apply_symmetric(J, get3(y, angular_at(n, a), S)))
    r = subtract(get3(y, position_at(b), S), get3(y, position_at(a), S))
    v = subtract(scale(1.0 / mb, get3(y, linear_at(n, b), S)), scale(1.0 / ma, get3(y, linear_at(n, a), S)))
    return (a, b), r, subtract(v, cross(omega, r)), 1.0 / ma + 1.0 / mb, turned_inertia(A, J)


@kernel
def push(S: Any, to: Any, y: Any, p: Any, whom: Any, r: Vector, g: Vector) -> None:
    """Add the impulse g on b, −g on a and the moment −r × g on a to the momenta in `to`."""
    n = par_int(p, BODIES, S)
    a, b = whom
    add3(to, linear_at(n, b), S, g)
    add3(to, linear_at(n, a), S, negate(g))
    add3(to, angular_at(n, a), S, apply_transposed(get9(y, attitude_at(n, a), S), cross(g, r)))


drift_forced, rhs_forced = flows_with_tides(TIDES, drift, rhs, tide_of, push)


@cache
def potentials(gravity: Any) -> Any:
    """From Python: the potential of every row of `samples`; `y` is the flat array with its workspace."""

    @compiled
    def energies(S: Any, samples: Array, p: Array, y: Array, U: Array) -> None:
        n, pairs = par_int(p, BODIES, S), par_int(p, PAIRS, S)
        for row in range(samples.shape[0]):
            for e in range(samples.shape[1]):  # compiles in a tenth of the time of a slice
                y[e] = samples[row, e]
            U[row] = 0.0
            for k in range(pairs):
                U[row] += pair_gravity(S, y, p, n, k, gravity)[2]

    return energies


@compiled
def evaluate(S: Any, force: Any, y: Array, p: Array, t: float, report: Array) -> int:
    """Put the forces at y into its slots."""
    return force(S, y, p, t, 0.0, report)
