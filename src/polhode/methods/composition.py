"""Symmetric compositions: a symmetric map of order 2, done with fractions of the step, becomes one of higher order.

`Ψ_h = Φ_{γ_s h} ∘ … ∘ Φ_{γ_1 h}` with `γ_i = γ_{s+1−i}` and `Σ γ_i = 1` is symmetric and conserves whatever Φ conserves. The sets
are the ones with small error constants rather than the fewest stages: for order 4 Suzuki's five, for orders 6 and 8
the nine and seventeen of Kahan and Li.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

REFERENCES = {
    4: "M. Suzuki, Phys. Lett. A 146 (1990) 319",
    6: "W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089, 9 stages",
    8: "W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089, 17 stages",
}

# The first half of each set; the middle coefficient follows from the sum being one.
_FIRST_HALF: dict[int, list[float]] = {
    2: [],
    4: [1.0 / (4.0 - 4.0 ** (1.0 / 3.0))] * 2,
    6: [
        0.39216144400731413927925056,
        0.33259913678935943859974864,
        -0.70624617255763935980996482,
        0.08221359629355080023149045,
    ],
    8: [
        0.13020248308889008087881763,
        0.56116298177510838456196441,
        -0.38947496264484728640807860,
        0.15884190655515560089621075,
        -0.39590389413323757733623154,
        0.18453964097831570709183254,
        0.25837438768632204729397911,
        0.29501172360931029887096624,
    ],
}
ORDERS = tuple(_FIRST_HALF)


def composition_references(order: int) -> dict[str, str]:
    """The source of the set of this order, by what reports call it; none for a single step.

    >>> composition_references(4), composition_references(2)
    ({'composition of order 4': 'M. Suzuki, Phys. Lett. A 146 (1990) 319'}, {})
    """
    return {f"composition of order {order}": REFERENCES[order]} if order in REFERENCES else {}


def fractions(order: int) -> NDArray[np.float64]:
    """The fractions γ of the step, in order.

    >>> fractions(4).size, float(fractions(8).sum())
    (5, 1.0)
    """
    half = np.array(_FIRST_HALF[order])
    return np.concatenate([half, [1.0 - 2.0 * half.sum()], half[::-1]])


def stages(gamma: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (fraction of the step, where it starts) for the drift–kick loop.

    >>> stages(np.array([0.25, 0.5, 0.25]))
    array([[0.25, 0.  ],
           [0.5 , 0.25],
           [0.25, 0.75]])
    """
    starts = np.concatenate([[0.0], np.cumsum(gamma)[:-1]])
    return np.stack([gamma, starts], axis=1)


@cache
def composition_stages(order: int) -> NDArray[np.float64]:
    """The stages of the set of this order."""
    return stages(fractions(order))
