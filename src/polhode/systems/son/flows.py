"""The compiled flows of the rigid body on SO(n), in the variables (Q, M), (Q, m), (Q, P) and (Q_k, Q_{k+1}).

One step of the discrete body turns by the U of `J_D(U) = h M` (MDRBn and SDRBn of [BCMR02]):

    Q ↦ Q U,    M ↦ Uᵀ M U,    P ↦ P U;    the spatial momentum m = Q M Qᵀ and P Qᵀ stay as they are.

Q, M, P and m are transposed in the right-invariant body, whose flows are therefore these between two transpositions. With
Λ = V diag(Λᵢ) Vᵀ the solve is done along the axes V. Only E = U − 1 is used, so that what turns by little keeps its digits,
and each product corrects what the one before was off the group (see `geometry.stable_products`).

The parameters are: n, whether right-invariant, whether there are axes V, `coefficients(Λ)`, V.
"""

from __future__ import annotations

from typing import Any

from ...core.parameters import ParameterLayout
from ...geometry.flat_matrices import copy, multiply, multiply_transposed, transpose
from ...geometry.increments.son import WORKSPACE, solve_rotation
from ...scalars import accumulate, compiled, flow, get, kernel, par, put, rate
from ...scalars.protocol import NO_SOLUTION, SUCCESS, par_int, record

# Matrices of workspace that a flow needs (see `places`).
MATRICES = 8 + WORKSPACE
HEADER = ParameterLayout(n=1, right=1, axes=1)  # then come `coefficients(Λ)` and V
DIMENSION, RIGHT, AXES = HEADER.offsets("n", "right", "axes")
COEFFICIENTS = HEADER.end
LAMBDA = COEFFICIENTS + 1  # the Λᵢ, behind their kind


@kernel
def header(p: Any, S: Any) -> Any:
    """n, whether the body is right-invariant, whether Λ has axes of its own."""
    return par_int(p, DIMENSION, S), par_int(p, RIGHT, S) > 0, par_int(p, AXES, S) > 0


@compiled
def load(S: Any, y: Any, c: int, a: int, n: int, right: bool) -> None:
    """`C = A`, or Aᵀ for a right-invariant body: there and back."""
    if right:
        transpose(S, y, c, a, n)
    else:
        copy(S, y, c, a, n)


@kernel
def sums_at(n: Any) -> Any:
    """Where the Λᵢ + Λⱼ begin."""
    return LAMBDA + n


@kernel
def axes_at(n: Any) -> Any:
    """Where V begins."""
    return sums_at(n) + n * n


@compiled
def load_axes(S: Any, y: Any, p: Any, c: int, n: int) -> None:
    """V, and after it Vᵀ."""
    first = axes_at(n)
    for i in range(n * n):
        put(y, c + i, S, par(p, first + i, S))
    transpose(S, y, c + n * n, c, n)


@compiled
def congruence(S: Any, y: Any, c: int, x: int, v: int, t: int, n: int) -> None:
    """`C = Vᵀ X V` of a skew X."""
    multiply(S, y, t, x, v, n)
    multiply_transposed(S, y, c, v, t, n, -1)


@compiled
def along_axes(S: Any, y: Any, c: int, x: int, v: int, t: int, n: int, rotated: Any) -> None:
    """`C = Vᵀ X V` of a skew X; X itself where the axes are not rotated."""
    if rotated:
        congruence(S, y, c, x, v, t, n)
    else:
        copy(S, y, c, x, n)


@compiled
def times_axes(S: Any, y: Any, c: int, x: int, v: int, n: int, rotated: Any) -> None:
    """`C = X V`; X itself where the axes are not rotated."""
    if rotated:
        multiply(S, y, c, x, v, n)
    else:
        copy(S, y, c, x, n)


