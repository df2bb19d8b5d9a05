"""What a trajectory looks like: things with shapes that move, arrows, and trails. One description for every viewer.

`scene(traj)` asks `look` what the system shows (see `looks.py`), and adds what all have in common: which samples to show,
and how fast to play them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from ..figures.time_series import drawable
from ..summary import headline, title_of
from .appearance import look
from .objects import Arrow, Look, Thing

Array = NDArray[np.float64]

FRAMES = 2000
FINE, COARSE = 0.5, 1.0  # radians that a thing turns between frames: what interpolates well, and what does not any more
TRAIL = 15.0  # radians of turning that a trail remembers, of bodies that only turn
PLEASANT = 3.0  # radians a second
SHORTEST, LONGEST = 12.0, 120.0  # seconds
WARM_UP = 0.25  # the part of the time whose widest moment the picture shows from the start


@dataclass(frozen=True)
class Scene:
    """A look over time. `joined` says whether to interpolate between frames; `trail` is how long trails are, in units of
    time; `seconds` how long to play it."""

    title: str
    subtitle: str
    t: Array
    look: Look
    joined: bool
    note: str
    trail: float
    seconds: float

    @property
    def things(self) -> Sequence[Thing]:
        return self.look.things

    @property
    def arrows(self) -> Sequence[Arrow]:
        return self.look.arrows

    @property
    def empty(self) -> bool:
        return not self.things

    @property
    def framing(self) -> tuple[Array, Array]:
        """What to look at, and how far around it the picture reaches: one row a frame, or one for all.

        Around a centre that the system names, the picture widens as things go farther than they have been, so that those
        that fly apart at last are large as long as they are near each other.
        """
        if self.look.centre is None:
            low = np.min([x.min(axis=0) - r for x, r in self._balls()], axis=0)
            high = np.max([x.max(axis=0) + r for x, r in self._balls()], axis=0)
            centre = 0.5 * (low + high)[None, :]
        else:
            centre = self.look.centre
        around = [np.linalg.norm(np.broadcast_to(x, (len(self.t), 3)) - centre, axis=1) + r for x, r in self._balls()]
        reach = np.max(around, axis=0)
        if self.look.centre is None:
            return centre, reach.max(keepdims=True)
        soon = np.maximum.accumulate(reach)
        elapsed = np.abs(self.t - self.t[0])
        until = np.searchsorted(elapsed, np.maximum(elapsed, WARM_UP * elapsed[-1]), side="right") - 1
        return centre, soon[until]

    def at(self, now: float) -> tuple[list[tuple[Array, Array]], list[tuple[Array, Array]]]:
        """Place and attitude of each thing, and foot and vector of each arrow, at the part `now` (0 to 1) of the time."""
        elapsed = np.abs(self.t - self.t[0])
        when = now * elapsed[-1]
        i = int(np.clip(np.searchsorted(elapsed, when, side="right") - 1, 0, max(len(elapsed) - 2, 0)))
        j = min(i + 1, len(elapsed) - 1)
        part = (when - elapsed[i]) / (elapsed[j] - elapsed[i]) if j > i else 0.0
        part = float(np.clip(part, 0.0, 1.0)) if self.joined else float(part >= 1.0)

        def straight(x: Array) -> Array:
            return x[0] if len(x) == 1 else x[i] + part * (x[j] - x[i])

        def turning(q: Array) -> Array:
            return q[0] if len(q) == 1 else unchecked.quaternion_geodesic(q[i], q[j], part)

        things = [(straight(thing.position), turning(thing.q)) for thing in self.things]
        return things, [(straight(arrow.start), straight(arrow.vector)) for arrow in self.arrows]

    def _balls(self) -> list[tuple[Array, float]]:
        """Places over time, and the radius around them that is filled."""
        tips = [(arrow.start + arrow.vector, 0.0) for arrow in self.arrows]
        return [(thing.position, thing.radius) for thing in self.things] + tips


def scene(trajectory: Trajectory) -> Scene:
    """What a trajectory looks like.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> shown = scene(ph.simulate(start, step=0.1, steps=10))
    >>> [thing.name for thing in shown.things], [arrow.name for arrow in shown.arrows]
    (['body'], ['angular momentum', 'angular velocity'])
    """
    trajectory = drawable(trajectory)
    whole = len(trajectory)
    spacing = _spacing(trajectory)
    joined = spacing <= COARSE
    stride = max(1, int(FINE / spacing)) if joined and spacing > 0.0 else whole
    end = min(whole, FRAMES * stride) if joined else whole
    rows = np.unique(np.linspace(0, end - 1, min(end, FRAMES)).round().astype(int))
    shown = rows_of(trajectory, rows)
    seen = look(shown.system, shown)
    notes = [seen.note]
    if not joined:
        notes.append("The samples are too far apart to be joined.")
    if end < whole:
        notes.append(f"Shown is the time up to {shown.t[-1]:.5g}, of {trajectory.t[-1]:.5g}.")
    turned = spacing * end
    duration = abs(float(shown.t[-1] - shown.t[0]))
    travels = any(np.ptp(thing.position, axis=0).any() and len(seen.things) > 1 for thing in seen.things)
    return Scene(
        title=title_of(trajectory),
        subtitle=headline(trajectory),
        t=shown.t,
        look=seen,
        joined=joined,
        note=" ".join(note for note in notes if note),
        trail=duration if travels or not turned else min(duration, duration * TRAIL / turned),
        seconds=float(np.clip(turned / PLEASANT, SHORTEST, LONGEST)),
    )


def rows_of(trajectory: Trajectory, rows: NDArray[np.int_]) -> Trajectory:
    """Some samples of a trajectory."""
    return replace(
        trajectory, t=trajectory.t[rows], values={n: v[rows] for n, v in trajectory.values.items()}, tangent=None
    )


def _spacing(trajectory: Trajectory, pairs: int = 300) -> float:
    """How far things turn from one sample to the next, in radians: nearly the most, from some pairs of neighbours."""
    if len(trajectory) < 2:
        return 0.0
    first = np.unique(np.linspace(0, len(trajectory) - 2, pairs).round().astype(int))
    before, after = (look(trajectory.system, rows_of(trajectory, rows)) for rows in (first, first + 1))
    angles = [
        unchecked.quaternion_distance(a.q, b.q)
        for a, b in zip(before.things, after.things, strict=True)
        if len(a.q) == len(first)
    ]
    return float(np.quantile(np.max(angles, axis=0), 0.95)) if angles else 0.0
