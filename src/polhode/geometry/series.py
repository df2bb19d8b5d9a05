"""The coefficients of rotations: quotients such as `sin t / t` as functions of `a = t²`, to the last digit at every t.

A closed form such as `(t − sin t)/t³` cancels: at t = 0.01 it has lost four digits, and its derivative eight. The power
series in `a` has no such trouble, and as these functions are entire it can be carried far enough to meet the closed
form where that is good too. So the switch is at t = 1 or beyond, never "at a small angle":

    kernel                 function                         switch at      why there
    `sinc`, `cosine`       sin t/t, cos t                   t = 1          the derivative of the closed form is good
    `half_angle`           both, of t/2                     t = 2          the same
    `versine`              (1 − cos t)/t²                   t = 2          it is ½ sinc²(t/2): nothing cancels
    `sine_defect`          (t − sin t)/t³                   t = 2          t − sin t > t/2 from there on
    `sinc_less_cosine`     (sin t/t − cos t)/t²             t = 2          cos t < 0 from there on
    `cot_defect`           (1 − (t/2) cot(t/2))/t²          t = 4          it is built from entire functions of t/2
    `versine_slope`, …     derivatives of three by a        t = 3 … 4      the same, one order on; for rigid motions
    `angle_ratio`          atan2(n, c)/n                    0.4 rad        only the derivative needs the series

They are functions of the square because a rotation vector gives that without a root, and because a root at zero has no
derivative: on dual numbers all of them are right at t = 0 as well. The side of `where` that is not chosen is
evaluated at a harmless place.
"""

from __future__ import annotations

from math import factorial
from typing import Any

from ..scalars import absolute, atan2, cos, kernel, sin, sqrt, where

_TERMS = range(12)
SINC = tuple((-1) ** k / factorial(2 * k + 1) for k in _TERMS)
COSINE = tuple((-1) ** k / factorial(2 * k) for k in _TERMS)
SINE_DEFECT = tuple((-1) ** k / factorial(2 * k + 3) for k in _TERMS)
SINC_LESS_COSINE = tuple((-1) ** k * (2 * k + 2) / factorial(2 * k + 3) for k in _TERMS)
VERSINE_SLOPE = tuple((-1) ** (k + 1) * (k + 1) / factorial(2 * k + 4) for k in range(16))
SINE_DEFECT_SLOPE = tuple((-1) ** (k + 1) * (k + 1) / factorial(2 * k + 5) for k in range(16))
SINC_LESS_COSINE_SLOPE = tuple((-1) ** (k + 1) * (k + 1) * (2 * k + 4) / factorial(2 * k + 5) for k in _TERMS)
ARCTANGENT = tuple((-1) ** k / (2 * k + 1) for k in _TERMS)


@kernel
def polynomial(c: Any, a: Any) -> Any:
    """`c₀ + c₁ a + … + c₁₁ a¹¹` by Horner's rule."""
    upper = c[6] + a * (c[7] + a * (c[8] + a * (c[9] + a * (c[10] + a * c[11]))))
    return c[0] + a * (c[1] + a * (c[2] + a * (c[3] + a * (c[4] + a * (c[5] + a * upper)))))


@kernel
def long_polynomial(c: Any, a: Any) -> Any:
    """`c₀ + c₁ a + … + c₁₅ a¹⁵`."""
    return c[0] + a * (c[1] + a * (c[2] + a * (c[3] + a * polynomial(c[4:16], a))))


@kernel
def sinc(a: Any) -> Any:
    """`sin t / t` with a = t²."""
    small = a < 1.0
    t = sqrt(where(small, 1.0, a))
    return where(small, polynomial(SINC, a), sin(t) / t)


@kernel
def cosine(a: Any) -> Any:
    """`cos t` with a = t²."""
    small = a < 1.0
    return where(small, polynomial(COSINE, a), cos(sqrt(where(small, 1.0, a))))


@kernel
def half_angle(a: Any) -> tuple[Any, Any]:
    """`sin(t/2)/(t/2)` and `cos(t/2)` with a = t²: together they give a rotation by t without any cancellation."""
    b = 0.25 * a
    small = b < 1.0
    t = sqrt(where(small, 1.0, b))
    return where(small, polynomial(SINC, b), sin(t) / t), where(small, polynomial(COSINE, b), cos(t))


@kernel
def versine(a: Any) -> Any:
    """`(1 − cos t)/t²` with a = t²."""
    s = sinc(0.25 * a)
    return 0.5 * s * s


@kernel
def sine_defect(a: Any) -> Any:
    """`(t − sin t)/t³` with a = t²."""
    small = a < 4.0
    b = where(small, 4.0, a)
    t = sqrt(b)
    return where(small, polynomial(SINE_DEFECT, a), (1.0 - sin(t) / t) / b)


@kernel
def sinc_less_cosine(a: Any) -> Any:
    """`(sin t/t − cos t)/t²` with a = t²; it is −2 times the derivative of `sinc` by a."""
    small = a < 4.0
    b = where(small, 4.0, a)
    t = sqrt(b)
    return where(small, polynomial(SINC_LESS_COSINE, a), (sin(t) / t - cos(t)) / b)


@kernel
def cot_defect(a: Any) -> Any:
    """`(1 − (t/2) cot(t/2))/t²` with a = t²; infinite at t = 2π.

    With u = t/2 it is `(sinc u − cos u)/u² / (4 sinc u)`, a quotient of two entire functions. Its own series, that of
    the Bernoulli numbers, ends at t = 2π and is slow long before.
    """
    b = 0.25 * a
    return 0.25 * sinc_less_cosine(b) / sinc(b)


@kernel
def versine_slope(a: Any) -> Any:
    """The derivative of `versine` by a: `(sin t/t − 2 (1 − cos t)/t²)/(2t²)`."""
    small = a < 9.0
    b = where(small, 9.0, a)
    return where(small, long_polynomial(VERSINE_SLOPE, a), (sinc(b) - 2.0 * versine(b)) / (2.0 * b))


@kernel
def sine_defect_slope(a: Any) -> Any:
    """The derivative of `sine_defect` by a: `((1 − cos t)/t² − 3 (t − sin t)/t³)/(2t²)`."""
    small = a < 12.0
    b = where(small, 12.0, a)
    return where(small, long_polynomial(SINE_DEFECT_SLOPE, a), (versine(b) - 3.0 * sine_defect(b)) / (2.0 * b))


@kernel
def cot_defect_slope(a: Any) -> Any:
    """The derivative of `cot_defect` by a."""
    b = 0.25 * a
    small = b < 4.0
    safe = where(small, 4.0, b)
    s, g = sinc(b), sinc_less_cosine(b)
    slope = where(small, polynomial(SINC_LESS_COSINE_SLOPE, b), (s - 3.0 * g) / (2.0 * safe))
    return (slope + 0.5 * g * g / s) / (16.0 * s)


@kernel
def angle_ratio(n2: Any, c: Any) -> Any:
    """`atan2(n, c)/n` with n2 = n²: the angle of the point (c, n), by the length n; infinite at n = 0 > c."""
    small = n2 < 0.04 * (c * absolute(c))  # which is never so for c < 0
    n, d = sqrt(where(small, 1.0, n2)), where(small, c, 1.0)
    return where(small, polynomial(ARCTANGENT, n2 / (d * d)) / d, atan2(n, c) / n)
