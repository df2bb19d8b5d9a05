"""The rotation of the free rigid body in a time h, in closed form: exact to rounding for any inertia and any momentum.

`P` the momentum along the principal axes, `b₁ ≥ b₂ ≥ b₃` the inverse moments, `g₁ = b₂ − b₃`, `g₂ = b₁ − b₃`,
`g₃ = b₁ − b₂`, so that `Ṗ = (−g₁P₂P₃, g₂P₃P₁, −g₃P₁P₂)`. With `S = sn(√α h, β/α)/√α`, `C² = 1 − αS²`, `D² = 1 − βS²`,
`α = g₁(g₂P₃² + g₃P₂²)`, `β = g₃(g₂P₁² + g₁P₂²)`, `Δ = 1 − g₁g₃P₂²S²`, Jacobi's addition theorems give

    P(h) = ( P₁C − g₁P₂P₃SD,  P₂CD + g₂P₁P₃S,  P₃D − g₃P₁P₂SC )/Δ.

S is entire in α and β: nothing has to be told apart, neither symmetric from asymmetric bodies nor the kinds of polhode,
and at the separatrix nothing happens. The angle about the momentum is an elliptic integral of the third kind from zero,
and two angles of triangles. Series in h serve up to `√max(α, β) h = 1/4` and a turn of a radian; a longer time is
divided. See R. van Zon, J. Schofield, J. Comput. Phys. 225 (2007) 145 and E. Celledoni, F. Fassò, N. Säfström, A. Zanna,
SIAM J. Sci. Comput. 30 (2008) 2084 for such closed forms in general.
"""

from __future__ import annotations

from typing import Any

from ...scalars import any_of, kernel, par, par3, par9, sqrt, value, where
from ..stable_products import cayley_increment, turned_back
from ..vectors import Matrix, Vector, apply, apply_transposed, cross, dot, multiply, scale

# the numbers of a body, where each begins and how many there are: the axes as nine, three inverse moments, g₁/g₂
AXES, INVERSE_MOMENTS, RATIO, PRINCIPAL = 0, 9, 12, 13
LONGEST = 0.25  # the argument up to which the series hold
WIDEST = 1.0  # the turn up to which the Cayley parameter is well conditioned
SMALL = 1e-11  # the squared turn below which two terms are exact to rounding

# (k + 1) lₖ₊₁ = (2k + 1)(E/2) lₖ − k F lₖ₋₁, Legendre's recurrence
ONWARD = tuple((2 * k + 1) / (2 * (k + 1)) for k in range(10))
BACKWARD = tuple(k / (k + 1) for k in range(10))
WEIGHTS = tuple(1 / (2 * k + 3) for k in range(11))


@kernel
def sine_series(e: Any, f: Any) -> Any:
    """`sn(√α h)/(√α h)` by its series, `e = (α + β) h²` and `f = αβ h⁴`; from `S̈ = −(α + β) S + 2αβ S³`."""
    a = 1.9572941063391263e-20 * e - 8.22063524662433e-18
    a = ((a * e + 2.8114572543455206e-15) * e - 7.647163731819816e-13) * e + 1.6059043836821613e-10
    a = ((a * e - 2.505210838544172e-08) * e + 2.7557319223985893e-06) * e - 0.0001984126984126984
    a = ((a * e + 0.008333333333333333) * e - 0.16666666666666666) * e
    b = (1.2796241999271896e-11 * e - 5.971578613183988e-10) * e + 2.2691968741221775e-08
    b = ((b * e - 6.857945846041085e-07) * e + 1.6000588917255585e-05) * e - 0.00027717652717652717
    b = ((b * e + 0.003373015873015873) * e - 0.02619047619047619) * e + 0.1
    c = (3.629429164034454e-08 * e - 6.057670279883288e-07) * e + 8.157548664376395e-06
    c = ((c * e - 8.550345157488015e-05) * e + 0.0006577450327450328) * e - 0.0033225108225108223
    c = c * e + 0.008333333333333333
    d = (2.296088659773388e-06 * e - 1.754355469065037e-05) * e + 9.959560747375874e-05
    d = (d * e - 0.0003749306249306249) * e + 0.0007051282051282052
    g = (1.320055061140311e-05 * e - 3.965984780613264e-05) * e + 5.9671945701357467e-05
    return 1.0 + (a + f * (b + f * (c + f * (d + f * (g + f * 5.049648064353947e-06)))))


