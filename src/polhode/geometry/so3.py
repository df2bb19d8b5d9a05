"""SO(3): rotation matrices R (3×3, body → inertial) and rotation vectors x ∈ R³.

    hat          S(x) y = x × y;  vee its inverse;  vee2(A) = vee(A − Aᵀ) for any matrix A
    exp          exp(S(x)) = 1 + (sin t/t) S(x) + ((1 − cos t)/t²) S(x)²,  t = |x|                 (Rodrigues)
    log          the x with |x| ≤ π and exp(S(x)) = R
    cayley       (1 + S(c))(1 − S(c))⁻¹ = ((1 − c·c) 1 + 2 c cᵀ + 2 S(c))/(1 + c·c),  c = tan(θ/2) · axis
    dexp         d/dt exp(S(x)) = exp(S(x)) S(dexp_right(x) ẋ) = S(dexp_left(x) ẋ) exp(S(x))
                 dexp_right(x) v = v − B x × v + C x × (x × v),   B = (1 − cos t)/t²,  C = (t − sin t)/t³
                 dexp_left(x)  v = v + B x × v + C x × (x × v)   = dexp_right(−x) v
    dexpinv      dexpinv_right(x) v = v + ½ x × v + D x × (x × v),  D = (1 − (t/2) cot(t/2))/t²;  left: −½

With R body → inertial, `dexp_right` gives the angular velocity in the body, `dexp_left` that in the inertial frame.
References: [LLM07] for the Cayley map and the conventions; Iserles, Munthe-Kaas, Nørsett & Zanna, "Lie-group methods"
(2000), for dexp. Names with a trailing underscore are kernels on tuples of scalars (a matrix is nine numbers, row by
row); the names without are their forms on arrays, which broadcast over leading axes. These refuse with `InvalidInputError`
what is not a rotation where they want one, not skew, or not finite; `hat` and `vee2` take any numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..scalars import kernel
from . import quaternion
from .array_api import MATRIX, NEAR, SCALAR, VECTOR, as_array, finite, front, rotations, skews
from .quaternion import Size
from .series import cot_defect, half_angle, sine_defect, versine
from .vectors import Matrix, Vector, add, cross, dot, multiply, scale, subtract, transpose

# --- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def hat_(x: Vector) -> Matrix:
    """`S(x)`, the matrix of y ↦ x × y."""
    zero = x[0] - x[0]
    return zero, -x[2], x[1], x[2], zero, -x[0], -x[1], x[0], zero


@kernel
def vee_(A: Matrix) -> Vector:
    """The x of `A = S(x)`; of a matrix that is not quite skew, its skew part."""
    return 0.5 * (A[7] - A[5]), 0.5 * (A[2] - A[6]), 0.5 * (A[3] - A[1])


@kernel
def vee2_(A: Matrix) -> Vector:
    """`vee(A − Aᵀ)`."""
    return A[7] - A[5], A[2] - A[6], A[3] - A[1]


@kernel
def exp_(x: Vector) -> Matrix:
    """The rotation by the rotation vector x."""
    s, c = half_angle(dot(x, x))
    p, r = scale(s * c, x), scale(0.5 * s * s, x)  # sin t/t = s c and (1 − cos t)/t² = s²/2: no cancellation
    xx, yy, zz = r[0] * x[0], r[1] * x[1], r[2] * x[2]
    yz, xz, xy = r[1] * x[2], r[0] * x[2], r[0] * x[1]
    return (
        1.0 - (yy + zz),
        xy - p[2],
        xz + p[1],
        xy + p[2],
        1.0 - (xx + zz),
        yz - p[0],
        xz - p[1],
        yz + p[0],
        1.0 - (xx + yy),
    )


@kernel
def log_(R: Matrix) -> Vector:
    """The shortest rotation vector of R, of length at most π."""
    return quaternion.log_(quaternion.along_matrix_(R))


@kernel
def compose_(R: Matrix, Q: Matrix) -> Matrix:
    """`R Q`: the rotation Q, then R."""
    return multiply(R, Q)


@kernel
def inverse_(R: Matrix) -> Matrix:
    """`Rᵀ`."""
    return transpose(R)


@kernel
def angle_(R: Matrix) -> Any:
    """The angle of the rotation R, in [0, π]."""
    return quaternion.angle_(quaternion.along_matrix_(R))


@kernel
def cayley_(c: Vector) -> Matrix:
    """`(1 + S(c))(1 − S(c))⁻¹`: the rotation by θ about an axis, with c = tan(θ/2) · axis."""
    xx, yy, zz = c[0] * c[0], c[1] * c[1], c[2] * c[2]
    d = 1.0 / (1.0 + (xx + yy + zz))
    e = d + d
    r = scale(e, c)
    yz, xz, xy = r[1] * c[2], r[0] * c[2], r[0] * c[1]
    return (
        1.0 - e * (yy + zz),
        xy - r[2],
        xz + r[1],
        xy + r[2],
        1.0 - e * (xx + zz),
        yz - r[0],
        xz - r[1],
        yz + r[0],
        1.0 - e * (xx + yy),
    )


@kernel
def cayley_inverse_(F: Matrix) -> Vector:
    """The c of `F = cayley(c)`; infinite for a rotation by π."""
    return quaternion.cayley_inverse_(quaternion.along_matrix_(F))


@kernel
def dexp_right_(x: Vector, v: Vector) -> Vector:
    """`vee(exp(−S(x)) d/dt exp(S(x)))` at ẋ = v."""
    a = dot(x, x)
    u = cross(x, v)
    return add(v, subtract(scale(sine_defect(a), cross(x, u)), scale(versine(a), u)))


@kernel
def dexp_left_(x: Vector, v: Vector) -> Vector:
    """`vee(d/dt exp(S(x)) exp(−S(x)))` at ẋ = v."""
    a = dot(x, x)
    u = cross(x, v)
    return add(v, add(scale(sine_defect(a), cross(x, u)), scale(versine(a), u)))


@kernel
def dexpinv_right_(x: Vector, v: Vector) -> Vector:
    """The inverse of `dexp_right`; singular at |x| = 2π."""
    u = cross(x, v)
    return add(v, add(scale(cot_defect(dot(x, x)), cross(x, u)), scale(0.5, u)))


@kernel
def dexpinv_left_(x: Vector, v: Vector) -> Vector:
    """The inverse of `dexp_left`; singular at |x| = 2π."""
    u = cross(x, v)
    return add(v, subtract(scale(cot_defect(dot(x, x)), cross(x, u)), scale(0.5, u)))


@kernel
def relative_(R: Matrix, Q: Matrix) -> Matrix:
    """`Rᵀ Q`, computed as `1 + Rᵀ (Q − R)`: between neighbours the small rotation keeps all its digits."""
    d0, d1, d2 = Q[0] - R[0], Q[1] - R[1], Q[2] - R[2]
    d3, d4, d5 = Q[3] - R[3], Q[4] - R[4], Q[5] - R[5]
    d6, d7, d8 = Q[6] - R[6], Q[7] - R[7], Q[8] - R[8]
    return (
        1.0 + (R[0] * d0 + R[3] * d3 + R[6] * d6),
        R[0] * d1 + R[3] * d4 + R[6] * d7,
        R[0] * d2 + R[3] * d5 + R[6] * d8,
        R[1] * d0 + R[4] * d3 + R[7] * d6,
        1.0 + (R[1] * d1 + R[4] * d4 + R[7] * d7),
        R[1] * d2 + R[4] * d5 + R[7] * d8,
        R[2] * d0 + R[5] * d3 + R[8] * d6,
        R[2] * d1 + R[5] * d4 + R[8] * d7,
        1.0 + (R[2] * d2 + R[5] * d5 + R[8] * d8),
    )


@kernel
def distance_(R: Matrix, Q: Matrix) -> Any:
    """The angle of `Rᵀ Q`, in [0, π]."""
    return angle_(relative_(R, Q))


# --- arrays -----------------------------------------------------------------------------------------------------------


def hat(x: ArrayLike) -> NDArray[np.float64]:
    """`S(x)`, the matrix of y ↦ x × y: (..., 3) → (..., 3, 3).

    >>> hat([1, 2, 3])
    array([[ 0., -3.,  2.],
           [ 3.,  0., -1.],
           [-2.,  1.,  0.]])
    """
    return front(hat_, VECTOR, MATRIX, names=("x",))(x)


def vee(A: ArrayLike) -> NDArray[np.float64]:
    """The x of `A = S(x)`; of a matrix that is not quite skew, its skew part.

    >>> vee(hat([1, 2, 3]))
    array([1., 2., 3.])
    """
    return front(vee_, MATRIX, VECTOR, names=("A",))(skews("A", A, MATRIX))


def vee2(A: ArrayLike) -> NDArray[np.float64]:
    """`vee(A − Aᵀ)` of any matrix A.

    >>> vee2([[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    array([0., 0., 1.])
    """
    return front(vee2_, MATRIX, VECTOR, names=("A",))(A)


def exp(x: ArrayLike) -> NDArray[np.float64]:
    """The rotation matrix of the rotation vector x: (..., 3) → (..., 3, 3).

    >>> exp([0, 0, np.pi / 2]).round(12)
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    return front(exp_, VECTOR, MATRIX, names=("x",))(finite("x", x, VECTOR))


def log(R: ArrayLike) -> NDArray[np.float64]:
    """The shortest rotation vector of R, of length at most π; what is not a rotation is refused with `InvalidInputError`.

    It is accurate up to angle π. There ±π·axis are equally short; the one whose largest component is positive is
    returned.

    >>> log(np.diag([-1, 1, -1]))
    array([0.        , 3.14159265, 0.        ])
    """
    return front(log_, MATRIX, VECTOR, names=("R",))(rotations("R", R, MATRIX, NEAR))


def compose(R: ArrayLike, Q: ArrayLike) -> NDArray[np.float64]:
    """The product `R Q`: the rotation Q, then R.

    >>> log(compose(exp([0, 0, 0.5]), exp([0, 0, 0.75]))).round(12)
    array([0.  , 0.  , 1.25])
    """
    product = front(compose_, MATRIX, MATRIX, MATRIX, names=("R", "Q"))
    return product(rotations("R", R, MATRIX), rotations("Q", Q, MATRIX))


def inverse(R: ArrayLike) -> NDArray[np.float64]:
    """`Rᵀ`.

    >>> inverse(cayley([0, 0, 1]))
    array([[ 0.,  1.,  0.],
           [-1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    return front(inverse_, MATRIX, MATRIX, names=("R",))(rotations("R", R, MATRIX))


def angle(R: ArrayLike) -> NDArray[np.float64]:
    """The angle of the rotation R, in [0, π]; what is not a rotation is refused with `InvalidInputError`.

    >>> float(angle(np.diag([-1, 1, -1])))
    3.141592653589793
    """
    return front(angle_, MATRIX, SCALAR, names=("R",))(rotations("R", R, MATRIX, NEAR))


def cayley(c: ArrayLike) -> NDArray[np.float64]:
    """`(1 + S(c))(1 − S(c))⁻¹`, the rotation by θ with c = tan(θ/2) · axis.

    >>> cayley([0, 0, 1])
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    return front(cayley_, VECTOR, MATRIX, names=("c",))(finite("c", c, VECTOR))


def cayley_inverse(F: ArrayLike) -> NDArray[np.float64]:
    """The c of `F = cayley(c)`; a rotation by π has none, and gives infinities.

    >>> cayley_inverse([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    array([0., 0., 1.])
    """
    return front(cayley_inverse_, MATRIX, VECTOR, names=("F",))(rotations("F", F, MATRIX))


def dexp_right(x: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
    """The w of `d/dt exp(S(x)) = exp(S(x)) S(w)` at ẋ = v: the angular velocity in the body frame.

    >>> dexp_right([0, 0, np.pi], [1, 0, 0]).round(6)
    array([ 0.     , -0.63662,  0.     ])
    """
    return front(dexp_right_, VECTOR, VECTOR, VECTOR, names=("x", "v"))(finite("x", x, VECTOR), finite("v", v, VECTOR))


def dexp_left(x: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
    """The w of `d/dt exp(S(x)) = S(w) exp(S(x))` at ẋ = v: the angular velocity in the inertial frame.

    >>> dexp_left([0, 0, np.pi], [1, 0, 0]).round(6)
    array([0.     , 0.63662, 0.     ])
    """
    return front(dexp_left_, VECTOR, VECTOR, VECTOR, names=("x", "v"))(finite("x", x, VECTOR), finite("v", v, VECTOR))


def dexpinv_right(x: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
    """The inverse of `dexp_right`: the ẋ that goes with the body angular velocity v; singular at |x| = 2π.

    >>> dexpinv_right([0.1, 0.2, 0.3], dexp_right([0.1, 0.2, 0.3], [1, 2, 4])).round(12)
    array([1., 2., 4.])
    """
    return front(dexpinv_right_, VECTOR, VECTOR, VECTOR, names=("x", "v"))(
        finite("x", x, VECTOR), finite("v", v, VECTOR)
    )


def dexpinv_left(x: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
    """The inverse of `dexp_left`: the ẋ that goes with the inertial angular velocity v; singular at |x| = 2π.

    >>> dexpinv_left([0.1, 0.2, 0.3], dexp_left([0.1, 0.2, 0.3], [1, 2, 4])).round(12)
    array([1., 2., 4.])
    """
    return front(dexpinv_left_, VECTOR, VECTOR, VECTOR, names=("x", "v"))(
        finite("x", x, VECTOR), finite("v", v, VECTOR)
    )


def distance(R: ArrayLike, Q: ArrayLike) -> NDArray[np.float64]:
    """The angle of the rotation `Rᵀ Q`, in [0, π]; small ones keep their digits.

    >>> float(distance(np.eye(3), exp([0, 0, 3e-12])))
    3e-12
    """
    between = front(distance_, MATRIX, MATRIX, SCALAR, names=("R", "Q"))
    return between(rotations("R", R, MATRIX), rotations("Q", Q, MATRIX))


def random(rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
    """Rotations drawn uniformly (Haar measure), as an array of shape size + (3, 3).

    >>> random(np.random.default_rng(1), 5).shape
    (5, 3, 3)
    """
    return quaternion.to_matrix(quaternion.random(rng, size))


def project(A: ArrayLike) -> NDArray[np.float64]:
    """The rotation nearest to A in the Frobenius norm, its polar factor.

    A matrix with det A ≤ 0, or singular to working precision, is not a rotation that went astray but a mistake (a
    left-handed frame, say): it is refused with `InvalidInputError`.

    >>> project([[0, -2, 0], [1, 0, 0], [0, 0, 1]]).round(12)
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    from .son import project as nearest

    return nearest(as_array("A", A, MATRIX))
