"""Figures over time: conserved quantities, rates and momenta, attitude."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...geometry import quaternion, unchecked
from ...simulation.trajectory import Trajectory
from .axes import Given, label_angle, label_quantity, label_rate, label_time, legend_below, panels
from .style import BLACK, GREY, legend_beside, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

EPSILON = float(np.finfo(float).eps)
COARSE, FINE = 1.0, 0.04  # radians between samples: too far apart to join by lines, and close enough to look smooth
MANY_TURNS = 60  # beyond which lines are thin, so that they do not merge so soon
MERGED = 250  # beyond which they merge all the same: bands show the ranges instead
MOST_POINTS = 40_000  # of a smooth curve
SMALL = 0.3  # of the whole range of an angle: what stays within it gets an axis of its own range
BINS, TURNS_PER_BIN = 300, 10
LARGEST = 1e50


@dataclass(frozen=True)
class Turning:
    """How much the bodies of a run turn, and over how many samples."""

    turns: float
    samples: int

    @property
    def spacing(self) -> float:
        """The angle from one sample to the next, in the mean, in radians."""
        return 2.0 * np.pi * self.turns / max(self.samples - 1, 1)

    @property
    def coarse(self) -> bool:
        """Whether the samples are so far apart that lines between them would mislead."""
        return self.spacing > COARSE

    @property
    def note(self) -> str:
        """What a title adds."""
        if self.merged:
            return " (bands: so many turns merge)"
        return " (samples too far apart to join by lines)" if self.coarse else ""

    @property
    def merged(self) -> bool:
        """Whether lines of so many turns, or dots of so many samples, would fill the panel."""
        return min(self.turns, self.samples / 8) > MERGED

    @classmethod
    def of(cls, trajectory: Trajectory) -> Turning:
        """How much the bodies of a trajectory turn."""
        speed = np.abs(trajectory.omega).reshape(len(trajectory), -1)  # one body or several, one angle or several
        speed = np.linalg.norm(speed, axis=-1)
        angle = float(np.sum(0.5 * (speed[1:] + speed[:-1]) * np.abs(np.diff(trajectory.t))))
        return cls(angle / (2.0 * np.pi), len(trajectory))

    def line_style(self) -> dict[str, Any]:
        """Options for `Axes.plot`: dots for coarse samples and for a single one, otherwise a line."""
        if self.coarse or self.samples == 1:
            return {"linestyle": "none", "marker": ".", "markersize": 4}
        return {"linewidth": 0.6} if self.turns > MANY_TURNS else {}


def drawable_part(trajectory: Trajectory) -> Trajectory:
    """The trajectory up to the sample at which numbers become too large to draw, as in a run that diverged."""
    within = np.ones(len(trajectory), dtype=bool)
    for values in trajectory.values.values():
        within &= np.abs(values).reshape(len(values), -1).max(axis=1) < LARGEST
    end = len(within) if within.all() else max(1, int(np.argmin(within)))
    return trajectory[:end]


@styled
def plot_invariants(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The deviation of each conserved quantity from its first value, relative to its size as in the table of
    `Trajectory.conservation`, on a logarithmic scale."""
    trajectory, given = drawable_part(trajectory), ax
    figure, (ax,) = panels(given, ["a"], (8.0, 3.8))
    worst = 0.0
    sizes = trajectory.sizes()
    for name, error in trajectory.deviations().items():
        remark = ": conserved exactly" if not error.any() else "" if sizes[name] else " (absolute)"
        label = _in_words(name, trajectory.system.conserved[name].meaning) + remark
        worst = max(worst, float(error.max()))
        t, error = _envelope(trajectory.t, error)
        ax.plot(t, np.where(error > 0.0, error, np.nan), label=label, linewidth=1.0)
    ax.axhline(EPSILON, color=GREY, linewidth=0.9, linestyle=":")
    ax.annotate(
        "ε", (1.0, EPSILON), (3, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center"
    )
    ax.set_yscale("log")
    ax.set_ylim(0.2 * EPSILON, max(4.0 * worst, 100.0 * EPSILON))
    set_time_axis(ax, trajectory)
    ax.set_ylabel("deviation from the first value,\nrelative to its size")
    ax.set_title(f"Conserved quantities, {trajectory.method!r}, step {trajectory.step:g}")
    legend_below(figure, ax, given, 1)
    return figure


@styled
def plot_rates(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """Angular velocity and momentum in the body frame."""
    trajectory = drawable_part(trajectory)
    turning = Turning.of(trajectory)
    figure, axes = panels(ax, ["a", "b"], (8.0, 5.0), sharex=True)
    for ax, name, letter in zip(axes, ("omega", "Pi"), (r"\omega", r"\Pi"), strict=True):
        field = trajectory.system.fields[name]
        values = getattr(trajectory, name)
        draw_components(ax, trajectory.t, values, [f"${letter}_{i}$" for i in (1, 2, 3)], turning)
        ax.set_title(field.meaning + (turning.note if ax is axes[0] else ""))
    label_rate(axes[0].yaxis, trajectory.units, r"$\omega$")
    momentum = trajectory.system.fields["Pi"].unit
    label_quantity(axes[1].yaxis, trajectory.units, momentum, r"$\Pi$", unnamed=momentum)
    set_time_axis(axes[1], trajectory)
    return figure


@styled
def plot_attitude(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The attitude as a quaternion without jumps of sign, and as an angle about an axis."""
    trajectory = drawable_part(trajectory)
    turning = Turning.of(trajectory)
    t, q = smooth_attitude(trajectory, turning)
    vector, length = q[:, :3], np.linalg.norm(q[:, :3], axis=1)
    # the same sign as q, hence without jumps; up to a full turn
    angle = np.degrees(2.0 * np.arctan2(length, q[:, 3]))
    axis = np.where(length[:, None] > 1e-9, vector / np.maximum(length, 1e-9)[:, None], np.nan)

    figure, (top, middle, bottom) = panels(ax, ["a", "b", "c"], (8.0, 6.4), sharex=True)
    draw_components(top, t, q, ["x", "y", "z", "w"], turning)
    top.set_title(f"unit quaternion, {attitude_frames(trajectory)}" + turning.note)
    top.set_ylabel("q")
    draw_curve(middle, t, angle, turning)
    middle.set_title("rotation angle")
    set_angle_axis(middle, trajectory, angle, (0, 90, 180, 270, 360))
    draw_components(bottom, t, axis, ["$n_1$", "$n_2$", "$n_3$"], turning)
    bottom.set_title("rotation axis")
    bottom.set_ylabel("n")
    for ax in (top, bottom):
        ax.set_ylim(-1.1, 1.1)
    set_time_axis(bottom, trajectory)
    return figure


def smooth_attitude(trajectory: Trajectory, turning: Turning) -> tuple[Array, Array]:
    """Times and quaternions of a smooth curve: between samples, the cubic through their values and rates."""
    t, q = trajectory.t, continuous_quaternions(trajectory.q)
    between = 1 if turning.coarse else max(1, min(round(turning.spacing / FINE), MOST_POINTS // len(t)))
    if between == 1 or len(t) < 2:
        return t, q
    s = (np.arange(between) / between)[:, None]
    step = np.diff(t)[:, None, None]
    rate = quaternion.rate(q, getattr(trajectory, trajectory.system.attitude_rate))[:, None, :]
    start, end = q[:-1, None, :], q[1:, None, :]
    path = start + s**2 * (3.0 - 2.0 * s) * (end - start)
    path = path + step * s * (1.0 - s) * ((1.0 - s) * rate[:-1] - s * rate[1:])
    path = np.concatenate([path.reshape(-1, 4), q[-1:]])
    times = np.append((t[:-1, None] + np.diff(t)[:, None] * s[:, 0]).reshape(-1), t[-1])
    return times, unchecked.normalized(path)


def continuous_quaternions(q: Array) -> Array:
    """The quaternions `q` (n, 4) with signs chosen such that each is near the previous one.

    >>> continuous_quaternions(np.array([[0.0, 0, 0, 1], [0, 0, -0.1, -0.99], [0, 0, 0.2, 0.98]]))[:, 3]
    array([1.  , 0.99, 0.98])
    """
    turned = np.sum(q[1:] * q[:-1], axis=1) < 0.0
    signs = np.cumprod(np.concatenate([[1.0], np.where(turned, -1.0, 1.0)]))
    return q * signs[:, None]


def attitude_frames(trajectory: Trajectory) -> str:
    """The two frames that the attitude relates, as in "body to inertial"."""
    return trajectory.system.fields["R"].meaning.split(", ")[-1]


def replace_missing_glyphs(text: str) -> str:
    """`text` with characters that the font does not have, such as script capitals, replaced by plain ones.

    >>> replace_missing_glyphs("𝓜 = ½ Π")
    'M = ½ Π'
    """
    return "".join(c if ord(c) < 0x10000 else unicodedata.normalize("NFKC", c) for c in text)


def _in_words(name: str, meaning: str) -> str:
    """What a conserved quantity is; before a mere formula, its name."""
    named = meaning if meaning[:1].isascii() else f"{name.replace('_', ' ')} {meaning}"
    return replace_missing_glyphs(named)


def draw_curve(ax: Axes, t: Array, values: Array, turning: Turning, **options: Any) -> None:
    """Draw a curve over time: as a line, as dots, or, where it oscillates too often for these, as the band that it fills."""
    if not turning.merged:
        ax.plot(t, values, **turning.line_style() | options)
        return
    size = -(-len(t) // int(min(BINS, turning.turns / TURNS_PER_BIN)))
    first = np.arange(0, len(t), size)
    ranges = [
        np.append(found, found[-1]) for found in (np.fmin.reduceat(values, first), np.fmax.reduceat(values, first))
    ]
    (low, high), times = ranges, np.append(t[first], t[-1])
    options = {name: value for name, value in options.items() if name in ("color", "label")}
    (line,) = ax.plot(times, low, linewidth=0.6, **options | {"label": None})
    ax.plot(times, high, linewidth=0.6, color=line.get_color())
    ax.fill_between(times, low, high, color=line.get_color(), alpha=0.3, linewidth=0.0, label=options.get("label"))


def draw_components(ax: Axes, t: Array, values: Array, labels: list[str], turning: Turning) -> None:
    """Draw each component of `values` over time into `ax`; beyond three vector components, a length |·| is dashed."""
    for column, label in zip(values.T, labels, strict=True):
        length = {"color": BLACK, "linewidth": 0.9, "linestyle": "none" if turning.coarse else "--"}
        draw_curve(ax, t, column, turning, label=label, **(length if "|" in label else {}))
    # zero is always shown: otherwise the rounding errors of a constant would fill the axes
    low, high = np.nanmin(values, initial=0.0), np.nanmax(values, initial=0.0)
    margin = 0.06 * (high - low) or 1.0
    ax.set_ylim(low - margin, high + margin)
    legend_beside(ax)


def set_angle_axis(ax: Axes, trajectory: Trajectory, degrees: Array, ticks: Sequence[int]) -> None:
    """Label an axis of angles: from the first to the last tick, or just as far as angles that change little need."""
    low, high, whole = float(np.nanmin(degrees)), float(np.nanmax(degrees)), ticks[-1] - ticks[0]
    if 1e-9 < high - low < SMALL * whole:
        ax.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))
    else:
        ax.set_ylim(ticks[0] - 0.03 * whole, ticks[-1] + 0.03 * whole)
        ax.set_yticks(ticks)
    label_angle(ax.yaxis, trajectory.units)


def set_time_axis(ax: Axes, trajectory: Trajectory) -> None:
    """Label the time axis, and limit it to the samples."""
    label_time(ax.xaxis, trajectory)
    first, last = sorted((float(trajectory.t[0]), float(trajectory.t[-1])))
    if first < last:
        ax.set_xlim(first, last)


def _envelope(t: Array, error: Array) -> tuple[Array, Array]:
    """At most `BINS` points that show the largest error near each time."""
    first = np.arange(0, len(t), -(-len(t) // BINS))
    return t[first], np.maximum.reduceat(error, first)
