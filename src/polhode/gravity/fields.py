"""The field of one body at given points, from Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bodies import Polyhedron
from ..core.checks import check_array, check_positive
from ..errors import InvalidInputError, PolhodeError
from ..scalars import compiled, double
from . import polyhedron
from .dispatch import POLYHEDRON
from .polyhedron import polyhedron_field

Array = NDArray[np.float64]


@compiled
def _at_points(S: Any, points: Array, p: Array, work: Array, out: Array) -> None:
    for i in range(points.shape[0]):
        X = (points[i, 0], points[i, 1], points[i, 2])
        U, F, H, angle = polyhedron_field(S, X, p, 0, work, 0)
        out[i, 0] = U
        out[i, 1], out[i, 2], out[i, 3] = F
        out[i, 4], out[i, 5], out[i, 6], out[i, 7], out[i, 8], out[i, 9] = H
        out[i, 10] = angle


class PolyhedronField:
    """The exact gravity of a homogeneous polyhedron, inside and outside, at points in its frame.

    Points may have any leading axes. `potential` is the energy of a unit mass (negative), `acceleration` its negative
    gradient, and `gradient` the derivative of the acceleration by the position, `∂²(−U)/∂X²`.

    >>> corners = [[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]]
    >>> body = Polyhedron(corners, [[0, 1, 3], [0, 3, 2], [0, 2, 1], [1, 2, 3]], mass=1.0)
    >>> field = PolyhedronField(body, G=1.0)
    >>> np.round(field.acceleration([[100.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), 8) + 0.0
    array([[-0.0001,  0.    ,  0.    ],
           [ 0.    ,  0.    ,  0.    ]])
    >>> field.inside([[100.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    array([False,  True])
    """

    def __init__(self, body: Polyhedron, G: float) -> None:
        if not isinstance(body, Polyhedron):
            raise InvalidInputError("body", body, "a Polyhedron")
        self.body, self.G = body, check_positive("G", G)
        self._numbers = polyhedron.polyhedron_numbers(body, POLYHEDRON, self.G * body.density, np.zeros((0, 4)))

    def _evaluate(self, points: ArrayLike) -> tuple[Array, Array]:
        """The points, and at each U, ∂U/∂X, the six entries of ∂²U/∂X², and the solid angle."""
        x = check_array("points", points, (3,))
        out = np.zeros((*x.shape[:-1], 11))
        flat = np.ascontiguousarray(x.reshape(-1, 3))
        work = np.zeros(polyhedron.workspace_size(self.body))
        _at_points(double, flat, self._numbers, work, out.reshape(-1, 11))
        return x, out

    def evaluate(self, points: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Potential, acceleration, gradient and solid angle (4π inside, 0 outside) at once."""
        x, out = self._evaluate(points)
        bad = ~np.isfinite(out).all(axis=-1)
        if bad.any():
            where = f"at {x[bad][0]} ({bad.sum()} points)"
            finite_there = "potential and acceleration are finite there"
            raise PolhodeError(f"the field's gradient is singular on the mesh's edges: {where}; {finite_there}")
        matrices = out[..., [4, 9, 8, 9, 5, 7, 8, 7, 6]].reshape(*x.shape, 3)
        return out[..., 0], -out[..., 1:4], -matrices, out[..., 10]

    def potential(self, points: ArrayLike) -> Array:
        """`−G ∫ dm/|X − ρ|`."""
        return self._evaluate(points)[1][..., 0]

    def acceleration(self, points: ArrayLike) -> Array:
        """The attraction, of length GM/r² far away."""
        return -self._evaluate(points)[1][..., 1:4]

    def gradient(self, points: ArrayLike) -> Array:
        """The 3×3 derivative of the acceleration by the position; its trace is −4πGσ inside and 0 outside. It is infinite on
        the edges of the mesh, but for those between facets of one plane."""
        return self.evaluate(points)[2]

    def inside(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether the points lie inside the body."""
        return self._evaluate(points)[1][..., 10] > 2.0 * np.pi
