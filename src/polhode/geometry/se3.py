"""SE(3): rigid motions g = (R, x), y ↦ R y + x, and twists ξ = (ω, v).

    hat          (ω, v)^ = [[S(ω), v], [0, 0]];  vee its inverse
    compose      (R, x)(Q, y) = (R Q, R y + x);   inverse (Rᵀ, −Rᵀ x)
    exp          exp(ω, v) = (exp S(ω), V v),  V = 1 + B S(ω) + C S(ω)² = dexp_left(ω) of SO(3), B and C as in so3
    log          (ω, V⁻¹ x),  V⁻¹ = 1 − ½ S(ω) + D S(ω)²
    cayley       (1 + ξ^)(1 − ξ^)⁻¹ for ξ = (c, u): (cayley(c), 2 (1 − S(c))⁻¹ u)
    adjoint      g ξ^ g⁻¹ = (R ω, R v + x × R ω)^
    dexp         d/dt exp(ξ) = exp(ξ) dexp_right(ξ, ξ̇)^ = dexp_left(ξ, ξ̇)^ exp(ξ)

The Lie algebra is that of SO(3) over the numbers a + bε, ε² = 0, with ω + εv for ω: its dexp is that of SO(3) and, in
the second part, the derivative of that in the direction v. So no formula for the 6×6 Jacobian is needed here.

Names with a trailing underscore are kernels on pairs, ((nine entries of R), (x, y, z)) and (ω, v). The names without
are their forms on arrays: a motion is a homogeneous matrix [[R, x], [0, 1]] of shape (..., 4, 4), a twist (ω, v) has
shape (..., 6); they broadcast over leading axes. What is not a rigid motion, not a ξ^, or not finite is refused with
`InvalidInputError`. References: Murray, Li & Sastry, "A mathematical introduction to robotic manipulation" (1994); Iserles,
Munthe-Kaas, Nørsett & Zanna, "Lie-group methods" (2000).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from ..scalars import kernel, sqrt
from . import so3
from .array_api import MATRIX, NEAR, SCALAR, VECTOR, Shape, as_array, assembled, components, finite, rotations
from .quaternion import Size
from .series import cot_defect, cot_defect_slope, sine_defect, sine_defect_slope, versine, versine_slope
from .vectors import (
    Matrix,
    Vector,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    multiply,
    negate,
    scale,
    subtract,
    transpose,
)

Motion = tuple[Matrix, Vector]
Twist = tuple[Vector, Vector]
MOTION: Shape = (4, 4)
TWIST: Shape = (6,)

# --- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def compose_(g: Motion, h: Motion) -> Motion:
    """`g h`: the motion h, then g."""
    return multiply(g[0], h[0]), add(apply(g[0], h[1]), g[1])


@kernel
def inverse_(g: Motion) -> Motion:
    """`g⁻¹`."""
    return transpose(g[0]), negate(apply_transposed(g[0], g[1]))


@kernel
def act_(g: Motion, y: Vector) -> Vector:
    """`R y + x`."""
    return add(apply(g[0], y), g[1])


@kernel
def adjoint_(g: Motion, xi: Twist) -> Twist:
    """`(R ω, R v + x × R ω)`: the twist ξ of the body frame in the inertial frame."""
    omega = apply(g[0], xi[0])
    return omega, add(apply(g[0], xi[1]), cross(g[1], omega))


@kernel
def exp_(xi: Twist) -> Motion:
    """The screw motion of the twist ξ."""
    return so3.exp_(xi[0]), so3.dexp_left_(xi[0], xi[1])


@kernel
def log_(g: Motion) -> Twist:
    """The twist of g whose rotation is the shortest."""
    omega = so3.log_(g[0])
    return omega, so3.dexpinv_left_(omega, g[1])


@kernel
def cayley_(xi: Twist) -> Motion:
    """`(1 + ξ^)(1 − ξ^)⁻¹`."""
    c, u = xi[0], xi[1]
    d = 2.0 / (1.0 + dot(c, c))
    return so3.cayley_(c), scale(d, add(u, add(cross(c, u), scale(dot(c, u), c))))


@kernel
def cayley_inverse_(g: Motion) -> Twist:
    """The ξ of `g = cayley(ξ)`; infinite for a rotation by π."""
    c = so3.cayley_inverse_(g[0])
    return c, scale(0.5, subtract(g[1], cross(c, g[1])))


@kernel
def _series(xi: Twist, eta: Twist, p: Any, dp: Any, q: Any, dq: Any) -> Twist:
    """`η + p ad_ξ η + q ad_ξ² η` of so(3), over a + bε; dp and dq are the derivatives of p and q by |ω|²."""
    omega, v = xi[0], xi[1]
    s = 2.0 * dot(omega, v)
    a, b = cross(omega, eta[0]), add(cross(omega, eta[1]), cross(v, eta[0]))
    aa, bb = cross(omega, a), add(cross(omega, b), cross(v, a))
    first = add(scale(p, a), scale(q, aa))
    second = add(add(scale(p, b), scale(q, bb)), add(scale(s * dp, a), scale(s * dq, aa)))
    return add(eta[0], first), add(eta[1], second)


@kernel
def dexp_right_(xi: Twist, eta: Twist) -> Twist:
    """`exp(−ξ) d/dt exp(ξ)` at ξ̇ = η, a twist."""
    a = dot(xi[0], xi[0])
    return _series(xi, eta, -versine(a), -versine_slope(a), sine_defect(a), sine_defect_slope(a))


@kernel
def dexp_left_(xi: Twist, eta: Twist) -> Twist:
    """`d/dt exp(ξ) exp(−ξ)` at ξ̇ = η, a twist."""
    a = dot(xi[0], xi[0])
    return _series(xi, eta, versine(a), versine_slope(a), sine_defect(a), sine_defect_slope(a))


@kernel
def dexpinv_right_(xi: Twist, eta: Twist) -> Twist:
    """The inverse of `dexp_right`; singular at |ω| = 2π."""
    a = dot(xi[0], xi[0])
    return _series(xi, eta, 0.5, 0.0, cot_defect(a), cot_defect_slope(a))


@kernel
def dexpinv_left_(xi: Twist, eta: Twist) -> Twist:
    """The inverse of `dexp_left`; singular at |ω| = 2π."""
    a = dot(xi[0], xi[0])
    return _series(xi, eta, -0.5, 0.0, cot_defect(a), cot_defect_slope(a))


@kernel
def distance_(g: Motion, h: Motion, length: Any) -> Any:
    """`√(θ² + |Δx|²/length²)`."""
    theta, d = so3.distance_(g[0], h[0]), scale(1.0 / length, subtract(h[1], g[1]))
    return sqrt(theta * theta + dot(d, d))


# --- arrays -----------------------------------------------------------------------------------------------------------


def _read(name: str, array: ArrayLike, shape: Shape) -> Any:
    """The components of an argument as kernels take them."""
    array = finite(name, array, shape)
    if shape == MATRIX:
        rotations(name, array, MATRIX)
    if shape == MOTION:
        if not np.array_equal(array[..., 3, :], np.broadcast_to([0.0, 0.0, 0.0, 1.0], array.shape[:-1])):
            raise InvalidInputError(name, array, "homogeneous matrices, whose last row is 0, 0, 0, 1")
        rotations(name, array[..., :3, :3], MATRIX)
        return components(array[..., :3, :3], MATRIX), components(array[..., :3, 3], VECTOR)
    if shape == TWIST:
        return components(array[..., :3], VECTOR), components(array[..., 3:], VECTOR)
    return components(array, shape)


def _written(result: Any, shape: Shape) -> NDArray[np.float64]:
    """What a kernel returns, as one array."""
    if shape == MOTION:
        R, x = result
        return assembled((*R[0:3], x[0], *R[3:6], x[1], *R[6:9], x[2], 0.0, 0.0, 0.0, 1.0), MOTION)
    return assembled(result[0] + result[1] if shape == TWIST else result, shape)


def _front(formula: Callable[..., Any], result: Shape, **arguments: tuple[ArrayLike, Shape]) -> NDArray[np.float64]:
    """The kernel `formula` on arrays, given by name with their shapes."""
    values = [_read(name, array, shape) for name, (array, shape) in arguments.items()]
    with np.errstate(all="ignore"):  # both sides of a `where` are computed, and one of them may divide by zero
        return _written(formula(*values), result)


def homogeneous(R: ArrayLike, x: ArrayLike) -> NDArray[np.float64]:
    """The matrix [[R, x], [0, 1]] of the motion y ↦ R y + x.

    >>> homogeneous(np.eye(3), [1, 2, 3])
    array([[1., 0., 0., 1.],
           [0., 1., 0., 2.],
           [0., 0., 1., 3.],
           [0., 0., 0., 1.]])
    """
    return _front(lambda R, x: (R, x), MOTION, R=(R, MATRIX), x=(x, VECTOR))


def parts(g: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation R and translation x of a motion.

    >>> parts(homogeneous(np.eye(3), [1, 2, 3]))[1]
    array([1., 2., 3.])
    """
    R, x = _read("g", g, MOTION)
    return assembled(R, MATRIX), assembled(x, VECTOR)


