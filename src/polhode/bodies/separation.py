"""How far apart two bodies are, by their true shapes: balls, ellipsoids, triangle meshes.

Body 1 stands at `X` in the frame of body 2, turned by `R` (frame 1 to frame 2). The separation is the least distance of
their points, and zero where they touch or overlap.

Of a body given by its integrals only the radius is known: it counts as the sphere of that radius, which holds it.

A mesh need not be convex nor star-shaped: the distance is that of its facets, unless one body lies inside the other.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from .base import Body
from .ellipsoid import Ellipsoid
from .moments_only import GivenIntegrals
from .points import PointMasses
from .polyhedron import Polyhedron
from .revolution import Revolved
from .triangles import closest_to_point, enclosed, facet_ellipsoid_distances, facet_pair_distances, point_ellipsoid

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

PAIRS_AT_ONCE = 20_000


def separation(first: Body, second: Body, X: ArrayLike, R: ArrayLike | None = None) -> float:
    """The distance between the surfaces of two bodies; `Separation` keeps what many calls have in common.

    >>> from polhode.bodies import Ellipsoid, Sphere
    >>> separation(Ellipsoid(1.0, [3.0, 2.0, 1.0]), Sphere(1.0, 0.5), X=[5.0, 0.0, 0.0])
    1.5
    """
    return Separation(first, second)(X, np.eye(3) if R is None else R)


class Separation:
    """The separation of two bodies as a function of `X` and `R`.

    `reach` is the sum of the radii of the spheres about both mass centres that hold the bodies: mass centres farther
    apart than that are a lower bound that costs nothing.
    """

    def __init__(self, first: Body, second: Body) -> None:
        self.first, self.second = shape_of("first", first), shape_of("second", second)
        self.reach = float(first.radius + second.radius)

    @property
    def possible(self) -> bool:
        """Whether the bodies can touch at all: points without a radius never do."""
        return self.reach > 0.0 and not (self.first.thin and self.second.thin)

    def __call__(self, X: ArrayLike, R: ArrayLike) -> float:
        X, R = np.asarray(X, dtype=float), np.asarray(R, dtype=float)
        if self.first.rank >= self.second.rank:
            return max(0.0, self.first.distance(self.second, -R.T @ X, R.T))
        return max(0.0, self.second.distance(self.first, X, R))


class Shape:
    """A body's surface in its own frame. `distance(other, X, R)` is to one of no higher rank, placed in this frame."""

    rank: int
    thin = False

    def distance(self, other: Shape, X: Array, R: Array) -> float:
        """The distance from another shape of no higher rank, which is at X with the attitude R in the frame of this one."""
        raise NotImplementedError


class Balls(Shape):
    """Points with radii, which may be zero."""

    rank = 0

    def __init__(self, centres: Array, radii: Array) -> None:
        self.centres, self.radii = centres, radii
        self.thin = not np.any(radii)

    def distance(self, other: Shape, X: Array, R: Array) -> float:
        assert isinstance(other, Balls)
        arms = (other.centres @ R.T + X)[:, None] - self.centres
        return float(np.min(np.linalg.norm(arms, axis=-1) - other.radii[:, None] - self.radii))


class Solid(Shape):
    """An ellipsoid along the axes of its frame."""

    rank = 1

    def __init__(self, semiaxes: Array) -> None:
        self.semiaxes = semiaxes

    def distance(self, other: Shape, X: Array, R: Array) -> float:
        if isinstance(other, Balls):
            return float(np.min(point_ellipsoid(other.centres @ R.T + X, self.semiaxes) - other.radii))
        assert isinstance(other, Solid)
        return ellipsoid_distance(self.semiaxes, other.semiaxes, X, R)


