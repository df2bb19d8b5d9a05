"""Triangle meshes to draw, each face in a colour: spheres, ellipsoids, boxes, cylinders, tori, surfaces of revolution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.box import QUADRILATERALS, SIGNS, TRIANGLES

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

Colours = NDArray[np.str_]


@dataclass(frozen=True)
class Mesh:
    """Triangles, counter-clockwise seen from outside. Shading is smooth across edges whose vertices are shared.

    `colours` has one "#rrggbb" for each face, or nothing ("") for a face in the colour of the object that it belongs to.
    """

    vertices: Array
    faces: Indices
    colours: Colours = field(default_factory=lambda: np.zeros(0, dtype="<U7"))

    def __post_init__(self) -> None:
        if len(self.colours) != len(self.faces):
            object.__setattr__(self, "colours", np.zeros(len(self.faces), dtype="<U7"))

    @property
    def radius(self) -> float:
        """The distance of the farthest vertex from the origin of the frame."""
        return float(np.linalg.norm(self.vertices, axis=1).max(initial=0.0))

    @property
    def reach(self) -> Array:
        """How far it reaches from the origin along each axis of its frame."""
        return self.vertices.max(axis=0, initial=0.0)

    def transformed(self, offset: ArrayLike, axes: ArrayLike | None = None) -> Mesh:
        """The mesh rotated by the matrix `axes`, then translated by `offset`."""
        turned = self.vertices if axes is None else self.vertices @ np.asarray(axes).T
        return Mesh(turned + np.asarray(offset, dtype=np.float64), self.faces, self.colours)

    def scaled(self, factor: float) -> Mesh:
        """The mesh in another size."""
        return Mesh(factor * self.vertices, self.faces, self.colours)

    def painted(self, colour: str | None, faces: NDArray[np.bool_] | None = None) -> Mesh:
        """The mesh with the faces that have no colour, or those of `faces`, in this one; None changes nothing."""
        if colour is None:
            return self
        return Mesh(
            self.vertices, self.faces, np.where(self.colours == "" if faces is None else faces, colour, self.colours)
        )

    def main_colour(self, otherwise: str) -> str:
        """The colour of the largest part of the surface, if all faces have one of their own."""
        names, which = np.unique(self.colours, return_inverse=True)
        if "" in names or not len(names):
            return otherwise
        a, b, c = np.moveaxis(self.vertices[self.faces], 1, 0)
        return str(names[np.bincount(which, np.linalg.norm(np.cross(b - a, c - a), axis=1)).argmax()])

    def colours_in(self, colour: str) -> Colours:
        """The colour of each face, of an object of this colour."""
        return np.where(self.colours == "", colour, self.colours)

    def flat_shaded(self) -> Mesh:
        """The mesh with separate vertices for each triangle, so that its edges are sharp."""
        return Mesh(
            self.vertices[self.faces].reshape(-1, 3), np.arange(3 * len(self.faces)).reshape(-1, 3), self.colours
        )


def merge_meshes(parts: Iterable[Mesh]) -> Mesh:
    """One mesh made of several.

    >>> merge_meshes([box([1, 1, 1]), box([2, 1, 1])]).faces.shape
    (24, 3)
    """
    meshes = list(parts)
    starts = np.cumsum([0] + [len(m.vertices) for m in meshes])
    vertices = np.concatenate([m.vertices for m in meshes])
    faces = np.concatenate([m.faces + start for m, start in zip(meshes, starts, strict=False)])
    return Mesh(vertices, faces, np.concatenate([m.colours for m in meshes]))


def _surface_through(points: Array, *, closed: bool) -> Mesh:
    """The surface through a grid of points (rows, columns, 3). Each row is a closed curve; `closed` joins the last row
    to the first."""
    rows, columns = points.shape[:2]
    index = np.arange(rows * columns).reshape(rows, columns)
    lower = index if closed else index[:-1]
    upper = np.roll(index, -1, axis=0) if closed else index[1:]
    corners = [lower, np.roll(lower, -1, axis=1), np.roll(upper, -1, axis=1), upper]
    a, b, c, d = (corner.reshape(-1) for corner in corners)
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return Mesh(points.reshape(-1, 3), faces)


def sphere(radius: float, centre: ArrayLike = (0.0, 0.0, 0.0), steps: int = 24) -> Mesh:
    """A sphere."""
    return ellipsoid([radius] * 3, steps).transformed(centre)


def ellipsoid(semiaxes: ArrayLike, steps: int = 32) -> Mesh:
    """An ellipsoid along the axes of its frame."""
    polar = np.linspace(np.pi, 0.0, steps // 2 + 1)[:, None]
    turn = np.linspace(0.0, 2.0 * np.pi, steps, endpoint=False)
    points = np.stack(
        np.broadcast_arrays(np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)), axis=-1
    )
    return _surface_through(points * np.asarray(semiaxes, dtype=np.float64), closed=False)


def box(half_sides: ArrayLike) -> Mesh:
    """A box along the axes of its frame."""
    return Mesh(SIGNS * np.asarray(half_sides, dtype=np.float64), TRIANGLES).flat_shaded()


def brick(half_sides: ArrayLike, back: str) -> Mesh:
    """A box whose faces towards −x, −y and −z have another colour than the object: which way up it is can be seen."""
    faces = np.arange(len(TRIANGLES)) // (len(TRIANGLES) // len(QUADRILATERALS))
    return box(half_sides).painted(back, faces % 2 == 0)


def cylinder(start: ArrayLike, end: ArrayLike, radius: float, steps: int = 16) -> Mesh:
    """A closed cylinder from one point to another."""
    return revolved([(0.0, 0.0), (radius, 0.0), (radius, 1.0), (0.0, 1.0)], start, end, steps)


def revolved(outline: ArrayLike, start: ArrayLike, end: ArrayLike, steps: int = 48) -> Mesh:
    """The surface that corners (radius, part of the way from start to end) make as they turn about the line between both.

    The corners go counter-clockwise with the radius to the right. Edges are sharp, and long sides are cut.
    """
    foot, tip = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    along = tip - foot
    across = np.linalg.svd(along[None, :] if along.any() else np.array([[0.0, 0.0, 1.0]]))[2][1:]
    if np.dot(np.cross(across[0], across[1]), along) < 0.0:
        across = across[::-1]
    turn = np.linspace(0.0, 2.0 * np.pi, steps, endpoint=False)
    circle = np.outer(np.cos(turn), across[0]) + np.outer(np.sin(turn), across[1])
    corners = np.asarray(outline, dtype=np.float64)
    sides = []
    for (r, z), (s, w) in pairwise(corners):
        # separate vertices for each side, so that edges are sharp; pieces about as long as the body is thick
        thick = max(corners[:, 0].max(), 1e-9)
        pieces = int(np.clip(np.hypot(s - r, (w - z) * np.linalg.norm(along)) / thick, 1, 12))
        parts = np.linspace(0.0, 1.0, pieces + 1)
        rings = [(r + p * (s - r)) * circle + foot + (z + p * (w - z)) * along for p in parts]
        sides.append(_surface_through(np.stack(rings), closed=False))
    return merge_meshes(sides)


def torus(radius: float, thickness: float, axes: ArrayLike, steps: int = 64) -> Mesh:
    """A torus in the plane of the first two columns of `axes`."""
    turn = np.linspace(0.0, 2.0 * np.pi, steps, endpoint=False)[:, None]
    tube = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    out = radius + thickness * np.cos(tube)
    points = np.stack(
        np.broadcast_arrays(out * np.cos(turn), out * np.sin(turn), -thickness * np.sin(tube) + 0.0 * turn), axis=-1
    )
    return _surface_through(points, closed=True).transformed([0.0, 0.0, 0.0], axes)
