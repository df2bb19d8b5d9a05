"""Kepler's equation in compiled code, for places on an ellipse as a function of time."""

from __future__ import annotations

from typing import Any

from ..scalars import atan2, cos, kernel, sin, where

MOST_ITERATIONS = 5  # enough for any ellipse; a circle needs none


@kernel
def eccentric_anomaly(M: Any, e: Any, iterations: int) -> Any:
    """E of Kepler's equation `E − e sin E = M`, by Danby's iteration of order 4 from `M ± 0.85 e`."""
    M = atan2(sin(M), cos(M))
    E = M + where(M < 0.0, -0.85, 0.85) * e
    for _ in range(iterations):
        s, c = e * sin(E), e * cos(E)
        f, f1 = E - s - M, 1.0 - c
        d = -f / f1
        d = -f / (f1 + 0.5 * d * s)
        E = E - f / (f1 + 0.5 * d * s + d * d * c / 6.0)
    return E
