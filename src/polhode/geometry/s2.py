"""The unit sphere S² in R³: directions d, e with |d| = 1, and tangent vectors v at d with v · d = 0.

    covariant    ∇_w v = (1 − d⊗d) Dv w, and ∇_ḋ v = v̇ − (d · v̇) d along a curve d(t)                        (4), (5)
    exp          exp_d(v) = cos|v| d + (sin|v|/|v|) v                                                       (6)
    log          log_d(e) = (θ/sin θ) (e − (d · e) d),  θ = ∠(d, e) < π                                     (7)
    geodesic     γ(s) = exp_d(s log_d(e))                                                                   (9)
    transport    of v from d to e along the geodesic: v − (e · v)/(1 + d · e) (d + e)                       (10)
    split        R³ = T_d S² ⊕ span(d): v = tangent(d, v) + (d · v) d                                       (12)
    split_tensor T = T⊥ + T∥ from d to e: T⊥ takes T_d S² to T_e S² and d to 0, T∥ takes d to a multiple of e
                 and T_d S² to 0                                                                            (13)

Equation numbers are those of [GR20], Gebhardt & Romero, "The rotating rigid body model based on a non-twisting frame"
(2020); (7) and (10) are written here without the arccosine, which loses half the digits of a small angle. Antipodal
points e = −d are joined by many geodesics: log, geodesic and transport are not defined there and give NaN. Names with a
trailing underscore are kernels on tuples of scalars; the names without are their forms on arrays, which broadcast over
leading axes. These refuse with `InvalidInputError` a d or e that is not of unit length, and a v that is not tangent at d.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from ..scalars import atan2, kernel, sqrt
from .array_api import MATRIX, NEAR, ROUGH, SCALAR, VECTOR, check_leading, finite, front, nonzero, units
from .quaternion import Size, leading
from .series import angle_ratio, cosine, sinc
from .vectors import Matrix, Vector, add, apply, cross, dot, scale, subtract

# --- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def exp_(d: Vector, v: Vector) -> Vector:
    """The point at the end of the geodesic from d with velocity v, after unit time."""
    a = dot(v, v)
    return add(scale(cosine(a), d), scale(sinc(a), v))


@kernel
def log_(d: Vector, e: Vector) -> Vector:
    """The initial velocity, tangent at d, of the geodesic that reaches e in unit time."""
    n = cross(d, subtract(e, d))  # d × e, from the exact difference of neighbours
    return scale(angle_ratio(dot(n, n), dot(d, e)), cross(n, d))


@kernel
def geodesic_(d: Vector, e: Vector, s: Any) -> Vector:
    """The point at fraction s of the geodesic from d to e."""
    return exp_(d, scale(s, log_(d, e)))


@kernel
def transport_(d: Vector, e: Vector, v: Vector) -> Vector:
    """The tangent vector v at d, carried parallel to itself along the geodesic to e."""
    s = add(d, e)  # as v · d = 0, (e · v)/(1 + d · e) is 2 (s · v)/(s · s): good close to antipodal points, too
    return subtract(v, scale(2.0 * dot(s, v) / dot(s, s), s))


@kernel
def distance_(d: Vector, e: Vector) -> Any:
    """The angle between d and e, in [0, π]."""
    n = cross(d, subtract(e, d))
    return atan2(sqrt(dot(n, n)), dot(d, e))


@kernel
def tangent_(d: Vector, v: Vector) -> Vector:
    """The part of v tangent to the sphere at d, `v − (d · v) d`."""
    return subtract(v, scale(dot(d, v), d))


@kernel
def covariant_derivative_(d: Vector, Dv: Matrix, w: Vector) -> Vector:
    """`(1 − d⊗d) Dv w` (4)."""
    return tangent_(d, apply(Dv, w))


@kernel
def project_(x: Vector) -> Vector:
    """The point of the sphere nearest to x, `x/|x|`."""
    return scale(1.0 / sqrt(dot(x, x)), x)


# --- arrays -----------------------------------------------------------------------------------------------------------


def _direction(name: str, d: ArrayLike) -> NDArray[np.float64]:
    """`d`, if it is a point of the sphere."""
    return units(name, d, VECTOR, "a vector of unit length")


def _tangent(d: ArrayLike, v: ArrayLike, name: str = "v") -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`d` and `v`, if v is meant to be tangent at d: d·v within `ROUGH` times its length of 0, or `NEAR`."""
    d, v = _direction("d", d), finite(name, v, VECTOR)
    check_leading(("d", name), (d, v), (VECTOR, VECTOR))
    bad = np.abs(np.sum(d * v, axis=-1)) > np.maximum(NEAR, ROUGH * np.linalg.norm(v, axis=-1))
    if bad.any():
        raise InvalidInputError(
            name, np.broadcast_to(v, (*bad.shape, 3))[bad][0], "a vector tangent to the sphere at d"
        )
    return d, v


