"""Products of quaternions of any length with vectors, in as few operations as the equations of motion need.

Quaternions are tuples of four scalars, scalar last.
"""

from __future__ import annotations

from typing import Any

from ...geometry.quaternion import Quaternion
from ...geometry.vectors import Matrix, Vector, add, add_scaled, cross, difference_of_products, dot, subtract
from ...scalars import kernel, multiply_add


@kernel
def scale4(f: Any, q: Quaternion) -> Quaternion:
    """`f q`."""
    return f * q[0], f * q[1], f * q[2], f * q[3]


@kernel
def plus4(a: Quaternion, f: Any, u: Quaternion) -> Quaternion:
    """`a + f u` for quaternions."""
    return (*add_scaled(a[0:3], f, u[0:3]), multiply_add(f, u[3], a[3]))


@kernel
def add4(a: Quaternion, b: Quaternion) -> Quaternion:
    """`a + b` for quaternions."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@kernel
def plus_left(a: Quaternion, v: Vector, q: Quaternion) -> Quaternion:
    """`a + (v, 0) q`."""
    return (
        multiply_add(-v[2], q[1], multiply_add(v[1], q[2], multiply_add(q[3], v[0], a[0]))),
        multiply_add(-v[0], q[2], multiply_add(v[2], q[0], multiply_add(q[3], v[1], a[1]))),
        multiply_add(-v[1], q[0], multiply_add(v[0], q[1], multiply_add(q[3], v[2], a[2]))),
        multiply_add(-v[2], q[2], multiply_add(-v[1], q[1], multiply_add(-v[0], q[0], a[3]))),
    )


@kernel
def plus_right(a: Quaternion, q: Quaternion, v: Vector) -> Quaternion:
    """`a + q (v, 0)`."""
    return (
        multiply_add(-q[2], v[1], multiply_add(q[1], v[2], multiply_add(q[3], v[0], a[0]))),
        multiply_add(-q[0], v[2], multiply_add(q[2], v[0], multiply_add(q[3], v[1], a[1]))),
        multiply_add(-q[1], v[0], multiply_add(q[0], v[1], multiply_add(q[3], v[2], a[2]))),
        multiply_add(-q[2], v[2], multiply_add(-q[1], v[1], multiply_add(-q[0], v[0], a[3]))),
    )


@kernel
def from_left(v: Vector, q: Quaternion) -> Quaternion:
    """The product (v, 0) q."""
    return (
        multiply_add(-v[2], q[1], multiply_add(v[1], q[2], q[3] * v[0])),
        multiply_add(-v[0], q[2], multiply_add(v[2], q[0], q[3] * v[1])),
        multiply_add(-v[1], q[0], multiply_add(v[0], q[1], q[3] * v[2])),
        -dot(v, q[0:3]),
    )


@kernel
def from_right(q: Quaternion, v: Vector) -> Quaternion:
    """The product q (v, 0)."""
    return (
        multiply_add(-q[2], v[1], multiply_add(q[1], v[2], q[3] * v[0])),
        multiply_add(-q[0], v[2], multiply_add(q[2], v[0], q[3] * v[1])),
        multiply_add(-q[1], v[0], multiply_add(q[0], v[1], q[3] * v[2])),
        -dot(q[0:3], v),
    )


@kernel
def twice_momenta(q: Quaternion, p: Quaternion) -> tuple[Vector, Vector]:
    """`2π = Im(p q̄)` in space, and `2Π = Im(q̄ p)` in the body."""
    a = (
        difference_of_products(q[3], p[0], q[0], p[3]),
        difference_of_products(q[3], p[1], q[1], p[3]),
        difference_of_products(q[3], p[2], q[2], p[3]),
    )
    b = cross(q[0:3], p[0:3])
    return add(a, b), subtract(a, b)


@kernel
def rotation(q: Quaternion, factor: Any) -> Matrix:
    """The rotation of a quaternion of any length; `factor` is 2/|q|²."""
    x, y, z = factor * q[0], factor * q[1], factor * q[2]
    wx, wy, wz = x * q[3], y * q[3], z * q[3]
    one_x, one_z = multiply_add(-x, q[0], 1.0), multiply_add(-z, q[2], 1.0)
    return (
        multiply_add(-y, q[1], one_z),
        multiply_add(y, q[0], -wz),
        multiply_add(z, q[0], wy),
        multiply_add(y, q[0], wz),
        multiply_add(-z, q[2], one_x),
        multiply_add(z, q[1], -wx),
        multiply_add(z, q[0], -wy),
        multiply_add(z, q[1], wx),
        multiply_add(-y, q[1], one_x),
    )
