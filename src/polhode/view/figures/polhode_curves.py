"""Polhodes: where the energy ellipsoid `Π·J⁻¹Π = 2E` meets the momentum spheres `|Π| = const`.

In the principal frame, with moments J₁ ≤ J₂ ≤ J₃, put `Π_i = √(2E J_i) u_i`. The ellipsoid becomes the unit sphere and the
squared momentum is `|Π|² = 2E k` with `k = Σ J_i u_i²`: a polhode is a level curve of k. Those with k < J₂ go around the
axis of the least moment, those with k > J₂ around that of the greatest, and k = J₂ is the separatrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def polhode_curves(moments: Array, k: float, points: int = 721) -> list[Array]:
    """The two closed curves of level `k`, each (points, 3) in u; an empty list if they do not exist or are single points.

    >>> curves = polhode_curves(np.array([1.0, 2.0, 3.0]), 1.5)
    >>> [bool(np.allclose(u**2 @ [1, 2, 3], 1.5) and np.allclose(np.linalg.norm(u, axis=1), 1)) for u in curves]
    [True, True]
    """
    least, middle, greatest = moments
    if not least < k < greatest:
        return []
    # about the axis `a`, with the other two as an ellipse in (u_b, u_c)
    a, b, c = (0, 1, 2) if k < middle or (k == middle and least < middle) else (2, 1, 0)
    angle = np.linspace(0.0, 2.0 * np.pi, points)
    u = np.empty((points, 3))
    u[:, b] = np.sqrt((k - moments[a]) / (moments[b] - moments[a])) * np.cos(angle)
    u[:, c] = np.sqrt((k - moments[a]) / (moments[c] - moments[a])) * np.sin(angle)
    u[:, a] = np.sqrt(np.maximum(1.0 - u[:, b] ** 2 - u[:, c] ** 2, 0.0))
    other = u.copy()
    other[:, a] *= -1.0
    return [u, other]


def polhode_family(moments: Array, count: int = 5) -> list[Array]:
    """Polhodes spread evenly over the ellipsoid, about both stable axes, without the separatrix."""
    least, middle, greatest = moments
    sizes = (np.arange(count) + 0.5) / count
    levels = [*(least + (middle - least) * sizes**2), *(greatest - (greatest - middle) * sizes**2)]
    return [curve for k in levels for curve in polhode_curves(moments, float(k))]


def separatrix_curves(moments: Array) -> list[Array]:
    """The curves through the middle axis; none for a body with an axis of symmetry."""
    least, middle, greatest = moments
    return polhode_curves(moments, float(middle)) if least < middle < greatest else []
