"""Homogeneous ellipsoids and balls: inertia integrals in closed form."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite, check_integer, check_positive
from ..errors import InvalidInputError
from .base import Body, check_colour, check_name
from .integrals import exponents

Array = NDArray[np.float64]


def odd_product(n: int) -> int:
    """`n!!` of an odd number, with (−1)!! = 1."""
    return math.prod(range(n, 1, -2))


def ball_integrals(order: int) -> Array:
    """The integrals of a homogeneous ball of mass 1 and radius 1.

    `T_ijk = 3 (i−1)!! (j−1)!! (k−1)!! / (n+3)!!` for i, j, k all even, n = i + j + k: the mean of the monomial over the
    unit sphere, `∏ (i−1)!! / (n+1)!!`, times `∫ 3 rⁿ⁺² dr = 3/(n+3)`. All others vanish.
    """
    T = np.zeros((order + 1,) * 3)
    for i, j, k in exponents(order):
        if not (i % 2 or j % 2 or k % 2):
            T[i, j, k] = 3 * odd_product(i - 1) * odd_product(j - 1) * odd_product(k - 1) / odd_product(i + j + k + 3)
    return T


class Ellipsoid(Body):
    """A homogeneous ellipsoid along the axes of its frame.

    >>> body = Ellipsoid(mass=5.0, semiaxes=[3.0, 2.0, 1.0])
    >>> body.inertia
    array([[ 5.,  0.,  0.],
           [ 0., 10.,  0.],
           [ 0.,  0., 13.]])
    >>> float(body.inertia_integrals(4)[2, 2, 0])
    5.142857142857142
    """

    kind: ClassVar[str] = "ellipsoid"

    def __init__(self, mass: float, semiaxes: ArrayLike, *, colour: str | None = None, name: str | None = None) -> None:
        self.mass = check_positive("mass", mass)
        self.semiaxes = check_finite("semiaxes", semiaxes, (3,))
        if not np.all(self.semiaxes > 0.0):
            raise InvalidInputError("semiaxes", semiaxes, "three positive lengths")
        self.volume = 4.0 / 3.0 * math.pi * float(np.prod(self.semiaxes))
        self.colour, self.name = check_colour(colour), check_name(name)

    @classmethod
    def of_density(cls, density: float, semiaxes: ArrayLike) -> Ellipsoid:
        """The ellipsoid of this density.

        >>> round(Ellipsoid.of_density(2170.0, [400.0, 390.0, 370.0]).mass / 1e9, 6)
        524.656026
        """
        a, b, c = cls(1.0, semiaxes).semiaxes
        return cls(check_positive("density", density) * 4.0 / 3.0 * math.pi * a * b * c, semiaxes)

    def inertia_integrals(self, order: int, unit: float = 1.0) -> Array:
        T = self.mass * ball_integrals(check_integer("order", order, 0))
        a, b, c = (axis ** np.arange(order + 1) for axis in self.semiaxes / unit)
        return T * a[:, None, None] * b[None, :, None] * c[None, None, :]

    @property
    def radius(self) -> float:
        return float(self.semiaxes.max())

    def describe(self) -> dict[str, Any]:
        return self._described(mass=self.mass, semiaxes=self.semiaxes.tolist())


class Sphere(Ellipsoid):
    """A homogeneous ball; from outside, it attracts as a point does.

    >>> float(Sphere(mass=5.0, radius=2.0).inertia[0, 0])
    8.0
    """

    kind: ClassVar[str] = "sphere"

    def __init__(self, mass: float, radius: float, *, colour: str | None = None, name: str | None = None) -> None:
        super().__init__(mass, [check_positive("radius", radius)] * 3, colour=colour, name=name)

    def describe(self) -> dict[str, Any]:
        return self._described(mass=self.mass, radius=self.radius)
