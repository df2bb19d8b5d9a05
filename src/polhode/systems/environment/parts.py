"""The parts of an environment, as a user gives them. Each is plain data; `Environment` puts their numbers in order.

| part | | variational |
|---|---|---|
| `GravityGradient` | U = (3 mu/2 r³) r̂·J r̂ (less a part that does not depend on the attitude) | a potential |
| `ResidualDipole` | U = −m·RᵀB | a potential |
| `SolarPressure` | sunlight on flat plates, none in the planet's shadow | a force |
| `AirDrag` | air on flat plates, that turns with the planet and thins out exponentially | a force |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.call_help import explained
from ...core.checks import check_finite, check_positive, one_from
from ...errors import InvalidInputError
from .magnetic_field import MagneticField, magnetic_field_from
from .orbit import EARTH_RADIUS, EARTH_RATE
from .plates import Plate, plates_from

Array = NDArray[np.float64]
SUNLIGHT = 4.56e-6  # N/m², at 1 au


@explained
@dataclass(frozen=True)
class GravityGradient:
    """The gravity gradient of a spherical planet, `3 mu/r³ (r̂ × J r̂)` in the body frame."""

    kind = "gravity_gradient"
    potential = True

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data, with the type."""
        return {"type": self.kind}


@explained
@dataclass(frozen=True)
class ResidualDipole:
    """A magnetic dipole fixed in the body (`moment`, A m²) in the planet's field: `m × RᵀB`.

    `field`: a `MagneticField`, by default the Earth's tilted dipole; in a scenario a table of its arguments, or
    `{igrf = "2026-03-01"}`.

    >>> ResidualDipole([0.0, 0.0, 0.1]).moment
    (0.0, 0.0, 0.1)
    """

    moment: ArrayLike
    field: Any = None
    kind = "residual_dipole"
    potential = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "moment", tuple(check_finite("moment", self.moment, (3,)).tolist()))
        object.__setattr__(self, "field", magnetic_field_from("field", self.field))

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data, with the type."""
        field: MagneticField = self.field
        return {"type": self.kind, "moment": list(np.asarray(self.moment).tolist()), "field": field.describe()}


@explained
@dataclass(frozen=True)
class SolarPressure:
    """Sunlight on flat `plates`, from the direction `sun` (inertial, of any length), with this `pressure` on a black plate.

    In the cylinder behind the planet there is none.
    """

    plates: Sequence[Plate]
    sun: ArrayLike = (1.0, 0.0, 0.0)
    pressure: float = SUNLIGHT
    kind = "solar_pressure"
    potential = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "plates", plates_from(self.plates))
        sun = check_finite("sun", self.sun, (3,))
        length = float(np.linalg.norm(sun))
        if not length > 0.0:
            raise InvalidInputError("sun", self.sun, "a nonzero vector")
        direction = sun if abs(length - 1.0) <= 1e-14 else sun / length
        object.__setattr__(self, "sun", tuple(direction.tolist()))
        check_positive("pressure", self.pressure, zero=True)

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data, with the type."""
        plates = [plate.describe() for plate in self.plates]
        sun = np.asarray(self.sun).tolist()
        return {"type": self.kind, "plates": plates, "sun": sun, "pressure": self.pressure}


@explained
@dataclass(frozen=True)
class AirDrag:
    """Air on flat `plates`: of the density `density · exp(−(height − base)/scale_height)` at a height above the sphere of
    `radius`, turning with the planet at `rate` about e₃. The defaults are those of a usual model of the Earth's air at 400 km.
    """

    plates: Sequence[Plate]
    density: float = 3.725e-12
    base: float = 400e3
    scale_height: float = 58.515e3
    radius: float = EARTH_RADIUS
    rate: float = EARTH_RATE
    kind = "air_drag"
    potential = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "plates", plates_from(self.plates))
        check_positive("density", self.density, zero=True)
        for name in ("scale_height", "radius"):
            check_positive(name, getattr(self, name))
        for name in ("base", "rate"):
            check_finite(name, getattr(self, name), ())

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data, with the type."""
        return {"type": self.kind} | asdict(self) | {"plates": [plate.describe() for plate in self.plates]}


Part = GravityGradient | ResidualDipole | SolarPressure | AirDrag
KINDS: dict[str, Any] = {cls.kind: cls for cls in (GravityGradient, ResidualDipole, SolarPressure, AirDrag)}


def part_from(field: str, given: Any) -> Part:
    """A part of an environment, or the one that a table with its `type` describes.

    >>> part_from("environment[0]", {"type": "gravity"})
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: environment[0].type = 'gravity': expected one of gravity_gradient, residual_dipole, solar_pressure, air_drag
    """
    return one_from(field, KINDS, given)
