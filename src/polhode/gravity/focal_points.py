"""A homogeneous ellipsoid as points that attract, everywhere outside it, as it does.

Outside, ellipsoids with common foci and equal mass attract alike (Maclaurin's theorem). So an ellipsoid with semiaxes
a ≥ b ≥ c attracts as the flattest of them all does, the disc with the semiaxes `A = √(a² − c²)`, `B = √(b² − c²)` in the
plane of its two longer axes, on which the mass has the density

    3m/(2πAB) √(1 − x²/A² − y²/B²).

With x = As, y = B√(1 − s²) t the mean over the disc is an integral with the weights (1 − s²) and √(1 − t²), for which Gauss's
rules are known. The attracted matter is outside the ellipsoid, hence away from the disc, and the rules converge up to the
surface: with n nodes the error is ρ⁻²ⁿ, where for t

    ρ = (b + c)/B,

the sum of the semiaxes of the ellipse with the foci ±B in a section across x, and for s, as 1/|x − y| with y in the end of the
longest axis is singular at complex points (x, y) of the disc's plane,

    ρ = w + √(1 + w²),    B w + A √(1 + w²) = a.

Matter that stays a distance δ away from the surface is outside the confocal ellipsoid `c' = c + δ`, whose semiaxes then
count. A ball is one point, an ellipsoid of revolution about its longest axis points on a segment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..bodies import Body, Ellipsoid, PointMasses
from ..bodies.revolution import Revolved
from ..errors import InvalidInputError

Array = NDArray[np.float64]
MOST_POINTS = 20_000


def points_of(field: str, body: Body, other: Body, tolerance: float) -> Array:
    """Rows of mass and position: points that attract the other body as this body does."""
    if isinstance(body, PointMasses):
        return np.column_stack([body.masses, body.positions])
    if isinstance(body, Ellipsoid):
        return focal_points(field, body, depth(other), tolerance)
    allowed = 'points, a dumbbell, sphere, ellipsoid, box or polyhedron for gravity = "shapes"'
    if isinstance(body, Revolved):
        allowed += "; its mesh, body.polyhedron(), is one"
    raise InvalidInputError(field, body, f"{allowed}; an expansion (gravity = 2, 4, ...) takes any body")


def depth(body: Body) -> float:
    """How far below its surface the points are that stand for a body; nothing where its surface attracts."""
    if isinstance(body, Ellipsoid):
        a, c = body.semiaxes.max(), body.semiaxes.min()
        return float(a - np.sqrt((a - c) * (a + c)))
    return float(body.radii.min()) if isinstance(body, PointMasses) else 0.0


def focal_points(field: str, body: Ellipsoid, clear: float, tolerance: float) -> Array:
    """The points of an ellipsoid: their attraction at a distance `clear` from its surface has an error of about the
    tolerance.

    >>> focal_points("body", Ellipsoid(2.0, [3.0, 3.0, 3.0]), 0.0, 1e-10)
    array([[2., 0., 0., 0.]])
    """
    from scipy.special import roots_chebyu, roots_jacobi

    order = np.argsort(-body.semiaxes, kind="stable")
    a, b, c = body.semiaxes[order]
    A, B = np.sqrt((a - c) * (a + c)), np.sqrt((b - c) * (b + c))
    counts = node_counts(np.array([a, b, c]), clear, tolerance)
    if counts[0] * counts[1] > MOST_POINTS:
        allowed = 'a thicker ellipsoid for gravity = "shapes": one so flat would need too many points'
        raise InvalidInputError(f"{field}.semiaxes", body.semiaxes, allowed)
    s, weight_s = roots_jacobi(counts[0], 1.0, 1.0)
    t, weight_t = roots_chebyu(counts[1])
    points = np.zeros((s.size * t.size, 4))
    points[:, 0] = body.mass * np.outer(weight_s / weight_s.sum(), weight_t / weight_t.sum()).ravel()
    points[:, 1 + order[0]] = A * np.repeat(s, t.size)
    points[:, 1 + order[1]] = B * np.outer(np.sqrt((1.0 - s) * (1.0 + s)), t).ravel()
    return points + 0.0


def node_counts(semiaxes: Array, clear: float, tolerance: float) -> tuple[int, int]:
    """How many nodes the rules need for s and t; semiaxes in descending order.

    >>> node_counts(np.array([1.5, 1.5, 1.0]), 0.0, 1e-10), node_counts(np.array([1.5, 1.0, 1.0]), 0.0, 1e-10)
    ((41, 16), (16, 1))
    """
    squares = semiaxes**2
    A, B = np.sqrt(squares[:2] - squares[2])
    a, b, c = np.sqrt(squares + clear * (2.0 * semiaxes[2] + clear))
    if A == 0.0:
        return 1, 1
    low, high = 0.0, a / A
    for _ in range(60):
        w = 0.5 * (low + high)
        low, high = (w, high) if B * w + A * np.sqrt(1.0 + w * w) < a else (low, w)
    digits = -0.5 * np.log(tolerance)
    along = min(1 + int(np.ceil(digits / np.arcsinh(low))), MOST_POINTS)
    return along, 1 if B == 0.0 else 1 + int(np.ceil(digits / np.log((b + c) / B)))
