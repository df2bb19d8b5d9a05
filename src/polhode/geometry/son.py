"""SO(n) for any n ≥ 2: rotations R and skew matrices A, both as NumPy arrays of shape (..., n, n).

    hat, vee     skew matrix ↔ vector of n(n−1)/2 numbers:  A_ij = (−1)^(i+j) x_k for i < j, the pairs (i, j) taken in
                 reverse lexicographic order. For n = 3 this is so3.hat, A y = x × y; for n = 2 it is so2.hat.
    exp, log     R = exp(A); log(R) is the skew A with the angles of all planes in [−π, π]
    cayley       R = (1 + A)(1 − A)⁻¹
    dexp         d/dt exp(A) = exp(A) dexp_right(A, Ȧ) = dexp_left(A, Ȧ) exp(A)
    distance     ‖log(RᵀQ)‖_F/√2: the root of the sum of the squares of the angles; for n = 2, 3 it is the angle

exp and dexp are Taylor series of A/2^s, then doubled s times; it is `exp(A) − 1` that is computed, so that a small
rotation keeps its digits. The inverses use `iA = U Λ U*` with a unitary U and one step of refinement, which takes away
the rounding of the eigenvectors. References: Iserles, Munthe-Kaas, Nørsett & Zanna, "Lie-group methods" (2000); Gallier
& Xu, "Computing exponentials of skew-symmetric matrices and logarithms of orthogonal matrices" (2002); Mezzadri, "How to
generate random matrices from the classical compact groups" (2007).
"""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from .array_api import rotations, skews
from .quaternion import Size, leading

Array = NDArray[np.float64]
Eigenpairs = tuple[Array, NDArray[np.complex128]]


def _square(name: str, x: ArrayLike) -> Array:
    try:
        array = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(name, x, "numbers in an array of shape (..., n, n), n ≥ 2") from None
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] < 2:
        raise InvalidInputError(name, f"an array of shape {array.shape}", "an array of shape (..., n, n), n ≥ 2")
    if not np.isfinite(array).all():
        raise InvalidInputError(name, array, "finite numbers")
    return array


def _skew_matrix(name: str, x: ArrayLike) -> Array:
    array = _square(name, x)
    return _skew(skews(name, array, array.shape[-2:]))


def _rotation(name: str, x: ArrayLike) -> Array:
    array = _square(name, x)
    return rotations(name, array, array.shape[-2:])


def _same_size(first: str, A: Array, second: str, B: Array) -> None:
    try:
        np.broadcast_shapes(A.shape, B.shape)
    except ValueError:
        allowed = f"a shape that goes with {A.shape}, that of {first}"
        raise InvalidInputError(second, f"an array of shape {B.shape}", allowed) from None


def _transposed(A: NDArray[Any]) -> NDArray[Any]:
    return np.swapaxes(A, -1, -2)


def _skew(A: NDArray[Any]) -> Array:
    return 0.5 * (A - _transposed(A))


