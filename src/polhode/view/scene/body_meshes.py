"""How bodies look: the true shape of each kind of body, and the brick of an inertia."""

from __future__ import annotations

from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from ...bodies import Body, Box, Compound, Ellipsoid, PointMasses, Polyhedron, Sphere
from ...bodies.inertia import Inertia
from ...bodies.revolution import Revolved
from .meshes import Mesh, box, brick, cylinder, ellipsoid, merge_meshes, revolved, sphere

Array = NDArray[np.float64]

LARGEST_MESH = 20_000  # facets; finer detail is not visible
FEW_FACETS = 200  # a polyhedron with at most so many facets is drawn with sharp edges
THINNEST = 0.04  # the smallest side drawn, relative to the largest
BACK = "#E9E4D8"  # of the faces of a brick that look to the negative side


def equivalent_box(inertia: Inertia, mass: float | None = None) -> Mesh:
    """The homogeneous box that has this inertia, in two colours; without a mass, the one whose longest half side is 1.

    A box with half sides a has `Jd = m diag(a²)/3`.
    """
    squares = 3.0 * np.diag(inertia.axes.T @ inertia.nonstandard @ inertia.axes)
    sides = np.sqrt(np.maximum(squares / (mass or 1.0), 0.0))
    sides = np.maximum(sides, THINNEST * sides.max()) / (1.0 if mass else sides.max())
    return brick(sides, BACK).transformed([0.0, 0.0, 0.0], as_rotation(inertia.axes))


def as_rotation(axes: Array) -> Array:
    """Orthonormal columns as a rotation matrix: the last column is reversed if the determinant is −1."""
    return axes * np.array([1.0, 1.0, np.sign(np.linalg.det(axes))])


def body_mesh(body: Body) -> Mesh:
    """The shape of a body in its frame, in its colour if it has one."""
    return shape_mesh(body).painted(body.colour)


@singledispatch
def shape_mesh(body: Body) -> Mesh:
    """The shape of a body in its frame. A body given by integrals only is drawn as the ellipsoid with the same inertia."""
    inertia = body.inertia
    moments, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    semiaxes = np.sqrt(5.0 * np.maximum(moments, 0.0) / body.mass)
    semiaxes = np.maximum(semiaxes, THINNEST * semiaxes.max()) if semiaxes.any() else np.ones(3)
    return ellipsoid(semiaxes).transformed(body.centre, as_rotation(axes))


@shape_mesh.register
def _(body: Ellipsoid) -> Mesh:
    return ellipsoid(body.semiaxes)


@shape_mesh.register
def _(body: Sphere) -> Mesh:
    return sphere(body.radius, steps=40)


@shape_mesh.register
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


@shape_mesh.register
def _(body: Box) -> Mesh:
    return box(0.5 * body.sides)


@shape_mesh.register
def _(body: Revolved) -> Mesh:
    (low, high), outline = body.heights, body.outline
    corners = np.stack([outline[:, 0], (outline[:, 1] - low) / (high - low)], axis=1)
    closed = corners if body.inner.max() == 0.0 else np.concatenate([corners, corners[:1]])
    return revolved(closed, [0.0, 0.0, low], [0.0, 0.0, high])


@shape_mesh.register
def _(body: Compound) -> Mesh:
    return merge_meshes(body_mesh(part.body).transformed(part.position, part.R) for part in body.parts)


@shape_mesh.register
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