@kernel
def third_kind_series(E: Any, F: Any, G: Any) -> Any:
    """`∫₀¹ x²/((1 + G x²) √(1 − E x² + F x⁴)) dx` by its series."""
    before, here = 0.0 * E, 0.0 * E + 1.0
    term = here
    total = WEIGHTS[0] * here
    for k in range(9):
        here, before = ONWARD[k] * E * here - BACKWARD[k] * F * before, here
        term = here - G * term
        total = total + WEIGHTS[k + 1] * term
    return total


@kernel
def tangent_fraction(s: Any) -> tuple[Any, Any]:
    """Numerator and denominator of `tan(x)/x`, `s = x²`: Lambert's continued fraction, to rounding for |x| ≤ 1."""
    n = 34459425.0 - s * (4729725.0 - s * (135135.0 - s * (990.0 - s)))
    d = 34459425.0 - s * (16216200.0 - s * (945945.0 - s * (13860.0 - 45.0 * s)))
    return n, d


@kernel
def short_turn(b: Vector, r: Any, P: Vector, h: Any) -> Vector:
    """The Cayley parameter of the rotation in the time h, along the principal axes; `r = g₁/g₂`."""
    P1, P2, P3 = P
    q = 1.0 - r
    g2 = b[0] - b[2]
    g1, g3 = r * g2, q * g2
    square = P2 * P2
    A1, A3 = P1 * P1 + r * square, P3 * P3 + q * square
    L2 = A1 + A3
    alpha, beta = g1 * g2 * A3, g3 * g2 * A1
    hh = h * h
    S = h * sine_series((alpha + beta) * hh, alpha * beta * hh * hh)
    X = S * S
    aX, bX, dX = alpha * X, beta * X, g1 * g3 * square * X
    C, D = sqrt(1.0 - aX), sqrt(1.0 - bX)
    c1, d1 = -aX / (1.0 + C), -bX / (1.0 + D)  # C − 1 and D − 1
    over = 1.0 / (1.0 - dX)
    # P(h) − P(0), without cancellation
    x = over * (P1 * (c1 + dX) - g1 * P2 * P3 * S * D)
    y = over * (P2 * (c1 * D + d1 + dX) + g2 * P1 * P3 * S)
    z = over * (P3 * (d1 + dX) - g3 * P1 * P2 * S * C)
    bend = 0.5 * (x * x + y * y + z * z)
    U = cross((x, y, z), P)
    w = scale(1.0 / (2.0 * L2 - bend), U)  # the shortest rotation that takes P(h) to P(0)

    # the rest is about P. Reference axis 1 or 3: L² − P_r² is at least L²/2 for one of them
    first = value(A3) >= value(A1)
    way = where(first, 1.0, -1.0)
    G = g2 * where(first, g1 * A1, g3 * A3)
    ratio, mean, A = where(first, r, q), where(first, b[2], b[0]), where(first, A3, A1)
    start, change, across = where(first, P1, P3), where(first, x, z), where(first, U[0], U[2])
    GX = G * X
    growth = 0.5 * (mean * h + way * g2 * G * S * X * third_kind_series(aX + bX, aX * bX, GX))
    # angles over L: of the addition theorem of the third kind, and between the frames at the two ends
    shift = ratio * P2 * (P2 + y)
    u1, v1 = A * (1.0 + GX) + shift * C * D, way * g2 * shift * S
    K = L2 - bend
    u2, v2 = (L2 + K) * (K - start * (start + change)) + across * across, -across * (2.0 * start + change)
    u, v = u1 * u2 + L2 * v1 * v2, v1 * u2 - u1 * v2
    # tan of half their sum, over L, by the addition theorem of the tangent: v/w and growth n/d are the halves' tangents
    w2 = u + sqrt(u * u + L2 * v * v)
    n, d = tangent_fraction(L2 * growth * growth)
    n = n * growth
    tau = (v * d + w2 * n) / (w2 * d - L2 * v * n)
    pw = cross(P, w)
    return tau * P1 + w[0] + tau * pw[0], tau * P2 + w[1] + tau * pw[1], tau * P3 + w[2] + tau * pw[2]


