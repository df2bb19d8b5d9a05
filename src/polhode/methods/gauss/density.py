"""How dense the steps have to be: the fastest rate of the motion at a state, from what the system says of itself.

    σ⁴ = Σ μ²/r⁶ + Σ (|ω|⁴ + b² |M|²) + σ₀⁴

The first sum is over places that attract each other (`Canonical.attractions`), μ = G(m₁ + m₂): `√(μ/r³)` is the rate of a
circular orbit. The second is over attitudes and angles: their rates ω, and the rates `√(b|M|)` at which a moment M swings
a body of inverse inertia b. σ₀ bounds the longest step. σ is smooth, never zero, and does not change if the motion is
reversed.

Where σ has to be a function of the canonical variables whose derivatives are known, `b⁴|π|⁴` stands for the second sum, π
being the momentum in space.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.vectors import add, cross, dot, scale, subtract
from ...scalars import get, get3, get4, get9, kernel, put3, put4, sqrt
from .picture import ANGLE, AT, CONFIGURATION, CONJUGATE, CONSTANTS, KIND, MOMENTUM, ROTATION
from .quaternion_products import from_left, plus4, twice_momenta

Array = NDArray[np.float64]


class Rates(NamedTuple):
    """Where two places begin that attract each other, −1 for the origin, and their momenta in w; their μ²; b⁴ of each part;
    σ₀⁴; and whether σ is to be a function of the canonical variables."""

    places: NDArray[np.int64]
    momenta: NDArray[np.int64]
    squares: Array
    turning: Array
    least: float
    canonical: bool


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
def momentum_rates(S: Any, rates: Rates, parts: Any, count: Any, w: Any) -> Any:
    """What stands for these where σ is a function of the canonical variables: the sum of `b⁴|π|⁴`."""
    total = 0.0 * get(w, 0, S)
    for k in range(count):
        if parts[k, KIND] == ROTATION:
            pi = scale(0.5, twice_momenta(get4(w, parts[k, AT], S), get4(w, parts[k, AT] + CONJUGATE, S))[0])
            square = dot(pi, pi)
            total = total + rates.turning[k] * (square * square)
    return total


@kernel
def add_flow(S: Any, rates: Rates, parts: Any, count: Any, factor: Any, w: Any, y: Any, out: Any) -> None:
    """Add `factor` times the Hamiltonian vector field of σ⁴, as a function of the canonical variables, to `out`.

    The flow of |π|²/2 turns q and p about π: `q̇ = ½ π q`.
    """
    for k in range(count):
        if parts[k, KIND] == ROTATION:
            i = parts[k, AT]
            q, p = get4(w, i, S), get4(w, i + CONJUGATE, S)
            pi = scale(0.5, twice_momenta(q, p)[0])
            o = scale(factor * (2.0 * rates.turning[k]) * dot(pi, pi), pi)
            put4(out, i, S, plus4(get4(out, i, S), 1.0, from_left(o, q)))
            put4(out, i + CONJUGATE, S, plus4(get4(out, i + CONJUGATE, S), 1.0, from_left(o, p)))
    for k in range(rates.squares.shape[0]):
        r = get3(y, rates.places[k, 0], S)
        if rates.places[k, 1] >= 0:
            r = subtract(r, get3(y, rates.places[k, 1], S))
        inverse = 1.0 / dot(r, r)
        push = scale(factor * (6.0 * rates.squares[k]) * ((inverse * inverse) * (inverse * inverse)), r)
        put3(out, rates.momenta[k, 0], S, add(get3(out, rates.momenta[k, 0], S), push))
        if rates.momenta[k, 1] >= 0:
            put3(out, rates.momenta[k, 1], S, subtract(get3(out, rates.momenta[k, 1], S), push))


@kernel
def fourth_root(total: Any) -> Any:
    """σ from the sum of all rates."""
    return sqrt(sqrt(total))
