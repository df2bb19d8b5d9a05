"""Which bodies attract each other, and how: the part that the inertial and the relative full body problem share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies import Body, PointMasses, body_from
from ..errors import InvalidInput
from ..gravity import Expansion, Interaction, PointsPoints

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
        return body_from(body)
    raise InvalidInput(field, body, "a body of polhode.bodies, or its description as a table with a type")


def interaction(first: Body, second: Body, gravity: int | str, G: float) -> Interaction:
    """The mutual gravity of two bodies: "points", or the order of an expansion."""
    if gravity == "points":
        for field, body in (("body1", first), ("body2", second)):
            if not isinstance(body, PointMasses):
                raise InvalidInput(field, body, 'a body made of points, for gravity = "points"')
        return PointsPoints(first, second, G)  # type: ignore[arg-type]
    if isinstance(gravity, bool) or not isinstance(gravity, int) or gravity < 2:
        raise InvalidInput("gravity", gravity, '"points", or the order of the expansion, 2 or more')
    return Expansion(first, second, gravity, G)


def build_pairs(bodies: Sequence[Body | Mapping[str, Any]], gravity: int | str, G: float) -> Pairs:
    """Every pair of bodies once."""
    checked = [as_body(f"bodies[{i}]", b) for i, b in enumerate(bodies)]
    pairs = combinations(range(len(checked)), 2)
    return Pairs(checked, float(G), {(i, j): interaction(checked[i], checked[j], gravity, G) for i, j in pairs})