def _pairs(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """The index pairs i < j in the order of `vee`, and their signs."""
    i, j = (index[::-1] for index in np.triu_indices(n, 1))
    return i, j, np.where((i + j) % 2 == 0, 1.0, -1.0)


def _eigenpairs(A: NDArray[Any]) -> Eigenpairs:
    """Λ and U of `iA = U Λ U*`, for the skew part of A; orthonormal U, and Λ precise relative to ‖A‖."""
    values, vectors = np.linalg.eigh(1j * _skew(A))
    return values, vectors


def _scaled(A: Array) -> tuple[Array, NDArray[np.int64]]:
    """A/2^s of norm at most ½, and the s of each matrix of the batch."""
    norm = np.abs(A).sum(axis=-1).max(axis=-1)
    s = np.maximum(0, np.frexp(norm)[1] + 1)
    return A * np.exp2(-s)[..., None, None], s


def _taylor(B: Array) -> Array:
    """exp(B) − 1 for a B of norm at most ½."""
    one = np.eye(B.shape[-1])
    total = one
    for k in range(15, 1, -1):
        total = one + B @ total / k
    return B @ total


def _returned(E: NDArray[Any]) -> Array:
    """E, with R = 1 + E brought back to the group from a distance of rounding: a Newton–Schulz step."""
    defect = E + _transposed(E) + _transposed(E) @ E  # RᵀR − 1
    return E - 0.5 * (defect + E @ defect)


def _exp_less_one(A: Array) -> Array:
    """exp(A) − 1 of a skew matrix."""
    B, s = _scaled(A)
    E = _taylor(B)
    for k in range(s.max(initial=0)):
        E = np.where((k < s)[..., None, None], 2.0 * E + E @ E, E)
    return _returned(E)


def hat(x: ArrayLike) -> Array:
    """The skew matrix of the vector x: (..., n(n−1)/2) → (..., n, n).

    >>> hat([1, 2, 3])
    array([[ 0., -3.,  2.],
           [ 3.,  0., -1.],
           [-2.,  1.,  0.]])
    """
    try:
        x = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError("x", x, "numbers in an array of shape (..., n(n − 1)/2)") from None
    return _hat(x)


def _hat(x: Array) -> Array:
    """`hat` of an array as it is; an imaginary part of it is carried along."""
    n = (1 + isqrt(1 + 8 * x.shape[-1])) // 2 if x.ndim else 0
    if n < 2 or n * (n - 1) // 2 != x.shape[-1]:
        raise InvalidInputError(
            "x", f"an array of shape {x.shape}", "a last axis of 1, 3, 6, 10, ..., n(n − 1)/2 numbers"
        )
    i, j, sign = _pairs(n)
    A = np.zeros((*x.shape[:-1], n, n), dtype=x.dtype)
    A[..., i, j] = sign * x
    A[..., j, i] = -sign * x
    return A


def vee(A: ArrayLike) -> Array:
    """The vector of a skew matrix, the inverse of `hat`; of a matrix that is not quite skew, of its skew part.

    >>> vee([[0, -5], [5, 0]])
    array([5.])
    """
    return _vee(_skew_matrix("A", A))


def _vee(A: ArrayLike) -> Array:
    """`vee` of the skew part of any matrix."""
    A = _square("A", A)
    i, j, sign = _pairs(A.shape[-1])
    return sign * _skew(A)[..., i, j]


def exp(A: ArrayLike) -> Array:
    """The rotation exp(A) of a skew matrix A (..., n, n).

    >>> exp(hat([np.pi / 2])).round(12)
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    return _exp(_skew_matrix("A", A))


def _exp(A: ArrayLike) -> Array:
    """`exp` of the skew part of any matrix; an imaginary part of it, made small, is carried along."""
    A = _skew(np.asarray(A) if np.iscomplexobj(A) else _square("A", A))
    return np.eye(A.shape[-1]) + _exp_less_one(A)


def log(R: ArrayLike) -> Array:
    """The skew matrix A of least norm with exp(A) = R; its angles are in [−π, π].

    It is accurate up to angle π. There A is not unique: the eigenvectors for −1 are paired to planes as they come.
    What is not a rotation is refused with `InvalidInputError`.

    >>> vee(log(exp(hat([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])))).round(12)
    array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    """
    return _log(_rotation("R", R))


def _log(R: ArrayLike) -> Array:
    """`log` of what may be off the group; only det R < 0 is refused."""
    R = _square("R", R)
    return _log_of_one_plus("R", R - np.eye(R.shape[-1]))


def _log_of_one_plus(name: str, E: Array) -> Array:
    """log(1 + E). By the Cayley transform `2 arctan(E (2 + E)⁻¹)` where no angle is large, so that small rotations
    keep their digits; by the real Schur form elsewhere, which has no trouble near π."""
    one = np.eye(E.shape[-1])
    near = np.linalg.norm(E, ord=2, axis=(-2, -1)) < 1.0  # all angles below π/3
    t, U = _eigenpairs(np.linalg.solve(2.0 * one + np.where(near[..., None, None], E, 0.0), E))
    A = _skew(((U * (-2j * np.arctan(t))[..., None, :]) @ _transposed(U.conj())).real)
    for index in np.argwhere(~near):
        A[tuple(index)] = _schur_log(name, one + E[tuple(index)])
    less_one = _exp_less_one(A)
    residual = _transposed(one + less_one) @ (E - less_one)
    return A + _divided(A, residual, -1.0, least=0.5)  # close to angle π some directions stay as they are


def _schur_log(name: str, R: Array) -> Array:
    """The logarithm of one rotation, whose real Schur form consists of plane rotations and of 1 and −1."""
    from scipy.linalg import schur

    n = len(R)
    T, Z = schur(R, output="real")[:2]
    planes, reversed_axes, k = [], [], 0
    while k < n:
        if k + 1 < n and T[k + 1, k] != 0.0:
            planes.append((k, k + 1, np.arctan2(T[k + 1, k] - T[k, k + 1], T[k, k] + T[k + 1, k + 1])))
            k += 2
        else:
            if T[k, k] < 0.0:
                reversed_axes.append(k)
            k += 1
    if len(reversed_axes) % 2:
        raise InvalidInputError(name, R, "a rotation, with determinant +1")
    planes += [(i, j, np.pi) for i, j in zip(reversed_axes[::2], reversed_axes[1::2], strict=True)]
    A = np.zeros((n, n))
    for i, j, angle in planes:
        A += angle * (np.outer(Z[:, j], Z[:, i]) - np.outer(Z[:, i], Z[:, j]))
    return A


def cayley(A: ArrayLike) -> Array:
    """The rotation (1 + A)(1 − A)⁻¹ of a skew matrix A.

    >>> cayley([[0, -1], [1, 0]])
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    A = _skew_matrix("A", A)
    one = np.eye(A.shape[-1])
    return one + _returned(2.0 * np.linalg.solve(one - A, A))


def cayley_inverse(R: ArrayLike) -> Array:
    """The skew matrix (R − 1)(R + 1)⁻¹. A rotation with a plane that turns by π has none, and is refused.

    >>> cayley_inverse([[0, -1], [1, 0]])
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    R = _rotation("R", R)
    one = np.eye(R.shape[-1])
    try:
        return _skew(np.linalg.solve(R + one, R - one))
    except np.linalg.LinAlgError:
        raise InvalidInputError("R", R, "a rotation without the eigenvalue −1") from None


def _dexp(A: ArrayLike, V: ArrayLike, side: float, inverse: bool) -> Array:
    """`φ(side · ad_A) V`, φ(z) = (e^z − 1)/z, or its inverse."""
    A, V = _skew_matrix("A", A), _skew_matrix("V", V)
    _same_size("A", A, "V", V)
    if not inverse:
        return _multiplied(A, V, side)
    W = _divided(A, V, side)
    return W + _divided(A, V - _multiplied(A, W, side), side)


def _multiplied(A: Array, V: Array, side: float) -> Array:
    """`φ(side · ad_A) V`: for A/2^s by its series, then doubled by φ(2z) = ½ (1 + e^z) φ(z)."""
    B, s = _scaled(side * A)
    W = V
    for k in range(20, 1, -1):
        W = V + (B @ W - W @ B) / k
    E = _taylor(B)
    for k in range(s.max(initial=0)):
        R = np.eye(A.shape[-1]) + E
        W = np.where((k < s)[..., None, None], 0.5 * (W + R @ W @ _transposed(R)), W)
        E = np.where((k < s)[..., None, None], 2.0 * E + E @ E, E)
    return _skew(W)


def _divided(A: Array, V: Array, side: float, least: float = 0.0) -> Array:
    """`φ(side · ad_A)⁻¹ V` in the eigenbasis of A, where φ(iμ) = e^(iμ/2) sin(μ/2)/(μ/2) is a factor for each entry.

    Entries whose factor is below `least` are set to zero.
    """
    t, U = _eigenpairs(A)
    mu = -side * (t[..., :, None] - t[..., None, :])
    size = np.sinc(mu / (2.0 * np.pi))
    W = _transposed(U.conj()) @ _skew(V) @ U
    with np.errstate(divide="ignore", invalid="ignore"):
        W = np.where(np.abs(size) < least, 0.0, W * np.exp(-0.5j * mu) / size)
    return _skew((U @ W @ _transposed(U.conj())).real)


def dexp_right(A: ArrayLike, V: ArrayLike) -> Array:
    """The skew W of `d/dt exp(A) = exp(A) W` at Ȧ = V.

    >>> vee(dexp_right(hat([0, 0, np.pi]), hat([1, 0, 0]))).round(6) + 0.0
    array([ 0.     , -0.63662,  0.     ])
    """
    return _dexp(A, V, -1.0, inverse=False)


def dexp_left(A: ArrayLike, V: ArrayLike) -> Array:
    """The skew W of `d/dt exp(A) = W exp(A)` at Ȧ = V.

    >>> vee(dexp_left(hat([0, 0, np.pi]), hat([1, 0, 0]))).round(6) + 0.0
    array([0.     , 0.63662, 0.     ])
    """
    return _dexp(A, V, 1.0, inverse=False)


def dexpinv_right(A: ArrayLike, V: ArrayLike) -> Array:
    """The inverse of `dexp_right`; singular where two angles of A differ by 2π.

    >>> A, V = hat([1, 2, 3, 4, 5, 6]) / 9, hat([1, 0, 2, 0, 3, 0])
    >>> vee(dexpinv_right(A, dexp_right(A, V))).round(12) + 0.0
    array([1., 0., 2., 0., 3., 0.])
    """
    return _dexp(A, V, -1.0, inverse=True)


def dexpinv_left(A: ArrayLike, V: ArrayLike) -> Array:
    """The inverse of `dexp_left`; singular where two angles of A differ by 2π.

    >>> A, V = hat([1, 2, 3, 4, 5, 6]) / 9, hat([1, 0, 2, 0, 3, 0])
    >>> vee(dexpinv_left(A, dexp_left(A, V))).round(12) + 0.0
    array([1., 0., 2., 0., 3., 0.])
    """
    return _dexp(A, V, 1.0, inverse=True)


def distance(R: ArrayLike, Q: ArrayLike) -> Array:
    """‖log(RᵀQ)‖_F/√2, the length of the shortest path from R to Q; small ones keep their digits.

    >>> float(distance(np.eye(4), exp(hat([3e-9, 0, 0, 0, 0, 4e-9])))).__round__(20)
    5e-09
    """
    return _distance(_rotation("R", R), _rotation("Q", Q))


def _distance(R: ArrayLike, Q: ArrayLike) -> Array:
    """`distance` of what may be off the group."""
    R, Q = _square("R", R), _square("Q", Q)
    _same_size("R", R, "Q", Q)
    A = _log_of_one_plus("R⁻¹ Q", _transposed(R) @ (Q - R))
    return np.asarray(np.linalg.norm(A, axis=(-2, -1)) / np.sqrt(2.0))


def random(rng: np.random.Generator, n: int, size: Size = None) -> Array:
    """Rotations drawn uniformly (Haar measure) from SO(n), as an array of shape size + (n, n).

    >>> random(np.random.default_rng(1), 4, 5).shape
    (5, 4, 4)
    """
    if n < 2:
        raise InvalidInputError("n", n, "an integer ≥ 2")
    Q, upper = np.linalg.qr(rng.standard_normal((*leading(size), n, n)))
    Q = Q * np.sign(np.diagonal(upper, axis1=-2, axis2=-1))[..., None, :]  # without this QR is not uniform
    Q[..., :, 0] *= np.sign(np.linalg.det(Q))[..., None]
    return Q


def project(A: ArrayLike) -> Array:
    """The rotation nearest to A in the Frobenius norm: its polar factor.

    A matrix with det A ≤ 0, or singular to working precision, is refused with `InvalidInputError`.

    >>> project([[3, 0], [0, 2]])
    array([[1., 0.],
           [0., 1.]])
    """
    A = _square("A", A)
    U, sigma, Vt = np.linalg.svd(A)
    n = A.shape[-1]
    regular = sigma[..., -1] > n * np.finfo(float).eps * sigma[..., 0]
    bad = ~(regular & (np.linalg.det(U) * np.linalg.det(Vt) > 0.0))
    if bad.any():
        raise InvalidInputError("A", A[bad][0], "a nonsingular matrix of positive determinant")
    return np.eye(n) + _returned(U @ Vt - np.eye(n))
