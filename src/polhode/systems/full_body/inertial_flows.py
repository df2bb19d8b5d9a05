"""The flows of `full_body`: the free motion, forces and tides of n bodies, in momenta and in velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...geometry.increments.rigid import solve_increment_
from ...geometry.stable_products import cayley_increment, compose, turned_back
from ...geometry.vectors import (
    Matrix,
    Vector,
    add,
    apply,
    apply_symmetric,
    apply_transposed,
    cross,
    negate,
    scale,
    subtract,
)
from ...gravity import mutual_inertial
from ...gravity.counts import count
from ...scalars import compiled, flow, get3, get9, kernel, par, par6, put, put3, put9, rate
from ...scalars.protocol import NO_SOLUTION, record
from .perturbation_kernels import outside
from .tides import TIDE, around, friction, impulse, turned_inertia

Array = NDArray[np.float64]

# parameters: n, the number of pairs, where the perturbations and the tides begin (0: none), then for each body its mass,
# six numbers of J and six of J⁻¹, then for each pair the two bodies and where the block of its interaction begins, then
# the blocks, the perturbations, the tides
BODY = 13
HEADER = 4
PAIRS, OUTSIDE, TIDES = 1, 2, 3


@kernel
def body_at(i: Any) -> Any:
    """Where the parameters of body i begin."""
    return HEADER + BODY * i


@flow
def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """Positions along γ/m, attitudes by the discrete free body (92, 94–96 of [LLM07])."""
    n = count(p, 0, S)
    for i in range(n):
        b = body_at(i)
        R, Pi = get9(y, 3 * n + 9 * i, S), get3(y, 15 * n + 3 * i, S)
        c, iterations, defect, failed = solve_increment_(par6(p, b + 1, S), par6(p, b + 7, S), scale(h, Pi))
        record(report, iterations, defect)
        if failed:
            return NO_SOLUTION
        E = cayley_increment(c)
        put9(y, 3 * n + 9 * i, S, compose(R, E))
        put3(y, 15 * n + 3 * i, S, turned_back(E, Pi))
        velocity = scale(1.0 / par(p, b, S), get3(y, 12 * n + 3 * i, S))
        put3(y, 3 * i, S, add(get3(y, 3 * i, S), scale(h, velocity)))
    return 0


@kernel
def put_turning(dy: Any, S: Any, n: Any, i: Any, R: Matrix, omega: Vector) -> None:
    """`Ṙ = R S(ω)`: row r of it is r × ω."""
    put3(dy, 3 * n + 9 * i, S, cross(R[0:3], omega))
    put3(dy, 3 * n + 9 * i + 3, S, cross(R[3:6], omega))
    put3(dy, 3 * n + 9 * i + 6, S, cross(R[6:9], omega))


@rate
def rhs(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The motion without gravity (29–32)."""
    n = count(p, 0, S)
    for i in range(n):
        b = body_at(i)
        R, Pi = get9(y, 3 * n + 9 * i, S), get3(y, 15 * n + 3 * i, S)
        omega = apply_symmetric(par6(p, b + 7, S), Pi)
        put3(dy, 3 * i, S, scale(1.0 / par(p, b, S), get3(y, 12 * n + 3 * i, S)))
        put_turning(dy, S, n, i, R, omega)
        for k in range(3):
            put(dy, 12 * n + 3 * i + k, S, 0.0)
        put3(dy, 15 * n + 3 * i, S, cross(Pi, omega))
    return 0


