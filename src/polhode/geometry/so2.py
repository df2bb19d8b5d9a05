"""SO(2): rotations of the plane, R = [[cos θ, −sin θ], [sin θ, cos θ]], and angles θ.

    hat          S(θ) = [[0, −θ], [θ, 0]];  vee its inverse
    exp, log     R = exp(S(θ)), θ in [−π, π]
    cayley       (1 + S(c))(1 − S(c))⁻¹, c = tan(θ/2):  cos θ = (1 − c²)/(1 + c²), sin θ = 2c/(1 + c²)

The group is commutative, so dexp is the identity. Names with a trailing underscore are kernels on scalars and on
4-tuples (a matrix row by row); the names without are their forms on arrays, which broadcast over leading axes. These
refuse with `InvalidInputError` what is not a rotation where they want one, not skew, or not finite; `hat` takes any numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from ..scalars import absolute, atan2, cos, kernel, sin, sqrt, where
from .array_api import NEAR, SCALAR, Shape, as_array, finite, front, rotations, skews
from .quaternion import Size

Matrix2 = tuple[Any, Any, Any, Any]
PLANE_MATRIX: Shape = (2, 2)

# --- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def hat_(theta: Any) -> Matrix2:
    """`S(θ)`."""
    zero = theta - theta
    return zero, -theta, theta, zero


@kernel
def vee_(A: Matrix2) -> Any:
    """The θ of `A = S(θ)`; of a matrix that is not quite skew, of its skew part."""
    return 0.5 * (A[2] - A[1])


@kernel
def exp_(theta: Any) -> Matrix2:
    """The rotation by θ."""
    c, s = cos(theta), sin(theta)
    return c, -s, s, c


@kernel
def log_(R: Matrix2) -> Any:
    """The angle of R, in [−π, π]."""
    return atan2(R[2] - R[1], R[0] + R[3])


@kernel
def compose_(R: Matrix2, Q: Matrix2) -> Matrix2:
    """`R Q`."""
    return (
        R[0] * Q[0] + R[1] * Q[2],
        R[0] * Q[1] + R[1] * Q[3],
        R[2] * Q[0] + R[3] * Q[2],
        R[2] * Q[1] + R[3] * Q[3],
    )


@kernel
def inverse_(R: Matrix2) -> Matrix2:
    """`Rᵀ`."""
    return R[0], R[2], R[1], R[3]


@kernel
def cayley_(c: Any) -> Matrix2:
    """The rotation by θ with c = tan(θ/2)."""
    d = 2.0 / (1.0 + c * c)
    diagonal = 1.0 - d * c * c
    return diagonal, -(d * c), d * c, diagonal


@kernel
def cayley_inverse_(R: Matrix2) -> Any:
    """`tan(θ/2)`, infinite at θ = ±π: of sin/(1 + cos) = (1 − cos)/sin, the quotient that does not cancel."""
    c, s = 0.5 * (R[0] + R[3]), 0.5 * (R[2] - R[1])
    ahead = c >= 0.0
    return where(ahead, s, 1.0 - c) / where(ahead, 1.0 + c, s)


@kernel
def distance_(R: Matrix2, Q: Matrix2) -> Any:
    """The absolute angle of `Rᵀ Q`, computed from `Q − R`, so that small angles keep their digits."""
    d = compose_((R[0], R[2], R[1], R[3]), (Q[0] - R[0], Q[1] - R[1], Q[2] - R[2], Q[3] - R[3]))
    return absolute(atan2(d[2] - d[1], 2.0 + d[0] + d[3]))


@kernel
def project_(A: Matrix2) -> Matrix2:
    """The rotation nearest to A: that of the angle of (A₁₁ + A₂₂, A₂₁ − A₁₂)."""
    c, s = A[0] + A[3], A[2] - A[1]
    n = 1.0 / sqrt(c * c + s * s)
    return c * n, -(s * n), s * n, c * n


# --- arrays -----------------------------------------------------------------------------------------------------------


def hat(theta: ArrayLike) -> NDArray[np.float64]:
    """`S(θ)`: (...) → (..., 2, 2).

    >>> hat(2)
    array([[ 0., -2.],
           [ 2.,  0.]])
    """
    return front(hat_, SCALAR, PLANE_MATRIX, names=("theta",))(theta)


def vee(A: ArrayLike) -> NDArray[np.float64]:
    """The θ of `A = S(θ)`; of a matrix that is not quite skew, of its skew part.

    >>> float(vee([[0, -2], [2, 0]]))
    2.0
    """
    return front(vee_, PLANE_MATRIX, SCALAR, names=("A",))(skews("A", A, PLANE_MATRIX))


def exp(theta: ArrayLike) -> NDArray[np.float64]:
    """The rotation by the angle θ.

    >>> exp(np.pi / 2).round(12)
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    return front(exp_, SCALAR, PLANE_MATRIX, names=("theta",))(finite("theta", theta, SCALAR))


