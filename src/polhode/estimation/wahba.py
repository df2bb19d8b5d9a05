"""Attitude from directions seen at one instant: TRIAD from two of them, and least squares from any number.

`r` inertial directions, `b` the same in the body frame; the result R maps body to inertial, `r ≈ R b`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from ..systems.base import check_finite

Array = NDArray[np.float64]


def _frame(name: str, first: ArrayLike, second: ArrayLike) -> Array:
    """Orthonormal columns: along `first`, across both, and their product."""
    a, b = check_finite(f"{name}1", first, (3,)), check_finite(f"{name}2", second, (3,))
    across = np.cross(a, b)
    if np.linalg.norm(across) <= 1e-9 * np.linalg.norm(a) * np.linalg.norm(b) or not np.linalg.norm(a) > 0:
        raise InvalidInput(f"{name}2", b, f"a direction that is not parallel to {name}1 = {a}")
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

    Refused if the directions do not determine it: fewer than two, or all parallel.
    """
    inertial, body = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (r, b))
    if inertial.shape != body.shape or inertial.shape[1:] != (3,):
        raise InvalidInput("b", f"an array of shape {body.shape}", f"the shape of r, (n, 3), here {inertial.shape}")
    weights = np.ones(len(body)) if sigma is None else 1.0 / np.asarray(sigma, dtype=float) ** 2
    U, s, Vt = np.linalg.svd(np.einsum("i,ij,ik->jk", weights, inertial, body))
    sign = np.sign(np.linalg.det(U) * np.linalg.det(Vt))
    if not s[1] + sign * s[2] > 1e-9 * s[0]:
        raise InvalidInput("r", inertial, "at least two directions that are not parallel")
    return U @ np.diag([1.0, 1.0, sign]) @ Vt
