"""What can be seen: rigid things that move, and arrows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry import unchecked
from .meshes import Mesh

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Thing:
    """A rigid thing: its shape, and its frame's place and attitude, one row a frame or one for all.

    `axes` are the lengths at which its three axes are drawn; `trail` is the point of it that leaves one.
    """

    name: str
    mesh: Mesh
    colour: str
    position: Array
    q: Array
    axes: Array | None = None
    trail: Array | None = None

    @property
    def radius(self) -> float:
        """How far it and its axes reach."""
        return max(self.mesh.radius, 0.0 if self.axes is None else float(self.axes.max()))

    @property
    def path(self) -> Array:
        """Where its trail's point is, or its frame's origin."""
        point = np.zeros(3) if self.trail is None else self.trail
        return self.position + unchecked.rotate(self.q, np.broadcast_to(point, (len(self.q), 3)))


@dataclass(frozen=True)
class Arrow:
    """A vector, one row a frame or one for all, drawn from `start`, in the scene's lengths."""

    name: str
    colour: str
    start: Array
    vector: Array


@dataclass(frozen=True)
class Look:
    """What a system shows at the samples of a trajectory; `viewer` points to where to look from, `note` says what should
    be known of the picture. `centre`, one row a frame, is what to look at where things travel."""

    things: Sequence[Thing] = ()
    arrows: Sequence[Arrow] = ()
    viewer: tuple[float, float, float] = (0.75, -1.0, 0.55)
    note: str = ""
    centre: Array | None = None
