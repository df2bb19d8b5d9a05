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

where L is the moment as the scheme weighs it, and κ the flag `at_ends`. The first is linear in c but for L. For the
non-twisting body the third component is replaced by c₃ = 0; it determines the multiplier μ.
"""

from __future__ import annotations

from typing import Any

from ...geometry.increments.rigid import MAX_ITERATIONS, RESIDUAL_BOUND, SMALL_CORRECTION
from ...geometry.so3 import hat_
from ...geometry.vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply,
    apply_symmetric,
    apply_transposed,
    cross,
    dot,
    full,
    multiply,
    negate,
    scale,
    solve,
    subtract,
    values3,
    values6,
    values9,
)
from ...scalars import any_of, attach, kernel, par6, plain_parameters, where, worst
from ...scalars.protocol import record
from ..attitude.base import INERTIA
from ..inputs.external_moment import PULSE, acts, body_moment, pulse_profile, pulse_vectors

# Step of the differences that give the slope of a user's moment. Only the speed of convergence depends on it.
NUDGE = 1e-5

# --- inertia and kinematics -------------------------------------------------------------------------------------------


@kernel
def euler_inertia(J: Symmetric) -> Symmetric:
    """`E = ½ tr(J) 1 − J` (66)."""
    half = 0.5 * (J[0] + J[1] + J[2])
    return half - J[0], half - J[1], half - J[2], -J[3], -J[4], -J[5]


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
def diagonal(s: Any) -> Matrix:
    """`s 1`."""
    zero = 0.0 * s
    return s, zero, zero, zero, s, zero, zero, zero, s


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
def weighed(M: Vector, c: Vector, at_ends: Any) -> Vector:
    """What the moment adds to the equations: multiplied by Q⁻¹, or, for the Lagrange–d'Alembert scheme, to the momentum
    at the start of the step; with −c, at its end."""
    cc = dot(c, c)
    weight = 1.0 / (1.0 + cc)
    if at_ends:
        return scale(weight, add(M, scale(0.5, cross(c, M))))
    return scale(weight, add(scale(1.0 + 0.5 * cc, M), scale(0.5 * dot(c, M), c)))


@kernel
def weighed_slope(M: Vector, dM: Matrix, c: Vector, at_ends: Any) -> Matrix:
    """∂L/∂c of the above, where dM is ∂M/∂c."""
    cc = dot(c, c)
    if at_ends:
        by_M, by_c = plus(diagonal(1.0 + 0.0 * cc), 0.5, hat_(c)), plus(diagonal(0.0 * cc), -0.5, hat_(M))
    else:
        by_M = plus(diagonal(1.0 + 0.5 * cc), 0.5, outer(c, c))
        by_c = plus(diagonal(0.5 * dot(c, M)), 0.5, plus(outer(c, M), 2.0, outer(M, c)))
    inner = plus(plus(by_c, 1.0, multiply(by_M, dM)), -2.0, outer(weighed(M, c, at_ends), c))
    return plus(diagonal(0.0 * cc), 1.0 / (1.0 + cc), inner)


@kernel
def spatial_impulse(M: Vector, c: Vector) -> Vector:
    """`½ Σᵢ dᵢ × (m × dᵢ)`, in the frame at the start: what the spatial momentum gains per unit of time."""
    cc = dot(c, c)
    weight = 0.5 / ((1.0 + cc) * (1.0 + cc))
    return scale(weight, add(scale(2.0 + cc, add(M, cross(c, M))), scale(dot(c, M), c)))


@kernel
def moment_halfway(S: Any, p: Any, t: Any, h: Any, R: Matrix, c: Vector, moment: Any) -> Vector:
    """M at the mean directors and the mean rate 2 c/h."""
    return body_moment(S, p, t + 0.5 * h, mean_directors(R, c), scale(2.0 / h, c), moment)


@kernel
def moment_slope(S: Any, p: Any, t: Any, h: Any, R: Matrix, c: Vector, moment: Any) -> Matrix:
    """∂M/∂c: of a pulse exactly, of a user's function by central differences."""
    D = diagonal(0.0 * c[0])
    if moment is None:
        # in space components M = (1 − S(c)) Rᵀs
        s = scale(pulse_profile(S, p, PULSE, t + 0.5 * h), pulse_vectors(S, p)[1])
        return plus(D, 1.0, hat_(apply_transposed(R, s)))
    for i in range(6):
        sign = 1.0 if i < 3 else -1.0
        e = (1.0 if i % 3 == 0 else 0.0, 1.0 if i % 3 == 1 else 0.0, 1.0 if i % 3 == 2 else 0.0)
        M = moment_halfway(S, p, t, h, R, add(c, scale(sign * NUDGE, e)), moment)
        D = plus(D, 0.5 * sign / NUDGE, outer(M, e))
    return D


# --- the reduced equations of a step ----------------------------------------------------------------------------------


