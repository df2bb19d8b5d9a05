"""The mutual potential of two bodies to any order N, by contracting their multipoles.

Body 1, turned into frame 2, is the operator `A(∂) = ∫ e^{Rρ₁·∂} dm₁`, body 2 is `B(∂) = −G ∫ e^{−ρ₂·∂} dm₂` (see
`multipoles`), and

    U = A B (1/r) = Σ_α a_α L_α,        L_α = Σ_β b_β D_{α+β},      |α| + |β| ≤ N,

the joint truncation by total degree: degree n collects `|Rρ₁ − ρ₂|ⁿ r^{−n−1} Pₙ` exactly. The potential's derivatives
are the same sums with shifted indices:

    ∂U/∂X = Σ_α a_α K_{α+e},            K_α = Σ_β b_β D_{α+β},      |α| + |β| ≤ N + 1,
    M_z = Σ_α a_α (i L_{α−x+y} − j L_{α−y+x})   and cyclic,

the last because turning body 1 by η multiplies under the integral by `(η × c)·∂ = η·(c × ∂)`, c = Rρ₁, and c is the
derivative of `e^{c·∂}` by ∂. Everything is kept modulo `∂z² = −∂x² − ∂y²`, where a row (l, k) is the coefficients of
`∂x^{l−k−j} ∂yʲ ∂zᵏ`, j = 0 … l − k.

Cost: O(N³) for the turn, O(N⁴)/6 multiplications for K; no sixfold sum.

Parameters: kind, N, the highest degrees d₁ and d₂ that the bodies have, 1/unit, and (N+1)² numbers each of body 1 in
its own frame and of body 2; lengths are measured in a unit near the bodies' size, a power of two.
"""

from __future__ import annotations

from typing import Any

from ..core.parameters import ParameterLayout
from ..geometry.vectors import Matrix, Vector, scale
from ..scalars import compiled, get, kernel, par, put
from ..scalars.protocol import par_int
from .harmonics import fill_derivatives

HEADER = ParameterLayout(kind=1, order=1, degree1=1, degree2=1, scale=1)
ORDER, DEGREE1, DEGREE2, SCALE = HEADER.offsets("order", "degree1", "degree2", "scale")
FIRST = HEADER.end  # where the numbers of body 1 begin


def workspace_size(N: int) -> int:
    """How many entries the workspace has: the derivatives of 1/r, three padded operators, two rows each of L and K."""
    return 3 * (N + 2) ** 2 + 3 * 2 * (N + 1) * (N + 3) + 4 * (N + 3) + 2


@kernel
def times0(S: Any, work: Any, row: int, wide: int, j: int, g: Vector) -> Any:
    """Coefficient j, k = 0, of `(g·∂)` times the operator whose k = 0 and k = 1 rows are `row` and `row + wide`."""
    z = get(work, row + wide + j, S) + get(work, row + wide + j - 2, S)
    return g[0] * get(work, row + j, S) + g[1] * get(work, row + j - 1, S) - g[2] * z


@kernel
def times1(S: Any, work: Any, row: int, wide: int, j: int, g: Vector) -> Any:
    """The same coefficient of k = 1."""
    here = row + wide + j
    return g[2] * get(work, row + j, S) + g[0] * get(work, here, S) + g[1] * get(work, here - 1, S)


