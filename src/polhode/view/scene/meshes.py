"""Triangle meshes to draw: spheres, ellipsoids, boxes, cylinders, tori, and the true shape of each kind of body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import Body, Ellipsoid, PointMasses, Polyhedron, Sphere
from ...bodies.inertia import Inertia

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LARGEST_MESH = 20_000  # facets; finer detail is not visible
FEW_FACETS = 200  # a polyhedron with at most so many facets is drawn with sharp edges
THINNEST = 0.04  # the smallest side drawn, relative to the largest


@dataclass(frozen=True)
class Mesh:
    """Triangles, counter-clockwise seen from outside. Shading is smooth across edges whose vertices are shared."""

    vertices: Array
    faces: Indices

    @property
    def radius(self) -> float:
        """The distance of the farthest vertex from the origin of the frame."""
        return float(np.linalg.norm(self.vertices, axis=1).max(initial=0.0))

    @property
    def half_extents(self) -> Array:
        """The largest absolute coordinate along each axis of its frame."""
        return np.abs(self.vertices).max(axis=0, initial=0.0)

    def transformed(self, offset: ArrayLike, axes: ArrayLike | None = None) -> Mesh:
        """The mesh rotated by the matrix `axes`, then translated by `offset`."""
        turned = self.vertices if axes is None else self.vertices @ np.asarray(axes).T
        return Mesh(turned + np.asarray(offset, dtype=np.float64), self.faces)

    def flat_shaded(self) -> Mesh:
        """The mesh with separate vertices for each triangle, so that its edges are sharp."""
        return Mesh(self.vertices[self.faces].reshape(-1, 3), np.arange(3 * len(self.faces)).reshape(-1, 3))


def merge_meshes(parts: Iterable[Mesh]) -> Mesh:
    """One mesh made of several.

    >>> merge_meshes([box([1, 1, 1]), box([2, 1, 1])]).faces.shape
    (24, 3)
    """
    meshes = list(parts)
    starts = np.cumsum([0] + [len(m.vertices) for m in meshes])
    vertices = np.concatenate([m.vertices for m in meshes])
    faces = np.concatenate([m.faces + start for m, start in zip(meshes, starts, strict=False)])
    return Mesh(vertices, faces)


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
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = np.array([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)])
    return Mesh(signs * np.asarray(half_sides, dtype=np.float64), faces).flat_shaded()


def cylinder(start: ArrayLike, end: ArrayLike, radius: float, steps: int = 16) -> Mesh:
    """A closed cylinder from one point to another."""
    foot, tip = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    along = tip - foot
    across = np.linalg.svd(along[None, :] if along.any() else np.array([[0.0, 0.0, 1.0]]))[2][1:]
    if np.dot(np.cross(across[0], across[1]), along) < 0.0:
        across = across[::-1]
    turn = np.linspace(0.0, 2.0 * np.pi, steps, endpoint=False)
    circle = radius * (np.outer(np.cos(turn), across[0]) + np.outer(np.sin(turn), across[1]))
    # separate vertices for the end faces, so that their edges are sharp
    rings = [0 * circle + foot, circle + foot, circle + foot, circle + tip, circle + tip, 0 * circle + tip]
    return _surface_through(np.stack(rings), closed=False)


def torus(radius: float, thickness: float, axes: ArrayLike, steps: int = 64) -> Mesh:
    """A torus in the plane of the first two columns of `axes`."""
    turn = np.linspace(0.0, 2.0 * np.pi, steps, endpoint=False)[:, None]
    tube = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    out = radius + thickness * np.cos(tube)
    points = np.stack(
        np.broadcast_arrays(out * np.cos(turn), out * np.sin(turn), -thickness * np.sin(tube) + 0.0 * turn), axis=-1
    )
    return _surface_through(points, closed=True).transformed([0.0, 0.0, 0.0], axes)


def equivalent_box(inertia: Inertia, mass: float | None = None) -> Mesh:
    """The homogeneous box that has this inertia; without a mass, the one whose longest half side is 1.

    A box with half sides a has `Jd = m diag(a²)/3`.
    """
    squares = 3.0 * np.diag(inertia.axes.T @ inertia.nonstandard @ inertia.axes)
    sides = np.sqrt(np.maximum(squares / (mass or 1.0), 0.0))
    sides = np.maximum(sides, THINNEST * sides.max()) / (1.0 if mass else sides.max())
    return box(sides).transformed([0.0, 0.0, 0.0], as_rotation(inertia.axes))


def as_rotation(axes: Array) -> Array:
    """Orthonormal columns as a rotation matrix: the last column is reversed if the determinant is −1."""
    return axes * np.array([1.0, 1.0, np.sign(np.linalg.det(axes))])


@singledispatch
def body_mesh(body: Body) -> Mesh:
    """The shape of a body in its frame. A body given by integrals only is drawn as the ellipsoid with the same inertia."""
    inertia = body.inertia
    moments, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    semiaxes = np.sqrt(5.0 * np.maximum(moments, 0.0) / body.mass)
    semiaxes = np.maximum(semiaxes, THINNEST * semiaxes.max()) if semiaxes.any() else np.ones(3)
    return ellipsoid(semiaxes).transformed(body.centre, as_rotation(axes))


@body_mesh.register
def _(body: Ellipsoid) -> Mesh:
    return ellipsoid(body.semiaxes)


@body_mesh.register
def _(body: Sphere) -> Mesh:
    return sphere(body.radius, steps=40)


@body_mesh.register
def _(body: PointMasses) -> Mesh:
    """Spheres, joined to the mass centre by cylinders. Points without radii get the size that the given inertia implies."""
    radii = np.array(body.radii)
    if not radii.any():
        left = float(np.linalg.eigvalsh(body.inertia)[0] - np.linalg.eigvalsh(body.inertia_of_points)[0])
        size = np.sqrt(max(left, 0.0) / (0.4 * body.mass))
        radii[:] = size if 0.0 < size < 0.5 * body.radius else 0.12 * (body.radius or 1.0)
        radii *= np.cbrt(body.masses / body.masses.max())
    spheres = [sphere(r, centre) for r, centre in zip(radii, body.positions, strict=True)]
    rods = [
        cylinder(body.centre, centre, 0.3 * radii.min()) for centre in body.positions if (centre != body.centre).any()
    ]
    return merge_meshes([*spheres, *rods])


@body_mesh.register
def _(body: Polyhedron) -> Mesh:
    mesh = simplify(Mesh(body.vertices, np.asarray(body.faces, dtype=np.int64)))
    return mesh if len(mesh.faces) > FEW_FACETS else mesh.flat_shaded()


def simplify(mesh: Mesh, max_facets: int = LARGEST_MESH) -> Mesh:
    """A mesh of at most `max_facets` facets: vertices in the same cell of a grid are merged.

    >>> len(simplify(sphere(1.0, steps=100), 2000).faces) <= 2000
    True
    """
    cells = int(np.sqrt(max_facets / 2.0)) + 1
    found = mesh
    while len(found.faces) > max_facets:
        low, size = mesh.vertices.min(axis=0), np.ptp(mesh.vertices, axis=0).max() / cells
        keys = np.floor((mesh.vertices - low) / size).astype(np.int64)
        _, where = np.unique(keys, axis=0, return_inverse=True)
        where = where.reshape(-1)
        counts = np.bincount(where)
        means = np.stack([np.bincount(where, column) / counts for column in mesh.vertices.T], axis=1)
        faces = where[mesh.faces]
        nondegenerate = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        found = Mesh(means, faces[nondegenerate])
        cells = int(0.8 * cells)
    return found
