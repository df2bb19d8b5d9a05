"""Zeros of functions of an angle: of sums of Chebyshev's polynomials, and of any other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
POINTS = 2048  # of the circle, where a function is evaluated
ZERO = 1e-9  # of its largest value, where it touches zero
SAME = 1e-7  # how close two zeros are that count as one


def chebyshev_roots(series: Array) -> list[float]:
    """The roots from −1 to 1 of a sum of Chebyshev's polynomials, each once, multiple ones too: between any two points
    where it turns there is at most one, and a multiple one is such a point itself.

    >>> chebyshev_roots(np.polynomial.chebyshev.poly2cheb(np.poly([0.25, 0.25, -0.5])[::-1]))
    [-0.5, 0.25]
    """
    from numpy.polynomial.chebyshev import chebder, chebval
    from scipy.optimize import brentq

    if series.size < 2:
        return []
    small = 1e-14 * float(np.abs(series).sum())
    points = [-1.0, *chebyshev_roots(np.asarray(chebder(series), np.float64)), 1.0]
    values = [float(chebval(c, series)) for c in points]
    found = [c for c, value in zip(points, values, strict=True) if abs(value) <= small]
    for a, b, left, right in zip(points, points[1:], values, values[1:], strict=False):
        if left * right < 0.0 and min(abs(left), abs(right)) > small:
            found.append(float(brentq(chebval, a, b, args=(series,), xtol=1e-15)))
    return sorted(set(found))


def angles_of_zero(function: Callable[[Array], Array]) -> list[float]:
    """The angles from −π to π where a periodic function vanishes, each once: where it changes its sign, and where it
    touches zero between two of many points.

    >>> [round(a, 12) for a in angles_of_zero(lambda a: np.sin(a) - 0.5)]
    [0.523598775598, 2.617993877991]
    """
    from scipy.optimize import brentq, minimize_scalar

    angles = np.linspace(-np.pi, np.pi, POINTS + 1) + 1e-3 / POINTS  # not at 0 and π, where zeros often are
    values = function(angles)
    size, found = float(np.abs(values).max()), []

    def at(angle: float) -> float:
        return float(function(np.array([angle]))[0])

    for k in range(POINTS):
        if values[k] * values[k + 1] <= 0.0:
            found.append(float(brentq(at, angles[k], angles[k + 1], xtol=1e-15)))
        elif abs(values[k]) < min(abs(values[k - 1]), abs(values[k + 1])) and abs(values[k]) < 1e-4 * size:
            near = minimize_scalar(
                lambda a: abs(at(a)), bounds=(angles[k - 1], angles[k + 1]), options={"xatol": 1e-13}
            )
            if abs(near.fun) <= ZERO * size:
                found.append(float(near.x))
    turned = sorted(a - 2.0 * np.pi if a > np.pi + SAME else a for a in found)
    return [a for k, a in enumerate(turned) if k == 0 or a - turned[k - 1] > SAME]