@compiled
def off_the_axes(S: Any, y: Any, e: int, v: int, t: int, n: int) -> None:
    """`E ← V E Vᵀ`, and then `E ← E − ½ (1 + E)(E + Eᵀ + EᵀE)`: 1 + E is a rotation, though V is rounded.

    What V is off by is the same in every step. Where the attitude and the momentum are turned by the same rotation it
    cannot add up in the spatial momentum. The two matrices at `t` are overwritten.
    """
    defect, product = t, t + n * n
    multiply(S, y, t, v, e, n)
    multiply(S, y, e, t, v + n * n, n)
    multiply_transposed(S, y, defect, e, e, n, 1)
    for i in range(n):
        for j in range(n):
            both = get(y, e + i * n + j, S) + get(y, e + j * n + i, S)
            put(y, defect + i * n + j, S, both + get(y, defect + i * n + j, S))
    multiply(S, y, product, e, defect, n)
    for i in range(n * n):
        correction = 0.5 * (get(y, defect + i, S) + get(y, product + i, S))
        put(y, e + i, S, get(y, e + i, S) - correction)


@compiled
def turning(S: Any, y: Any, q: int, e: int, t: int, n: int) -> None:
    """Put `(1 + D)(Q + Q E) − Q` at t: Q + Q E is as far from the group as Q, and `D = ½ (1 − Q Qᵀ)` is the correction of
    that. The three matrices behind are overwritten. Sums on the diagonal are 3/2, not 1, as in `stable_products.strain`."""
    m = n * n
    new, product, D = t + m, t + 2 * m, t + 3 * m
    multiply(S, y, t, q, e, n)
    transpose(S, y, new, q, n)
    multiply_transposed(S, y, D, new, new, n, 1)
    for i in range(m):
        put(y, D + i, S, -0.5 * get(y, D + i, S))
    for i in range(n):
        row = q + i * n
        total = 0.5 + get(y, row, S) * get(y, row, S)
        for k in range(1, n):
            total = total + get(y, row + k, S) * get(y, row + k, S)
        put(y, D + i * n + i, S, 0.75 - 0.5 * total)
    for i in range(m):
        put(y, new + i, S, get(y, q + i, S) + get(y, t + i, S))
    multiply(S, y, product, D, new, n)
    for i in range(m):
        put(y, t + i, S, get(y, t + i, S) + get(y, product + i, S))


@compiled
def accumulate_matrix(S: Any, y: Any, c: int, a: int, n: int, right: bool) -> None:
    """`C += A`, or Aᵀ for a right-invariant body, where C is a variable of the state."""
    for i in range(n):
        for j in range(n):
            at = j * n + i if right else i * n + j
            accumulate(y, c + at, S, get(y, a + i * n + j, S))


@compiled
def turn(S: Any, y: Any, c: int, q: int, e: int, t: int, n: int, right: bool) -> None:
    """`Q ↦ Q (1 + E)`, on the group, for the variable at c, of which q holds a left-invariant copy. The four matrices at
    `t` are overwritten."""
    turning(S, y, q, e, t, n)
    accumulate_matrix(S, y, c, t, n, right)


@compiled
def scale(S: Any, y: Any, c: int, a: int, factor: float, n: int) -> None:
    """`C = factor · A`."""
    for i in range(n * n):
        put(y, c + i, S, factor * get(y, a + i, S))


@kernel
def no_increment(S: Any, y: Any, p: Any, g: int, e: int, w: int, n: int, report: Any) -> Any:
    """Put E = U − 1 of `J_D(U) = G` at e; true where there is no solution."""
    iterations, defect, failed = solve_rotation(S, y, p, COEFFICIENTS, g, e, w, n)
    record(report, iterations, defect)
    return failed


@kernel
def places(n: int) -> Any:
    """Where the matrices of the workspace lie, behind the two variables: left-invariant copies of these, G, E, V (and its
    transpose), two more, and what the solve needs."""
    k = n * n
    return 2 * k, 3 * k, 4 * k, 5 * k, 6 * k, 8 * k, 9 * k, 10 * k


