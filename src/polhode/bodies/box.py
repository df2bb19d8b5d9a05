"""Homogeneous boxes: inertia integrals in closed form, gravity and contacts as those of their six faces."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_array, check_integer
from ..errors import InvalidInputError
from .base import check_colour, check_name, mass_and_density
from .polyhedron import Placement, Polyhedron

Array = NDArray[np.float64]

# the corners of a box with half sides 1, and its faces, counter-clockwise seen from outside: −x, +x, −y, +y, −z, +z
SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
QUADRILATERALS = np.array(
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]], dtype=np.int64
)
TRIANGLES = np.concatenate([QUADRILATERALS[:, [0, 1, 2]], QUADRILATERALS[:, [0, 2, 3]]], axis=1).reshape(-1, 3)


class Box(Polyhedron):
    """A homogeneous box about the origin, with its `sides` along the axes of its frame; give its mass or its density.

    >>> body = Box([3.0, 2.0, 1.0], mass=12.0)
    >>> body.inertia
    array([[ 5.,  0.,  0.],
           [ 0., 10.,  0.],
           [ 0.,  0., 13.]])
    >>> body.volume, body.density
    (6.0, 2.0)
    """

    kind: ClassVar[str] = "box"

    def __init__(
        self,
        sides: ArrayLike,
        *,
        mass: float | None = None,
        density: float | None = None,
        colour: str | None = None,
        name: str | None = None,
    ) -> None:
        self.sides = np.array(check_array("sides", sides, (3,)))
        if self.sides.ndim != 1 or not np.all(self.sides > 0.0):
            raise InvalidInputError("sides", sides, "three positive lengths")
        self.volume = float(np.prod(self.sides))
        self.mass, self.density = mass_and_density(mass, density, self.volume)
        self._given = {"mass": mass, "density": density}
        self.vertices, self.faces, self.source = 0.5 * self.sides * SIGNS, TRIANGLES, None
        self.placement = Placement(1.0, np.zeros(3), np.eye(3), 0.0, 0.0, False, False)
        self.colour, self.name = check_colour(colour), check_name(name)

    def inertia_integrals(self, order: int, unit: float = 1.0) -> Array:
        """`T_ijk = m aⁱ bʲ cᵏ/((i+1)(j+1)(k+1))` with the half sides a, b, c, for i, j, k all even; all others vanish."""
        n = np.arange(check_integer("order", order, 0) + 1)
        x, y, z = (np.where(n % 2, 0.0, half**n / (n + 1)) for half in 0.5 * self.sides / unit)
        T = self.mass * x[:, None, None] * y[None, :, None] * z[None, None, :]
        return np.where(n[:, None, None] + n[None, :, None] + n[None, None, :] <= order, T, 0.0)

    def describe(self) -> dict[str, Any]:
        return self._described(sides=self.sides.tolist(), **self._given)

    def __repr__(self) -> str:
        return f"Box({self.sides.tolist()}, mass={self.mass:.6g})"