@kernel
def drive(
    S: Any, p: Any, t: Any, h: Any, R: Matrix, Pi: Vector, c: Vector, moment: Any, loaded: Any, at_ends: Any
) -> Vector:
    """`g = h Π + ½ h² L(c)`."""
    g = add(scale(h, Pi), scale(0.0, c))
    if loaded:
        return add(g, scale(0.5 * h * h, weighed(moment_halfway(S, p, t, h, R, c, moment), c, at_ends)))
    return g


@kernel
def drive_slope(S: Any, p: Any, t: Any, h: Any, R: Matrix, c: Vector, moment: Any, loaded: Any, at_ends: Any) -> Matrix:
    """∂g/∂c."""
    D = diagonal(0.0 * c[0])
    if loaded:
        M = moment_halfway(S, p, t, h, R, c, moment)
        return plus(D, 0.5 * h * h, weighed_slope(M, moment_slope(S, p, t, h, R, c, moment), c, at_ends))
    return D


@kernel
def residual(A: Matrix, E: Symmetric, g: Vector, c: Vector, at_ends: Any, twistless: Any) -> Vector:
    """`A c + 2 κ (E c) × c − (1 + κ c·c) g`; for the non-twisting body c₃ in the place of the third component."""
    r = subtract(apply(A, c), g)
    if at_ends:
        r = subtract(add(r, scale(2.0, cross(apply_symmetric(E, c), c))), scale(dot(c, c), g))
    if twistless:
        return r[0], r[1], c[2] + 0.0 * r[2]
    return r


@kernel
def jacobian(A: Matrix, E: Symmetric, g: Vector, dg: Matrix, c: Vector, at_ends: Any, twistless: Any) -> Matrix:
    """∂r/∂c `= A + 2 κ (S(E c) − S(c) E − g cᵀ) − (1 + κ c·c) ∂g/∂c`."""
    K = plus(A, -1.0, dg)
    if at_ends:
        bent = plus(hat_(apply_symmetric(E, c)), -1.0, multiply(hat_(c), full(E)))
        K = plus(plus(K, 2.0, plus(bent, -1.0, outer(g, c))), -dot(c, c), dg)
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
    moment: Any,
    at_ends: Any,
    twistless: Any,
    report: Any,
) -> tuple[Vector, Any]:
    """The Cayley parameter c of the step, by Newton's method, and whether it failed in any lane.

    Every lane runs as if alone. On dual numbers two corrections with the last Jacobian give the exact partials: the
    error of that Jacobian, which a user's moment adds to by its differences, enters squared.
    """
    E, plain = euler_inertia(par6(p, INERTIA, S)), plain_parameters(S)
    R0, Pi0, A0, E0, c = values9(R), values3(Pi), values9(A), values6(E), values3(guess)
    if twistless:
        c = (c[0], c[1], 0.0 * c[2])
    loaded = acts(S, p, t + 0.5 * h, moment)
    moving = dot(Pi0, Pi0) >= 0.0
    iterations = 0
    K = plus(A0, 1.0, diagonal(0.0 * c[0]))
    while any_of(moving) and iterations < MAX_ITERATIONS:
        g = drive(plain, p, t, h, R0, Pi0, c, moment, loaded, at_ends)
        dg = drive_slope(plain, p, t, h, R0, c, moment, loaded, at_ends)
        K = jacobian(A0, E0, g, dg, c, at_ends, twistless)
        step, _ = solve(K, residual(A0, E0, g, c, at_ends, twistless))
        c = (
            where(moving, c[0] - step[0], c[0]),
            where(moving, c[1] - step[1], c[1]),
            where(moving, c[2] - step[2], c[2]),
        )
        moving = moving & (dot(step, step) > SMALL_CORRECTION)
        iterations += 1
    g = drive(plain, p, t, h, R0, Pi0, c, moment, loaded, at_ends)
    r = residual(A0, E0, g, c, at_ends, twistless)
    pushed = subtract(g, scale(h, Pi0))
    size = h * h * dot(Pi0, Pi0) + dot(pushed, pushed)  # of the terms of g, which may all but cancel
    defect = dot(r, r) / where(size > 0.0, size, 1.0)
    _, determinant = solve(K, r)
    # in words that NaN fails as well; past the fold of the Lagrange–d'Alembert equations the determinant is negative
    good = (defect <= RESIDUAL_BOUND * RESIDUAL_BOUND) & (determinant > 0.0)
    failed = any_of(where(good, 0.0, 1.0) > 0.5)
    record(report, iterations, worst(defect))

    nothing = scale(0.0, add(Pi, R[0:3]))
    x = (attach(c[0], nothing[0]), attach(c[1], nothing[1]), attach(c[2], nothing[2]))
    for _correction in range(2):
        d, _ = solve(K, residual(A, E, drive(S, p, t, h, R, Pi, x, moment, loaded, at_ends), x, at_ends, twistless))
        x = (attach(c[0], d[0] - x[0]), attach(c[1], d[1] - x[1]), attach(c[2], d[2] - x[2]))
    return x, failed