@kernel
def open_state(S: Any, y: Any, p: Any) -> Any:
    """n, whether the body is right-invariant, whether Λ has axes of its own, and the `places`. The two variables are put
    there as those of a left-invariant body, and V and its transpose where there are axes."""
    n, right, rotated = header(p, S)
    at = places(n)
    load(S, y, at[0], 0, n, right)
    load(S, y, at[1], n * n, n, right)
    if rotated:
        load_axes(S, y, p, at[4], n)
    return n, right, rotated, at


@kernel
def cannot_turn(S: Any, y: Any, p: Any, n: Any, right: Any, rotated: Any, report: Any) -> Any:
    """Put E of `J_D(U) = G` in its place, off the axes, and turn Q by it; true where there is no solution."""
    q, _, g, e, v, _, _, w = places(n)
    if no_increment(S, y, p, g, e, w, n, report):
        return True
    if rotated:
        off_the_axes(S, y, e, v, w, n)
    turn(S, y, 0, q, e, w, n, right)
    return False


@flow
def drift_momentum(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """MDRBn on (Q, M)."""
    n, right, rotated, (_, M, g, e, v, a, b, w) = open_state(S, y, p)
    along_axes(S, y, a, M, v, w, n, rotated)
    scale(S, y, g, a, h, n)
    if cannot_turn(S, y, p, n, right, rotated, report):
        return NO_SOLUTION
    # UᵀMU − M = X − Xᵀ + EᵀX with X = M E
    multiply(S, y, w, M, e, n)
    multiply_transposed(S, y, b, e, w, n, -1)
    for i in range(n):
        for j in range(n):
            at = i * n + j
            put(y, b + at, S, (get(y, w + at, S) - get(y, w + j * n + i, S)) + get(y, b + at, S))
    accumulate_matrix(S, y, n * n, b, n, right)
    return SUCCESS


@flow
def drift_spatial(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """MDRBn on (Q, m), where m stays and `M = Qᵀ m Q`: its spectrum and its norm, which are conserved, cannot drift."""
    n, right, rotated, (q, m, g, _, v, a, _, w) = open_state(S, y, p)
    times_axes(S, y, a, q, v, n, rotated)
    congruence(S, y, g, m, a, w, n)
    scale(S, y, g, g, h, n)
    if cannot_turn(S, y, p, n, right, rotated, report):
        return NO_SOLUTION
    return SUCCESS


@flow
def drift_symmetric(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """SDRBn (4.7): (Q, P), both turned by U."""
    n, right, rotated, (q, P, g, e, v, a, b, w) = open_state(S, y, p)
    times_axes(S, y, a, q, v, n, rotated)
    times_axes(S, y, b, P, v, n, rotated)
    body_momentum(S, y, g, a, b, w, n)
    scale(S, y, g, g, h, n)
    if cannot_turn(S, y, p, n, right, rotated, report):
        return NO_SOLUTION
    turn(S, y, n * n, P, e, w, n, right)
    return SUCCESS


@compiled
def body_momentum(S: Any, y: Any, c: int, q: int, p: int, t: int, n: int) -> None:
    """`M = QᵀP − PᵀQ` (3.1)."""
    multiply_transposed(S, y, t, q, p, n, 0)
    for i in range(n):
        for j in range(n):
            put(y, c + i * n + j, S, get(y, t + i * n + j, S) - get(y, t + j * n + i, S))


@flow
def start_pair(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The increment E that leads from Q_k to Q_{k+1}, put after the variables (Q_k, M_k)."""
    n, right, rotated = header(p, S)
    k = n * n
    pair, M, g, e, v, a, _, w = places(n)
    load(S, y, M, k, n, right)
    if rotated:
        load_axes(S, y, p, v, n)
        congruence(S, y, a, M, v, w, n)
        copy(S, y, M, a, n)
    scale(S, y, g, M, h, n)
    if no_increment(S, y, p, g, e, w, n, report):
        return NO_SOLUTION
    copy(S, y, pair, e, n)
    return SUCCESS


@flow
def drift_pair(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """Moser and Veselov's first algorithm (4.4), (7.2): (Q_k, Q_{k+1}) ↦ (Q_{k+1}, Q_{k+2}).

    The pair is stored as Q_k and E = Q_kᵀ Q_{k+1} − 1, which loses no digits. From it `h M_{k+1} = Λ U − Uᵀ Λ`; M is only
    reported, never used again.
    """
    n, right, rotated = header(p, S)
    k = n * n
    pair, q, g, e, v, a, _, w = places(n)
    for i in range(n):
        for j in range(n):
            ahead = par(p, LAMBDA + i, S) * get(y, pair + i * n + j, S)
            put(y, g + i * n + j, S, ahead - par(p, LAMBDA + j, S) * get(y, pair + j * n + i, S))
    if no_increment(S, y, p, g, e, w, n, report):
        return NO_SOLUTION
    load(S, y, q, 0, n, right)
    if rotated:
        load_axes(S, y, p, v, n)
        off_the_axes(S, y, pair, v, w, n)
    turn(S, y, 0, q, pair, w, n, right)
    scale(S, y, g, g, 1.0 / h, n)
    if rotated:
        congruence(S, y, a, g, v + k, w, n)
        copy(S, y, g, a, n)
    load(S, y, k, g, n, right)
    copy(S, y, pair, e, n)
    return SUCCESS


# --- right-hand sides ---------------------------------------------------------------------------------------------------


@compiled
def angular_velocity(S: Any, y: Any, p: Any, c: int, m: int, v: int, t: int, n: int, rotated: bool) -> None:
    """`Ω = J⁻¹(M)`; V, where there are axes, is at `v`, and the two matrices at `t` are overwritten."""
    sums = sums_at(n)
    along_axes(S, y, t + n * n, m, v, t, n, rotated)
    for i in range(n * n):
        put(y, t + n * n + i, S, get(y, t + n * n + i, S) / par(p, sums + i, S))
    along_axes(S, y, c, t + n * n, v + n * n, t, n, rotated)


@compiled
def store(S: Any, y: Any, dy: Any, c: int, a: int, n: int, right: bool) -> None:
    """A matrix of the array `y` into the array `dy`, transposed for a right-invariant body."""
    for i in range(n):
        for j in range(n):
            at = j * n + i if right else i * n + j
            put(dy, c + at, S, get(y, a + i * n + j, S))


@rate
def rhs_momentum(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """RBn: `Q̇ = Q Ω`, `Ṁ = [M, Ω]`."""
    n, right, rotated, (q, M, omega, _, v, w, _, _) = open_state(S, y, p)
    angular_velocity(S, y, p, omega, M, v, w, n, rotated)
    multiply(S, y, w, q, omega, n)
    store(S, y, dy, 0, w, n, right)
    multiply(S, y, w, M, omega, n)
    for i in range(n):
        for j in range(n):
            # (Ω M)ᵀ = M Ω for skew matrices
            put(y, q + i * n + j, S, get(y, w + i * n + j, S) - get(y, w + j * n + i, S))
    store(S, y, dy, n * n, q, n, right)
    return SUCCESS


@rate
def rhs_symmetric(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """SRBn: `Q̇ = Q Ω`, `Ṗ = P Ω`, `Ω = J⁻¹(QᵀP − PᵀQ)`."""
    n, right, rotated, (q, P, M, omega, v, w, _, _) = open_state(S, y, p)
    body_momentum(S, y, M, q, P, w, n)
    angular_velocity(S, y, p, omega, M, v, w, n, rotated)
    multiply(S, y, w, q, omega, n)
    store(S, y, dy, 0, w, n, right)
    multiply(S, y, w, P, omega, n)
    store(S, y, dy, n * n, w, n, right)
    return SUCCESS
