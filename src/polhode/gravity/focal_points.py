"""A homogeneous ellipsoid as points that attract, everywhere outside it, as it does.

Outside, ellipsoids with common foci and equal mass attract alike (Maclaurin's theorem). So an ellipsoid with semiaxes
a ≥ b ≥ c attracts as the flattest of them all does, the disc with the semiaxes `A = √(a² − c²)`, `B = √(b² − c²)` in the
plane of its two longer axes, on which the mass has the density

    3m/(2πAB) √(1 − x²/A² − y²/B²).

With x = As, y = B√(1 − s²) t the mean over the disc is an integral with the weights (1 − s²) and √(1 − t²), for which Gauss's
rules are known. The attracted matter is outside the ellipsoid and hence away from the disc: there the rule converges
as `((a − c)/(a + c))^{n/2}` with the degree n of the polynomials in s that it integrates exactly, up to the surface, and
likewise with b for t. A ball is one point, an ellipsoid of revolution about its longest axis points on a segment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..bodies import Body, Ellipsoid, PointMasses
from ..errors import InvalidInputError

Array = NDArray[np.float64]
MOST_NODES = 120  # along one axis: enough for an ellipsoid ten times as long as it is thick


def points_of(field: str, body: Body, tolerance: float) -> Array:
    """Rows of mass and position: points that attract as the body does."""
    if isinstance(body, PointMasses):
        return np.column_stack([body.masses, body.positions])
    if isinstance(body, Ellipsoid):
        return focal_points(field, body, tolerance)
    raise InvalidInputError(field, body, "a body with a shape: points, dumbbell, sphere, ellipsoid or polyhedron")


def focal_points(field: str, body: Ellipsoid, tolerance: float) -> Array:
    """The points of an ellipsoid: their attraction on its surface has an error of about the tolerance.

    >>> focal_points("body", Ellipsoid(2.0, [3.0, 3.0, 3.0]), 1e-10)
    array([[2., 0., 0., 0.]])
    """
    from scipy.special import roots_chebyu, roots_jacobi

    order = np.argsort(-body.semiaxes, kind="stable")
    c = body.semiaxes[order[2]]
    counts = [_nodes(field, body, axis, c, tolerance) for axis in body.semiaxes[order[:2]]]
    s, weight_s = roots_jacobi(counts[0], 1.0, 1.0)
    t, weight_t = roots_chebyu(counts[1])
    A, B = np.sqrt((body.semiaxes[order[:2]] - c) * (body.semiaxes[order[:2]] + c))
    points = np.zeros((s.size * t.size, 4))
    points[:, 0] = body.mass * np.outer(weight_s / weight_s.sum(), weight_t / weight_t.sum()).ravel()
    points[:, 1 + order[0]] = A * np.repeat(s, t.size)
    points[:, 1 + order[1]] = B * np.outer(np.sqrt((1.0 - s) * (1.0 + s)), t).ravel()
    return points + 0.0


def _nodes(field: str, body: Ellipsoid, axis: float, c: float, tolerance: float) -> int:
    """How many nodes the rule needs along an axis: n of them are exact to the degree 2n − 1."""
    ratio = (axis - c) / (axis + c)
    count = 1 if ratio <= 0.0 else 1 + int(np.ceil(np.log(tolerance) / np.log(ratio)))
    if count > MOST_NODES:
        allowed = 'a thicker ellipsoid for gravity = "shapes": one so flat would need too many points'
        raise InvalidInputError(f"{field}.semiaxes", body.semiaxes, allowed)
    return count
