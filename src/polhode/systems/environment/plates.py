"""Flat plates, of which the outside of a spacecraft is made, and what sunlight and air do to them.

A plate of area A has an outward unit normal n and its centre at c from the mass centre, both in the body frame; only its
outer side counts. With s the direction to the Sun and u the velocity relative to the air,

    sunlight   F = −P A (n·s)₊ [(1 − σ) s + 2 (σ (n·s) + δ/3) n]      σ specularly, δ diffusely reflected, the rest absorbed
    air        F = −½ ρ C A (n·u)₊ u                                   C the drag coefficient

and the torque is c × F.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.call_help import explained
from ...core.checks import check_finite, check_positive, from_table
from ...core.parameters import ParameterLayout
from ...errors import InvalidInputError
from ...geometry.vectors import Vector, add, cross, dot, scale
from ...scalars import kernel, largest, par, par3

Array = NDArray[np.float64]

PLATE = ParameterLayout(area=1, normal=3, centre=3, specular=1, diffuse=1, drag=1)
AREA, NORMAL, CENTRE, SPECULAR, DIFFUSE, DRAG = PLATE.offsets("area", "normal", "centre", "specular", "diffuse", "drag")
PLATE_SIZE = PLATE.size


@kernel
def sunlight_force(A: Any, n: Vector, specular: Any, diffuse: Any, s: Vector) -> Vector:
    """The force of sunlight from the direction s on a plate, for a pressure of 1."""
    c = largest(0.0, dot(n, s))
    along, normal = (1.0 - specular) * c * A, 2.0 * (specular * c + diffuse / 3.0) * c * A
    return add(scale(-along, s), scale(-normal, n))


@kernel
def air_force(A: Any, n: Vector, coefficient: Any, u: Vector) -> Vector:
    """The force of air on a plate that moves through it with the velocity u, for a density of 1."""
    return scale(-0.5 * coefficient * A * largest(0.0, dot(n, u)), u)


@kernel
def sunlight_torque(S: Any, p: Any, at: int, count: int, s: Vector) -> Vector:
    """The torque of sunlight on the plates whose numbers begin at `at`, for a pressure of 1."""
    M = scale(0.0, s)
    for k in range(count):
        i = at + PLATE_SIZE * k
        n, c = par3(p, i + NORMAL, S), par3(p, i + CENTRE, S)
        F = sunlight_force(par(p, i + AREA, S), n, par(p, i + SPECULAR, S), par(p, i + DIFFUSE, S), s)
        M = add(M, cross(c, F))
    return M


@kernel
def air_torque(S: Any, p: Any, at: int, count: int, u: Vector) -> Vector:
    """The torque of air on the plates whose numbers begin at `at`, for a density of 1."""
    M = scale(0.0, u)
    for k in range(count):
        i = at + PLATE_SIZE * k
        F = air_force(par(p, i + AREA, S), par3(p, i + NORMAL, S), par(p, i + DRAG, S), u)
        M = add(M, cross(par3(p, i + CENTRE, S), F))
    return M


@explained
@dataclass(frozen=True)
class Plate:
    """One side of a flat plate: its `area`, outward `normal` (of any length), `centre` from the mass centre, the shares of light
    that it reflects in a `specular` and in a `diffuse` way, and its `drag` coefficient.

    >>> Plate(area=2.0, normal=[0, 0, 2], centre=[0, 0, 0.5]).normal
    (0.0, 0.0, 1.0)
    """

    area: float
    normal: ArrayLike
    centre: ArrayLike = (0.0, 0.0, 0.0)
    specular: float = 0.2
    diffuse: float = 0.3
    drag: float = 2.2

    def __post_init__(self) -> None:
        normal = check_finite("normal", self.normal, (3,))
        if not np.linalg.norm(normal) > 0.0:
            raise InvalidInputError("normal", self.normal, "a nonzero vector")
        length = float(np.linalg.norm(normal))
        normal = normal if abs(length - 1.0) <= 1e-14 else normal / length
        numbers: dict[str, Any] = {
            "area": check_positive("area", self.area),
            "normal": tuple(normal.tolist()),
            "centre": tuple(check_finite("centre", self.centre, (3,)).tolist()),
        }
        for name in ("specular", "diffuse", "drag"):
            numbers[name] = check_positive(name, getattr(self, name), zero=True)
        if numbers["specular"] + numbers["diffuse"] > 1.0:
            problem = (
                f"specular and diffuse are shares of the light: their sum {self.specular + self.diffuse:g} is above 1"
            )
            raise InvalidInputError("diffuse", self.diffuse, problem=problem)
        for name, value in numbers.items():
            object.__setattr__(self, name, value)

    def numbers(self) -> Array:
        """What kernels read."""
        return PLATE.pack(**asdict(self))

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def plates_from(given: Any) -> tuple[Plate, ...]:
    """A list of plates, or of the tables that describe them."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence) or not given:
        raise InvalidInputError("plates", given, "a list of at least one Plate")
    return tuple(
        one if isinstance(one, Plate) else from_table(f"plates[{k}]", Plate, one) for k, one in enumerate(given)
    )


def box_plates(sizes: ArrayLike, centre: ArrayLike = (0.0, 0.0, 0.0), **surface: float) -> list[Plate]:
    """The six plates of a box with these sizes along the body's axes, whose middle is at `centre` from the mass centre;
    `surface` are the coefficients of a `Plate`.

    >>> [plate.area for plate in box_plates([1.0, 2.0, 3.0])]
    [6.0, 6.0, 3.0, 3.0, 2.0, 2.0]
    """
    lengths, middle = check_finite("sizes", sizes, (3,)), check_finite("centre", centre, (3,))
    if not np.all(lengths > 0.0):
        raise InvalidInputError("sizes", sizes, "three positive numbers")
    found = []
    for axis, direction in enumerate(np.eye(3)):
        area = float(np.prod(lengths) / lengths[axis])
        for side in (1.0, -1.0):
            found.append(Plate(area, side * direction, middle + 0.5 * side * lengths * direction, **surface))
    return found