def hat(xi: ArrayLike) -> NDArray[np.float64]:
    """The matrix `ξ^ = [[S(ω), v], [0, 0]]` of the twist ξ = (ω, v): (..., 6) → (..., 4, 4).

    >>> hat([1, 2, 3, 4, 5, 6])
    array([[ 0., -3.,  2.,  4.],
           [ 3.,  0., -1.,  5.],
           [-2.,  1.,  0.,  6.],
           [ 0.,  0.,  0.,  0.]])
    """
    xi = as_array("xi", xi, TWIST)
    A = np.zeros((*xi.shape[:-1], 4, 4))
    A[..., :3, :3], A[..., :3, 3] = so3.hat(xi[..., :3]), xi[..., 3:]
    return A


def vee(A: ArrayLike) -> NDArray[np.float64]:
    """The ξ of `A = ξ^`; where the part S(ω) is not quite skew, of its skew part.

    >>> vee(hat([1, 2, 3, 4, 5, 6]))
    array([1., 2., 3., 4., 5., 6.])
    """
    A = finite("A", A, MOTION)
    if not np.all(np.abs(A[..., 3, :]) <= NEAR):
        raise InvalidInputError("A", A, "matrices of twists, whose last row is 0, 0, 0, 0")
    return np.concatenate([so3.vee(A[..., :3, :3]), A[..., :3, 3]], axis=-1)


