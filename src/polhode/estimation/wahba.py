"""Attitude from directions seen at one instant: TRIAD from two of them, and least squares from any number.

`r` inertial directions, `b` the same in the body frame; the result R maps body to inertial, `r ≈ R b`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite
from ..errors import InvalidInputError

Array = NDArray[np.float64]
PARALLEL = 1e-9  # the angle below which directions are parallel
UNDETERMINED = 1e-15  # singular values go as the square of the angle between two directions


def _frame(name: str, first: ArrayLike, second: ArrayLike) -> Array:
    """Orthonormal columns: along `first`, across both, and their product."""
    a, b = check_finite(f"{name}1", first, (3,)), check_finite(f"{name}2", second, (3,))
    across = np.cross(a, b)
    if np.linalg.norm(across) <= PARALLEL * np.linalg.norm(a) * np.linalg.norm(b) or not np.linalg.norm(a) > 0:
        raise InvalidInputError(f"{name}2", b, f"a direction that is not parallel to {name}1 = {a}")
    t1, t2 = a / np.linalg.norm(a), across / np.linalg.norm(across)
    return np.stack([t1, t2, np.cross(t1, t2)], axis=1)


def triad(r1: ArrayLike, r2: ArrayLike, b1: ArrayLike, b2: ArrayLike) -> Array:
    """The attitude that takes b1 to r1 exactly and b2 into the plane of r1 and r2.

    >>> triad([1, 0, 0], [0, 1, 0], [0, 1, 0], [-1, 0, 0]).round(12) + 0.0
    array([[ 0.,  1.,  0.],
           [-1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    return _frame("r", r1, r2) @ _frame("b", b1, b2).T


def least_squares_attitude(r: ArrayLike, b: ArrayLike, sigma: ArrayLike | None = None) -> Array:
    """The rotation that minimises `Σ |rᵢ − R bᵢ|²/σᵢ²` (Wahba's problem), by a singular value decomposition.

    `sigma`: one for all, or one each. Refused if the directions do not determine it: fewer than two in `r` or in `b`, or
    all parallel.
    """
    inertial = check_finite("r", r, (len(np.atleast_2d(np.asarray(r, dtype=object))), 3))
    if np.shape(b) != inertial.shape:
        raise InvalidInputError("b", b, f"the shape of r, (n, 3), here {inertial.shape}")
    body = check_finite("b", b, inertial.shape)
    sizes = [np.abs(vectors).max(axis=1) for vectors in (inertial, body)]
    for name, vectors, size in zip("rb", (inertial, body), sizes, strict=True):
        directions = vectors[size > 0] / size[size > 0, None]
        if np.linalg.matrix_rank(directions, tol=PARALLEL) < 2:
            raise InvalidInputError(name, vectors, "at least two directions that are not parallel")
    weights = _weights(sigma, len(body))
    U, s, Vt = np.linalg.svd(np.einsum("i,ij,ik->jk", weights, inertial, body))
    sign = np.sign(np.linalg.det(U) * np.linalg.det(Vt))
    if not s[1] + sign * s[2] > UNDETERMINED * np.sum(weights * sizes[0] * sizes[1]):
        raise InvalidInputError(
            "b", body, "directions that determine an attitude: several attitudes fit these equally well"
        )
    return U @ np.diag([1.0, 1.0, sign]) @ Vt


def _weights(sigma: ArrayLike | None, count: int) -> Array:
    """1/σ² of each direction."""
    if sigma is None:
        return np.ones(count)
    spread = check_finite("sigma", sigma, (count,) if np.ndim(sigma) else ())
    if not np.all(spread > 0):
        raise InvalidInputError("sigma", sigma, "positive numbers")
    return np.broadcast_to(1.0 / spread**2, (count,))
