"""The scene of a trajectory: objects with shapes that move, arrows, and trails. One description for every viewer.

`scene(traj)` asks `appearance` what the system shows, selects the samples to show, and decides how fast to play them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from ..clock import Clock
from ..figures.time_series import drawable_part
from ..summary import headline, title_of
from .appearance import appearance
from .objects import Appearance, Arrow, SceneObject

Array = NDArray[np.float64]

COARSE = 1.0  # radians between frames: too far apart to interpolate
TRAIL_ANGLE = 15.0  # radians of rotation that a trail covers, for bodies that only rotate
PLAYBACK_RATE = 3.0  # radians of rotation per second of playback
SHORTEST, LONGEST = 12.0, 240.0  # seconds of playback
FRAMES, MAX_FRAMES = (
    2000,
    7200,
)  # as many as paths look smooth with; for much rotation more, 30 per second at the longest
FRAMES_PER_RADIAN = 4.0
WARM_UP = 0.25  # from the start, the picture is as wide as the first quarter of the run needs


@dataclass(frozen=True)
class Scene:
    """An appearance over time. `interpolated`: whether to interpolate between frames. `trail_duration`: how long trails
    are, in units of time. `playback_seconds`: how long it takes to play the scene."""

    title: str
    subtitle: str
    t: Array
    appearance: Appearance
    interpolated: bool
    note: str
    trail_duration: float
    playback_seconds: float
    clock: Clock

    @property
    def objects(self) -> Sequence[SceneObject]:
        """The objects."""
        return self.appearance.objects

    @property
    def arrows(self) -> Sequence[Arrow]:
        """The arrows."""
        return self.appearance.arrows

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.objects

    @property
    def framing(self) -> tuple[Array, Array]:
        """The point to look at, and the radius around it that the picture shows: one row per frame, or one for all.

        Around a centre that the system names, the picture widens as objects go farther than before. So bodies that
        escape at the end are still large while they are near each other.
        """
        named_centre = self.appearance.centre
        if named_centre is None:
            low = np.min([x.min(axis=0) - r for x, r in self._bounding_spheres()], axis=0)
            high = np.max([x.max(axis=0) + r for x, r in self._bounding_spheres()], axis=0)
            centre = 0.5 * (low + high)[None, :]
        else:
            centre = named_centre
        distances = [
            np.linalg.norm(np.broadcast_to(x, (len(self.t), 3)) - centre, axis=1) + r
            for x, r in self._bounding_spheres()
        ]
        radius = np.max(distances, axis=0)
        if named_centre is None:
            return centre, radius.max(keepdims=True)
        widest = np.maximum.accumulate(radius)
        elapsed = np.abs(self.t - self.t[0])
        until = np.searchsorted(elapsed, np.maximum(elapsed, WARM_UP * elapsed[-1]), side="right") - 1
        return centre, widest[until]

    def at(self, fraction: float) -> tuple[list[tuple[Array, Array]], list[tuple[Array, Array]]]:
        """Position and attitude of each object, and start and vector of each arrow, at a fraction (0 to 1) of the time."""
        elapsed = np.abs(self.t - self.t[0])
        now = fraction * elapsed[-1]
        i = int(np.clip(np.searchsorted(elapsed, now, side="right") - 1, 0, max(len(elapsed) - 2, 0)))
        j = min(i + 1, len(elapsed) - 1)
        part = (now - elapsed[i]) / (elapsed[j] - elapsed[i]) if j > i else 0.0
        part = float(np.clip(part, 0.0, 1.0)) if self.interpolated else float(part >= 1.0)

        def vector_at(x: Array) -> Array:
            return x[0] if len(x) == 1 else x[i] + part * (x[j] - x[i])

        def attitude_at(q: Array) -> Array:
            return q[0] if len(q) == 1 else unchecked.quaternion_geodesic(q[i], q[j], part)

        objects = [(vector_at(item.position), attitude_at(item.q)) for item in self.objects]
        return objects, [(vector_at(arrow.start), vector_at(arrow.vector)) for arrow in self.arrows]

    def _bounding_spheres(self) -> list[tuple[Array, float]]:
        """Positions over time, and the radii around them that objects fill."""
        tips = [(arrow.start + arrow.vector, 0.0) for arrow in self.arrows]
        return [sphere for item in self.objects for sphere in item.spheres] + tips


def scene(trajectory: Trajectory) -> Scene:
    """The scene of a trajectory.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> shown = scene(ph.simulate(start, step=0.1, steps=10))
    >>> [item.name for item in shown.objects], [arrow.name for arrow in shown.arrows]
    (['body'], ['angular momentum', 'angular velocity'])
    """
    trajectory = drawable_part(trajectory)
    count = len(trajectory)
    rotation = _rotation_between_samples(trajectory) * max(count - 1, 0)
    frames = min(count, int(np.clip(FRAMES_PER_RADIAN * rotation, FRAMES, MAX_FRAMES)))
    rows = np.unique(np.linspace(0, count - 1, frames).round().astype(int))
    interpolated = rotation <= COARSE * max(len(rows) - 1, 1)
    shown = trajectory[rows]
    seen = appearance(shown.system, shown)
    notes = [seen.note]
    if not interpolated:
        few = "samples" if len(rows) == count else "frames of so long a run"
        notes.append(f"The {few} are too far apart to interpolate.")
    duration = abs(float(shown.t[-1] - shown.t[0]))
    travels = any(np.ptp(item.position, axis=0).any() and len(seen.objects) > 1 for item in seen.objects)
    return Scene(
        title=title_of(trajectory),
        subtitle=headline(trajectory),
        t=shown.t,
        appearance=seen,
        interpolated=interpolated,
        note=" ".join(note for note in notes if note),
        trail_duration=duration if travels or not rotation else min(duration, duration * TRAIL_ANGLE / rotation),
        playback_seconds=float(np.clip(rotation / PLAYBACK_RATE, SHORTEST, LONGEST)),
        clock=Clock.of(shown),
    )


def _rotation_between_samples(trajectory: Trajectory, pairs: int = 300) -> float:
    """The angle by which objects rotate from one sample to the next: a high quantile over some pairs of neighbours."""
    if len(trajectory) < 2:
        return 0.0
    first = np.unique(np.linspace(0, len(trajectory) - 2, pairs).round().astype(int))
    before, after = (appearance(trajectory.system, trajectory[rows]) for rows in (first, first + 1))
    angles = [
        unchecked.quaternion_distance(a.q, b.q)
        for a, b in zip(before.objects, after.objects, strict=True)
        if len(a.q) == len(first)
    ]
    return float(np.quantile(np.max(angles, axis=0), 0.95)) if angles else 0.0
