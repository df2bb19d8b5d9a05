"""The discrete equations with terms linear in the rate, `ℓ(F) = h Π`, solved for the rotation F.

With `Jd = ½ tr(J) 1 − J`, a vector `a` (a rotor: `a·ω` in the Lagrangian), a symmetric matrix `K` with a vector `b` (a
charge distribution in the magnetic field b), and any matrix `D` (damping), the left-hand side of

    h Π = vee(F Jd − Jd Fᵀ) + (h/2)(tr F − Fᵀ) a + (h/2)(tr FK − FK) b + (h/4) D vee(F − Fᵀ)

is linear in F (the table of building blocks in the theory page on attitude). So with the Cayley parameter c, where
`(1 + c·c) F = (1 − c·c) 1 + 2 c cᵀ + 2 S(c)`, it is again a system of three quadratic polynomials: with
`g = h (Π − a − ½ (tr K − K) b)`, the step times the kinetic momentum,

    r(c) = (1 + c·c) g − 2 J c − 2 c × J c + h (a × c − Kb × c − D c)
           + h ((c·c) a + (a·c) c) + h ((c·c)(tr K − K) b − (c·Kc) b + (b·Kc) c) = 0.
"""

from __future__ import annotations

from typing import Any

from ...scalars import any_of, kernel, worst
from ..vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply,
    apply_symmetric,
    cross,
    dot,
    scale,
    solve,
    subtract,
    values3,
    values6,
)
from .rigid import inertial_weight, wanted_root, with_partials

# (J, h, a, K, b, D)
Terms = tuple[Symmetric, Any, Vector, Symmetric, Vector, Matrix]


@kernel
def trace_minus(K: Symmetric, b: Vector) -> Vector:
    """`(tr K − K) b`."""
    return subtract(scale(K[0] + K[1] + K[2], b), apply_symmetric(K, b))


@kernel
def linear_residual(terms: Terms, g: Vector, c: Vector) -> Vector:
    """`r(c)` of the module's head."""
    J, h, a, K, b, D = terms
    cc, Jc, Kc = dot(c, c), apply_symmetric(J, c), apply_symmetric(K, c)
    kinetic = subtract(scale(1.0 + cc, g), scale(2.0, add(Jc, cross(c, Jc))))
    once = subtract(cross(subtract(a, apply_symmetric(K, b)), c), apply(D, c))
    rotor = add(scale(cc, a), scale(dot(a, c), c))
    field = add(subtract(scale(cc, trace_minus(K, b)), scale(dot(c, Kc), b)), scale(dot(b, Kc), c))
    return add(kinetic, scale(h, add(once, add(rotor, field))))


@kernel
def linear_jacobian(terms: Terms, g: Vector, c: Vector) -> Matrix:
    """∂r/∂c `= S(2Jc + h(a − Kb)) − 2J − 2S(c)J − hD + 2u cᵀ − 2h b (Kc)ᵀ + h c (a + Kb)ᵀ + h (a·c + b·Kc) 1`, with
    `u = g + h a + h (tr K − K) b`."""
    J, h, a, K, b, D = terms
    Jc, Kb, Kc = apply_symmetric(J, c), apply_symmetric(K, b), apply_symmetric(K, c)
    s = add(scale(2.0, Jc), scale(h, subtract(a, Kb)))
    u = scale(2.0, add(g, scale(h, add(a, trace_minus(K, b)))))
    v, w = scale(-2.0 * h, b), scale(h, add(a, Kb))
    trace = h * (dot(a, c) + dot(b, Kc))
    # −2 J − 2 S(c) J, column by column: −2 (j + c × j)
    x, y, z = (J[0], J[5], J[4]), (J[5], J[1], J[3]), (J[4], J[3], J[2])
    p, q, r = add(x, cross(c, x)), add(y, cross(c, y)), add(z, cross(c, z))
    return (
        trace - 2.0 * p[0] - h * D[0] + u[0] * c[0] + v[0] * Kc[0] + c[0] * w[0],
        -s[2] - 2.0 * q[0] - h * D[1] + u[0] * c[1] + v[0] * Kc[1] + c[0] * w[1],
        s[1] - 2.0 * r[0] - h * D[2] + u[0] * c[2] + v[0] * Kc[2] + c[0] * w[2],
        s[2] - 2.0 * p[1] - h * D[3] + u[1] * c[0] + v[1] * Kc[0] + c[1] * w[0],
        trace - 2.0 * q[1] - h * D[4] + u[1] * c[1] + v[1] * Kc[1] + c[1] * w[1],
        -s[0] - 2.0 * r[1] - h * D[5] + u[1] * c[2] + v[1] * Kc[2] + c[1] * w[2],
        -s[1] - 2.0 * p[2] - h * D[6] + u[2] * c[0] + v[2] * Kc[0] + c[2] * w[0],
        s[0] - 2.0 * q[2] - h * D[7] + u[2] * c[1] + v[2] * Kc[1] + c[2] * w[1],
        trace - 2.0 * r[2] - h * D[8] + u[2] * c[2] + v[2] * Kc[2] + c[2] * w[2],
    )


@kernel
def solve_linear_increment_(
    J: Symmetric, momentum: Vector, h: Any, a: Vector, K: Symmetric, b: Vector, D: Matrix
) -> tuple[Vector, int, Any, Any]:
    """The Cayley parameter c of the discrete rotation for the kinetic momentum `J ω = Π − a − ½ (tr K − K) b`, how many
    iterations it took, the worst squared relative residual, and whether it failed in any lane."""
    g = scale(h, momentum)
    D_first, D_second, D_third = D[0:3], D[3:6], D[6:9]
    terms = (J, h, a, K, b, D)
    at = (values6(J), h, values3(a), values6(K), values3(b), values3(D_first) + values3(D_second) + values3(D_third))
    g0, zero = values3(g), (0.0 * at[2][0], 0.0 * at[2][1], 0.0 * at[2][2])
    # the first Newton step from zero: exact for h → 0
    guess, _ = solve(linear_jacobian(at, g0, zero), scale(-1.0, g0))
    drag = dot(at[5][0:3], at[5][0:3]) + dot(at[5][3:6], at[5][3:6]) + dot(at[5][6:9], at[5][6:9])
    weight = inertial_weight(at[0]) + h * h * (dot(at[2], at[2]) + drag)
    c, iterations, defect, lost = wanted_root(linear_residual, linear_jacobian, at, at[0], weight, g0, guess)
    c = with_partials(linear_residual, linear_jacobian, at, g0, terms, g, c)
    return c, iterations, worst(defect), any_of(lost)
