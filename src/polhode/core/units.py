"""Units of a run: labels of the numbers that it is computed with, and a reader of quantities such as "30 days".

A run is computed in any consistent units, and its equations never see which. `Units` names them, so that figures, files
and other programs can say what the numbers mean. The names are those of UDUNITS, which NetCDF files use. A library for
units would be slower to import than all else that reads a scenario, and know thousands of units; this table has those in
which the motion of bodies is described.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..errors import InvalidInputError
from .call_help import explained

Powers = tuple[int, ...]  # of length, time, mass and angle
BASE = ("length", "time", "mass", "angle")
LENGTH, TIME, MASS, ANGLE, FORCE, ENERGY, RATE = (
    (1, 0, 0, 0),
    (0, 1, 0, 0),
    (0, 0, 1, 0),
    (0, 0, 0, 1),
    (1, -2, 1, 0),
    (2, -2, 1, 0),
    (0, -1, 0, 1),
)
DAY, DEGREE = 86400.0, math.pi / 180.0

# by dimension: the names of units in UDUNITS, those of one unit in one line, and its size in m, s, kg and rad
TABLE: dict[Powers, dict[str, float]] = {
    LENGTH: {
        "m meter metre": 1.0,
        "km kilometer kilometre": 1e3,
        "cm centimeter centimetre": 1e-2,
        "mm millimeter millimetre": 1e-3,
        "um micrometer micrometre": 1e-6,
        "au astronomical_unit": 149_597_870_700.0,
        "inch": 0.0254,
        "ft foot": 0.3048,
        "mile": 1609.344,
    },
    TIME: {
        "s sec second": 1.0,
        "ms millisecond": 1e-3,
        "us microsecond": 1e-6,
        "min minute": 60.0,
        "h hr hour": 3600.0,
        "d day": DAY,
        "week": 7.0 * DAY,
        "Julian_year julian_year": 365.25 * DAY,
    },
    MASS: {"kg kilogram": 1.0, "g gram": 1e-3, "mg milligram": 1e-6, "t tonne metric_ton": 1e3, "lb pound": 0.45359237},
    ANGLE: {
        "rad radian": 1.0,
        "mrad milliradian": 1e-3,
        "degree arc_degree °": DEGREE,
        "arcmin arcminute": DEGREE / 60.0,
        "arcsec arcsecond": DEGREE / 3600.0,
        "turn revolution": 2.0 * math.pi,
    },
    FORCE: {"N newton": 1.0},
    ENERGY: {"J joule": 1.0},
    RATE: {"rpm": 2.0 * math.pi / 60.0},
}
KNOWN = {
    name: (size, powers) for powers, sizes in TABLE.items() for names, size in sizes.items() for name in names.split()
}
WORDS = [name for name in KNOWN if name == "day" or (len(name) > 3 and name not in ("mrad", "inch", "foot"))]
KNOWN |= {"feet": KNOWN["foot"], "inches": KNOWN["inch"]} | {f"{name}s": KNOWN[name] for name in WORDS}
DIMENSIONS = {name: (1.0, tuple(int(i == j) for j in range(4))) for i, name in enumerate(BASE)} | {"rad": (1.0, ANGLE)}

SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
FACTOR = re.compile(r"\s*([*/.·]?)\s*([^\W\d]+|°)(?:(?:\^|\*\*)?([+-]?\d))?(?=$|[\s*/.·])")
QUANTITY = re.compile(r"\s*([+-]?(?:\d(?:_?\d)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\W\d]|°|/)(.*)", re.S)
LONGEST = 100  # characters of a unit or a quantity


@explained
@dataclass(frozen=True)
class Units:
    """The units that a run's numbers are in; None where one is not named. Angles are computed with in rad: `angle` is the unit
    that figures show them in.

    >>> units = Units(length="km", time="day", mass="kg")
    >>> units.of("mass length²/time"), units.of("rad/time")
    ('kg km2 day-1', 'rad day-1')
    >>> units.number("t_end", "36 hours", "time")
    1.5
    """

    length: str | None = None
    time: str | None = None
    mass: str | None = None
    angle: str | None = None

    def __post_init__(self) -> None:
        for base in BASE:
            name = getattr(self, base)
            if name is not None and (not isinstance(name, str) or KNOWN.get(name, (0.0, None))[1] != _base(base)):
                raise InvalidInputError(
                    f"units.{base}", name, f"one of {', '.join(_names(base))}{_nearest(name, base)}"
                )

    @classmethod
    def given(cls, units: Units | Mapping[str, str] | None) -> Units:
        """The units that a user gave: `Units`, a mapping such as `{"length": "km"}`, or None for none."""
        if units is None or isinstance(units, Units):
            return units or UNNAMED
        if not isinstance(units, Mapping):
            raise InvalidInputError("units", units, "a mapping such as {'length': 'km', 'time': 's', 'mass': 'kg'}")
        for key in units:
            if key not in BASE:
                raise InvalidInputError("units", units, problem=f"{key!r} is unknown; allowed are {', '.join(BASE)}")
        return cls(**units)

    def describe(self) -> dict[str, str]:
        """Those that are named, as plain data."""
        return {name: unit for name, unit in vars(self).items() if unit is not None}

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) is not None for field in fields(self))

    def size(self, base: str) -> float | None:
        """The unit of length, time, mass or angle in m, s, kg or rad; None where it is not named."""
        name = getattr(self, base)
        return None if name is None else KNOWN[name][0]

    def of(self, dimension: str) -> str | None:
        """The unit of a quantity of this dimension, as UDUNITS spells it; None where one that it needs is not named. Angles are
        in rad."""
        powers = parse(dimension, DIMENSIONS)[1]
        names = (self.length, self.time, self.mass, "rad")
        used = [(name, power) for name, power in zip(names, powers, strict=True) if power]
        if any(name is None for name, _ in used):
            return None
        order = sorted(used, key=lambda each: (names.index(each[0]) + 2) % 4)  # mass, angle, length, time
        return " ".join(f"{name}{power if power != 1 else ''}" for name, power in order) or "1"

    def number(self, field: str, text: str, dimension: str) -> float:
        """A quantity such as "1.2 km" in these units, if it has this dimension; angles in rad."""
        match = QUANTITY.fullmatch(text) if len(text) <= LONGEST else None
        if match is None:
            raise InvalidInputError(
                field, text, f"a number, or a quantity of {dimension} such as {_example(dimension)}"
            )
        wanted = parse(dimension, DIMENSIONS)[1]
        try:
            size, powers = parse(f"{match[2]}{match[3]}")
        except ValueError as error:
            raise InvalidInputError(field, text, problem=str(error)) from None
        if powers != wanted:
            raise InvalidInputError(field, text, f"a quantity of {dimension}, such as {_example(dimension)}")
        for base, power in zip(BASE[:3], wanted[:3], strict=True):
            if not power:
                continue
            unit = self.size(base)
            if unit is None:
                problem = (
                    f'give a number, or name the unit of {base} first in units, as in {base} = "{_names(base)[0]}"'
                )
                raise InvalidInputError(field, text, problem=problem)
            size /= unit**power
        value = float(match[1].replace("_", "")) * size
        short = float(f"{value:.15g}")  # 1.1 km are 1100 m, although the product of the two doubles is not
        return short if abs(short - value) <= 4e-16 * abs(value) else value


UNNAMED = Units()


def parse(text: str, known: Mapping[str, tuple[float, Powers]] = KNOWN) -> tuple[float, Powers]:
    """The size in SI units and the powers of a product of units; `ValueError` says what is not known.

    >>> parse("km/h")[0] * 3.6, parse("kg m2 s-2")[1]
    (1.0, (2, -2, 1, 0))
    """
    size, powers = 1.0, [0, 0, 0, 0]
    for name, power in _factors(text.translate(SUPERSCRIPTS)):
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise ValueError(f"{name!r} is not a known unit" + (f"; did you mean {near[0]!r}?" if near else ""))
        unit, its = known[name]
        size *= unit**power
        powers = [a + power * b for a, b in zip(powers, its, strict=True)]
    return size, tuple(powers)


def _factors(text: str) -> Iterator[tuple[str, int]]:
    """The names and powers of a product, from left to right; a stroke divides by the one name after it."""
    at = 0
    while text[at:].strip():
        match = FACTOR.match(text, at)
        if match is None:
            raise ValueError(f"{text.strip()!r} is not a product of units, such as km/s or 'kg m2 s-2'")
        operator, name, power = match.groups()
        yield name, int(power or 1) * (-1 if operator == "/" else 1)
        at = match.end()


def _base(base: str) -> Powers:
    return DIMENSIONS[base][1]


def _names(base: str) -> list[str]:
    """The first names of the units of a base quantity."""
    return [names.split()[0] for names in TABLE[_base(base)]]


def _nearest(name: Any, base: str) -> str:
    """A question that suggests the unit of nearest spelling."""
    known = [each for each, (_, powers) in KNOWN.items() if powers == _base(base)]
    near = difflib.get_close_matches(str(name).lower(), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _example(dimension: str) -> str:
    """A quantity of a dimension, to be shown in an error."""
    shown = {
        "time": "'30 days'",
        "length": "'1.2 km'",
        "mass": "'5 kg'",
        "rad": "'30 degree'",
        "rad/time": "'5 degree/s'",
    }
    if dimension in shown:
        return shown[dimension]
    return f"'1 {Units('m', 's', 'kg').of(dimension)}'"
