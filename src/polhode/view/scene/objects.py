"""The contents of a scene: rigid objects that move, and arrows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry import unchecked
from .meshes import Mesh

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SceneObject:
    """A rigid object: its shape, and the position and attitude of its frame, one row per frame or one for all frames.

    `colour` is "#rrggbb". `axis_lengths` are the lengths at which its three axes are drawn, None for no axes.
    `trail_point` is the point of the object that draws a trail, in its own frame, None for no trail.
    `is_body` is False for what surrounds the bodies, such as a pivot.
    """

    name: str
    mesh: Mesh
    colour: str
    position: Array
    q: Array
    axis_lengths: Array | None = None
    trail_point: Array | None = None
    is_body: bool = True

    @property
    def spheres(self) -> list[tuple[Array, float]]:
        """Spheres that contain the object and the ends of its axes: their middles in space, and radii."""
        corners = self.mesh.vertices if len(self.mesh.vertices) else np.zeros((1, 3))
        middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        ends = [] if self.axis_lengths is None else list(np.diag(self.axis_lengths))
        radius = float(np.linalg.norm(corners - middle, axis=1).max())
        return [(self._in_space(middle), radius), *((self._in_space(end), 0.0) for end in ends)]

    @property
    def path(self) -> Array:
        """The path of the trail point in space, or of the frame's origin if there is none."""
        return self._in_space(np.zeros(3) if self.trail_point is None else self.trail_point)

    def _in_space(self, point: Array) -> Array:
        """The path of a point of its frame."""
        return self.position + unchecked.rotate(self.q, np.broadcast_to(point, (len(self.q), 3)))


@dataclass(frozen=True)
class Arrow:
    """A vector drawn from `start`, in the scene's lengths, one row per frame or one for all frames."""

    name: str
    colour: str
    start: Array
    vector: Array


@dataclass(frozen=True)
class UncertaintyMark:
    """A transparent ellipsoid: its centre, attitude and semiaxes, one row per frame."""

    colour: str
    position: Array
    q: Array
    semiaxes: Array


@dataclass(frozen=True)
class Appearance:
    """What a system shows at the samples of a trajectory.

    `view_direction` points from the scene to the viewer. `note` explains the picture. `centre`, one row per frame, is
    the point that the camera follows where objects travel; None for a camera that stands still. `marks` show uncertainty, in
    pages only.
    """

    objects: Sequence[SceneObject] = ()
    arrows: Sequence[Arrow] = ()
    view_direction: tuple[float, float, float] = (0.75, -1.0, 0.55)
    note: str = ""
    centre: Array | None = None
    marks: Sequence[UncertaintyMark] = ()


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue from 0 to 255.

    >>> rgb("#0072B2")
    (0, 114, 178)
    """
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