def exp(d: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
    """The point at the end of the geodesic from d with initial velocity v, after unit time.

    >>> exp([1, 0, 0], [0, np.pi / 2, 0]).round(12)
    array([0., 1., 0.])
    """
    return front(exp_, VECTOR, VECTOR, VECTOR, names=("d", "v"))(*_tangent(d, v))


def log(d: ArrayLike, e: ArrayLike) -> NDArray[np.float64]:
    """The velocity at d of the geodesic that reaches e in unit time; NaN if e = −d.

    >>> log([1, 0, 0], [0.6, 0.8, 0]) + 0.0
    array([0.        , 0.92729522, 0.        ])
    """
    return front(log_, VECTOR, VECTOR, VECTOR, names=("d", "e"))(_direction("d", d), _direction("e", e))


def geodesic(d: ArrayLike, e: ArrayLike, s: ArrayLike) -> NDArray[np.float64]:
    """The point at fraction s of the geodesic from d (s = 0) to e (s = 1); NaN if e = −d.

    >>> geodesic([1, 0, 0], [0, 1, 0], 0.5)
    array([0.70710678, 0.70710678, 0.        ])
    """
    along = front(geodesic_, VECTOR, VECTOR, SCALAR, VECTOR, names=("d", "e", "s"))
    return along(_direction("d", d), _direction("e", e), finite("s", s, SCALAR))


def transport(d: ArrayLike, e: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
    """The tangent vector v at d, carried parallel to itself along the geodesic to e; NaN if e = −d.

    >>> transport([1, 0, 0], [0, 1, 0], [0, 2, 3])
    array([-2.,  0.,  3.])
    """
    d, v = _tangent(d, v)
    return front(transport_, VECTOR, VECTOR, VECTOR, VECTOR, names=("d", "e", "v"))(d, _direction("e", e), v)


def distance(d: ArrayLike, e: ArrayLike) -> NDArray[np.float64]:
    """The angle between d and e, in [0, π]; small ones keep their digits.

    >>> float(distance([1, 0, 0], [-1, 0, 0]))
    3.141592653589793
    """
    return front(distance_, VECTOR, VECTOR, SCALAR, names=("d", "e"))(_direction("d", d), _direction("e", e))


def tangent(d: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
    """The part of the vector v that is tangent to the sphere at d.

    >>> tangent([1, 0, 0], [1, 2, 3])
    array([0., 2., 3.])
    """
    return front(tangent_, VECTOR, VECTOR, VECTOR, names=("d", "v"))(_direction("d", d), finite("v", v, VECTOR))


def covariant_derivative(d: ArrayLike, Dv: ArrayLike, w: ArrayLike) -> NDArray[np.float64]:
    """The covariant derivative `∇_w v = (1 − d⊗d) Dv w` at d of a tangent vector field v along the tangent vector w (4).

    `Dv`: the 3×3 matrix of partial derivatives of v at d, of any extension of v to a neighbourhood in R³. Of a field
    along a curve d(t), whose rate of change is v̇, it is `tangent(d, v̇)` (5).

    >>> Dv = [[0, -1, 0], [1, 0, 0], [0, 0, 0]]                # v = e₃ × x, the velocity of a rotation
    >>> covariant_derivative([0.6, 0, 0.8], Dv, [0, 1, 0])     # along itself: towards the pole
    array([-0.64,  0.  ,  0.48])
    """
    along = front(covariant_derivative_, VECTOR, MATRIX, VECTOR, VECTOR, names=("d", "Dv", "w"))
    d, w = _tangent(d, w, "w")
    return along(d, finite("Dv", Dv, MATRIX), w)


def split_tensor(d: ArrayLike, e: ArrayLike, T: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`T⊥` and `T∥`, whose sum is the 3×3 matrix T, as it splits from d to e (13).

    T⊥ takes the plane tangent at d to the one at e, and d to 0; T∥ takes d to a multiple of e, and that plane to 0. A T
    that takes d off e, or the plane at d off that at e, does not split and is refused.

    >>> across, along = split_tensor([0, 0, 1], [0, 0, 1], [[2, 1, 0], [1, 3, 0], [0, 0, 5]])
    >>> across[:2, :2], float(along[2, 2])
    (array([[2., 1.],
           [1., 3.]]), 5.0)
    """
    d, e, T = _direction("d", d), _direction("e", e), finite("T", T, MATRIX)
    check_leading(("d", "e", "T"), (d, e, T), (VECTOR, VECTOR, MATRIX))
    parallel = np.einsum("...i,...ij,...j->...", e, T, d)[..., None, None] * e[..., :, None] * d[..., None, :]
    across = T - parallel
    left = np.abs(np.einsum("...i,...ij->...j", e, across)).max(-1) + np.abs(across @ d[..., None])[..., 0].max(-1)
    bad = left > NEAR * np.abs(T).max((-2, -1))
    if bad.any():
        raise InvalidInputError("T", np.broadcast_to(T, (*bad.shape, 3, 3))[bad][0], "a matrix that splits from d to e")
    return across, parallel


def project(x: ArrayLike) -> NDArray[np.float64]:
    """The direction of x, `x/|x|`; x = 0 has none, and is refused with `InvalidInputError`.

    >>> project([3, 0, 4])
    array([0.6, 0. , 0.8])
    """
    return front(project_, VECTOR, VECTOR, names=("x",))(nonzero("x", x, VECTOR, "a nonzero vector"))


def random(rng: np.random.Generator, size: Size = None) -> NDArray[np.float64]:
    """Directions drawn uniformly, as an array of shape size + (3,).

    >>> random(np.random.default_rng(1), 5).shape
    (5, 3)
    """
    return project(rng.standard_normal((*leading(size), 3)))