def log(R: ArrayLike) -> NDArray[np.float64]:
    """The angle of R, in [−π, π]; what is not a rotation is refused with `InvalidInputError`.

    >>> float(log([[-1, 0], [0, -1]]))
    3.141592653589793
    """
    return front(log_, PLANE_MATRIX, SCALAR, names=("R",))(rotations("R", R, PLANE_MATRIX, NEAR))


def compose(R: ArrayLike, Q: ArrayLike) -> NDArray[np.float64]:
    """The product `R Q`.

    >>> float(log(compose(exp(0.5), exp(0.75))).round(12))
    1.25
    """
    product = front(compose_, PLANE_MATRIX, PLANE_MATRIX, PLANE_MATRIX, names=("R", "Q"))
    return product(rotations("R", R, PLANE_MATRIX), rotations("Q", Q, PLANE_MATRIX))


def inverse(R: ArrayLike) -> NDArray[np.float64]:
    """`Rᵀ`.

    >>> inverse([[0, -1], [1, 0]])
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    return front(inverse_, PLANE_MATRIX, PLANE_MATRIX, names=("R",))(rotations("R", R, PLANE_MATRIX))


def cayley(c: ArrayLike) -> NDArray[np.float64]:
    """The rotation by θ with c = tan(θ/2).

    >>> cayley(1)
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    return front(cayley_, SCALAR, PLANE_MATRIX, names=("c",))(finite("c", c, SCALAR))


def cayley_inverse(R: ArrayLike) -> NDArray[np.float64]:
    """`tan(θ/2)` of the rotation R; infinite at θ = ±π.

    >>> float(cayley_inverse([[0, -1], [1, 0]]))
    1.0
    """
    return front(cayley_inverse_, PLANE_MATRIX, SCALAR, names=("R",))(rotations("R", R, PLANE_MATRIX))


def distance(R: ArrayLike, Q: ArrayLike) -> NDArray[np.float64]:
    """The angle between two rotations, in [0, π]; small ones keep their digits.

    >>> float(distance(np.eye(2), exp(-3e-12)))
    3e-12
    """
    between = front(distance_, PLANE_MATRIX, PLANE_MATRIX, SCALAR, names=("R", "Q"))
    return between(rotations("R", R, PLANE_MATRIX), rotations("Q", Q, PLANE_MATRIX))


def random(rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
    """Rotations drawn uniformly, as an array of shape size + (2, 2).

    >>> random(np.random.default_rng(1), 5).shape
    (5, 2, 2)
    """
    return exp(rng.uniform(-np.pi, np.pi, size))


def project(A: ArrayLike) -> NDArray[np.float64]:
    """The rotation nearest to A in the Frobenius norm; A with det A ≤ 0 is refused with `InvalidInputError`.

    >>> project([[0, -2], [1, 0]])
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    A = as_array("A", A, PLANE_MATRIX)
    bad = ~(A[..., 0, 0] * A[..., 1, 1] > A[..., 0, 1] * A[..., 1, 0])
    if bad.any():
        raise InvalidInputError("A", A[bad][0], "a matrix of positive determinant")
    return front(project_, PLANE_MATRIX, PLANE_MATRIX, names=("A",))(A)
