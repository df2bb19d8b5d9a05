"""Which bodies attract each other, and how: the part that the inertial and the relative full body problem share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies import Body, PointMasses, Polyhedron, body_from
from ..errors import InvalidInput
from ..gravity import LARGEST_ORDER, Expansion, Interaction, PointsPoints, PolyhedronPoint, attracts_as_point

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """Bodies, the interaction of each pair (first body, second body), and the workspace that they need in turn."""

    bodies: list[Body]
    G: float
    blocks: dict[tuple[int, int], Interaction]

    @property
    def workspace(self) -> int:
        return max((pair.workspace for pair in self.blocks.values()), default=0)

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
    raise InvalidInput(field, body, "a body of polhode.bodies, or its description as a table with a type")


def interaction(first: Body, second: Body, gravity: int | str, G: float) -> Interaction:
    """The mutual gravity of two bodies: "points", "polyhedron", or the order of an expansion."""
    if gravity == "points":
        for field, body in (("body1", first), ("body2", second)):
            if not isinstance(body, PointMasses):
                raise InvalidInput(field, body, 'a body made of points, for gravity = "points"')
        return PointsPoints(first, second, G)  # type: ignore[arg-type]
    if gravity == "polyhedron":
        if isinstance(first, Polyhedron) or isinstance(second, Polyhedron):
            return PolyhedronPoint(first, second, G)
        for field, body in (("body1", first), ("body2", second)):
            if not attracts_as_point(body):
                allowed = 'a Polyhedron or a body that attracts as a point does, for gravity = "polyhedron"'
                raise InvalidInput(field, body, allowed)
        return Expansion(first, second, 2, G)  # exact for two points
    if isinstance(gravity, bool) or not isinstance(gravity, int) or not 2 <= gravity <= LARGEST_ORDER:
        allowed = f'"points", "polyhedron", or the order of the expansion, 2 to {LARGEST_ORDER}'
        raise InvalidInput("gravity", gravity, allowed)
    return Expansion(first, second, gravity, G)


def build_pairs(bodies: Mapping[str, Body | Mapping[str, Any]], gravity: int | str, G: float) -> Pairs:
    """Every pair of bodies once; the bodies by the names that errors give them."""
    checked = [as_body(field, body) for field, body in bodies.items()]
    pairs = combinations(range(len(checked)), 2)
    return Pairs(checked, float(G), {(i, j): interaction(checked[i], checked[j], gravity, G) for i, j in pairs})