@kernel
def turn(S: Any, R: Matrix, p: Any, a: int, d: int, work: Any, P: int, V: int, W: int, wide: int) -> None:
    """Put `A(∂)` in frame 2 at P: in the body's own frame it is a polynomial in `u, v, w`, the columns of R times ∂.

    `A = Σ uⁱ (Σ_m a_{i,m,0} vᵐ + a_{i,m−1,1} w vᵐ⁻¹)`, in powers of u by Horner's rule. Row (m, k) starts at
    `P + (2m + k) wide`, with zeros on both sides for `times0` and `times1` to read.
    """
    u, v, o = (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
    for e in range(-2, 2 * (d + 1) * wide - 2):
        put(work, P + e, S, 0.0)
        put(work, V + e, S, 0.0)
    put(work, V, S, 1.0)
    for m in range(1, d + 1):
        new = 2 * m * wide
        old = V + new - 2 * wide
        for j in range(m + 1):
            put(work, V + new + j, S, times0(S, work, old, wide, j, v))
            put(work, W + new + j, S, times0(S, work, old, wide, j, o))
        for j in range(m):
            put(work, V + new + wide + j, S, times1(S, work, old, wide, j, v))
            put(work, W + new + wide + j, S, times1(S, work, old, wide, j, o))
    for e in range(d + 1):
        i = d - e
        for f in range(e):
            m = e - f
            l = i + m
            a0, a1 = par(p, a + l * l + m, S), par(p, a + l * l + l + m, S)
            new = 2 * m * wide
            old = P + new - 2 * wide
            for j in range(m + 1):
                c = a0 * get(work, V + new + j, S) + a1 * get(work, W + new + j, S)
                put(work, P + new + j, S, times0(S, work, old, wide, j, u) + c)
            new += wide
            for j in range(m):
                c = a0 * get(work, V + new + j, S) + a1 * get(work, W + new + j, S)
                put(work, P + new + j, S, times1(S, work, old, wide, j, u) + c)
        put(work, P, S, par(p, a + i * i, S))


@kernel
def degree_term(
    S: Any, p: Any, b: int, l: int, work: Any, D: int, row: int, lam: int, k: int, j: int, start: Any
) -> Any:
    """`start + Σ_β b_β D_{α+β}` over the β of degree l, for α of degree lam with exponents j in y and k in z."""
    plane = row * row
    here = D + k * plane + (lam + l) * row + j
    s = start
    t = par(p, b + l * l, S) * get(work, here, S)
    for i in range(l):
        s = s + par(p, b + l * l + l + 1 + i, S) * get(work, here + plane + i, S)
        t = t + par(p, b + l * l + 1 + i, S) * get(work, here + 1 + i, S)
    return s + t


@kernel
def add_force(S: Any, work: Any, A: int, K: int, wide: int, l: int, F: Vector) -> Vector:
    """`F + Σ_α a_α K_{α+e}` over the α of degree l: the rows of body 1 at A, those of K, of degree l + 1, at K."""
    x, y, z = F
    for j in range(l + 1):
        c = get(work, A + j, S)
        x = x + c * get(work, K + j, S)
        y = y + c * get(work, K + j + 1, S)
        z = z + c * get(work, K + wide + j, S)
    for j in range(l):
        c = get(work, A + wide + j, S)
        x = x + c * get(work, K + wide + j, S)
        y = y + c * get(work, K + wide + j + 1, S)
        z = z - c * (get(work, K + j, S) + get(work, K + j + 2, S))
    return x, y, z


@kernel
def add_moment(S: Any, work: Any, A: int, L: int, wide: int, l: int, U: Any, M: Vector) -> tuple[Any, Vector]:
    """The potential and the moment with what degree l of body 1 adds: its rows at A, those of L at L."""
    x, y, z = M
    U = U + get(work, A, S) * get(work, L, S)
    for j in range(l):
        i = l - j
        # the coefficients of ∂xⁱ∂yʲ, ∂xⁱ⁻¹∂yʲ⁺¹ and ∂xⁱ⁻¹∂yʲ∂z
        a, b, c = get(work, A + j, S), get(work, A + j + 1, S), get(work, A + wide + j, S)
        La, Lb, Lc = get(work, L + j, S), get(work, L + j + 1, S), get(work, L + wide + j, S)
        U = U + b * Lb + c * Lc
        x = x + (j + 1) * (b * Lc - c * Lb)
        y = y + i * (c * La - a * Lc)
        z = z + i * a * Lb - (j + 1) * b * La
        if j > 0:
            x = x - j * c * get(work, L + j - 1, S)
        if i > 1:
            y = y + (i - 1) * c * get(work, L + j + 2, S)
            d, Ld = get(work, A + wide + j + 1, S), get(work, L + wide + j + 1, S)
            z = z + (i - 1) * c * Ld - (j + 1) * d * Lc
    return U, (x, y, z)


@compiled
def expansion(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M to order N."""
    N, d1, d2 = par_int(p, at + ORDER, S), par_int(p, at + DEGREE1, S), par_int(p, at + DEGREE2, S)
    unit = par(p, at + SCALE, S)
    a, b = at + FIRST, at + FIRST + (N + 1) * (N + 1)
    row, wide = N + 2, d1 + 3
    area = 2 * (d1 + 1) * wide
    P = w + 3 * row * row + 2
    L = P + 3 * area
    K = L + 2 * wide
    fill_derivatives(S, scale(unit, X), N + 1, work, w)
    turn(S, R, p, a, d1, work, P, P + area, P + 2 * area, wide)
    zero = 0.0 * X[0]
    U, F, M = zero, (zero, zero, zero), (zero, zero, zero)
    for lam in range(d1 + 2):
        for k in range(2):
            for j in range(lam - k + 1):
                s, t = zero, zero
                for l in range(min(d2, N + 1 - lam) + 1):
                    s = degree_term(S, p, b, l, work, w, row, lam, k, j, s)
                    if lam + l <= N:
                        t = s
                put(work, L + k * wide + j, S, t)
                put(work, K + k * wide + j, S, s)
        if lam > 0:
            F = add_force(S, work, P + 2 * (lam - 1) * wide, K, wide, lam - 1, F)
        if lam <= d1:
            U, M = add_moment(S, work, P + 2 * lam * wide, L, wide, lam, U, M)
    return U, scale(unit, F), M
