"""Products that stay on the group, however many factors they have.

Rounding takes a product of rotations off the group a little more with each factor, and linearly so, since the bias of
the same operations adds up. Here each product is put back by one Newton step towards the group. That correction is of
the size of rounding and lies across the group, not along it: the motion is not touched, and a map keeps its symmetry,
its momenta and its symplectic form. For the same reason the derivative along the group vanishes, so that partials pass
it by.
"""

from __future__ import annotations

from ..scalars import kernel, sqrt, value
from .quaternion import Quaternion, multiply_
from .vectors import Matrix, Vector, add, apply_transposed, cross, dot, scale, subtract


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
def compose(R: Matrix, E: Matrix) -> Matrix:
    """`R F` for rotation matrices, with `E = F − 1`.

    The first two rows a, b of R F become `a (3 − a·a)/2 − b (a·b)/2` and the same for b; the third is their cross
    product.
    """
    a = turned_back(E, R[0:3])
    b = turned_back(E, R[3:6])
    a0, b0 = (value(a[0]), value(a[1]), value(a[2])), (value(b[0]), value(b[1]), value(b[2]))
    across = 0.5 * dot(a0, b0)
    along_a, along_b = 1.5 - 0.5 * dot(a0, a0), 1.5 - 0.5 * dot(b0, b0)
    u = subtract(scale(along_a, a), scale(across, b))
    v = subtract(scale(along_b, b), scale(across, a))
    return u + v + cross(u, v)


@kernel
def cayley_increment_quaternion(c: Vector) -> Quaternion:
    """`f − 1` for the unit quaternion f with Cayley parameter c, without cancellation."""
    cc = dot(c, c)
    s = 1.0 / sqrt(1.0 + cc)
    return s * c[0], s * c[1], s * c[2], -cc * s * s / (1.0 + s)


@kernel
def compose_quaternions(q: Quaternion, e: Quaternion) -> Quaternion:
    """`q f` for unit quaternions, with `e = f − 1`; scaled by `(3 − |q f|²)/2`, and rounded once."""
    dx, dy, dz, dw = multiply_(q, e)
    x, y, z, w = q[0] + dx, q[1] + dy, q[2] + dz, q[3] + dw
    x0, y0, z0, w0 = value(x), value(y), value(z), value(w)
    s = 0.5 - 0.5 * (x0 * x0 + y0 * y0 + z0 * z0 + w0 * w0)
    return q[0] + (dx + s * x), q[1] + (dy + s * y), q[2] + (dz + s * z), q[3] + (dw + s * w)
