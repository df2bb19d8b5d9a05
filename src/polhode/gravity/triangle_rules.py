"""Rules for integrals over a triangle: rows of two barycentric coordinates and a weight; the weights add up to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def product_rule(n: int) -> Array:
    """The n² points and weights, of sum 1, of the product of two Gauss rules on a triangle with two of its sides drawn
    together: exact to degree 2n − 1."""
    from scipy.special import roots_jacobi

    u, wu = roots_jacobi(n, 1.0, 0.0)  # weight 1 − u on [−1, 1]
    v, wv = np.polynomial.legendre.leggauss(n)
    u, v = 0.5 * (1.0 + u), 0.5 * (1.0 + v)
    return np.column_stack([np.repeat(u, n), np.outer(1.0 - u, v).ravel(), np.outer(wu, wv).ravel() / 4.0])


def radon_rule() -> Array:
    """Radon's seven points, exact to degree 5."""
    root = float(np.sqrt(15.0))
    rows = [[1.0 / 3.0, 1.0 / 3.0, 9.0 / 40.0]]
    for sign in (-1.0, 1.0):
        b, weight = (6.0 + sign * root) / 21.0, (155.0 + sign * root) / 1200.0
        rows += [[*place, weight] for place in ((b, b), (b, 1.0 - 2.0 * b), (1.0 - 2.0 * b, b))]
    return np.array(rows)


def in_blocks(rule: Array, size: int) -> Array:
    """A rule with points of weight zero at its end, so that their number is a multiple of `size`; by columns."""
    missing = -len(rule) % size
    return np.vstack([rule, np.tile([1.0 / 3.0, 1.0 / 3.0, 0.0], (missing, 1))]).T