def compose(g: ArrayLike, h: ArrayLike) -> NDArray[np.float64]:
    """The product `g h`: the motion h, then g.

    >>> compose(homogeneous(np.eye(3), [1, 2, 3]), homogeneous(np.eye(3), [1, 0, 0]))[:3, 3]
    array([2., 2., 3.])
    """
    return _front(compose_, MOTION, g=(g, MOTION), h=(h, MOTION))


def inverse(g: ArrayLike) -> NDArray[np.float64]:
    """The motion that undoes g.

    >>> inverse(homogeneous(np.eye(3), [1, 2, 3]))[:3, 3]
    array([-1., -2., -3.])
    """
    return _front(inverse_, MOTION, g=(g, MOTION))


def act(g: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """The point y (..., 3) moved to `R y + x`.

    >>> act(exp([0, 0, np.pi, 0, 0, 1]), [1, 0, 0]).round(12)
    array([-1.,  0.,  1.])
    """
    return _front(act_, VECTOR, g=(g, MOTION), y=(y, VECTOR))


def adjoint(g: ArrayLike, xi: ArrayLike) -> NDArray[np.float64]:
    """The twist `g ξ g⁻¹`: ξ of the body frame in the inertial frame.

    >>> adjoint(homogeneous(np.eye(3), [1, 0, 0]), [0, 0, 1, 0, 0, 0])
    array([ 0.,  0.,  1.,  0., -1.,  0.])
    """
    return _front(adjoint_, TWIST, g=(g, MOTION), xi=(xi, TWIST))


def exp(xi: ArrayLike) -> NDArray[np.float64]:
    """The motion of the twist ξ = (ω, v), (..., 6) → (..., 4, 4): a screw.

    >>> exp([0, 0, np.pi, np.pi, 0, 0])[:3, 3].round(12)
    array([0., 2., 0.])
    """
    return _front(exp_, MOTION, xi=(xi, TWIST))


def log(g: ArrayLike) -> NDArray[np.float64]:
    """The twist of g whose rotation is the shortest; as accurate at angle π as elsewhere.

    >>> log(exp([0.1, 0.2, 0.3, 1, 2, 3])).round(12)
    array([0.1, 0.2, 0.3, 1. , 2. , 3. ])
    """
    rotations("g", as_array("g", g, MOTION)[..., :3, :3], MATRIX, NEAR)
    return _front(log_, TWIST, g=(g, MOTION))


def cayley(xi: ArrayLike) -> NDArray[np.float64]:
    """`(1 + ξ^)(1 − ξ^)⁻¹` of the twist ξ = (c, u).

    >>> cayley([0, 0, 1, 1, 0, 0])[:3, 3]
    array([1., 1., 0.])
    """
    return _front(cayley_, MOTION, xi=(xi, TWIST))


def cayley_inverse(g: ArrayLike) -> NDArray[np.float64]:
    """The ξ of `g = cayley(ξ)`; a rotation by π has none, and gives infinities.

    >>> cayley_inverse(cayley([0, 0, 1, 1, 0, 0]))
    array([0., 0., 1., 1., 0., 0.])
    """
    return _front(cayley_inverse_, TWIST, g=(g, MOTION))


def dexp_right(xi: ArrayLike, eta: ArrayLike) -> NDArray[np.float64]:
    """The ζ of `d/dt exp(ξ) = exp(ξ) ζ^` at ξ̇ = η: the velocity in the body frame.

    >>> dexp_right([0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 0])
    array([0. , 0. , 1. , 0. , 0.5, 0. ])
    """
    return _front(dexp_right_, TWIST, xi=(xi, TWIST), eta=(eta, TWIST))


def dexp_left(xi: ArrayLike, eta: ArrayLike) -> NDArray[np.float64]:
    """The ζ of `d/dt exp(ξ) = ζ^ exp(ξ)` at ξ̇ = η: the velocity in the inertial frame.

    >>> dexp_left([0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 0])
    array([ 0. ,  0. ,  1. ,  0. , -0.5,  0. ])
    """
    return _front(dexp_left_, TWIST, xi=(xi, TWIST), eta=(eta, TWIST))


def dexpinv_right(xi: ArrayLike, eta: ArrayLike) -> NDArray[np.float64]:
    """The inverse of `dexp_right`; singular at |ω| = 2π.

    >>> dexpinv_right([0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0.5, 0])
    array([0., 0., 1., 0., 0., 0.])
    """
    return _front(dexpinv_right_, TWIST, xi=(xi, TWIST), eta=(eta, TWIST))


def dexpinv_left(xi: ArrayLike, eta: ArrayLike) -> NDArray[np.float64]:
    """The inverse of `dexp_left`; singular at |ω| = 2π.

    >>> dexpinv_left([0, 0, 0, 1, 0, 0], [0, 0, 1, 0, -0.5, 0])
    array([0., 0., 1., 0., 0., 0.])
    """
    return _front(dexpinv_left_, TWIST, xi=(xi, TWIST), eta=(eta, TWIST))


def distance(g: ArrayLike, h: ArrayLike, length: ArrayLike = 1.0) -> NDArray[np.float64]:
    """`√(θ² + |Δx|²/length²)`, with θ the angle between the rotations and Δx that between the translations.

    It is a metric and is left invariant, d(k g, k h) = d(g, h). No metric on SE(3) is invariant from both sides, and
    none can do without a `length` that says how many metres count as one radian.

    >>> float(distance(np.eye(4), homogeneous(np.eye(3), [3, 0, 4]), length=10))
    0.5
    """
    if not np.all(np.asarray(length) > 0.0):
        raise InvalidInputError("length", length, "a positive number")
    return _front(distance_, SCALAR, g=(g, MOTION), h=(h, MOTION), length=(length, SCALAR))


def random(rng: np.random.Generator, size: Size = None, length: float = 1.0) -> NDArray[np.float64]:
    """Motions of uniform rotation and of normally distributed translation, with `length` as its standard deviation.

    >>> random(np.random.default_rng(1), 5).shape
    (5, 4, 4)
    """
    R = so3.random(rng, size)
    return homogeneous(R, length * rng.standard_normal(R.shape[:-1]))


def project(A: ArrayLike) -> NDArray[np.float64]:
    """The motion nearest to the matrix A (..., 4, 4) in the Frobenius norm: the rotation nearest to its upper left
    part, see `so3.project`, and its translation as it is.

    >>> project(2 * homogeneous(np.eye(3), [1, 2, 3]))
    array([[1., 0., 0., 2.],
           [0., 1., 0., 4.],
           [0., 0., 1., 6.],
           [0., 0., 0., 1.]])
    """
    A = as_array("A", A, MOTION)
    return homogeneous(so3.project(A[..., :3, :3]), A[..., :3, 3])
