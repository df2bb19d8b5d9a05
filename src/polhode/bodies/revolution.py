"""Homogeneous bodies of revolution about the z axis: cylinders, tubes, rings and cones.

Between the heights z of its ends, such a body lies between an inner and an outer radius, which are linear in z. With
n = i + j and i, j even,

    T_ijk = density · 2π (i−1)!! (j−1)!!/(n!! (n+2)) ∫ zᵏ (outerⁿ⁺² − innerⁿ⁺²) dz,

the integral of a polynomial, for which Gauss's points are exact. All others vanish.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_integer, check_positive
from ..errors import InvalidInputError
from .base import Body, check_colour, check_name, mass_and_density
from .ellipsoid import odd_product
from .integrals import exponents
from .polyhedron import Polyhedron

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Revolved(Body):
    """Base of the bodies of revolution; their mass centre is the origin.

    `heights`, `inner` and `outer` hold two numbers each, those of the lower and of the upper end. `outline` holds the
    corners (radius, z) of the closed curve that turns about the axis, counter-clockwise with the radius to the right and
    z upwards: from the inner radius at the bottom to the outer one, up, and back.
    """

    heights: Array
    inner: Array
    outer: Array

    def _fill(self, mass: float | None, density: float | None, colour: str | None, name: str | None) -> None:
        """Take mass or density."""
        low, high = self.heights
        corners = [(self.inner[0], low), (self.outer[0], low), (self.outer[1], high), (self.inner[1], high)]
        self.outline = np.array(corners, dtype=np.float64)
        self.volume = math.pi * float(_along(self.outline, 2, 0))
        self._given = {"mass": mass, "density": density}
        self.mass, self.density = mass_and_density(mass, density, self.volume)
        self.colour, self.name = check_colour(colour), check_name(name)

    def inertia_integrals(self, order: int, unit: float = 1.0) -> Array:
        T = np.zeros((check_integer("order", order, 0) + 1,) * 3)
        scaled, density = self.outline / unit, self.density * unit**3
        for i, j, k in exponents(order):
            if not (i % 2 or j % 2):
                n = i + j
                around = 2.0 * math.pi * odd_product(i - 1) * odd_product(j - 1) / math.prod(range(n, 1, -2))
                T[i, j, k] = density * around / (n + 2) * _along(scaled, n + 2, k)
        return T

    @cached_property
    def centre(self) -> Array:
        return np.zeros(3)

    @property
    def radius(self) -> float:
        return float(np.linalg.norm(self.outline, axis=1).max())

    def radii_at(self, z: Array) -> tuple[Array, Array]:
        """The inner and the outer radius at heights between the ends."""
        return np.interp(z, self.heights, self.inner), np.interp(z, self.heights, self.outer)

    def mesh(self, steps: int = 64) -> tuple[Array, Indices]:
        """Vertices and facets of the surface, with `steps` corners around: those of a body inscribed in this one."""
        turn = 2.0 * np.pi * np.arange(check_integer("steps", steps, 3)) / steps
        points: list[Array] = []
        rings: list[Indices] = []
        for r, z in self.outline:
            around = turn if r > 0.0 else turn[:1]
            rings.append(sum(len(each) for each in points) + np.arange(steps) % len(around))
            points.append(np.stack([r * np.cos(around), r * np.sin(around), np.full(len(around), z)], axis=1))
        faces = []
        for lower, upper in zip(rings, [*rings[1:], rings[0]], strict=True):
            right, above = np.roll(lower, -1), np.roll(upper, -1)
            faces += [np.stack([lower, right, above], axis=1), np.stack([lower, above, upper], axis=1)]
        found = np.concatenate(faces)
        a, b, c = found.T
        return np.concatenate(points), found[(a != b) & (b != c) & (c != a)]

    def polyhedron(self, steps: int = 64) -> Polyhedron:
        """The polyhedron of the same mass that is inscribed in it, with `steps` corners around, for what needs a mesh: gravity
        by faces, contacts."""
        return Polyhedron(*self.mesh(steps), mass=self.mass, colour=self.colour, name=self.name)


def _along(outline: Array, power: int, k: int) -> Any:
    """`∫ zᵏ (outer^power − inner^power) dz`: the sum of `∫ zᵏ r^power dz` along the sides of the outline."""
    x, w = np.polynomial.legendre.leggauss((power + k) // 2 + 1)
    start, end = outline, np.roll(outline, -1, axis=0)
    r, z = (start[:, :, None] + (end - start)[:, :, None] * (0.5 * (x + 1.0))).transpose(1, 0, 2)
    return np.sum(0.5 * (end - start)[:, 1, None] * w * z**k * r**power)


class Cylinder(Revolved):
    """A homogeneous cylinder about the z axis; with an `inner_radius` a tube or a ring. Give its mass or its density.

    >>> body = Cylinder(radius=2.0, height=3.0, mass=4.0)
    >>> body.inertia.diagonal().round(12)
    array([7., 7., 8.])
    >>> round(float(Cylinder(1.0, 0.1, mass=1.0, inner_radius=0.9).inertia[2, 2]), 12)
    0.905
    """

    kind: ClassVar[str] = "cylinder"

    def __init__(
        self,
        radius: float,
        height: float,
        *,
        mass: float | None = None,
        density: float | None = None,
        inner_radius: float = 0.0,
        colour: str | None = None,
        name: str | None = None,
    ) -> None:
        outer, self.height = check_positive("radius", radius), check_positive("height", height)
        self.inner_radius = check_positive("inner_radius", inner_radius, zero=True)
        if not self.inner_radius < outer:
            raise InvalidInputError("inner_radius", inner_radius, f"a number below the radius, {outer:g}")
        self.outer_radius, self.heights = outer, np.array([-0.5, 0.5]) * self.height
        self.inner, self.outer = np.full(2, self.inner_radius), np.full(2, outer)
        self._fill(mass, density, colour, name)

    def describe(self) -> dict[str, Any]:
        return self._described(
            radius=self.outer_radius, height=self.height, inner_radius=self.inner_radius or None, **self._given
        )


class Cone(Revolved):
    """A homogeneous cone about the z axis, its tip above its base: the tip lies at `z = ¾ height`, the base at −¼ height.

    Give its mass or its density. `tip` is the place of the tip.

    >>> body = Cone(radius=2.0, height=4.0, mass=5.0)
    >>> body.inertia.diagonal().round(12), body.tip
    (array([6., 6., 6.]), array([0., 0., 3.]))
    """

    kind: ClassVar[str] = "cone"

    def __init__(
        self,
        radius: float,
        height: float,
        *,
        mass: float | None = None,
        density: float | None = None,
        colour: str | None = None,
        name: str | None = None,
    ) -> None:
        self.base_radius, self.height = check_positive("radius", radius), check_positive("height", height)
        self.heights = np.array([-0.25, 0.75]) * self.height
        self.tip = np.array([0.0, 0.0, self.heights[1]])
        self.inner, self.outer = np.zeros(2), np.array([self.base_radius, 0.0])
        self._fill(mass, density, colour, name)

    def describe(self) -> dict[str, Any]:
        return self._described(radius=self.base_radius, height=self.height, **self._given)
