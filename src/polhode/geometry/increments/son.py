"""The equation of the discrete rigid body on SO(n), `J_D(U) = U Λ − Λ Uᵀ = G`, solved for the rotation U.

`Λ` is diagonal here, with Λᵢ + Λⱼ > 0; `G` is skew, the momentum times the step; `E = U − 1`. Orthogonality,
`E + Eᵀ + EᵀE = 0`, and the equation together are

    E_ij = (G_ij − Λ_i (EᵀE)_ij) / (Λ_i + Λ_j),    i ≠ j;        E_ii = −½ (EᵀE)_ii,

a contraction for steps up to about half of the largest (one product of half the usual cost an iteration, and E to full
relative precision however small it is). Where it is slow, Newton's method on the group takes over: `U ← cay(Z) U` with

    Z B + Bᵀ Z = G − J_D(U),    B = U Λ,    Z skew,

a Lyapunov equation, solved by doubling after a Cayley transform. Both cost O(n³), neither branches on a value, and the
derivative of the solution is exact on dual numbers.

There are up to 2ⁿ⁻¹ solutions. The one wanted, the principal one, joins U = 1 as G shrinks; the eigenvalues of U Λ have
positive real parts on it. It exists up to `largest_factor`, where two of them meet on the imaginary axis; beyond, there is
no special orthogonal solution at all. (Section 7 of [BCMR02], lemma 7.3 to 7.6; the bound is theorem 7.5 made sharp.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...scalars import (
    absolute,
    any_of,
    attach,
    compiled,
    get,
    largest,
    on_duals,
    par,
    plain_parameters,
    put,
    smallest,
    value,
    where,
    worst,
)
from ...scalars.protocol import par_int
from ..flat_matrices import add, copy, fill, invert, multiply, multiply_transposed

Array = NDArray[np.float64]

# Workspace that `solve_rotation` needs, in matrices.
WORKSPACE = 8
# The iteration stops at a change of this size relative to E, squared. The error left is less by the rate of contraction, but
# it has a sign: over many steps it adds up.
SMALL_CHANGE = 1e-32
# Newton's method takes over where a change falls by less than a half, squared here, unless it is rounding that it stalls
# at. Or after so many iterations:
SLOW, ROUNDING = 0.25, 1e-28
MAX_ITERATIONS = 60
# With a negative Λᵢ (no distribution of mass has one) the doubling is not safe, and the iteration goes on.
MAX_ITERATIONS_INDEFINITE = 1000
MAX_NEWTON = 60
# ‖Z‖² below which Newton's steps are taken whole, and below which one is the last.
NEAR, LAST = 1e-16, 1e-26
# ‖C‖² at which the doubling has summed all that counts; each doubling squares it. 22 doublings reach eigenvalues down to
# some 1e-7 of the shift; where Λ spans more, as many more are made as it has octaves.
SUMMED, REACH, MAX_DOUBLINGS = 1e-17, 2.0**22, 64
# How many times its least sum Λᵢ + Λⱼ the largest Λ may be to be rounded to a common quantum.
WIDE = 100.0
# What a solution leaves of its equation, relative and squared.
RESIDUAL_BOUND = 1e-26


def coefficients(Lambda: Array) -> Array:
    """What `solve_rotation` reads of Λ: whether some Λᵢ is zero (1) or negative (2), Λ, and Λᵢ + Λⱼ for i ≠ j.

    Λ is rounded so that the sums are exact. A division by one of them is then off to either side alike; by a sum that is
    itself rounded, always to the same side, which adds up over many steps. Where Λ spans so much that its least sum
    would lose digits by it, Λ is left as it is.
    """
    top, least = np.abs(Lambda).max(), np.sort(Lambda)[:2].sum()
    if top <= WIDE * least:
        quantum = np.spacing(2.0 * top)
        Lambda = np.round(Lambda / quantum) * quantum
    sums = Lambda[:, None] + Lambda[None, :]
    np.fill_diagonal(sums, np.inf)
    kind = 2.0 if Lambda.min() < 0.0 else 1.0 if Lambda.min() == 0.0 else 0.0
    return np.concatenate([[kind], Lambda, sums.reshape(-1)])


@compiled
def solve_rotation(S: Any, y: Any, p: Any, q: int, g: int, e: int, w: int, n: int) -> Any:
    """Put `E = U − 1` at `e` for the skew matrix G at `g`; `coefficients(Λ)` are at `q` of the parameters and `WORKSPACE`
    matrices at `w`. Returns iterations, the worst residual (relative, squared), and whether it failed in any lane.

    Every lane runs as if alone: one that has converged is left as it is while the others go on.
    """
    kind = par_int(p, q, S)
    iterations, defect, hard = contract(S, y, p, q + 1, g, e, w, n, kind < 1.5)
    if any_of(hard):
        more, left = newton(S, y, p, q + 1, g, e, w, n, hard, kind < 0.5, False)
        defect = where(hard, left, defect)
        iterations += more
    failed = any_of(where(defect <= RESIDUAL_BOUND, 0.0, 1.0) > 0.5)
    tangent(S, y, p, q + 1, g, e, w, n, any_of(hard), iterations)
    return iterations, worst(defect), failed


# --- the contraction --------------------------------------------------------------------------------------------------


@compiled
def contract(S: Any, y: Any, p: Any, q: int, g: int, e: int, w: int, n: int, can_give_up: bool) -> Any:
    """E by iteration from J⁻¹(G): how many, the last change (relative, squared), and where it is too slow."""
    zero, plain = 0.0 * value(get(y, g, S)), plain_parameters(S)
    moving, hard = zero < 1.0, zero > 1.0
    change, size, previous = zero, zero, zero
    iterations = 0
    r = q + n
    for i in range(n * n):
        put(y, e + i, S, value(get(y, g + i, S)) / par(p, r + i, plain))
    while any_of(moving) and iterations < (MAX_ITERATIONS if can_give_up else MAX_ITERATIONS_INDEFINITE):
        multiply_transposed(S, y, w, e, e, n, 1)
        moved, total = zero, zero
        for i in range(n):
            at, Lambda = i * n, par(p, q + i, plain)
            for j in range(n):
                N = value(get(y, w + at + j, S))
                new = (value(get(y, g + at + j, S)) - Lambda * N) / par(p, r + at + j, plain)
                if i == j:
                    new = -0.5 * N
                old = value(get(y, e + at + j, S))
                moved = moved + (new - old) * (new - old)
                total = total + new * new
                put(y, e + at + j, S, where(moving, new, old))
        iterations += 1
        previous = where(moving, change, previous)
        change, size = where(moving, moved, change), where(moving, total, size)
        moving = moving & (change > SMALL_CHANGE * size)
        if can_give_up and iterations > 2:
            stalled = moving & (change > SLOW * previous)
            hard = hard | (stalled & (change > ROUNDING * size))
            moving = moving & (change <= SLOW * previous)
    if can_give_up:
        hard = hard | moving
    return iterations, change / where(size > 0.0, size, 1.0), hard


# --- Newton's method on the group -------------------------------------------------------------------------------------


@compiled
def newton(S: Any, y: Any, p: Any, q: int, g: int, e: int, w: int, n: int, hard: Any, certify: bool, warm: bool) -> Any:
    """E where `hard`, by Newton's method: iterations, and the residual left (relative, squared).

    It starts from the E that is there if that is `warm`, else from `cay(J⁻¹ G)`; a step that does not reduce the
    residual is halved. With `certify` a solution counts only if the doubling converges for it, which says that the
    eigenvalues of U Λ have positive real parts.
    """
    m = n * n
    u, v, z, b, c, t, s, x = w, w + m, w + 2 * m, w + 3 * m, w + 4 * m, w + 5 * m, w + 6 * m, w + 7 * m
    zero, plain = 0.0 * value(get(y, g, S)), plain_parameters(S)
    one = zero + 1.0
    fill(S, y, x, 1.0, n)
    if warm:
        copy(S, y, u, x, n)
        add(S, y, u, e, n)
    else:
        for i in range(m):
            put(y, z + i, S, value(get(y, g + i, S)) / par(p, q + n + i, plain))
        turn(S, y, u, x, z, one, c, t, n)
    left, factor, summed = momentum_left(S, y, p, q, g, u, x, n), one, zero
    moving = hard
    iterations = 0
    while any_of(moving) and iterations < MAX_NEWTON:
        momentum_left(S, y, p, q, g, u, x, n)
        here = lyapunov(S, y, p, q, u, x, z, b, c, t, s, n)
        length = zero
        for i in range(m):
            length = length + value(get(y, z + i, S)) * value(get(y, z + i, S))
        near = length < NEAR
        turn(S, y, v, u, z, where(near, 1.0, factor), c, t, n)
        candidate = momentum_left(S, y, p, q, g, v, x, n)
        accept = moving & ((candidate < left) | near)
        for i in range(m):
            put(y, u + i, S, where(accept, value(get(y, v + i, S)), value(get(y, u + i, S))))
        left, summed = where(accept, candidate, left), where(accept, here, summed)
        factor = where(accept, where(factor < 0.5, 2.0 * factor, 1.0), 0.5 * factor)
        moving = moving & (length > LAST)
        iterations += 1
    total = zero
    for i in range(m):
        total = total + value(get(y, g + i, S)) * value(get(y, g + i, S))
    left = left / where(total > 0.0, total, 1.0)
    left = where(moving, one, left)
    if certify:
        left = where(summed <= 1e-3, left, one)
    # U = 1 + E is off the group by the rounding of its updates: E − ½ (1 + E)(E + Eᵀ + EᵀE) is not
    for i in range(n):
        at = u + i * n + i
        put(y, at, S, get(y, at, S) - 1.0)
    multiply_transposed(S, y, t, u, u, n, 1)
    for i in range(n):
        for j in range(n):
            at = i * n + j
            put(y, t + at, S, get(y, t + at, S) + (get(y, u + at, S) + get(y, u + j * n + i, S)))
    multiply(S, y, c, u, t, n)
    for i in range(m):
        E = value(get(y, u + i, S)) - 0.5 * (value(get(y, t + i, S)) + value(get(y, c + i, S)))
        put(y, e + i, S, where(hard, E, value(get(y, e + i, S))))
    return iterations, left


@compiled
def momentum_left(S: Any, y: Any, p: Any, q: int, g: int, u: int, x: int, n: int) -> Any:
    """`X = G − J_D(U)` without partials, and its square."""
    total, plain = 0.0 * value(get(y, g, S)), plain_parameters(S)
    for i in range(n):
        for j in range(n):
            at = i * n + j
            ahead, back = value(get(y, u + at, S)), value(get(y, u + j * n + i, S))
            turned = ahead * par(p, q + j, plain) - par(p, q + i, plain) * back
            left = value(get(y, g + at, S)) - turned
            put(y, x + at, S, left)
            total = total + left * left
    return total


@compiled
def turn(S: Any, y: Any, v: int, u: int, z: int, factor: Any, c: int, t: int, n: int) -> None:
    """`V = cay(f Z) U = U + f (1 − f Z/2)⁻¹ Z U`."""
    for i in range(n * n):
        put(y, c + i, S, -0.5 * (factor * get(y, z + i, S)))
    for i in range(n):
        put(y, c + i * n + i, S, 1.0)
    invert(S, y, c, n)
    multiply(S, y, t, z, u, n)
    multiply(S, y, v, c, t, n)
    for i in range(n * n):
        put(y, v + i, S, get(y, u + i, S) + factor * get(y, v + i, S))


@compiled
def lyapunov(S: Any, y: Any, p: Any, q: int, u: int, x: int, z: int, b: int, c: int, t: int, s: int, n: int) -> Any:
    """Put at `z` the skew Z of `Z B + Bᵀ Z = X`, B = U Λ; returns ‖C‖² of the last doubling.

    With a shift a > 0, K = (B + a)⁻¹ and C = 1 − 2aK, it is `Z − Cᵀ Z C = 2a Kᵀ X K`, and the sum Z of all the
    `(Cᵀ)ᵏ (2a Kᵀ X K) Cᵏ` is doubled in length by each `Z ← Z + Cᵀ Z C, C ← C²`. With a = max Λ the symmetric part of
    B + a is positive definite, so that it is inverted without pivoting. U has no partials; those of X pass to Z.
    """
    shift, plain = 0.0 * value(get(y, u, S)), plain_parameters(S)
    for i in range(n):
        shift = largest(shift, absolute(par(p, q + i, plain)))
    least = shift
    for i in range(n):
        least = smallest(least, absolute(par(p, q + i, plain)))
    reach = REACH * shift / least
    for i in range(n):
        for j in range(n):
            put(y, b + i * n + j, S, value(get(y, u + i * n + j, S)) * par(p, q + j, plain))
        put(y, b + i * n + i, S, get(y, b + i * n + i, S) + shift)
    invert(S, y, b, n)
    for i in range(n * n):
        put(y, c + i, S, -2.0 * (shift * get(y, b + i, S)))
    for i in range(n):
        put(y, c + i * n + i, S, 1.0 + get(y, c + i * n + i, S))
    multiply(S, y, t, x, b, n)
    multiply_transposed(S, y, z, b, t, n, -1)
    for i in range(n * n):
        put(y, z + i, S, 2.0 * (shift * get(y, z + i, S)))
    size = square(S, y, c, n)
    more = (size > SUMMED) & (reach >= 1.0)
    doublings = 0
    while any_of(more) and doublings < MAX_DOUBLINGS:
        multiply(S, y, t, z, c, n)
        multiply_transposed(S, y, s, c, t, n, -1)
        for i in range(n * n):
            put(y, z + i, S, where(more, get(y, z + i, S) + get(y, s + i, S), get(y, z + i, S)))
        multiply(S, y, s, c, c, n)
        copy(S, y, c, s, n)
        size = where(more, square(S, y, c, n), size)
        reach = 0.5 * reach
        more = more & (size > SUMMED) & (reach >= 1.0)
        doublings += 1
    return size


@compiled
def square(S: Any, y: Any, a: int, n: int) -> Any:
    """The sum of the squares of the entries, without partials."""
    total = 0.0 * value(get(y, a, S))
    for i in range(n * n):
        total = total + value(get(y, a + i, S)) * value(get(y, a + i, S))
    return total


# --- derivatives --------------------------------------------------------------------------------------------------------


@compiled
def tangent_by_contraction(S: Any, y: Any, p: Any, q: int, g: int, e: int, w: int, n: int, count: int) -> None:
    """The same iteration, linearised."""
    d, t, r, plain = w, w + n * n, q + n, plain_parameters(S)
    for i in range(n * n):
        put(y, d + i, S, get(y, g + i, S) / par(p, r + i, plain))
    for _ in range(count):
        multiply_transposed(S, y, t, e, d, n, 0)
        for i in range(n):
            for j in range(n):
                at = i * n + j
                N = get(y, t + at, S) + get(y, t + j * n + i, S)
                new = (get(y, g + at, S) - par(p, q + i, plain) * N) / par(p, r + at, plain)
                if i == j:
                    new = -0.5 * N
                put(y, d + at, S, new)
    for i in range(n * n):
        put(y, e + i, S, attach(value(get(y, e + i, S)), -get(y, d + i, S)))


@compiled
def tangent_by_doubling(S: Any, y: Any, p: Any, q: int, g: int, e: int, w: int, n: int) -> None:
    """`δU = Z U` with `Z B + Bᵀ Z = δG`."""
    m = n * n
    u, z, b, c, t, s = w, w + m, w + 2 * m, w + 3 * m, w + 4 * m, w + 5 * m
    fill(S, y, u, 1.0, n)
    add(S, y, u, e, n)
    lyapunov(S, y, p, q, u, g, z, b, c, t, s, n)
    multiply(S, y, t, z, u, n)
    for i in range(m):
        put(y, e + i, S, attach(value(get(y, e + i, S)), -get(y, t + i, S)))


@on_duals
@compiled
def tangent(S: Any, y: Any, p: Any, q: int, g: int, e: int, w: int, n: int, hard: bool, iterations: int) -> None:
    """Give E the partials that those of G and Λ imply: with U held, they are those of `G − J_D(U)`."""
    x = w + 6 * n * n
    for i in range(n):
        for j in range(n):
            at = i * n + j
            ahead, back = value(get(y, e + at, S)), value(get(y, e + j * n + i, S))
            turned = ahead * par(p, q + j, S) - par(p, q + i, S) * back
            put(y, x + at, S, get(y, g + at, S) - turned)
    if hard:
        tangent_by_doubling(S, y, p, q, x, e, w, n)
    else:
        tangent_by_contraction(S, y, p, q, x, e, w, n, iterations + 2)