class Surface(Shape):
    """A closed triangle mesh."""

    rank = 2

    def __init__(self, vertices: Array, faces: Indices) -> None:
        self.vertices, self.faces = vertices, faces
        self.corners = vertices[faces]
        self.middles = self.corners.mean(axis=1)
        self.radii = np.linalg.norm(self.corners - self.middles[:, None], axis=-1).max(axis=1)

    @cached_property
    def tree(self) -> cKDTree:
        """The middles of the triangles, for searches."""
        from scipy.spatial import cKDTree

        return cKDTree(self.middles)

    @cached_property
    def one_of_each_part(self) -> Array:
        """A vertex of every connected part."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        start, end = self.faces.ravel(), np.roll(self.faces, -1, axis=1).ravel()
        graph = coo_array((np.ones(start.size), (start, end)), shape=(len(self.vertices),) * 2)
        labels = connected_components(graph, directed=False)[1]
        return self.vertices[[np.flatnonzero(labels == part)[0] for part in np.unique(labels[self.faces])]]

    def distance(self, other: Shape, X: Array, R: Array) -> float:
        if isinstance(other, Balls):
            centres = other.centres @ R.T + X
            if np.any(enclosed(centres, self.corners)):
                return 0.0
            return float(min(closest_to_point(c, self.corners) - r for c, r in zip(centres, other.radii, strict=True)))
        if isinstance(other, Solid):
            if enclosed(X[None], self.corners)[0]:
                return 0.0
            return self._to_ellipsoid(other.semiaxes, X, R)
        assert isinstance(other, Surface)
        return self._to_surface(other, X, R)

    def _to_ellipsoid(self, semiaxes: Array, X: Array, R: Array) -> float:
        """The least over the facets that can hold it: a facet is no nearer than its middle less its radius."""
        middles = point_ellipsoid((self.middles - X) @ R, semiaxes)
        bound = min(middles.min(), point_ellipsoid((self.vertices - X) @ R, semiaxes).min())
        corners = (self.corners[middles - self.radii <= bound] - X) @ R
        return float(facet_ellipsoid_distances(corners, semiaxes, bound).min())

    def _to_surface(self, other: Surface, X: Array, R: Array) -> float:
        """The least over pairs of facets that can hold it, found by a tree of their middles."""
        from scipy.spatial import cKDTree

        middles = other.middles @ R.T + X
        bound = float(self.tree.query(middles)[0].min())
        moved = other.corners @ R.T + X
        near = cKDTree(middles).query_ball_tree(self.tree, bound + self.radii.max() + other.radii.max())
        theirs = np.repeat(np.arange(len(near)), [len(found) for found in near])
        ours = np.fromiter((i for found in near for i in found), dtype=np.int64, count=theirs.size)
        apart = np.linalg.norm(self.middles[ours] - middles[theirs], axis=1) - self.radii[ours] - other.radii[theirs]
        order = np.argsort(apart)
        for start in range(0, order.size, PAIRS_AT_ONCE):
            part = order[start : start + PAIRS_AT_ONCE]
            part = part[apart[part] < bound]
            if not part.size:
                break
            bound = min(bound, float(facet_pair_distances(self.corners[ours[part]], moved[theirs[part]]).min()))
        if bound == 0.0:
            return 0.0
        inside = enclosed(other.one_of_each_part @ R.T + X, self.corners).any()
        inside = inside or enclosed((self.one_of_each_part - X) @ R, other.corners).any()
        return 0.0 if inside else bound


def shape_of(field: str, body: Body) -> Shape:
    """The surface of a body."""
    if isinstance(body, PointMasses):
        return Balls(body.positions, body.radii)
    if isinstance(body, Ellipsoid):
        a, b, c = body.semiaxes
        return Balls(np.zeros((1, 3)), np.array([a])) if a == b == c else Solid(body.semiaxes)
    if isinstance(body, Polyhedron):
        return Surface(body.vertices, body.faces)
    if isinstance(body, GivenIntegrals) and not np.isnan(body.radius):
        return Balls(np.zeros((1, 3)), np.array([body.radius]))
    if isinstance(body, Revolved):
        raise InvalidInputError(field, body, "its mesh, body.polyhedron(), for contacts")
    allowed = "a body with a shape: points, dumbbell, sphere, ellipsoid, box, polyhedron, or integrals with a radius"
    raise InvalidInputError(field, body, allowed)


def ellipsoid_distance(first: Array, second: Array, X: Array, R: Array) -> float:
    """The distance of two ellipsoids, the second at X and turned by R; below zero where they overlap.

    For every unit vector n the slab between the two supporting planes has the width `n·X − |A n| − |B Rᵀ n|`; the widest
    is the distance. On the cone where it is above zero the width is concave, so Newton's iteration climbs to the one
    maximum from a separating direction; that comes from the contact function of Perram and Wertheim (1985).
    """
    F, n = contact_function(first, second, X, R)
    if F <= 1.0:
        return min(0.0, _width(n, first, second, X, R)[0])
    width, gradient, hessian = _width(n, first, second, X, R)
    for _ in range(100):
        level = np.eye(3) - np.outer(n, n)
        slope = level @ gradient
        # on the sphere: the projected Hessian less the radial part of the gradient, with n itself made invertible
        matrix = level @ (hessian - (gradient @ n) * np.eye(3)) @ level - np.outer(n, n)
        move, fraction = -np.linalg.solve(matrix, slope), 1.0
        while True:
            trial = n + fraction * move
            trial /= np.linalg.norm(trial)
            found = _width(trial, first, second, X, R)
            if found[0] >= width or fraction < 1e-6:
                break
            fraction *= 0.5
        if not found[0] > width:
            break
        n, (width, gradient, hessian) = trial, found
    return float(width)


def contact_function(first: Array, second: Array, X: Array, R: Array) -> tuple[float, Array]:
    """The largest over s of `s(1−s) Xᵀ[(1−s) A² + s R B² Rᵀ]⁻¹X`: above 1 exactly where the ellipsoids are apart; and
    the unit normal of the plane between them."""
    A, B = np.diag(first**2), R @ np.diag(second**2) @ R.T
    low, high = 0.0, 1.0
    for _ in range(30):  # at its top the function is flat: it needs s to half its digits
        s = 0.5 * (low + high)
        w = np.linalg.solve((1.0 - s) * A + s * B, X)
        # derivative of a concave function: (1−s)² wᵀA w − s² wᵀB w
        rising = (1.0 - s) ** 2 * (w @ A @ w) > s**2 * (w @ B @ w)
        low, high = (s, high) if rising else (low, s)
    length = float(np.linalg.norm(w))
    normal = np.asarray(w / length if length else [1.0, 0.0, 0.0], dtype=np.float64)
    return float(s * (1.0 - s) * (X @ w)), normal


def _width(n: Array, first: Array, second: Array, X: Array, R: Array) -> tuple[float, Array, Array]:
    """`n·X − |A n| − |B Rᵀ n|` with its gradient and Hessian."""
    value, gradient, hessian = float(n @ X), X.copy(), np.zeros((3, 3))
    for M in (np.diag(first**2), R @ np.diag(second**2) @ R.T):
        size = np.sqrt(n @ M @ n)
        point = M @ n / size
        value -= float(size)
        gradient -= point
        hessian -= (M - np.outer(point, point)) / size
    return value, gradient, hessian
