"""How dense the steps have to be: the fastest rate of the motion at a state, from what the system says of itself.

    σ⁴ = Σ μ²/r⁶ + Σ (|ω|⁴ + b² |M|²) + σ₀⁴

The first sum is over places that attract each other (`Canonical.attractions`), μ = G(m₁ + m₂): `√(μ/r³)` is the rate of a
circular orbit. The second is over attitudes and angles: their rates ω, and the rates `√(b|M|)` at which a moment M swings
a body of inverse inertia b. σ₀ bounds the longest step. σ is smooth, never zero, and does not change if the motion is
reversed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.vectors import cross, dot, subtract
from ...scalars import get, get3, get9, kernel, sqrt
from .picture import ANGLE, CONFIGURATION, CONSTANTS, KIND, MOMENTUM, ROTATION

Array = NDArray[np.float64]


class Rates(NamedTuple):
    """Where two places begin that attract each other, −1 for the origin; their μ²; and σ₀⁴."""

    places: NDArray[np.int64]
    squares: Array
    least: float


@kernel
def attraction_rates(S: Any, rates: Rates, y: Any) -> Any:
    """The fourth power of the rates of places, and σ₀⁴."""
    total = rates.least + 0.0 * get(y, 0, S)
    for k in range(rates.squares.shape[0]):
        r = get3(y, rates.places[k, 0], S)
        if rates.places[k, 1] >= 0:
            r = subtract(r, get3(y, rates.places[k, 1], S))
        inverse = 1.0 / dot(r, r)
        total = total + rates.squares[k] * (inverse * inverse * inverse)
    return total


@kernel
def turning_rates(S: Any, parts: Any, count: Any, c: Any, y: Any, dy: Any) -> Any:
    """The fourth power of the rates of attitudes and angles, at a state whose derivative is `dy`."""
    total = 0.0 * get(y, 0, S)
    for k in range(count):
        row = parts[k]
        at, m = row[CONFIGURATION], row[MOMENTUM]
        if row[KIND] == ROTATION:
            R, Pi = get9(y, at, S), get3(y, m, S)
            r, s, t = get3(dy, at, S), get3(dy, at + 3, S), get3(dy, at + 6, S)
            omega = (
                R[2] * r[1] + R[5] * s[1] + R[8] * t[1],
                R[0] * r[2] + R[3] * s[2] + R[6] * t[2],
                R[1] * r[0] + R[4] * s[0] + R[7] * t[0],
            )
            M, b = subtract(get3(dy, m, S), cross(Pi, omega)), c[row[CONSTANTS]]
            square = dot(omega, omega)
            total = total + (square * square + (b * b) * dot(M, M))
        elif row[KIND] == ANGLE:
            turning = get(y, at, S) * get(dy, at + 1, S) - get(y, at + 1, S) * get(dy, at, S)
            push, square = c[row[CONSTANTS]] * get(dy, m, S), turning * turning
            total = total + (square * square + push * push)
    return total


@kernel
def fourth_root(total: Any) -> Any:
    """σ from the sum of all rates."""
    return sqrt(sqrt(total))
