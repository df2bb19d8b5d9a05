"""The inertia with which Moser and Veselov's discrete body keeps the right time: preprocessing, to order 10.

The discrete body conserves the energy H and the momentum's length, `C = ½|Π|²`. It is therefore the exact motion with
another Hamiltonian f(H, C): its body rate is `f_H J⁻¹Π + f_C Π`, that of a body whose inverse inertia is `f_H J⁻¹ + f_C`. Let
now the discrete body have the inverse inertia `J̃⁻¹ = σ J⁻¹ + δ`. Its rate is right if

    σ f_H = 1,   δ f_H + f_C = 0,   f of J̃ at H̃ = σ H + δ C.

With s₁, s₂, s₃ the elementary symmetric functions of the inverse moments and momenta in units of 1/h,

    f = H + (s₁H² − s₂HC + s₃C²)/6 + ((2s₁² − s₂)H³ − (3s₁s₂ − 2s₃)H²C + (s₂² + 2s₁s₃)HC² − s₂s₃C³)/20 + …

The terms follow from the steady rotations. About an axis of inverse moment e the body turns by `θ = arcsin(e|Π|)`, which is
the derivative of f along `H = eC`; the oscillation about it advances by φ with `tan(φ/2) = √D tan(θ/2)/e`, D the product of
the differences of e and the other two, instead of `|Π|√D`: f_H is the ratio. Up to the fifth power these six numbers fix f.
σ and δ are found by iteration; each adds two to the order; see `REFERENCE`.
"""

from __future__ import annotations

from typing import Any

from ...scalars import kernel
from ..vectors import Symmetric, Vector, apply_symmetric, dot

ORDERS = (2, 4, 6, 8, 10)
REFERENCE = (
    "R. I. McLachlan, A. Zanna, Found. Comput. Math. 5 (2005) 87; E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225"
)


@kernel
def slopes(order: int, s1: Any, s2: Any, s3: Any, H: Any, C: Any) -> tuple[Any, Any]:
    """∂f/∂H and ∂f/∂C, with the terms that the order needs."""
    f_H, f_C = 1.0 + 0.0 * H, 0.0 * H
    if order >= 4:
        f_H = f_H + (2.0 * s1 * H - s2 * C) / 6.0
        f_C = f_C + (2.0 * s3 * C - s2 * H) / 6.0
    if order >= 6:
        a, b, c, d = 2.0 * s1 * s1 - s2, 2.0 * s3 - 3.0 * s1 * s2, s2 * s2 + 2.0 * s1 * s3, -s2 * s3
        f_H = f_H + (3.0 * a * H * H + 2.0 * b * H * C + c * C * C) / 20.0
        f_C = f_C + (b * H * H + 2.0 * c * H * C + 3.0 * d * C * C) / 20.0
    if order >= 8:
        a = 5.0 * s1 * s1 * s1 - 5.0 * s1 * s2 + s3
        b = 4.0 * s2 * s2 + 8.0 * s1 * s3 - 10.0 * s1 * s1 * s2
        c = 6.0 * s1 * s1 * s3 + 6.0 * s1 * s2 * s2 - 9.0 * s2 * s3
        d = 4.0 * s3 * s3 - 6.0 * s1 * s2 * s3 - s2 * s2 * s2
        e = s3 * (s1 * s3 + s2 * s2)
        f_H = f_H + (((4.0 * a * H + 3.0 * b * C) * H + 2.0 * c * C * C) * H + d * C * C * C) / 56.0
        f_C = f_C + (((b * H + 2.0 * c * C) * H + 3.0 * d * C * C) * H + 4.0 * e * C * C * C) / 56.0
    if order >= 10:
        q1, q2 = s1 * s1, s2 * s2
        a = 14.0 * q1 * q1 - 21.0 * q1 * s2 + 6.0 * s1 * s3 + 3.0 * q2
        b = 30.0 * q1 * s3 + 30.0 * s1 * q2 - 35.0 * q1 * s1 * s2 - 15.0 * s2 * s3
        c = 20.0 * q1 * s1 * s3 + 30.0 * q1 * q2 - 60.0 * s1 * s2 * s3 - 10.0 * q2 * s2 + 12.0 * s3 * s3
        d = 24.0 * s1 * s3 * s3 + 24.0 * q2 * s3 - 30.0 * q1 * s2 * s3 - 10.0 * s1 * q2 * s2
        e = 6.0 * q1 * s3 * s3 + 12.0 * s1 * q2 * s3 + q2 * q2 - 15.0 * s2 * s3 * s3
        g = s3 * (2.0 * s3 * s3 - 3.0 * s1 * s2 * s3 - q2 * s2)
        C2 = C * C
        f_H = f_H + (((5.0 * a * H + 4.0 * b * C) * H + 3.0 * c * C2) * H * H + (2.0 * d * H + e * C) * C2 * C) / 144.0
        f_C = f_C + (((b * H + 2.0 * c * C) * H + 3.0 * d * C2) * H * H + (4.0 * e * H + 5.0 * g * C) * C2 * C) / 144.0
    return f_H, f_C


@kernel
def preprocessed_inertia(order: int, J_inverse: Symmetric, g: Vector) -> tuple[Symmetric, Symmetric]:
    """J̃ and its inverse, for the momentum g in units of 1/h."""
    a, b, c, d, e, f = J_inverse
    C, H = 0.5 * dot(g, g), 0.5 * dot(g, apply_symmetric(J_inverse, g))
    s1, s2 = a + b + c, (a * b - f * f) + (b * c - d * d) + (c * a - e * e)
    s3 = a * (b * c - d * d) - f * (f * c - d * e) + e * (f * d - b * e)
    sigma, delta = 1.0 + 0.0 * H, 0.0 * H
    for _ in range(order // 2 - 1):
        t1, t2 = sigma * s1 + 3.0 * delta, sigma * (sigma * s2 + 2.0 * delta * s1) + 3.0 * delta * delta
        t3 = sigma * (sigma * (sigma * s3 + delta * s2) + delta * delta * s1) + delta * delta * delta
        f_H, f_C = slopes(order, t1, t2, t3, sigma * H + delta * C, C)
        sigma, delta = 1.0 / f_H, -f_C / f_H
    a, b, c = sigma * a + delta, sigma * b + delta, sigma * c + delta
    d, e, f = sigma * d, sigma * e, sigma * f
    xx, yy, zz = b * c - d * d, c * a - e * e, a * b - f * f
    yz, xz, xy = e * f - a * d, f * d - b * e, d * e - c * f
    k = 1.0 / (a * xx + f * xy + e * xz)
    return (k * xx, k * yy, k * zz, k * yz, k * xz, k * xy), (a, b, c, d, e, f)
