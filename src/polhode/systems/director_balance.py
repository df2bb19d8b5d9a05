"""The equations that are left of a step of a director scheme, and their solution.

`R` has the directors d₁, d₂, d₃ as its columns. `J` inertia, `E = ½ tr(J) 1 − J` Euler's inertia (so `J = tr(E) 1 − E`).
`V = Rᵀ Ṙ = S(ω) + Σ`, with Σ symmetric: the rate at which the directors would stretch, zero for a rigid motion.
`Π = vee(V E − E Vᵀ)` the body momentum. Equation numbers are those of [GR20].

With the Cayley parameter c of the rotation over a step, `R₁ = R₀ cay(c)`, the mean directors are `Q = R₀ (1 − S(c))⁻¹`
and `R₁ − R₀ = 2 Q S(c)`. The constraints at the end then hold by themselves, the forces of constraint `Q Λ`, Λ symmetric,
drop out of the skew part of `Q⁻¹ ×` the equations, and the non-twisting condition (94) becomes `c₃ = 0`, whatever `a`
is. Of 15 or 16 equations three or two are left. With `κ = 0, A = 2 J + h (tr N − N), N = V E` for the energy–momentum
scheme (86), (92) and `κ = 1, A = 2 J` for the discrete Lagrange–d'Alembert equations (124),

    A c + 2 κ (E c) × c = (1 + κ c·c) g,    g = h Π + ½ h² L(c),

where L is the moment as the scheme weighs it. The first is linear in c but for L. For the non-twisting body the third
component is replaced by c₃ = 0; it determines the multiplier μ.
"""

from __future__ import annotations

from typing import Any

from ..geometry.implicit import MAX_ITERATIONS, RESIDUAL_BOUND, SMALL_CORRECTION
from ..geometry.so3 import hat_
from ..geometry.vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply,
    apply_symmetric,
    cross,
    dot,
    multiply,
    negate,
    scale,
    solve,
    subtract,
)
from ..scalars import any_of, attach, kernel, par6, value, where, worst
from .attitude import record
from .moments import acts, body_moment

# Step of the differences that give the slope of a moment. Only the speed of convergence depends on it.
NUDGE = 1e-5

# --- inertia and kinematics -------------------------------------------------------------------------------------------


@kernel
def euler_inertia(J: Symmetric) -> Symmetric:
    """`E = ½ tr(J) 1 − J` (66)."""
    half = 0.5 * (J[0] + J[1] + J[2])
    return half - J[0], half - J[1], half - J[2], -J[3], -J[4], -J[5]


@kernel
def full(A: Symmetric) -> Matrix:
    return A[0], A[5], A[4], A[5], A[1], A[3], A[4], A[3], A[2]


@kernel
def plus(A: Matrix, s: Any, B: Matrix) -> Matrix:
    """`A + s B`."""
    return (
        A[0] + s * B[0],
        A[1] + s * B[1],
        A[2] + s * B[2],
        A[3] + s * B[3],
        A[4] + s * B[4],
        A[5] + s * B[5],
        A[6] + s * B[6],
        A[7] + s * B[7],
        A[8] + s * B[8],
    )


@kernel
def outer(a: Vector, b: Vector) -> Matrix:
    """`a bᵀ`."""
    return scale(a[0], b) + scale(a[1], b) + scale(a[2], b)


@kernel
def values3(x: Vector) -> Vector:
    return value(x[0]), value(x[1]), value(x[2])


@kernel
def values9(A: Matrix) -> Matrix:
    return values3(A[0:3]) + values3(A[3:6]) + values3(A[6:9])


@kernel
def mean_turned(x: Vector, c: Vector) -> Vector:
    """`(1 − S(c))⁻¹ x`, the mean of x and cay(c) x."""
    return scale(1.0 / (1.0 + dot(c, c)), add(add(x, cross(c, x)), scale(dot(c, x), c)))


@kernel
def mean_directors(R: Matrix, c: Vector) -> Matrix:
    """`R (1 − S(c))⁻¹`, the mean of R and R cay(c)."""
    b = negate(c)
    return mean_turned(R[0:3], b) + mean_turned(R[3:6], b) + mean_turned(R[6:9], b)


# --- moments, as a step weighs them -----------------------------------------------------------------------------------
# The force on director i is ½ m × dᵢ (68), with the mean directors and m = Q M.


@kernel
def weighed_at_middle(M: Vector, c: Vector) -> Vector:
    """What the moment adds to the equations multiplied by Q⁻¹: L of the energy–momentum scheme."""
    cc = dot(c, c)
    return scale(1.0 / (1.0 + cc), add(scale(1.0 + 0.5 * cc, M), scale(0.5 * dot(c, M), c)))


@kernel
def weighed_at_start(M: Vector, c: Vector) -> Vector:
    """What the moment adds to the momentum at the start: L of the Lagrange–d'Alembert scheme; with −c, at the end."""
    return subtract(spatial_impulse(M, c), scale(0.5 / (1.0 + dot(c, c)), cross(c, mean_turned(M, c))))


@kernel
def spatial_impulse(M: Vector, c: Vector) -> Vector:
    """`½ Σᵢ dᵢ × (m × dᵢ)`, in the frame at the start: what the spatial momentum gains a unit of time."""
    cc, x = dot(c, c), mean_turned(M, c)
    return scale(0.5 / (1.0 + cc), subtract(scale(2.0 + cc, x), scale(dot(c, x), c)))


# --- the reduced equations of a step ----------------------------------------------------------------------------------


