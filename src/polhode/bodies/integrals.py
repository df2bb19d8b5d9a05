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


def moved_integrals(T: Array, R: Array, d: Array) -> Array:
    """The integrals of a body with the integrals T that is turned by R and then moved by d.

    A monomial in `x' = R x + d` is that of one degree less times one of the three linear forms; expanded in x, its
    integral is the sum of its coefficients times T.
    """
    order = T.shape[0] - 1
    one = np.zeros_like(T)
    one[0, 0, 0] = 1.0
    found, layer = np.zeros_like(T), {(0, 0, 0): one}
    for n in range(order + 1):
        for ijk, polynomial in layer.items():
            found[ijk] = np.sum(polynomial * T)
        if n == order:
            break
        above: dict[tuple[int, int, int], Array] = {}
        for (i, j, k), polynomial in layer.items():
            # each monomial of the next degree once: by x', or by y' if there is no x', or by z' if there is neither
            above[i + 1, j, k] = _times_form(polynomial, R[0], d[0])
            if i == 0:
                above[i, j + 1, k] = _times_form(polynomial, R[1], d[1])
            if i == 0 and j == 0:
                above[i, j, k + 1] = _times_form(polynomial, R[2], d[2])
        layer = above
    return found


def _times_form(P: Array, row: Array, constant: float) -> Array:
    """A polynomial times `row·x + constant`."""
    product = constant * P
    product[1:] += row[0] * P[:-1]
    product[:, 1:] += row[1] * P[:, :-1]
    product[:, :, 1:] += row[2] * P[:, :, :-1]
    return product
