"""Bodies made of several parts, each a body of its own that is placed and turned: a T-handle, a satellite with its panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite, check_flag, check_integer, check_rotation
from ..errors import InvalidInputError
from ..geometry import so3
from .base import Body, body_from, check_colour, check_name
from .integrals import moved_integrals

Array = NDArray[np.float64]

PLACES = ("position", "R", "axis")  # the keys of a part's table that are not its body's


class Part:
    """A body at a place in another: the origin of its frame at `position`, its axes turned by the matrix `R`; or its z axis
    along `axis`, turned there by the shortest way.

    >>> from polhode.bodies import Cylinder
    >>> rod = Part(Cylinder(0.1, 2.0, mass=1.0), [0.0, 0.0, 0.5], axis=[1.0, 0.0, 0.0])
    >>> (rod.R @ [0.0, 0.0, 1.0]).round(12)
    array([1., 0., 0.])
    """

    def __init__(
        self,
        body: Body,
        position: ArrayLike = (0.0, 0.0, 0.0),
        *,
        R: ArrayLike | None = None,
        axis: ArrayLike | None = None,
    ) -> None:
        if not isinstance(body, Body):
            raise InvalidInputError("body", body, "a shape, such as a Box or a Cylinder")
        if R is not None and axis is not None:
            raise InvalidInputError("axis", axis, problem="R and axis exclude each other: give one of them")
        self.body = body
        self.position = check_finite("position", position, (3,))
        self.R = np.eye(3) if R is None else check_rotation("R", R)
        if axis is not None:
            self.R = z_axis_to("axis", axis)

    def describe(self) -> dict[str, Any]:
        """The description of the body, and its place."""
        turned = {} if np.array_equal(self.R, np.eye(3)) else {"R": self.R.tolist()}
        return self.body.describe() | {"position": self.position.tolist()} | turned


class Compound(Body):
    """One rigid body of several parts: `Part`s, bodies at the origin, or tables with the keys of a body and of its place.

    Their masses add up, also where parts overlap. The frame is the one in which the parts are placed; `centre` says
    where the mass centre is, and `recentre` moves the parts so that it is the origin, as mutual gravity needs it.
    `colour` is that of the parts which have none of their own.

    >>> from polhode.bodies import Cylinder
    >>> rod = Cylinder(radius=0.05, height=1.0, mass=1.0)
    >>> body = Compound([Part(rod, axis=[1, 0, 0]), Part(rod, [0.0, 0.0, 0.5])])
    >>> body.mass, body.centre
    (2.0, array([0.  , 0.  , 0.25]))
    """

    kind: ClassVar[str] = "compound"

    def __init__(
        self,
        parts: Sequence[Part | Body | Mapping[str, Any]],
        *,
        recentre: bool = False,
        colour: str | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(parts, (list, tuple)) or not parts:
            raise InvalidInputError("parts", parts, "a list of at least one part")
        self.parts = [_part(f"parts[{i}]", part) for i, part in enumerate(parts)]
        self.mass = float(sum(part.body.mass for part in self.parts))
        self.volume = float(sum(part.body.volume for part in self.parts))
        self.colour, self.name = check_colour(colour), check_name(name)
        if check_flag("recentre", recentre):
            shift = sum(part.body.mass * (part.position + part.R @ part.body.centre) for part in self.parts) / self.mass
            self.parts = [Part(part.body, part.position - shift, R=part.R) for part in self.parts]

    def inertia_integrals(self, order: int, unit: float = 1.0) -> Array:
        """The sum of those of the parts, each moved to its place."""
        T = np.zeros((check_integer("order", order, 0) + 1,) * 3)
        for part in self.parts:
            T += moved_integrals(part.body.inertia_integrals(order, unit), part.R, part.position / unit)
        return T

    @property
    def radius(self) -> float:
        """The radius of a sphere about the origin that holds the spheres of all parts."""
        return max(float(np.linalg.norm(part.position)) + part.body.radius for part in self.parts)

    def describe(self) -> dict[str, Any]:
        return self._described(parts=[part.describe() for part in self.parts])


def z_axis_to(field: str, axis: ArrayLike) -> Array:
    """The shortest rotation that takes the z axis to a direction.

    >>> z_axis_to("axis", [0.0, 0.0, -2.0]) @ [0.0, 0.0, 1.0]
    array([ 0.,  0., -1.])
    """
    given = check_finite(field, axis, (3,))
    length = float(np.linalg.norm(given))
    if not length > 0.0:
        raise InvalidInputError(field, axis, "a nonzero vector")
    x, y, z = given / length
    sine2 = x * x + y * y
    if z < 0.0 and sine2 == 0.0:  # half a turn about x
        return np.diag([1.0, -1.0, -1.0])
    cross = so3.hat([-y, x, 0.0])
    return np.eye(3) + cross + cross @ cross / (1.0 + z if z > 0.0 else sine2 / (1.0 - z))


def _part(field: str, given: Any) -> Part:
    if isinstance(given, Part):
        return given
    if isinstance(given, Body):
        return Part(given)
    if not isinstance(given, Mapping):
        raise InvalidInputError(field, given, "a Part, a body, or a table with the keys of a body and of its place")
    body = body_from({key: value for key, value in given.items() if key not in PLACES}, field)
    try:
        return Part(body, **{key: value for key, value in given.items() if key in PLACES})
    except InvalidInputError as error:
        raise error.renamed(f"{field}.{error.field}") from error
