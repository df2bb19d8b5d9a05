"""Unit quaternions, scalar last: `q = (x, y, z, w) = (v, w)`, an attitude body → inertial. q and −q are the same one.

    product       p q = (p_v × q_v + p_w q_v + q_w p_v,  p_w q_w − p_v · q_v)    (Hamilton), so R(p q) = R(p) R(q)
    rotation      R(q) x = q (x, 0) q*,  R(q) = 1 + 2 w S(v) + 2 S(v)²           S(v) y = v × y
    exponential   exp(x) = (sin(|x|/2) x/|x|, cos(|x|/2))                        the rotation by the rotation vector x
    Cayley map    cayley(c) = (c, 1)/√(1 + c·c),  c = tan(θ/2) · axis            so R(cayley(c)) = so3.cayley(c)
    kinematics    q̇ = ½ q (ω, 0)                                                ω the angular velocity in the body

References: [MP16] (1)–(10) for the conventions; Shoemake, "Animating rotation with quaternion curves" (1985), for the
geodesic. Names with a trailing underscore are kernels on tuples of scalars; the names without are their forms on
arrays, which broadcast over leading axes. Other software keeps the scalar first: see `as_wxyz` and `from_wxyz`.

On arrays, `normalized`, `log`, `angle` and `cayley_inverse` take any multiple of a unit quaternion but zero; `multiply`,
`conjugate` and `rate` take any quaternion; all else takes unit quaternions. The rest is refused with `InvalidInputError`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..scalars import absolute, atan2, kernel, sqrt, where
from .array_api import MATRIX, QUATERNION, SCALAR, VECTOR, as_array, finite, front, nonzero, rotations, units
from .series import angle_ratio, half_angle
from .vectors import Matrix, Vector, add, cross, dot, scale

Quaternion = tuple[Any, Any, Any, Any]
Size = int | tuple[int, ...] | None

# --- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def multiply_(p: Quaternion, q: Quaternion) -> Quaternion:
    """`p q`: the rotation q, then p."""
    return (
        p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
        p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2],
        p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0],
        p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2],
    )


@kernel
def conjugate_(q: Quaternion) -> Quaternion:
    """`q*`: the inverse rotation."""
    return -q[0], -q[1], -q[2], q[3]


@kernel
def norm2_(q: Quaternion) -> Any:
    """`q · q`."""
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]


@kernel
def normalized_(q: Quaternion) -> Quaternion:
    """`q/|q|`."""
    s = 1.0 / sqrt(norm2_(q))
    return q[0] * s, q[1] * s, q[2] * s, q[3] * s


@kernel
def exp_(x: Vector) -> Quaternion:
    """The rotation by the rotation vector x."""
    s, c = half_angle(dot(x, x))
    v = scale(0.5 * s, x)
    return v[0], v[1], v[2], c


@kernel
def log_(q: Quaternion) -> Vector:
    """The shortest rotation vector of q, of length at most π; q need not be of unit length."""
    v = (q[0], q[1], q[2])
    ratio = 2.0 * angle_ratio(dot(v, v), absolute(q[3]))
    return scale(where(q[3] < 0.0, -ratio, ratio), v)


@kernel
def angle_(q: Quaternion) -> Any:
    """The angle of the rotation q, in [0, π]."""
    n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
    return 2.0 * atan2(sqrt(n2), absolute(q[3]))


@kernel
def rotate_(q: Quaternion, x: Vector) -> Vector:
    """`R(q) x`."""
    v = (q[0], q[1], q[2])
    u = scale(2.0, cross(v, x))
    return add(x, add(scale(q[3], u), cross(v, u)))


@kernel
def to_matrix_(q: Quaternion) -> Matrix:
    """`R(q)`."""
    return rotation_of_(q, 1.0)


@kernel
def rotation_of_(q: Quaternion, inverse: Any) -> Matrix:
    """The rotation of a quaternion of any length; `inverse` is 1/|q|²."""
    twice = 2.0 * inverse
    x, y, z = twice * q[0], twice * q[1], twice * q[2]
    xx, yy, zz = x * q[0], y * q[1], z * q[2]
    xy, xz, yz = y * q[0], z * q[0], z * q[1]
    wx, wy, wz = x * q[3], y * q[3], z * q[3]
    return (
        1.0 - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        1.0 - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        1.0 - (xx + yy),
    )


@kernel
def along_matrix_(R: Matrix) -> Quaternion:
    """A multiple of the quaternion of R, of a length between 2 and 4, either sign.

    The matrix gives the products q_i q_j, hence four multiples `4 q_i q` of the quaternion (Shepperd, 1978). The one
    with the largest |q_i| ≥ ½ cancels nothing, at angle π as little as anywhere.
    """
    w4, x4 = 1.0 + (R[0] + R[4] + R[8]), 1.0 + (R[0] - R[4] - R[8])
    y4, z4 = 1.0 + (R[4] - R[0] - R[8]), 1.0 + (R[8] - R[0] - R[4])
    wx, wy, wz = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    yz, xz, xy = R[7] + R[5], R[2] + R[6], R[3] + R[1]
    first, second = w4 >= x4, y4 >= z4  # the larger of two, twice; then the larger of the two winners
    left = where(first, w4, x4) >= where(second, y4, z4)
    return (
        where(left, where(first, wx, x4), where(second, xy, xz)),
        where(left, where(first, wy, xy), where(second, y4, yz)),
        where(left, where(first, wz, xz), where(second, yz, z4)),
        where(left, where(first, w4, wx), where(second, wy, wz)),
    )


@kernel
def from_matrix_(R: Matrix) -> Quaternion:
    """The quaternion of R, with w ≥ 0."""
    q = along_matrix_(R)
    n = sqrt(norm2_(q))
    s = 1.0 / where(q[3] < 0.0, -n, n)
    return q[0] * s, q[1] * s, q[2] * s, q[3] * s


@kernel
def cayley_(c: Vector) -> Quaternion:
    """`(c, 1)/√(1 + c·c)`: the rotation by θ about an axis, with c = tan(θ/2) · axis."""
    w = 1.0 / sqrt(1.0 + dot(c, c))
    return c[0] * w, c[1] * w, c[2] * w, w


@kernel
def cayley_inverse_(q: Quaternion) -> Vector:
    """`v/w`: infinite for a rotation by π; q need not be of unit length."""
    return q[0] / q[3], q[1] / q[3], q[2] / q[3]


@kernel
def _facing(p: Quaternion, q: Quaternion) -> Quaternion:
    """q or −q, whichever is nearer to p."""
    away = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0.0
    return where(away, -q[0], q[0]), where(away, -q[1], q[1]), where(away, -q[2], q[2]), where(away, -q[3], q[3])


@kernel
def distance_(p: Quaternion, q: Quaternion) -> Any:
    """The angle of the rotation from p to q, in [0, π].

    `4 atan2(|p − q|, |p + q|)` (Kahan): the difference of two neighbours is exact, so small angles keep their digits.
    """
    r = _facing(p, q)
    less = norm2_((p[0] - r[0], p[1] - r[1], p[2] - r[2], p[3] - r[3]))
    more = norm2_((p[0] + r[0], p[1] + r[1], p[2] + r[2], p[3] + r[3]))
    return 4.0 * atan2(sqrt(less), sqrt(more))


@kernel
def geodesic_(p: Quaternion, q: Quaternion, s: Any) -> Quaternion:
    """The attitude at fraction s of the shortest rotation from p to q: `p exp(s log(p* q))`."""
    r = _facing(p, q)
    # p* q = 1 + p* (q − p): for neighbours the difference is exact, and with it the small rotation
    d = multiply_(conjugate_(p), (r[0] - p[0], r[1] - p[1], r[2] - p[2], r[3] - p[3]))
    return multiply_(p, exp_(scale(s, log_((d[0], d[1], d[2], 1.0 + d[3])))))


@kernel
def rate_(q: Quaternion, omega: Vector) -> Quaternion:
    """`q̇ = ½ q (ω, 0)`, ω in the body frame."""
    return multiply_(q, (0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2], 0.0))


# --- arrays -----------------------------------------------------------------------------------------------------------


def leading(size: Size) -> tuple[int, ...]:
    """The leading axes that the `size` of a random draw stands for."""
    if size is None:
        return ()
    return tuple(size) if isinstance(size, (tuple, list)) else (size,)


def _nonzero(name: str, q: ArrayLike) -> NDArray[np.float64]:
    """`q`, if it is along an attitude."""
    return nonzero(name, q, QUATERNION, "a nonzero quaternion [x, y, z, w]")


def _unit(name: str, q: ArrayLike) -> NDArray[np.float64]:
    """`q`, if it is an attitude."""
    return units(name, q, QUATERNION, "a unit quaternion [x, y, z, w]")


def multiply(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """The product `p q` of quaternions (..., 4): the rotation q, then p.

    >>> multiply([1, 0, 0, 0], [0, 1, 0, 0])  # i j = k
    array([0., 0., 1., 0.])
    """
    return front(multiply_, QUATERNION, QUATERNION, QUATERNION, names=("p", "q"))(p, q)


def conjugate(q: ArrayLike) -> NDArray[np.float64]:
    """`q*`, the inverse rotation.

    >>> conjugate([0.6, 0.0, 0.0, 0.8])
    array([-0.6, -0. , -0. ,  0.8])
    """
    return front(conjugate_, QUATERNION, QUATERNION, names=("q",))(q)


def normalized(q: ArrayLike) -> NDArray[np.float64]:
    """`q/|q|` of any q but zero.

    >>> normalized([3, 0, 0, 4])
    array([0.6, 0. , 0. , 0.8])
    """
    return front(normalized_, QUATERNION, QUATERNION, names=("q",))(_nonzero("q", q))


def exp(x: ArrayLike) -> NDArray[np.float64]:
    """The quaternion of the rotation by the rotation vector x (..., 3): `(sin(|x|/2) x/|x|, cos(|x|/2))`.

    >>> exp([0, 0, np.pi / 2])
    array([0.        , 0.        , 0.70710678, 0.70710678])
    """
    return front(exp_, VECTOR, QUATERNION, names=("x",))(finite("x", x, VECTOR))


def log(q: ArrayLike) -> NDArray[np.float64]:
    """The shortest rotation vector of q, of length at most π; the same for q and −q, and for all multiples but zero,
    which is refused with `InvalidInputError`.

    At angle π exactly the two vectors ±π·axis are equally short; the one along (x, y, z) is returned.

    >>> log([0, 0, 3, 3])
    array([0.        , 0.        , 1.57079633])
    """
    return front(log_, QUATERNION, VECTOR, names=("q",))(_nonzero("q", q))


def angle(q: ArrayLike) -> NDArray[np.float64]:
    """The angle of the rotation q, in [0, π].

    >>> float(angle([0, 0, 1, 0]))
    3.141592653589793
    """
    return front(angle_, QUATERNION, SCALAR, names=("q",))(_nonzero("q", q))


def rotate(q: ArrayLike, x: ArrayLike) -> NDArray[np.float64]:
    """`R(q) x`: the vector x of the body frame in the inertial frame.

    >>> rotate([0, 0, 0.6, 0.8], [1, 0, 0]).round(12)
    array([0.28, 0.96, 0.  ])
    """
    return front(rotate_, QUATERNION, VECTOR, VECTOR, names=("q", "x"))(_unit("q", q), x)


def to_matrix(q: ArrayLike) -> NDArray[np.float64]:
    """The rotation matrix of q (..., 4) → (..., 3, 3).

    >>> to_matrix([0, 0, 1, 0])
    array([[-1.,  0.,  0.],
           [ 0., -1.,  0.],
           [ 0.,  0.,  1.]])
    """
    return front(to_matrix_, QUATERNION, MATRIX, names=("q",))(_unit("q", q))


def from_matrix(R: ArrayLike) -> NDArray[np.float64]:
    """The quaternion of a rotation matrix, with w ≥ 0.

    >>> from_matrix(np.diag([-1, -1, 1]))
    array([0., 0., 1., 0.])
    """
    return front(from_matrix_, MATRIX, QUATERNION, names=("R",))(rotations("R", R, MATRIX))


def cayley(c: ArrayLike) -> NDArray[np.float64]:
    """The quaternion `(c, 1)/√(1 + c·c)` of the rotation by θ with c = tan(θ/2) · axis.

    >>> cayley([0.75, 0, 0])
    array([0.6, 0. , 0. , 0.8])
    """
    return front(cayley_, VECTOR, QUATERNION, names=("c",))(finite("c", c, VECTOR))


def cayley_inverse(q: ArrayLike) -> NDArray[np.float64]:
    """`(x, y, z)/w`; a rotation by π has none, and gives infinities.

    >>> cayley_inverse([0.6, 0, 0, 0.8]).round(15)
    array([0.75, 0.  , 0.  ])
    """
    return front(cayley_inverse_, QUATERNION, VECTOR, names=("q",))(_nonzero("q", q))


def distance(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """The angle of the rotation from p to q, in [0, π]; q and −q are the same attitude.

    >>> float(distance([0, 0, 0, 1], [0, 0, 0, -1]))
    0.0
    """
    between = front(distance_, QUATERNION, QUATERNION, SCALAR, names=("p", "q"))
    return between(_unit("p", p), _unit("q", q))


def geodesic(p: ArrayLike, q: ArrayLike, s: ArrayLike) -> NDArray[np.float64]:
    """The attitude at fraction s of the shortest rotation from p (s = 0) to q (s = 1).

    >>> geodesic([0, 0, 0, 1], [0, 0, 1, 0], 0.5)
    array([0.        , 0.        , 0.70710678, 0.70710678])
    """
    along = front(geodesic_, QUATERNION, QUATERNION, SCALAR, QUATERNION, names=("p", "q", "s"))
    return along(_unit("p", p), _unit("q", q), finite("s", s, SCALAR))


def rate(q: ArrayLike, omega: ArrayLike) -> NDArray[np.float64]:
    """`q̇ = ½ q (ω, 0)` for the angular velocity ω in the body frame.

    >>> rate([0, 0, 0, 1], [0, 0, 2])
    array([0., 0., 1., 0.])
    """
    return front(rate_, QUATERNION, VECTOR, QUATERNION, names=("q", "omega"))(q, omega)


def random(rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
    """Attitudes drawn uniformly (Haar measure), as an array of shape size + (4,).

    >>> random(np.random.default_rng(1), (2, 3)).shape
    (2, 3, 4)
    """
    return normalized(rng.standard_normal((*leading(size), 4)))


def as_wxyz(q: ArrayLike) -> NDArray[np.float64]:
    """The same quaternion with its scalar first.

    >>> as_wxyz([0.6, 0, 0, 0.8])
    array([0.8, 0.6, 0. , 0. ])
    """
    return np.roll(as_array("q", q, QUATERNION), 1, axis=-1)


def from_wxyz(q: ArrayLike) -> NDArray[np.float64]:
    """The quaternion (x, y, z, w) of one written (w, x, y, z).

    >>> from_wxyz([0.8, 0.6, 0, 0])
    array([0.6, 0. , 0. , 0.8])
    """
    return np.roll(as_array("q", q, QUATERNION), -1, axis=-1)
