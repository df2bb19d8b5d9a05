"""Products that stay on the group, however many factors they have.

Rounding takes a product of rotations off the group a little more with each factor, and linearly so, since the bias of
the same operations adds up. Here each product is put back by one Newton step towards the group. That correction is of
the size of rounding and lies across the group, not along it: the motion is not touched, and a map keeps its symmetry,
its momenta and its symplectic form. For the same reason the derivative along the group vanishes, so that partials pass
it by.

What is corrected is the error of the product *before*, not that of this one: a correction that answers the rounding of the
sum that it is added to decides how that sum is rounded, and so turns the result a little, always in the same direction.
With the error of the product before, roundings are a random walk, and each number is rounded once.
"""

from __future__ import annotations

from typing import Any

from ..scalars import kernel, sqrt, value
from .increments.rigid import values3
from .quaternion import Quaternion, multiply_
from .vectors import Matrix, Vector, add, apply_transposed, cross, dot, negate, scale, subtract


@kernel
def cayley_increment(c: Vector) -> Matrix:
    """`F − 1 = 2 (S(c) + S(c)²)/(1 + c·c)` for the rotation with Cayley parameter c, without cancellation."""
    x, y, z = c
    xx, yy, zz, yz, xz, xy = x * x, y * y, z * z, y * z, x * z, x * y
    d = 2.0 / (1.0 + (xx + yy + zz))
    return (
        -d * (yy + zz),
        d * (xy - z),
        d * (xz + y),
        d * (xy + z),
        -d * (xx + zz),
        d * (yz - x),
        d * (xz - y),
        d * (yz + x),
        -d * (xx + yy),
    )


@kernel
def turned_back(E: Matrix, v: Vector) -> Vector:
    """`Fᵀ v` with `E = F − 1`."""
    return add(v, apply_transposed(E, v))


@kernel
def counterturn(before: Matrix, after: Matrix, v: Vector) -> Vector:
    """What the body components v of a vector that is fixed in space change by, from one attitude to another.

    Where `after = before F` it is `Fᵀv − v`; but it is made from the attitudes as they were rounded. So a momentum in space
    feels no rounding of the attitude, and it cannot drift with it.
    """
    a, b, c = subtract(after[0:3], before[0:3]), subtract(after[3:6], before[3:6]), subtract(after[6:9], before[6:9])
    return negate(apply_transposed(after, (dot(a, v), dot(b, v), dot(c, v))))


@kernel
def strain(x: Vector) -> Any:
    """`(1 − |x|²)/2`: by how much of itself a vector has to grow to be a unit vector."""
    x0 = values3(x)
    return 0.5 - 0.5 * dot(x0, x0)


@kernel
def compose(R: Matrix, E: Matrix) -> Matrix:
    """`R F` for rotation matrices, with `E = F − 1`.

    The first two rows a, b of R F become `a (3 − α)/2 − b γ/2` and `b (3 − β)/2 − a γ/2` with α = a·a, β = b·b, γ = a·b;
    the third is their cross product. F does not change α, β, γ, so they are taken from R.
    """
    before_a, before_b = R[0:3], R[3:6]
    along_a, along_b, across = strain(before_a), strain(before_b), -0.5 * dot(values3(before_a), values3(before_b))
    da, db = apply_transposed(E, before_a), apply_transposed(E, before_b)
    a, b = add(before_a, da), add(before_b, db)
    u = add(before_a, add(da, add(scale(along_a, a), scale(across, b))))
    v = add(before_b, add(db, add(scale(along_b, b), scale(across, a))))
    return u + v + cross(u, v)


@kernel
def cayley_increment_quaternion(c: Vector) -> Quaternion:
    """`f − 1` for the unit quaternion f with Cayley parameter c, without cancellation."""
    cc = dot(c, c)
    s = 1.0 / sqrt(1.0 + cc)
    return s * c[0], s * c[1], s * c[2], -cc * s * s / (1.0 + s)


@kernel
def compose_quaternions(q: Quaternion, e: Quaternion) -> Quaternion:
    """`q f` for unit quaternions, with `e = f − 1`; scaled by `(3 − |q|²)/2`, and rounded once."""
    dx, dy, dz, dw = multiply_(q, e)
    x0, y0, z0, w0 = value(q[0]), value(q[1]), value(q[2]), value(q[3])
    s = 0.5 - 0.5 * (x0 * x0 + y0 * y0 + z0 * z0 + w0 * w0)
    x, y, z, w = q[0] + dx, q[1] + dy, q[2] + dz, q[3] + dw
    return q[0] + (dx + s * x), q[1] + (dy + s * y), q[2] + (dz + s * z), q[3] + (dw + s * w)


@kernel
def counterturn_quaternions(before: Quaternion, after: Quaternion, v: Vector) -> Vector:
    """`counterturn` from one unit quaternion to another."""
    x, y, z, w = before
    change = (after[0] - x, after[1] - y, after[2] - z, after[3] - w)
    e = multiply_((-x, -y, -z, w), change)
    turn = e[0:3]
    u = cross(v, turn)
    return scale(2.0, add(add(u, scale(e[3], u)), cross(u, turn)))
