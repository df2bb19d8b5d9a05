"""Which bodies attract each other, and how: the part that the inertial and the relative full body problem share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies import Body, PointMasses, Polyhedron, body_from
from ...bodies.base import check_names_differ
from ...bodies.inertia import TOLERANCE, Inertia
from ...errors import InvalidInputError
from ...gravity import (
    LARGEST_ORDER,
    Expansion,
    Interaction,
    PointsPoints,
    PolyhedronPoint,
    Shapes,
    attracts_as_point,
    kernel_for,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """Bodies, the interaction of each pair (first body, second body), and the workspace that they need in turn."""

    bodies: list[Body]
    inertias: list[Inertia]
    gravity: int | str
    G: float
    blocks: dict[tuple[int, int], Interaction]

    @property
    def kernel(self) -> Any:
        """What evaluates the interactions in compiled code."""
        return kernel_for(pair.kind for pair in self.blocks.values())

    @property
    def workspace(self) -> int:
        """How many entries of workspace the interactions need; they use it in turn."""
        return max((pair.workspace for pair in self.blocks.values()), default=0)

    @property
    def least_distances(self) -> dict[tuple[int, int], float]:
        """How far apart the mass centres of each pair must be for its gravity to be valid, where that is a condition."""
        found = {pair: one.least_distance for pair, one in self.blocks.items()}
        return {pair: least for pair, least in found.items() if least > 0.0}

    @property
    def until_contact(self) -> bool:
        """Whether the gravity of a pair is valid until its bodies touch."""
        return any(one.until_contact for one in self.blocks.values())

    def table(self, start: int) -> tuple[Array, Array]:
        """Rows (i, j, where the block begins) for parameters whose table begins at `start`, and the blocks."""
        blocks = [pair.parameters() for pair in self.blocks.values()]
        begin = start + 3 * len(blocks)
        at = begin + np.concatenate([[0], np.cumsum([b.size for b in blocks])[:-1]]) if blocks else np.zeros(0)
        rows = [[i, j, a] for (i, j), a in zip(self.blocks, at, strict=True)]
        return np.array(rows, dtype=float).reshape(-1), np.concatenate([np.zeros(0), *blocks])


def as_body(field: str, body: Body | Mapping[str, Any]) -> Body:
    """A body, or the one that a description makes."""
    if isinstance(body, Body):
        return body
    if isinstance(body, Mapping):
        return body_from(body, field)
    raise InvalidInputError(field, body, "a body of polhode.bodies, or its description as a table with a type")


def inertia_of(field: str, body: Body) -> Inertia:
    """The inertia of a body that may turn; a single point does not, and has that of one."""
    J = body.inertia
    if not np.any(J):
        return Inertia.of_point(body.mass)
    moments = np.linalg.eigvalsh(J)
    if isinstance(body, PointMasses) and not moments[0] > TOLERANCE * moments[2]:
        allowed = (
            f"an inertia about every axis (its principal moments are {moments}): points on a line have none about it; "
            "give the body radius=, radii= or inertia=, or use Sphere"
        )
        raise InvalidInputError(f"{field}.inertia", J, allowed)
    return Inertia.of(J, field=f"{field}.inertia")


def spin_momentum(field: str, inertia: Inertia, omega: Array) -> Array:
    """`J ω`; a point has no spin."""
    if inertia.is_point and np.any(omega):
        raise InvalidInputError(field, omega, problem="a point mass has no inertia and cannot spin: use Sphere")
    return inertia.matrix @ omega


def checked_gravity(gravity: Any) -> int | str:
    """ "points", "polyhedron", "shapes", or an order."""
    if isinstance(gravity, str) and gravity in ("points", "polyhedron", "shapes"):
        return gravity
    if isinstance(gravity, bool) or not isinstance(gravity, (int, np.integer)) or not 2 <= gravity <= LARGEST_ORDER:
        allowed = f'"points", "polyhedron", "shapes", or the order of the expansion, 2 to {LARGEST_ORDER}'
        raise InvalidInputError("gravity", gravity, allowed)
    return int(gravity)


def interaction(first: Body, second: Body, gravity: int | str, G: float) -> Interaction:
    """The mutual gravity of two bodies: "points", "polyhedron", "shapes", or the order of an expansion."""
    if gravity == "shapes":
        return Shapes(first, second, G)
    if gravity == "points":
        for field, body in (("body1", first), ("body2", second)):
            if not isinstance(body, PointMasses):
                raise InvalidInputError(field, body, 'a body made of points, for gravity = "points"')
        return PointsPoints(first, second, G)  # type: ignore[arg-type]
    if gravity == "polyhedron":
        if isinstance(first, Polyhedron) or isinstance(second, Polyhedron):
            return PolyhedronPoint(first, second, G)
        for field, body in (("body1", first), ("body2", second)):
            if not attracts_as_point(body):
                allowed = 'a Polyhedron or a body that attracts as a point does, for gravity = "polyhedron"'
                raise InvalidInputError(field, body, allowed)
        return Expansion(first, second, 2, G)  # exact for two points
    return Expansion(first, second, int(gravity), G)


def build_pairs(bodies: Mapping[str, Body | Mapping[str, Any]], gravity: int | str, G: float) -> Pairs:
    """Every pair of bodies once; the bodies by the names that errors give them."""
    checked = [as_body(field, body) for field, body in bodies.items()]
    check_names_differ(checked)
    kind = checked_gravity(gravity)
    blocks = {(i, j): interaction(checked[i], checked[j], kind, G) for i, j in combinations(range(len(checked)), 2)}
    inertias = [inertia_of(field, body) for field, body in zip(bodies, checked, strict=True)]
    return Pairs(checked, inertias, kind, float(G), blocks)
