"""Distances of points, segments, triangles and ellipsoids: what the separation of bodies is made of.

Arrays of facets have the shape (n, 3, 3): facet, corner, coordinate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EDGES = ((0, 1), (1, 2), (2, 0))
ROOT = 1e-9  # of the place of a minimum: the minimum itself is then good to all digits


def point_ellipsoid(points: Array, semiaxes: Array) -> Array:
    """The distance of points (..., 3) from an ellipsoid about the origin; zero inside."""
    t, direction = _away_from_ellipsoid(np.asarray(points, dtype=float), semiaxes)
    return np.asarray(t * np.sqrt(_dot(direction, direction)))


def _away_from_ellipsoid(y: Array, semiaxes: Array) -> tuple[Array, Array]:
    """A number t and a vector n along the outward normal at the nearest point x, with `y − x = t n`; t is zero inside.

    The nearest point is `x = s² n`, `n = y/(t + s²)`, with the t ≥ 0 at which it lies on the surface. One over the length
    of x/s is nearly linear in t, so that Newton's iteration converges from t = 0 in a few steps, and from one side.
    """
    squares = semiaxes**2
    outside = np.sum((y / semiaxes) ** 2, axis=-1) > 1.0
    t = np.zeros(y.shape[:-1])
    for _ in range(50):
        scaled = semiaxes * y / (t[..., None] + squares)
        size2 = np.sum(scaled**2, axis=-1)
        change = np.sum(scaled**2 / (t[..., None] + squares), axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            move = np.where(outside, size2 * (np.sqrt(size2) - 1.0) / change, 0.0)
        t = np.maximum(t + move, 0.0)
        if np.all(np.abs(move) <= 4e-16 * (t + squares.max())):
            break
    return t, y / (t[..., None] + squares)


def nearest_points(points: Array, corners: Array) -> Array:
    """The nearest points of facets to points, both (n, ...)."""
    a, b, c = corners[..., 0, :], corners[..., 1, :], corners[..., 2, :]
    normal = np.cross(b - a, c - a)
    height = _dot(points - a, normal) / _dot(normal, normal)
    foot = points - height[..., None] * normal
    inside = np.ones(foot.shape[:-1], dtype=bool)
    best, least = foot, np.full(foot.shape[:-1], np.inf)
    for i, j in EDGES:
        p, q = corners[..., i, :], corners[..., j, :]
        inside &= _dot(np.cross(q - p, foot - p), normal) >= 0.0
        on_edge = _on_segment(points, p, q)
        apart = _dot(points - on_edge, points - on_edge)
        nearer = apart < least
        best, least = np.where(nearer[..., None], on_edge, best), np.where(nearer, apart, least)
    return np.where(inside[..., None], foot, best)


def closest_to_point(point: Array, corners: Array) -> float:
    """The distance of a point from the nearest facet."""
    return float(
        np.linalg.norm(nearest_points(np.broadcast_to(point, (len(corners), 3)), corners) - point, axis=1).min()
    )


def enclosed(points: Array, corners: Array) -> NDArray[np.bool_]:
    """Whether points (n, 3) lie inside a closed outward mesh: the solid angles of its facets add up to 4π there."""
    found = []
    for point in points:
        a, b, c = np.moveaxis(corners - point, 1, 0)
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        below = la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb
        angle = 2.0 * np.sum(np.arctan2(_dot(a, np.cross(b, c)), below))
        found.append(angle > 2.0 * np.pi)
    return np.array(found, dtype=bool)


def facet_pair_distances(first: Array, second: Array) -> Array:
    """The distances of pairs of facets, (n,): zero where they cut each other, else the least of the distances of corners
    from facets and of edges from edges."""
    least = np.full(len(first), np.inf)
    for corners, other in ((first, second), (second, first)):
        for k in range(3):
            gap = nearest_points(corners[:, k], other) - corners[:, k]
            least = np.minimum(least, np.linalg.norm(gap, axis=1))
        for i, j in EDGES:
            least = np.where(_pierces(corners[:, i], corners[:, j], other), 0.0, least)
    for i, j in EDGES:
        for k, m in EDGES:
            least = np.minimum(least, segment_distances(first[:, i], first[:, j], second[:, k], second[:, m]))
    return least


def segment_distances(p: Array, q: Array, r: Array, s: Array) -> Array:
    """The distances of segments pq and rs, (n,): where the lines come closest if that is on both, else at an end."""
    u, v, w = q - p, s - r, p - r
    a, b, c, d, e = _dot(u, u), _dot(u, v), _dot(v, v), _dot(u, w), _dot(v, w)
    det = a * c - b * b
    with np.errstate(divide="ignore", invalid="ignore"):
        along, other = (b * e - c * d) / det, (a * e - b * d) / det
    crossing = (det > 1e-14 * a * c) & (along >= 0.0) & (along <= 1.0) & (other >= 0.0) & (other <= 1.0)
    ends = [(p, r, s), (q, r, s), (r, p, q), (s, p, q)]
    least = np.min([np.linalg.norm(x - _on_segment(x, y, z), axis=1) for x, y, z in ends], axis=0)
    with np.errstate(invalid="ignore"):
        middle = np.linalg.norm(w + along[:, None] * u - other[:, None] * v, axis=1)
    return np.where(crossing, np.minimum(middle, least), least)


def facet_ellipsoid_distances(corners: Array, semiaxes: Array, bound: float) -> Array:
    """The distances of facets from an ellipsoid about the origin, (n,), where they are below `bound`.

    In coordinates that make it the unit ball a facet cuts it if it comes within 1 of the origin. Otherwise the plane's
    nearest point counts if it lies in the facet; if not, the nearest point is on an edge.
    """
    origin = np.zeros((len(corners), 3))
    cuts = np.linalg.norm(nearest_points(origin, corners / semiaxes), axis=1) <= 1.0
    a, b, c = np.moveaxis(corners, 1, 0)
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    normal *= np.where(_dot(normal, a) < 0.0, -1.0, 1.0)[:, None]
    support = np.linalg.norm(semiaxes * normal, axis=1)
    height = _dot(normal, a) - support
    foot = semiaxes**2 * normal / support[:, None] + height[:, None] * normal
    inside = np.linalg.norm(nearest_points(foot, corners) - foot, axis=1) <= 1e-12 * support
    least = np.where(cuts, 0.0, np.where(inside & (height > 0.0), height, bound))
    open_ = ~cuts & ~inside & (height < least.min())  # a facet is no nearer than its plane
    for i, j in EDGES if open_.any() else ():
        least[open_] = np.minimum(least[open_], _segment_ellipsoid(corners[open_, i], corners[open_, j], semiaxes))
    return least


def _segment_ellipsoid(p: Array, q: Array, semiaxes: Array) -> Array:
    """The distances of segments from an ellipsoid that they do not cut: a convex function along each, whose slope vanishes
    at the minimum, or else the nearer end counts. The root of the slope is found by the Illinois method."""
    d = q - p

    def slope(at: Array) -> Array:  # but for a positive factor
        return _dot(d, _away_from_ellipsoid(p + at[:, None] * d, semiaxes)[1])

    low, high = np.zeros(len(p)), np.ones(len(p))
    down, up = slope(low), slope(high)
    place = np.where(up <= 0.0, high, low)
    between = (down < 0.0) & (up > 0.0)
    side = np.zeros(len(p))
    for _ in range(60):
        with np.errstate(divide="ignore", invalid="ignore"):
            new = np.where(between, (low * up - high * down) / (up - down), place)
        found = bool(np.all(np.abs(new - place) <= ROOT))
        place = new
        if found:
            break
        now = slope(place)
        rising = now > 0.0
        weight = np.where(side == np.sign(now), 0.5, 1.0)  # an end that stays once more loses half of its weight
        side = np.sign(now)
        down, up = np.where(rising, weight * down, now), np.where(rising, now, weight * up)
        low, high = np.where(rising, low, place), np.where(rising, place, high)
    return point_ellipsoid(p + place[:, None] * d, semiaxes)


def _pierces(p: Array, q: Array, corners: Array) -> NDArray[np.bool_]:
    """Whether segments pq cross facets."""
    a, b, c = np.moveaxis(corners, 1, 0)
    normal = np.cross(b - a, c - a)
    hp, hq = _dot(p - a, normal), _dot(q - a, normal)
    d = q - p
    sides = np.stack([_dot(d, np.cross(x - p, y - p)) for x, y in ((a, b), (b, c), (c, a))])
    through = np.all(sides >= 0.0, axis=0) | np.all(sides <= 0.0, axis=0)
    return through & (hp * hq <= 0.0) & (hp != hq)


def _on_segment(x: Array, p: Array, q: Array) -> Array:
    """The point of segment pq nearest to x."""
    d = q - p
    t = np.clip(_dot(x - p, d) / _dot(d, d), 0.0, 1.0)
    return p + t[..., None] * d


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=-1))
