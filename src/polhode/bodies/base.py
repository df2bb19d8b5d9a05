"""What every mass distribution offers: mass, mass centre, inertia and inertia integrals of any order.

A body lives in its own frame. Motion and mutual gravity need the frame's origin at the mass centre; `centre` says
where it is, and the bodies that may be given off it can be moved there when they are made (`recentre=True`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.call_help import explain_methods
from ..core.checks import check_positive, from_table
from ..errors import InvalidInputError
from .integrals import first_moments, inertia_from

Array = NDArray[np.float64]

KINDS: dict[str, type[Body]] = {}  # of all bodies that can be described
LONGEST_NAME = 40
COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")


class Body(ABC):
    """Base of all bodies. `colour` is the one to draw the body in, "#rrggbb", or None; `name` is what it is called in figures,
    files and messages, or None."""

    kind: ClassVar[str]
    mass: float
    volume: float = float("nan")  # NaN where it is not known
    colour: str | None = None
    name: str | None = None

    def __init_subclass__(cls) -> None:
        explain_methods(cls, ("__init__",))
        if "kind" in cls.__dict__:
            KINDS[cls.kind] = cls

    @classmethod
    def from_table(cls, field: str, arguments: Mapping[str, Any]) -> Body:
        """The body with these arguments; errors name `field`."""
        return from_table(field, cls, arguments)

    @abstractmethod
    def inertia_integrals(self, order: int, unit: float = 1.0) -> Array:
        """`T[i, j, k] = ∫ xⁱ yʲ zᵏ dm` for all i + j + k ≤ order, lengths measured in `unit`; entries beyond that degree
        are zero. In a unit near the body's size no degree overflows."""

    @property
    @abstractmethod
    def radius(self) -> float:
        """The largest distance of matter from the frame's origin; NaN where it is not known."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The body as plain data: its `type` and the arguments that make it again (see `body_from`)."""

    @cached_property
    def centre(self) -> Array:
        """The mass centre, in the body's frame."""
        return first_moments(self.inertia_integrals(1)) / self.mass

    @cached_property
    def inertia(self) -> Array:
        """The 3×3 inertia about the mass centre, along the axes of the body's frame."""
        return inertia_from(self.inertia_integrals(2))

    def _described(self, **arguments: Any) -> dict[str, Any]:
        """The type, the arguments that are not None, and colour and name if there are any."""
        given = {"type": self.kind} | arguments | {"colour": self.colour, "name": self.name}
        return {name: value for name, value in given.items() if value is not None}

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mass={self.mass:.6g})"


def body_from(description: Mapping[str, Any], field: str = "body") -> Body:
    """The body that `describe()` described; errors name `field`.

    >>> body_from({"type": "sphere", "mass": 2.0, "radius": 1.0})
    Sphere(mass=2)
    """
    arguments = dict(description)
    kind = arguments.pop("type", None)
    if kind not in KINDS:
        raise InvalidInputError(f"{field}.type", kind, f"one of {', '.join(KINDS)}")
    return KINDS[kind].from_table(field, arguments)


def check_colour(colour: Any) -> str | None:
    """A colour as "#rrggbb", or None."""
    if colour is not None and not (isinstance(colour, str) and COLOUR.fullmatch(colour)):
        raise InvalidInputError("colour", colour, 'red, green and blue as "#rrggbb", such as "#D55E00"')
    return colour


def check_name(name: Any) -> str | None:
    """A name without what a terminal or a page would obey, or None."""
    if name is None:
        return None
    plain = "".join(c for c in name if c.isprintable()).strip() if isinstance(name, str) else ""
    if not plain or len(plain) > LONGEST_NAME:
        raise InvalidInputError("name", name, f"a name of 1 to {LONGEST_NAME} characters")
    return plain


def check_names_differ(bodies: Iterable[Body]) -> None:
    """Refuse two bodies of one name."""
    names = [body.name for body in bodies if body.name is not None]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInputError("name", name, problem="two bodies have this name: give each its own")


def mass_and_density(mass: float | None, density: float | None, volume: float) -> tuple[float, float]:
    """Both, from the one that is given."""
    if (mass is None) == (density is None):
        raise InvalidInputError("mass", mass, "either mass or density, one of the two")
    if not 0.0 < volume < np.inf:
        raise InvalidInputError("volume", volume, "sizes whose volume is a positive number")
    if mass is not None:
        given = check_positive("mass", mass)
        return given, given / volume
    rho = check_positive("density", density)
    return rho * volume, rho
