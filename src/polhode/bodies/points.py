"""Bodies made of points, or of homogeneous balls, which attract as points do from outside."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_array, check_flag, check_integer, check_positive
from ..errors import InvalidInputError
from .base import Body, check_colour, check_name
from .ellipsoid import ball_integrals
from .inertia import TOLERANCE
from .integrals import exponents

Array = NDArray[np.float64]


class PointMasses(Body):
    """Masses at fixed positions in the body's frame.

    `radii`: the points are homogeneous balls of these radii; their mutual gravity stays that of points, their inertia
    and inertia integrals count. `inertia`: the inertia about the mass centre where it is known otherwise (a printed
    value, a body with a rod); three moments or a 3×3 matrix. `recentre` moves the positions to the mass centre.

    >>> body = PointMasses([1.0, 3.0], [[3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    >>> body.mass, float(body.inertia[2, 2])
    (4.0, 12.0)
    """

    kind: ClassVar[str] = "points"

    def __init__(
        self,
        masses: ArrayLike,
        positions: ArrayLike,
        *,
        radii: ArrayLike = 0.0,
        inertia: ArrayLike | None = None,
        recentre: bool = False,
        colour: str | None = None,
        name: str | None = None,
    ) -> None:
        self.masses = np.array(check_array("masses", masses, ()))
        if self.masses.ndim != 1 or not self.masses.size or not np.all(self.masses > 0.0):
            raise InvalidInputError("masses", masses, "a list of positive numbers")
        places = check_array("positions", positions, (3,))
        if places.shape != (self.masses.size, 3):
            raise InvalidInputError("positions", positions, f"shape ({self.masses.size}, 3), not {places.shape}")
        self.mass = float(self.masses.sum())
        mean = self.masses @ places / self.mass
        self.positions = places - mean if check_flag("recentre", recentre) else np.array(places)
        sizes = check_array("radii", radii, ())
        if sizes.shape not in ((), self.masses.shape) or np.any(sizes < 0.0):
            raise InvalidInputError("radii", radii, "one number not below zero, or one for each mass")
        self.radii = np.broadcast_to(sizes, self.masses.shape)
        self.volume = 4.0 / 3.0 * math.pi * float(np.sum(self.radii**3))
        self._given = None if inertia is None else _inertia(inertia)
        self.colour, self.name = check_colour(colour), check_name(name)

    @property
    def inertia(self) -> Array:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.inertia_of_points if self._given is None else self._given

    @property
    def inertia_of_points(self) -> Array:
        """The inertia that follows from the masses, positions and radii, whatever `inertia` was given."""
        arms = self.positions - self.centre
        Jd = (arms.T * self.masses) @ arms
        own = 0.4 * float(self.masses @ self.radii**2)
        return (np.trace(Jd) + own) * np.eye(3) - Jd

    def inertia_integrals(self, order: int, unit: float = 1.0) -> Array:
        """Exact sums; for balls, by the binomial theorem about each centre."""
        places, radii = self.positions / unit, self.radii / unit
        x, y, z = np.moveaxis(places[:, :, None] ** np.arange(check_integer("order", order, 0) + 1), 1, 0)
        ball = ball_integrals(order)
        T = np.zeros_like(ball)
        for a, b, c in exponents(order if np.any(radii) else 0):
            if ball[a, b, c] == 0.0:
                continue
            weights = ball[a, b, c] * self.masses * radii ** (a + b + c)
            left = order - (a + b + c)
            for i, j, _ in (ijk for ijk in exponents(left) if ijk[2] == 0):
                n = left + 1 - i - j
                choose = [math.comb(a + i, a) * math.comb(b + j, b) * math.comb(c + k, c) for k in range(n)]
                T[a + i, b + j, c : c + n] += choose * ((weights * x[:, i] * y[:, j]) @ z[:, :n])
        return T

    @property
    def radius(self) -> float:
        return float(np.max(np.linalg.norm(self.positions, axis=1) + self.radii))

    def describe(self) -> dict[str, Any]:
        return self._described(
            masses=self.masses.tolist(),
            positions=self.positions.tolist(),
            radii=self.radii.tolist() if np.any(self.radii) else None,
            inertia=None if self._given is None else self._given.tolist(),
        )


class Dumbbell(PointMasses):
    """Two masses on the x axis of the frame, `length` apart, their mass centre at the origin.

    `fraction` is the part of the mass at the +x end; each end is a ball of this `radius`. The rod has no mass.

    >>> body = Dumbbell(mass=3.0, length=0.5)
    >>> body.positions[:, 0]
    array([ 0.25, -0.25])
    """

    kind: ClassVar[str] = "dumbbell"

    def __init__(
        self,
        mass: float,
        length: float,
        *,
        fraction: float = 0.5,
        radius: float = 0.0,
        inertia: ArrayLike | None = None,
        colour: str | None = None,
        name: str | None = None,
    ) -> None:
        m, self.length = check_positive("mass", mass), check_positive("length", length)
        f = check_positive("fraction", fraction)
        if not f < 1.0:
            raise InvalidInputError("fraction", fraction, "a number between 0 and 1")
        self.fraction, end = f, check_positive("radius", radius, zero=True)
        places = [[(1.0 - f) * self.length, 0.0, 0.0], [-f * self.length, 0.0, 0.0]]
        super().__init__([f * m, (1.0 - f) * m], places, radii=end, inertia=inertia, colour=colour, name=name)

    def describe(self) -> dict[str, Any]:
        given = None if self._given is None else self._given.tolist()
        ends = {"fraction": self.fraction, "radius": float(self.radii[0])}
        return self._described(mass=self.mass, length=self.length, **ends, inertia=given)


def _inertia(value: ArrayLike) -> Array:
    """A given inertia: three moments or a symmetric matrix, which may be singular (all points on a line)."""
    array = np.array(value, dtype=np.float64)
    matrix = np.diag(array) if array.shape == (3,) else array
    symmetric = matrix.shape == (3, 3) and np.all(np.isfinite(matrix))
    symmetric = symmetric and np.abs(matrix - matrix.T).max() <= TOLERANCE * np.abs(matrix).max()
    if not symmetric or np.linalg.eigvalsh(matrix)[0] < -TOLERANCE * np.abs(matrix).max():
        raise InvalidInputError(
            "inertia", value, "three moments or a symmetric 3×3 matrix, none of its moments below zero"
        )
    return matrix