@rate
def rhs_lagrangian(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The same in velocities (25–28): `Ω̇ = J⁻¹(JΩ × Ω)`."""
    n = count(p, 0, S)
    for i in range(n):
        b = body_at(i)
        R, omega = get9(y, 3 * n + 9 * i, S), get3(y, 15 * n + 3 * i, S)
        put3(dy, 3 * i, S, get3(y, 12 * n + 3 * i, S))
        put_turning(dy, S, n, i, R, omega)
        for k in range(3):
            put(dy, 12 * n + 3 * i + k, S, 0.0)
        turning = cross(apply_symmetric(par6(p, b + 1, S), omega), omega)
        put3(dy, 15 * n + 3 * i, S, apply_symmetric(par6(p, b + 7, S), turning))
    return 0


@kernel
def pair_gravity(S: Any, y: Any, p: Any, n: Any, k: Any) -> Any:
    """Bodies i and j of pair k, and U, ∂U/∂xᵢ, Mᵢ, Mⱼ; the workspace lies behind the slots for the forces."""
    at = body_at(n) + 3 * k
    i, j, block = count(p, at, S), count(p, at + 1, S), count(p, at + 2, S)
    xi, Ri = get3(y, 3 * i, S), get9(y, 3 * n + 9 * i, S)
    xj, Rj = get3(y, 3 * j, S), get9(y, 3 * n + 9 * j, S)
    U, F, Mi, Mj = mutual_inertial(S, xi, Ri, xj, Rj, p, block, y, 24 * n)
    return i, j, U, F, Mi, Mj


@kernel
def sum_pairs(S: Any, y: Any, p: Any) -> None:
    """Put −∂U/∂x and M of every body, summed over pairs, into the slots."""
    n, pairs = count(p, 0, S), count(p, PAIRS, S)
    f, m = 18 * n, 21 * n
    for e in range(6 * n):
        put(y, f + e, S, 0.0)
    for k in range(pairs):
        i, j, _, F, Mi, Mj = pair_gravity(S, y, p, n, k)
        put3(y, f + 3 * i, S, add(get3(y, f + 3 * i, S), negate(F)))
        put3(y, f + 3 * j, S, add(get3(y, f + 3 * j, S), F))
        put3(y, m + 3 * i, S, add(get3(y, m + 3 * i, S), Mi))
        put3(y, m + 3 * j, S, add(get3(y, m + 3 * j, S), Mj))


@kernel
def add_outside(S: Any, y: Any, p: Any, t: float, pull: Any) -> None:
    """Add what perturbs every body to the slots."""
    n, at = count(p, 0, S), count(p, OUTSIDE, S)
    f, m = 18 * n, 21 * n
    for i in range(n if at > 0 else 0):
        x, R = get3(y, 3 * i, S), get9(y, 3 * n + 9 * i, S)
        _, F, M = pull(S, t, i, par(p, body_at(i), S), x, R, p, at, y, 24 * n)
        put3(y, f + 3 * i, S, subtract(get3(y, f + 3 * i, S), F))
        put3(y, m + 3 * i, S, add(get3(y, m + 3 * i, S), M))


@kernel
def to_rates(S: Any, y: Any, p: Any) -> None:
    """Turn forces and moments in the slots into what they do to velocities: divide by m and by J."""
    n = count(p, 0, S)
    f, m = 18 * n, 21 * n
    for i in range(n):
        b = body_at(i)
        put3(y, f + 3 * i, S, scale(1.0 / par(p, b, S), get3(y, f + 3 * i, S)))
        put3(y, m + 3 * i, S, apply_symmetric(par6(p, b + 7, S), get3(y, m + 3 * i, S)))


@flow
def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """−∂U/∂x and M of every body."""
    sum_pairs(S, y, p)
    add_outside(S, y, p, t, outside)
    return 0


@flow
def force_lagrangian(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """−∂U/∂x/m and J⁻¹M of every body."""
    status = force(S, y, p, t, h, report)  # type: ignore[operator]
    to_rates(S, y, p)
    return status


@kernel
def tide_at(S: Any, y: Any, p: Any, k: Any) -> Any:
    """Tide k: bodies a and b, its strength, r, u, and what an impulse meets: 1/m and the inverse inertia of a."""
    n = count(p, 0, S)
    at = count(p, TIDES, S) + 1 + TIDE * k
    a, b = count(p, at, S), count(p, at + 1, S)
    ma, mb = par(p, body_at(a), S), par(p, body_at(b), S)
    A, J = get9(y, 3 * n + 9 * a, S), par6(p, body_at(a) + 7, S)
    omega = apply(A, apply_symmetric(J, get3(y, 15 * n + 3 * a, S)))
    r = subtract(get3(y, 3 * b, S), get3(y, 3 * a, S))
    v = subtract(scale(1.0 / mb, get3(y, 12 * n + 3 * b, S)), scale(1.0 / ma, get3(y, 12 * n + 3 * a, S)))
    u = subtract(v, cross(omega, r))
    return a, b, par(p, at + 2, S), r, u, 1.0 / ma + 1.0 / mb, turned_inertia(A, J)


@kernel
def push(S: Any, where: Any, y: Any, n: Any, a: Any, b: Any, r: Vector, g: Vector) -> None:
    """Add the impulse g on b, −g on a and the moment −r × g on a to the momenta in `where`."""
    x, m = 12 * n, 15 * n
    put3(where, x + 3 * b, S, add(get3(where, x + 3 * b, S), g))
    put3(where, x + 3 * a, S, subtract(get3(where, x + 3 * a, S), g))
    spin = apply_transposed(get9(y, 3 * n + 9 * a, S), cross(r, g))
    put3(where, m + 3 * a, S, subtract(get3(where, m + 3 * a, S), spin))


@kernel
def push_half(S: Any, y: Any, p: Any, k: Any, half: Any, after: bool) -> None:
    """Add the impulse of tide k in half a step."""
    a, b, strength, r, u, inverse_mass, W = tide_at(S, y, p, k)
    push(S, y, y, count(p, 0, S), a, b, r, impulse(half, strength, r, u, inverse_mass, W, after))


@flow
def drift_forced(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The free motion between half the tides' impulses (`dissipation`)."""
    return around(S, y, p, t, h, report, count(p, count(p, TIDES, S), S), drift, push_half)


@rate
def rhs_forced(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The motion without gravity, with the tides."""
    n, tides = count(p, 0, S), count(p, count(p, TIDES, S), S)
    status = rhs(S, y, p, t, dy, report)  # type: ignore[operator]
    for k in range(tides):
        a, b, strength, r, u, _, _ = tide_at(S, y, p, k)
        push(S, dy, y, n, a, b, r, friction(strength, r, u))
    return status


@compiled
def potentials(S: Any, samples: Array, p: Array, y: Array, U: Array) -> None:
    """The potential of every row of `samples`; `y` is the flat array with its workspace."""
    n, pairs = count(p, 0, S), count(p, PAIRS, S)
    for row in range(samples.shape[0]):
        y[: samples.shape[1]] = samples[row]
        U[row] = 0.0
        for k in range(pairs):
            U[row] += pair_gravity(S, y, p, n, k)[2]


@compiled
def evaluate(S: Any, force: Any, y: Array, p: Array, t: float, report: Array) -> int:
    """Put the forces at y into its slots."""
    return force(S, y, p, t, 0.0, report)
