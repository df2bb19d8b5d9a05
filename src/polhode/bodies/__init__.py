"""Mass distributions: points, dumbbell, sphere, ellipsoid, triangle mesh, or given inertia integrals.

Every body has `mass`, `centre`, `inertia` (3×3, about the mass centre), `inertia_integrals(order)`, `radius` and
`describe()`; see `Body`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.checks import from_table
from ..errors import InvalidInputError
from .base import Body
from .ellipsoid import Ellipsoid, Sphere
from .inertia import Inertia
from .moments_only import GivenIntegrals
from .points import Dumbbell, PointMasses
from .polyhedron import Placement, Polyhedron

KINDS: dict[str, type[Body]] = {
    cls.kind: cls for cls in (PointMasses, Dumbbell, Sphere, Ellipsoid, Polyhedron, GivenIntegrals)
}


def body_from(description: Mapping[str, Any], field: str = "body") -> Body:
    """The body that `describe()` described; errors name `field`.

    >>> body_from({"type": "sphere", "mass": 2.0, "radius": 1.0})
    Sphere(mass=2)
    """
    arguments = dict(description)
    kind = arguments.pop("type", None)
    if kind not in KINDS:
        raise InvalidInputError(f"{field}.type", kind, f"one of {', '.join(KINDS)}")
    make = Polyhedron.from_file if "file" in arguments and kind == Polyhedron.kind else KINDS[kind]
    if make == Polyhedron.from_file:
        arguments["path"] = arguments.pop("file")
    return from_table(field, make, arguments)


__all__ = [
    "Body",
    "Dumbbell",
    "Ellipsoid",
    "GivenIntegrals",
    "Inertia",
    "Placement",
    "PointMasses",
    "Polyhedron",
    "Sphere",
    "body_from",
]
