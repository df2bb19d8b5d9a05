"""Homogeneous bodies bounded by a closed triangle mesh, such as the shape models of asteroids."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_ends, check_flag, check_integer, check_positive, from_table
from ..core.extras import extra
from ..errors import InvalidInputError, short
from .base import Body, check_colour, check_name, mass_and_density
from .integrals import inertia_from
from .mesh import Indices, check_mesh, facet_integrals, without_unused

Array = NDArray[np.float64]

FORMATS = ("obj", "stl", "ply", "off")  # that hold a mesh and nothing else; others name files or hold archives


@dataclass(frozen=True)
class Placement:
    """How the mesh given became the body: `x_body = rotation @ (scale · x_given − shift)`.

    `shift` is the mass centre of the scaled mesh if it was moved there, else zero; `rotation` holds the principal axes
    as rows if it was turned to them, else it is the identity. `off_centre` and `off_diagonal` say how far the mesh was
    from both before: the distance of the mass centre, and the largest product of inertia relative to the trace. `merged`
    counts the vertices that a file repeats, `unused` those that no facet uses: neither are among the body's.
    """

    scale: float
    shift: Array
    rotation: Array
    off_centre: float
    off_diagonal: float
    recentred: bool
    principal: bool
    merged: int = 0
    unused: int = 0

    def __str__(self) -> str:
        angle = np.degrees(np.arccos(np.clip(0.5 * (np.trace(self.rotation) - 1.0), -1.0, 1.0)))
        lines = [
            f"lengths times {self.scale:g}; {self.merged} repeated vertices merged"
            + f", {self.unused} that no facet uses left out" * (self.unused > 0),
            f"mass centre {self.off_centre:.3g} from the origin: {'moved there' if self.recentred else 'left'}",
            f"off-diagonal inertia {self.off_diagonal:.2g} of its trace: "
            + (f"turned by {angle:.4g}° to principal axes" if self.principal else "left"),
        ]
        return "\n".join(lines)


class Polyhedron(Body):
    """The homogeneous body inside a closed mesh of triangles that run counter-clockwise seen from outside.

    Give `mass` or `density`. `scale` multiplies the coordinates (1000 for a mesh in kilometres and a body in metres).
    `recentre` moves the mass centre to the origin; `principal` turns the body to its principal axes, moments ascending,
    by the least turn among the four that do. `placement` reports what was done. `source` says which file the mesh is from.

    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> body = Polyhedron(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], density=6.0)
    >>> round(body.mass, 12), body.placement.shift
    (1.0, array([0.25, 0.25, 0.25]))
    """

    kind: ClassVar[str] = "polyhedron"

    def __init__(
        self,
        vertices: ArrayLike,
        faces: ArrayLike,
        *,
        mass: float | None = None,
        density: float | None = None,
        scale: float = 1.0,
        recentre: bool = True,
        principal: bool = False,
        source: str | None = None,
        colour: str | None = None,
        name: str | None = None,
    ) -> None:
        if source is not None and not isinstance(source, str):
            raise InvalidInputError("source", source, "the name of the file that the mesh is from")
        self.source = source
        self._given = {"mass": mass, "density": density, "source": source}
        every, given = check_mesh(vertices, faces)
        points, self.faces = without_unused(every, given)
        self.vertices, placement = _place(
            points,
            self.faces,
            check_positive("scale", scale),
            check_flag("recentre", recentre),
            check_flag("principal", principal),
        )
        self.placement = replace(placement, unused=len(every) - len(points))
        self.volume = float(facet_integrals(self.corners, 0)[0, 0, 0])
        self.mass, self.density = mass_and_density(mass, density, self.volume)
        self.colour, self.name = check_colour(colour), check_name(name)

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        *,
        mass: float | None = None,
        density: float | None = None,
        scale: float = 1.0,
        recentre: bool = True,
        principal: bool = False,
        colour: str | None = None,
        name: str | None = None,
    ) -> Polyhedron:
        """The body in a mesh file (OBJ, STL, PLY or OFF); the arguments are those of the class.

        Vertices that a file repeats, to give each facet its own, are merged.
        """
        points, faces = _read(fspath(path))
        unique, where = np.unique(points, axis=0, return_inverse=True)
        merged = len(points) - len(unique)
        if merged:
            points, faces = unique, where.reshape(-1)[faces]
        try:
            body = cls(
                points,
                faces,
                mass=mass,
                density=density,
                scale=scale,
                recentre=recentre,
                principal=principal,
                colour=colour,
                name=name,
            )
        except InvalidInputError as error:
            if error.field not in ("vertices", "faces"):
                raise
            allowed = f"a mesh file whose {error.field} are {error.allowed}; it has {short(error.value)}"
            raise InvalidInputError("path", fspath(path), allowed) from error
        body.placement = replace(body.placement, merged=merged)
        body.source = body._given["source"] = fspath(path)
        return body

    @classmethod
    def from_table(cls, field: str, arguments: Mapping[str, Any]) -> Body:
        if "file" not in arguments or cls is not Polyhedron:
            return super().from_table(field, arguments)
        rest = {name: value for name, value in arguments.items() if name != "file"}
        return from_table(field, cls.from_file, {"path": arguments["file"]} | rest)

    @property
    def corners(self) -> Array:
        """The corners of the facets, shape (facets, 3, 3)."""
        return self.vertices[self.faces]

    def inertia_integrals(self, order: int, unit: float = 1.0) -> Array:
        """Exact integrals over the signed tetrahedra that the facets span with the origin."""
        return self.density * unit**3 * facet_integrals(self.corners / unit, check_integer("order", order, 0))

    @property
    def radius(self) -> float:
        return float(np.linalg.norm(self.vertices, axis=1).max())

    def describe(self) -> dict[str, Any]:
        # the mesh itself, of the placed body, so that a result does not depend on a file: nothing is left to be done to it
        mesh = {"vertices": self.vertices.tolist(), "faces": self.faces.tolist()}
        return self._described(**mesh, **self._given, scale=1.0, recentre=False, principal=False)

    def __repr__(self) -> str:
        return f"Polyhedron(mass={self.mass:.6g}, {len(self.vertices)} vertices, {len(self.faces)} facets)"


def _place(points: Array, faces: Indices, scale: float, recentre: bool, principal: bool) -> tuple[Array, Placement]:
    """The scaled vertices, moved and turned as asked, and the report of it."""
    scaled = scale * points
    middle = 0.5 * (scaled.min(axis=0) + scaled.max(axis=0))  # far from the origin the integrals would lose digits
    near = scaled - middle
    T = facet_integrals(near[faces], 1)
    offset = np.array([T[1, 0, 0], T[0, 1, 0], T[0, 0, 1]]) / T[0, 0, 0]
    centre = middle + offset
    J = inertia_from(facet_integrals((near - offset)[faces], 2))
    off_diagonal = float(np.abs(J - np.diag(np.diag(J))).max() / np.trace(J))
    rotation = principal_axes(J) if principal else np.eye(3)
    placed = (near - offset if recentre else scaled) @ rotation.T
    shift = centre if recentre else np.zeros(3)
    off_centre = float(np.linalg.norm(centre))
    return placed, Placement(scale, shift, rotation, off_centre, off_diagonal, recentre, principal)


def principal_axes(J: Array) -> Array:
    """The rotation whose rows are the principal axes of `J`, moments ascending, with the least turn from the identity."""
    rows = np.linalg.eigh(J)[1].T
    rows[2] *= np.sign(np.linalg.det(rows))
    turns = [np.diag(signs) @ rows for signs in ([1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1])]
    return max(turns, key=np.trace)


def _read(path: str) -> tuple[Array, Indices]:
    """Vertices and facets of a file, as they stand there."""
    trimesh = extra("trimesh")
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InvalidInputError("path", path, f"a mesh file whose name ends in .{', .'.join(FORMATS)}")
    if not check_ends("path", path).exists():
        raise InvalidInputError("path", path, problem="this file does not exist")
    logging.getLogger("trimesh").setLevel(logging.CRITICAL)  # what it cannot read is said below
    try:
        # from bytes without a name: a file's references to other files, such as materials, are not followed
        content = BytesIO(Path(path).read_bytes())
        mesh: Any = trimesh.load(content, file_type=suffix, force="mesh", process=False)
        points, faces = np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)
    except Exception as error:  # its readers raise whatever a damaged file leads them to
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise InvalidInputError(
            "path", path, f"a mesh file that trimesh can read, as OBJ, STL, PLY or OFF ({why})"
        ) from error
    if not len(faces):
        raise InvalidInputError("path", path, "a mesh file with facets")
    return points, faces
