"""Shapes and mass distributions: box, cylinder, cone, sphere, ellipsoid, triangle mesh, points, dumbbell, compounds of these,
or given inertia integrals.

Every body has `mass`, `volume`, `centre`, `inertia` (3×3, about the mass centre), `inertia_integrals(order)`, `radius`,
`colour` and `describe()`; see `Body`.
"""

from __future__ import annotations

from .base import KINDS, Body, body_from
from .box import Box
from .compound import Compound, Part
from .ellipsoid import Ellipsoid, Sphere
from .inertia import Inertia
from .moments_only import GivenIntegrals
from .points import Dumbbell, PointMasses
from .polyhedron import Placement, Polyhedron
from .revolution import Cone, Cylinder

__all__ = [
    "KINDS",
    "Body",
    "Box",
    "Compound",
    "Cone",
    "Cylinder",
    "Dumbbell",
    "Ellipsoid",
    "GivenIntegrals",
    "Inertia",
    "Part",
    "Placement",
    "PointMasses",
    "Polyhedron",
    "Sphere",
    "body_from",
]
