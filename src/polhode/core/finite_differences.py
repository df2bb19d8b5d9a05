"""Central differences of order 8: `f'(0) = Σ WEIGHTS[n] f(OFFSETS[n] h) / h + O(h⁸)`, and how far they can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

OFFSETS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0)
WEIGHTS = (4 / 5, -4 / 5, -1 / 5, 1 / 5, 4 / 105, -4 / 105, -1 / 280, 1 / 280)
ROUNDING = 2.2e-16
PLAIN = 64 * ROUNDING  # so far apart, relative to the numbers, differences of orders 6 and 8 may be by rounding alone
FAINT = 1e-2  # of the largest number: smaller ones are taken for as large


@dataclass(frozen=True)
class Difference:
    """The derivative of several numbers by differences with the step `h`. `error` is an estimate of what is cut off and rounded;
    `exact` says that nothing is cut off. `roughness` is what is not smooth over the points, relative to the largest number."""

    slope: Array
    error: Array
    exact: bool
    roughness: float

    @classmethod
    def of(cls, rows: Array, here: Array, h: float) -> Difference:
        """From the numbers at the points of the differences (8, ...), and in the middle.

        What the orders 4 and 6 cut off, each less than the one before by about the same factor, tells what order 8 does.
        """
        one, two, three, four = rows[::2] - rows[1::2]
        # by pairs, so that what is constant has no slope on any processor: BLAS adds up in an order of its own
        slope = WEIGHTS[0] * one + WEIGHTS[2] * two + WEIGHTS[4] * three + WEIGHTS[6] * four
        fourth = np.abs(slope - (8.0 * one - two) / 12.0)
        sixth = np.abs(slope - (45.0 * one - 9.0 * two + three) / 60.0)
        middle = np.abs((4.0 * (rows[0] + rows[1]) - (rows[2] + rows[3])) / 6.0 - here)
        largest = np.abs(rows).max(initial=0.0)
        size = np.maximum(np.abs(rows).max(axis=0), FAINT * largest)
        factor = np.divide(sixth, fourth, out=np.ones_like(sixth), where=fourth > sixth)
        eighth = np.where(sixth <= PLAIN * size, 0.0, sixth * factor)
        rough = max(fourth.max(initial=0.0), middle.max(initial=0.0)) / largest if largest else 0.0
        return cls(slope / h, (eighth + ROUNDING * size) / h, bool(np.all(eighth <= ROUNDING * size)), float(rough))

    def or_better(self, other: Difference) -> Difference:
        """For each number the one with the smaller error."""
        better = other.error < self.error
        slope, error = (np.where(better, b, a) for a, b in ((self.slope, other.slope), (self.error, other.error)))
        return Difference(slope, error, other.exact, other.roughness)
