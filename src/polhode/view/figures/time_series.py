"""Figures over time: what was kept, the rates and momenta, the attitude."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...geometry import quaternion, unchecked
from ...simulation.trajectory import Trajectory
from .style import GREY, legend_beside, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

EPSILON = float(np.finfo(float).eps)
TURNS = 12  # how much of a long run is shown where more would be a blot
COARSE, FINE = 1.0, 0.04  # radians between samples: from where on not to join them, and what looks smooth
BINS = 300
LARGEST = 1e50


@dataclass(frozen=True)
class Closeup:
    """The first part of a run, as much as the eye can follow."""

    rows: slice
    spacing: float
    note: str

    @property
    def coarse(self) -> bool:
        """Whether the samples are so far apart that joining them would mislead."""
        return self.spacing > COARSE

    @classmethod
    def of(cls, trajectory: Trajectory) -> Closeup:
        turns = np.zeros(len(trajectory))
        speed = np.abs(trajectory.omega).reshape(len(trajectory), -1)  # of one body or several, one angle or more
        speed = np.linalg.norm(speed, axis=-1)
        np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.abs(np.diff(trajectory.t)) / (2.0 * np.pi), out=turns[1:])
        spacing = float(turns[-1]) * 2.0 * np.pi / max(len(turns) - 1, 1)
        coarse = spacing > COARSE
        end = int(np.searchsorted(turns, TURNS, side="right")) if turns[-1] > 1.5 * TURNS else len(turns)
        end = min(len(turns), max(end, 400 if coarse else 2))
        note = "" if end == len(turns) else f": the first {turns[end - 1]:.0f} of {turns[-1]:,.0f} turns"
        if coarse:
            note += " (samples too far apart to join)"
        return cls(slice(0, end), spacing, note)

    def line(self) -> dict[str, Any]:
        """How to draw what is shown: a single sample, too, should be seen."""
        if self.coarse or self.rows.stop == 1:
            return {"linestyle": "none", "marker": ".", "markersize": 4}
        return {}


def drawable(trajectory: Trajectory) -> Trajectory:
    """The trajectory up to where its numbers, if a run went wrong, grow too large to be drawn."""
    within = np.ones(len(trajectory), dtype=bool)
    for values in trajectory.values.values():
        within &= np.abs(values).reshape(len(values), -1).max(axis=1) < LARGEST
    end = len(within) if within.all() else max(1, int(np.argmin(within)))
    return replace(trajectory, t=trajectory.t[:end], values={n: v[:end] for n, v in trajectory.values.items()})


@styled
def invariants(trajectory: Trajectory) -> Figure:
    """How far each conserved quantity strayed from its first value, relative to its size, on a logarithmic scale."""
    from matplotlib.figure import Figure

    trajectory = drawable(trajectory)
    figure = Figure(figsize=(8.0, 3.8), layout="constrained")
    ax = figure.subplots()
    worst = 0.0
    for name, values in trajectory.invariants().items():
        v = values.reshape(len(values), -1)
        size = float(np.linalg.norm(v[0]))
        error = np.linalg.norm(v - v[0], axis=1) / (size or 1.0)
        remark = ": kept exactly" if not error.any() else "" if size else " (absolute)"
        label = in_this_font(trajectory.system.conserved[name].meaning) + remark
        worst = max(worst, float(error.max()))
        t, error = _crests(trajectory.t, error)
        ax.plot(t, np.where(error > 0.0, error, np.nan), label=label, linewidth=1.0)
    ax.axhline(EPSILON, color=GREY, linewidth=0.9, linestyle=":")
    ax.annotate(
        "ε", (1.0, EPSILON), (3, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center"
    )
    ax.set_yscale("log")
    ax.set_ylim(0.2 * EPSILON, max(4.0 * worst, 100.0 * EPSILON))
    draw_time(ax, trajectory.t)
    ax.set_ylabel("deviation from the first value\n(relative)")
    ax.set_title(f"What was kept, by {trajectory.method!r}, step {trajectory.step:g}")
    figure.legend(loc="outside lower center", ncols=1)
    return figure


@styled
def rates(trajectory: Trajectory) -> Figure:
    """Angular velocity and momentum in the body frame."""
    from matplotlib.figure import Figure

    trajectory = drawable(trajectory)
    part = Closeup.of(trajectory)
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes = figure.subplots(2, 1, sharex=True)
    for ax, name, letter in zip(axes, ("omega", "Pi"), (r"\omega", r"\Pi"), strict=True):
        field = trajectory.system.fields[name]
        values = getattr(trajectory, name)[part.rows]
        draw_components(ax, trajectory.t[part.rows], values, [f"${letter}_{i}$" for i in (1, 2, 3)], part)
        ax.set_title(field.meaning + (part.note if ax is axes[0] else ""))
        ax.set_ylabel(f"${letter}$  ({field.unit})" if field.unit else f"${letter}$")
    draw_time(axes[1], trajectory.t[part.rows])
    return figure


@styled
def attitude(trajectory: Trajectory) -> Figure:
    """The attitude as a quaternion without jumps of sign, and as an angle about an axis."""
    from matplotlib.figure import Figure

    trajectory = drawable(trajectory)
    part = Closeup.of(trajectory)
    t, q = attitude_path(trajectory, part)
    vector, length = q[:, :3], np.linalg.norm(q[:, :3], axis=1)
    # of the same sign as q, hence without jumps, and up to a full turn
    angle = np.degrees(2.0 * np.arctan2(length, q[:, 3]))
    axis = np.where(length[:, None] > 1e-9, vector / np.maximum(length, 1e-9)[:, None], np.nan)

    figure = Figure(figsize=(8.0, 6.4), layout="constrained")
    top, middle, bottom = figure.subplots(3, 1, sharex=True)
    draw_components(top, t, q, ["x", "y", "z", "w"], part)
    top.set_title(f"unit quaternion, {frames(trajectory)}" + part.note)
    top.set_ylabel("q")
    middle.plot(t, angle, **part.line())
    middle.set_title("rotation angle")
    middle.set_ylabel("angle (degrees)")
    middle.set_ylim(-10.0, 370.0)
    middle.set_yticks([0, 90, 180, 270, 360])
    draw_components(bottom, t, axis, ["$n_1$", "$n_2$", "$n_3$"], part)
    bottom.set_title("rotation axis")
    bottom.set_ylabel("n")
    for ax in (top, bottom):
        ax.set_ylim(-1.1, 1.1)
    draw_time(bottom, t)
    return figure


def attitude_path(trajectory: Trajectory, part: Closeup) -> tuple[Array, Array]:
    """Times and quaternions to draw a smooth curve by: between samples, the cubic through their values and rates."""
    t, q = trajectory.t[part.rows], continuous(trajectory.q[part.rows])
    between = 1 if part.coarse else max(1, round(part.spacing / FINE))
    if between == 1 or len(t) < 2:
        return t, q
    s = (np.arange(between) / between)[:, None]
    step = np.diff(t)[:, None, None]
    turning = getattr(trajectory, getattr(trajectory.system, "attitude_rate", "omega"))
    rate = quaternion.rate(q, turning[part.rows])[:, None, :]
    start, end = q[:-1, None, :], q[1:, None, :]
    path = start + s**2 * (3.0 - 2.0 * s) * (end - start)
    path = path + step * s * (1.0 - s) * ((1.0 - s) * rate[:-1] - s * rate[1:])
    path = np.concatenate([path.reshape(-1, 4), q[-1:]])
    times = np.append((t[:-1, None] + np.diff(t)[:, None] * s[:, 0]).reshape(-1), t[-1])
    return times, unchecked.normalized(path)


def continuous(q: Array) -> Array:
    """The quaternions `q` (n, 4) with signs such that each is near the one before it.

    >>> continuous(np.array([[0.0, 0, 0, 1], [0, 0, -0.1, -0.99], [0, 0, 0.2, 0.98]]))[:, 3]
    array([1.  , 0.99, 0.98])
    """
    turned = np.sum(q[1:] * q[:-1], axis=1) < 0.0
    signs = np.cumprod(np.concatenate([[1.0], np.where(turned, -1.0, 1.0)]))
    return q * signs[:, None]


def frames(trajectory: Trajectory) -> str:
    """What the attitude is between, as in "body to inertial"."""
    return trajectory.system.fields["R"].meaning.split(", ")[-1]


def in_this_font(text: str) -> str:
    """`text` with letters that the font has not, such as script capitals, as plain ones.

    >>> in_this_font("𝓜 = ½ Π")
    'M = ½ Π'
    """
    return "".join(c if ord(c) < 0x10000 else unicodedata.normalize("NFKC", c) for c in text)


def draw_components(ax: Axes, t: Array, values: Array, labels: list[str], part: Closeup) -> None:
    """Each component of `values` over time."""
    for column, label in zip(values.T, labels, strict=True):
        ax.plot(t, column, label=label, **part.line())
    # zero is always shown: a constant has no scale of its own, and rounding would fill the axes
    low, high = np.nanmin(values, initial=0.0), np.nanmax(values, initial=0.0)
    margin = 0.06 * (high - low) or 1.0
    ax.set_ylim(low - margin, high + margin)
    legend_beside(ax)


def draw_time(ax: Axes, t: Array) -> None:
    """The time axis, as long as the samples."""
    ax.set_xlabel("time")
    first, last = sorted((float(t[0]), float(t[-1])))
    if first < last:
        ax.set_xlim(first, last)


def _crests(t: Array, error: Array) -> tuple[Array, Array]:
    """At most `BINS` points that show the largest error around each time."""
    first = np.arange(0, len(t), -(-len(t) // BINS))
    return t[first], np.maximum.reduceat(error, first)
