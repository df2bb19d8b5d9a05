"""Inertia integrals `T_ijk = ∫ xⁱ yʲ zᵏ dm` as arrays, and what follows from the first three degrees.

An array of order n has the shape (n+1, n+1, n+1); `T[i, j, k]` with i + j + k > n is not known and kept at zero.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def exponents(order: int) -> Iterator[tuple[int, int, int]]:
    """All (i, j, k) with i + j + k ≤ order, by rising total degree."""
    for n in range(order + 1):
        for k in range(n + 1):
            for j in range(n - k + 1):
                yield n - k - j, j, k


def first_moments(T: Array) -> Array:
    """`∫ ρ dm`."""
    return np.array([T[1, 0, 0], T[0, 1, 0], T[0, 0, 1]])


def second_moments(T: Array) -> Array:
    """`∫ ρρᵀ dm`."""
    xy, xz, yz = T[1, 1, 0], T[1, 0, 1], T[0, 1, 1]
    return np.array([[T[2, 0, 0], xy, xz], [xy, T[0, 2, 0], yz], [xz, yz, T[0, 0, 2]]])


def inertia_from(T: Array) -> Array:
    """The inertia about the mass centre, `J = tr(Jd) 1 − Jd` with `Jd = ∫ ρρᵀ dm − m c cᵀ`."""
    first = first_moments(T)
    Jd = second_moments(T) - np.outer(first, first) / T[0, 0, 0]
    return np.trace(Jd) * np.eye(3) - Jd
