"""Units for the variables of a linear system in which all of it is of one size, whatever units it came in.

For the sizes `N_ij` of the blocks of A in `ẋ = A x`, the greatest geometric mean of N round a cycle of variables is a rate
that no choice of units changes. With `x = D x'` for a suitable diagonal D no block of `D⁻¹ A D` is larger than it. In the
algebra with max for + these are the eigenvalue of N and a row of the closure of N by its powers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def natural_scales(N: Array, unit: int) -> tuple[float, Array]:
    """The rate of N, and the scale of each variable in that of the variable `unit`; 1 where nothing determines it.

    >>> rate, scales = natural_scales(np.array([[0.0, 0.5], [32.0, 0.0]]), 0)  # 1/J and the stiffness of a spring
    >>> rate, scales  # ω, and Jω: by how much the momentum swings for a swing of one radian
    (4.0, array([1., 8.]))
    """
    power, rate = N, 0.0
    for length in range(1, len(N) + 1):
        rate = max(rate, float(np.diag(power).max()) ** (1.0 / length))
        power = _product(power, N)
    scales = np.ones(len(N))
    if rate == 0.0:
        return rate, scales
    closure = power = np.eye(len(N))
    for _ in range(len(N) - 1):
        power = _product(power, N / rate)
        closure = np.maximum(closure, power)
    from_unit, to_unit = closure[:, unit], closure[unit]
    scales[to_unit > 0.0] = 1.0 / to_unit[to_unit > 0.0]
    scales[from_unit > 0.0] = from_unit[from_unit > 0.0]
    return rate, scales


def _product(A: Array, B: Array) -> Array:
    """`max_k A_ik B_kj`."""
    product: Array = np.max(A[:, :, None] * B[None, :, :], axis=1)
    return product
