"""What the rigid body on SO(n) conserves: Manakov's integrals and the Casimir functions.

    d/dt (M + λΛ²) = [M + λΛ², Ω + λΛ]                                                                 (2.4) of [BCMR02]

so that the coefficients I_kj of λʲ in tr (M + λΛ²)ᵏ are constant, for the continuous motion and, at every step size, for
the discrete one (8.9). Those with k − j odd vanish and those with k = j depend on Λ alone; those with j = 0 are Casimir
functions. There are enough of them, in involution, for the motion to be integrable. S. V. Manakov, Funct. Anal. Appl. 10
(1976) 328.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...geometry.increments.momentum_weight import Weight

Array = NDArray[np.float64]


def manakov_labels(n: int) -> list[tuple[int, int]]:
    """The (k, j) of the integrals that depend on M: 2 ≤ k ≤ n, j < k, k − j even.

    >>> manakov_labels(4)
    [(2, 0), (3, 1), (4, 0), (4, 2)]
    """
    return [(k, j) for k in range(2, n + 1) for j in range(k - 1) if (k - j) % 2 == 0]


def manakov_integrals(Lambda: ArrayLike | Weight, M: ArrayLike) -> Array:
    """The integrals I_kj of momenta M (..., n, n), along the last axis in the order of `manakov_labels`.

    >>> from polhode.geometry.son import hat
    >>> manakov_integrals([1, 2, 3], hat([1, 0, 0]))            # −2|m|² and 3 tr(M²Λ²)
    array([ -2., -39.])
    """
    L = Weight.of(Lambda).matrix
    return trace_coefficients(np.asarray(M, dtype=np.float64), L @ L)


def trace_coefficients(M: Array, squared: Array) -> Array:
    """The coefficients of λʲ in tr (M + λΛ²)ᵏ in the order of `manakov_labels`, `squared` being Λ²."""
    powers = [np.broadcast_to(np.eye(M.shape[-1]), M.shape)]  # the coefficients of λ⁰, λ¹, … in (M + λΛ²)ᵏ
    wanted = []
    for k in range(1, M.shape[-1] + 1):
        zero = np.zeros_like(M)
        raised = zip([*(A @ M for A in powers), zero], [zero, *(A @ squared for A in powers)], strict=True)
        powers = [a + b for a, b in raised]
        wanted += [np.trace(powers[j], axis1=-2, axis2=-1) for j in range(k - 1) if (k - j) % 2 == 0]
    return np.stack(wanted, axis=-1)


def casimirs(M: ArrayLike) -> Array:
    """`tr M², tr M⁴, …` of momenta M (..., n, n): n/2 of them, rounded down.

    >>> from polhode.geometry.son import hat
    >>> casimirs(hat([1, 2, 2]))
    array([-18.])
    """
    M = np.asarray(M, dtype=np.float64)
    squared = M @ M
    powers = [squared]
    for _ in range(M.shape[-1] // 2 - 1):
        powers.append(powers[-1] @ squared)
    return np.stack([np.trace(A, axis1=-2, axis2=-1) for A in powers], axis=-1)