@kernel
def smallest_turn(b: Vector, P: Vector, h: Any) -> Vector:
    """`½ h ω + ¼ h² ω̇`, where that is all, as at rest."""
    k = 0.5 * h
    return (
        k * b[0] * (P[0] - k * (b[1] - b[2]) * P[1] * P[2]),
        k * b[1] * (P[1] + k * (b[0] - b[2]) * P[2] * P[0]),
        k * b[2] * (P[2] - k * (b[0] - b[1]) * P[0] * P[1]),
    )


@kernel
def parts_of_time(b: Vector, r: Any, P: Vector, h: Any) -> Any:
    """Into how many parts, a power of two, the time h is divided so that the series hold in each."""
    P1, P2, P3 = P
    g2 = b[0] - b[2]
    A1, A3 = P1 * P1 + r * P2 * P2, P3 * P3 + (1.0 - r) * P2 * P2
    alpha, beta = r * g2 * g2 * A3, (1.0 - r) * g2 * g2 * A1
    x, y, z = b[0] * P1, b[1] * P2, b[2] * P3
    turning, swinging = (x * x + y * y + z * z) / (WIDEST * WIDEST), where(alpha > beta, alpha, beta) / LONGEST**2
    square = where(turning > swinging, turning, swinging) * (h * h)
    n = 0.0 * square + 1.0
    more = square > n * n
    while any_of(more):
        n = where(more, 2.0 * n, n)
        more = (square > n * n) & (n < 1e6)
    return n


@kernel
def free_turn(axes: Matrix, b: Vector, r: Any, Pi: Vector, h: Any) -> Vector:
    """The Cayley parameter, in the body frame, of the rotation of the free body in a time h that the series serve."""
    P = apply_transposed(axes, Pi)
    omega = (b[0] * value(P[0]), b[1] * value(P[1]), b[2] * value(P[2]))
    small = dot(omega, omega) * (h * h) < SMALL
    c, d = short_turn(b, r, P, h), smallest_turn(b, P, h)
    return apply(axes, (where(small, d[0], c[0]), where(small, d[1], c[1]), where(small, d[2], c[2])))


@kernel
def compose_where(first: Matrix, second: Matrix, here: Any) -> Matrix:
    """`(1 + E₁)(1 + E₂) − 1` where `here` holds, else E₁."""
    A, B, C = first, second, multiply(first, second)
    return (
        where(here, A[0] + (B[0] + C[0]), A[0]),
        where(here, A[1] + (B[1] + C[1]), A[1]),
        where(here, A[2] + (B[2] + C[2]), A[2]),
        where(here, A[3] + (B[3] + C[3]), A[3]),
        where(here, A[4] + (B[4] + C[4]), A[4]),
        where(here, A[5] + (B[5] + C[5]), A[5]),
        where(here, A[6] + (B[6] + C[6]), A[6]),
        where(here, A[7] + (B[7] + C[7]), A[7]),
        where(here, A[8] + (B[8] + C[8]), A[8]),
    )


@kernel
def exact_increment(p: Any, at: Any, S: Any, Pi: Vector, h: Any) -> Matrix:
    """`F − 1` for the rotation F of the free body in the time h: `R ↦ R F`, `Π ↦ FᵀΠ`. The body's
    `PRINCIPAL` numbers begin at `at`."""
    axes, b, r = par9(p, at + AXES, S), par3(p, at + INVERSE_MOMENTS, S), par(p, at + RATIO, S)
    P = apply_transposed(axes, Pi)
    n = parts_of_time(b, r, (value(P[0]), value(P[1]), value(P[2])), h)
    part = h / n
    E = cayley_increment(free_turn(axes, b, r, Pi, part))
    done = 1.0
    here = n > done
    while any_of(here):
        E = compose_where(E, cayley_increment(free_turn(axes, b, r, turned_back(E, Pi), part)), here)
        done += 1.0
        here = n > done
    return E