@kernel
def weighed(S: Any, p: Any, t: Any, h: Any, R: Matrix, c: Vector, weigh: Any, moment: Any) -> Vector:
    """L(c): the moment half-way, at the mean directors and the mean rate 2 c/h, as the scheme weighs it."""
    nothing = scale(0.0, add(c, R[0:3]))
    if not acts(S, p, t + 0.5 * h, moment):
        return nothing
    M = body_moment(S, p, t + 0.5 * h, mean_directors(R, c), scale(2.0 / h, c), moment)
    return add(nothing, weigh(M, c))


@kernel
def slope(S: Any, p: Any, t: Any, h: Any, R: Matrix, c: Vector, weigh: Any, moment: Any) -> Matrix:
    """∂g/∂c `= ½ h² ∂L/∂c`, by central differences."""
    D = hat_(scale(0.0, c))
    if acts(S, p, t + 0.5 * h, moment):
        for i in range(6):
            sign = 1.0 if i < 3 else -1.0
            e = (1.0 if i % 3 == 0 else 0.0, 1.0 if i % 3 == 1 else 0.0, 1.0 if i % 3 == 2 else 0.0)
            L = weighed(S, p, t, h, R, add(c, scale(sign * NUDGE, e)), weigh, moment)
            D = plus(D, 0.25 * h * h * sign / NUDGE, outer(L, e))
    return D


@kernel
def residual(A: Matrix, E: Symmetric, kappa: Any, g: Vector, c: Vector, twistless: Any) -> Vector:
    """`A c + 2 κ (E c) × c − (1 + κ c·c) g`; for the non-twisting body c₃ in the place of the third."""
    bent = scale(2.0 * kappa, cross(apply_symmetric(E, c), c))
    r = subtract(add(apply(A, c), bent), scale(1.0 + kappa * dot(c, c), g))
    if twistless:
        return r[0], r[1], c[2] + 0.0 * r[2]
    return r


@kernel
def jacobian(A: Matrix, E: Symmetric, kappa: Any, g: Vector, c: Vector, dg: Matrix, twistless: Any) -> Matrix:
    """∂r/∂c `= A + 2 κ (S(E c) − S(c) E − g cᵀ) − (1 + κ c·c) ∂g/∂c`."""
    bent = plus(hat_(apply_symmetric(E, c)), -1.0, multiply(hat_(c), full(E)))
    K = plus(A, 2.0 * kappa, plus(bent, -1.0, outer(g, c)))
    K = plus(K, -(1.0 + kappa * dot(c, c)), dg)
    if twistless:
        zero = 0.0 * K[0]
        return K[0], K[1], zero, K[3], K[4], zero, zero, zero, 1.0 + zero
    return K


@kernel
def increment(
    S: Any,
    p: Any,
    t: Any,
    h: Any,
    R: Matrix,
    Pi: Vector,
    guess: Vector,
    A: Matrix,
    kappa: Any,
    weigh: Any,
    moment: Any,
    twistless: Any,
    out: Any,
) -> tuple[Vector, Any]:
    """The Cayley parameter c of the step, by Newton's method, and whether it failed in any lane.

    Every lane runs as if alone. On dual numbers two corrections with the Jacobian at the solution give the exact
    partials: that of the moment comes from differences, and its error enters squared.
    """
    E = euler_inertia(par6(p, 0, S))
    R0, Pi0, A0, c = values9(R), values3(Pi), values9(A), values3(guess)
    if twistless:
        c = (c[0], c[1], 0.0 * c[2])
    half = 0.5 * h * h
    moving = dot(Pi0, Pi0) >= 0.0
    iterations = 0
    while any_of(moving) and iterations < MAX_ITERATIONS:
        g = add(scale(h, Pi0), scale(half, weighed(S, p, t, h, R0, c, weigh, moment)))
        K = jacobian(A0, E, kappa, g, c, slope(S, p, t, h, R0, c, weigh, moment), twistless)
        step, _ = solve(K, residual(A0, E, kappa, g, c, twistless))
        c = (
            where(moving, c[0] - step[0], c[0]),
            where(moving, c[1] - step[1], c[1]),
            where(moving, c[2] - step[2], c[2]),
        )
        moving = moving & (dot(step, step) > SMALL_CORRECTION)
        iterations += 1
    L = weighed(S, p, t, h, R0, c, weigh, moment)
    g = add(scale(h, Pi0), scale(half, L))
    K = jacobian(A0, E, kappa, g, c, slope(S, p, t, h, R0, c, weigh, moment), twistless)
    r = residual(A0, E, kappa, g, c, twistless)
    size = h * h * dot(Pi0, Pi0) + half * half * dot(L, L)  # of the terms of g, which may all but cancel
    defect = dot(r, r) / where(size > 0.0, size, 1.0)
    _, determinant = solve(K, r)
    # in words that NaN fails as well; past the fold of the Lagrange–d'Alembert equations the determinant is negative
    good = (defect <= RESIDUAL_BOUND * RESIDUAL_BOUND) & (determinant > 0.0)
    failed = any_of(where(good, 0.0, 1.0) > 0.5)
    record(out, iterations, worst(defect))

    nothing = scale(0.0, add(Pi, R[0:3]))
    x = (attach(c[0], nothing[0]), attach(c[1], nothing[1]), attach(c[2], nothing[2]))
    for _correction in range(2):
        g = add(scale(h, Pi), scale(half, weighed(S, p, t, h, R, x, weigh, moment)))
        d, _ = solve(K, residual(A, E, kappa, g, x, twistless))
        x = (attach(c[0], d[0] - x[0]), attach(c[1], d[1] - x[1]), attach(c[2], d[2] - x[2]))
    return x, failed
