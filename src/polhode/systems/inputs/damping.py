"""Damping matrices that a user gives: D of a moment −Dω."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_finite
from ...errors import InvalidInputError

Array = NDArray[np.float64]


def check_damping(field: str, value: ArrayLike | None) -> Array:
    """A damping matrix from a number, three numbers or a 3×3 matrix; it must not add energy."""
    if value is None:
        return np.zeros((3, 3))
    array = np.asarray(value, dtype=object)
    if array.shape == ():
        D = float(check_finite(field, value, ())) * np.eye(3)
    elif array.shape == (3,):
        D = np.diag(check_finite(field, value, (3,)))
    elif array.shape == (3, 3):
        D = check_finite(field, value, (3, 3))
    else:
        raise InvalidInputError(field, value, f"a number, three numbers or a 3×3 matrix, not shape {array.shape}")
    if np.linalg.eigvalsh(0.5 * D + 0.5 * D.T)[0] < -5e-13 * np.abs(D).max():
        raise InvalidInputError(field, value, "a matrix with ω·Dω ≥ 0: one that does not add energy")
    return D
