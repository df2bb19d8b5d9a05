"""Turning by a rotation vector without square roots or branches: the functions of its square that occur, by series.

    S(z) = sin a / a,   C(z) = (1 − cos a) / a²,   K(z) = (a − sin a) / a³,      z = a²

A series for small angles and formulas for the double angle give them to rounding.
"""

from __future__ import annotations

from math import factorial
from typing import Any

from ...geometry.vectors import Vector, add, cross, scale, subtract
from ...scalars import kernel
from ...scalars.stages import multiply_add

Quaternion = tuple[Any, Any, Any, Any]

# ten terms, with signs: enough for a ≤ 1.25
_C = tuple((-1) ** n / factorial(2 * n + 2) for n in range(10))
_K = tuple((-1) ** n / factorial(2 * n + 3) for n in range(10))
C0, C1, C2, C3, C4, C5, C6, C7, C8, C9 = _C
K0, K1, K2, K3, K4, K5, K6, K7, K8, K9 = _K

LARGEST_ANGLE = 5.0  # of a stage from the middle of its step


@kernel
def small_turn(z: Any) -> tuple[Any, Any]:
    """C and K of a small angle whose square is z."""
    c = multiply_add(z, multiply_add(z, C9, C8), C7)
    c = multiply_add(z, multiply_add(z, multiply_add(z, multiply_add(z, c, C6), C5), C4), C3)
    c = multiply_add(z, multiply_add(z, multiply_add(z, c, C2), C1), C0)
    k = multiply_add(z, multiply_add(z, K9, K8), K7)
    k = multiply_add(z, multiply_add(z, multiply_add(z, multiply_add(z, k, K6), K5), K4), K3)
    k = multiply_add(z, multiply_add(z, multiply_add(z, k, K2), K1), K0)
    return c, k


@kernel
def doubled(z: Any, c: Any, k: Any) -> tuple[Any, Any]:
    """C and K of twice the angle whose square is z."""
    s = 1.0 - z * k
    return 0.5 * (s * s), 0.25 * multiply_add(s, c, k)


@kernel
def half_turn(z: Any) -> tuple[Any, Any]:
    """S and C of half the angle whose square is z, up to 10."""
    y = z * (1.0 / 64.0)
    c, k = small_turn(y)
    s = 1.0 - y * k
    s, c = s * (1.0 - y * c), s * s  # sin 2a = 2 sin a cos a, and 2 C(2a) = S(a)²
    return s * (1.0 - z * (1.0 / 32.0) * c), 0.5 * (s * s)


@kernel
def plus(a: Vector, f: Any, u: Vector) -> Vector:
    """`a + f u`."""
    return multiply_add(f, u[0], a[0]), multiply_add(f, u[1], a[1]), multiply_add(f, u[2], a[2])


@kernel
def plus4(a: Quaternion, f: Any, u: Quaternion) -> Quaternion:
    """`a + f u` for quaternions."""
    return (
        multiply_add(f, u[0], a[0]),
        multiply_add(f, u[1], a[1]),
        multiply_add(f, u[2], a[2]),
        multiply_add(f, u[3], a[3]),
    )


@kernel
def add4(a: Quaternion, b: Quaternion) -> Quaternion:
    """`a + b` for quaternions."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@kernel
def from_left(v: Vector, q: Quaternion) -> Quaternion:
    """The product (v, 0) q, scalar last."""
    return (
        q[3] * v[0] + (v[1] * q[2] - v[2] * q[1]),
        q[3] * v[1] + (v[2] * q[0] - v[0] * q[2]),
        q[3] * v[2] + (v[0] * q[1] - v[1] * q[0]),
        -(v[0] * q[0] + v[1] * q[1] + v[2] * q[2]),
    )


@kernel
def from_right(q: Quaternion, v: Vector) -> Quaternion:
    """The product q (v, 0), scalar last."""
    return (
        q[3] * v[0] + (q[1] * v[2] - q[2] * v[1]),
        q[3] * v[1] + (q[2] * v[0] - q[0] * v[2]),
        q[3] * v[2] + (q[0] * v[1] - q[1] * v[0]),
        -(v[0] * q[0] + v[1] * q[1] + v[2] * q[2]),
    )


@kernel
def twice_momenta(q: Quaternion, p: Quaternion) -> tuple[Vector, Vector]:
    """`2π = Im(p q̄)` in space, and `2Π = Im(q̄ p)` in the body."""
    a = q[3] * p[0] - q[0] * p[3], q[3] * p[1] - q[1] * p[3], q[3] * p[2] - q[2] * p[3]
    b = q[1] * p[2] - q[2] * p[1], q[2] * p[0] - q[0] * p[2], q[0] * p[1] - q[1] * p[0]
    return add(a, b), subtract(a, b)


@kernel
def turned(q: Quaternion, inverse: Any, e: Vector) -> Vector:
    """`R e` for the rotation of a quaternion of any length; `inverse` is 1/|q|²."""
    v = q[0:3]
    u = cross(v, e)
    return plus(e, 2.0 * inverse, add(scale(q[3], u), cross(v, u)))
