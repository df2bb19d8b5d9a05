"""Figures in space: the polhode on the energy ellipsoid, and the body's axes on the sphere of directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from .polhode_curves import family, separatrix
from .shaded_ellipsoid import Globe
from .style import BLACK, BLUE, GREEN, ORANGE, styled
from .time_series import Closeup, attitude_path, drawable, frames

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

INSIDE, OUTSIDE, PLAIN = (
    np.array([244, 227, 195]) / 255,
    np.array([187, 220, 240]) / 255,
    np.array([232, 236, 239]) / 255,
)


@styled
def polhode(trajectory: Trajectory, *, size: tuple[float, float] = (6.6, 6.4)) -> Figure:
    """The momentum's path on the ellipsoid of its energy, among the polhodes near it.

    The colour of the ellipsoid changes where the sphere of the body's momentum cuts it: that is its polhode.
    """
    from matplotlib.figure import Figure

    trajectory = drawable(trajectory)
    figure = Figure(figsize=size, layout="constrained")
    ax = figure.subplots()
    draw_polhode(ax, trajectory)
    energy, momentum = (float(trajectory.state(0).invariants()[name]) for name in ("energy", "momentum_norm"))
    numbers = rf"energy {energy:.4g},  momentum $|\Pi|$ = {momentum:.4g}"
    figure.suptitle(f"Polhode on the energy ellipsoid, in momentum space\n{trajectory.method!r}, {numbers}", size=11)
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def draw_polhode(ax: Axes, trajectory: Trajectory) -> None:
    """The ellipsoid with its polhodes and the trajectory's, into `ax`."""
    inertia: Any = trajectory.system.inertia  # type: ignore[attr-defined]
    moments: Array = inertia.moments
    part = Closeup.of(trajectory)
    Pi = trajectory.Pi @ inertia.axes
    first = Pi[0]
    twice_energy = float(first @ (first / moments))
    at_rest = twice_energy == 0.0
    semi_axes = np.sqrt((twice_energy or 1.0) * moments)
    k = float(first @ first) / (twice_energy or 1.0)

    globe = Globe(ax, semi_axes, _viewer(moments, first, k))

    def colour(points: Array) -> Array:
        beyond = np.sum(points**2, axis=-1) > (first @ first) * (1.0 + 1e-9)
        return np.where(beyond[..., None] & (not at_rest), OUTSIDE, INSIDE)

    globe.surface(colour)
    for i, curve in enumerate(family(moments)):
        label = "other polhodes of this energy" if i == 0 else None
        globe.curve(curve * semi_axes, color=BLACK, alpha=0.3, linewidth=0.7, behind=0.3, label=label)
    for i, curve in enumerate(separatrix(moments)):
        label = "separatrix" if i == 0 else None
        globe.curve(curve * semi_axes, color=BLACK, linewidth=1.1, linestyle=(0, (4, 2.5)), alpha=0.7, label=label)
    if not at_rest:
        draw_path(globe, Pi, part, ORANGE, label="computed")
    for direction, moment, name in zip(np.eye(3), moments, "123", strict=True):
        globe.axis(
            direction, 1.0 + 0.28 * semi_axes.max() / semi_axes[int(name) - 1], f"$J_{name}$ = {moment:.4g}", BLACK
        )


@styled
def body_axes(trajectory: Trajectory) -> Figure:
    """Where each of the body's axes points in space: a path on the unit sphere."""
    from matplotlib.figure import Figure

    trajectory = drawable(trajectory)
    figure = Figure(figsize=(9.0, 3.8), layout="constrained")
    for i, (ax, colour) in enumerate(zip(figure.subplots(1, 3), (BLUE, ORANGE, GREEN), strict=True)):
        draw_body_axis(ax, trajectory, i, colour)
        ax.set_title(f"body axis {i + 1}", loc="center", pad=12)
    figure.suptitle(f"Where the body's axes point ({frames(trajectory)})" + Closeup.of(trajectory).note, size=11)
    return figure


def draw_body_axis(ax: Axes, trajectory: Trajectory, i: int, colour: str) -> None:
    """The path of body axis `i` (0, 1 or 2) on the sphere of directions, into `ax`."""
    part = Closeup.of(trajectory)
    globe = Globe(ax, np.ones(3), [1.0, -0.75, 0.55])
    globe.surface(lambda points: np.broadcast_to(PLAIN, points.shape))
    graticule(globe)
    _, q = attitude_path(trajectory, part)
    draw_path(globe, unchecked.to_matrix(q)[:, :, i], part, colour)
    for direction, name in zip(np.eye(3), "xyz", strict=True):
        globe.axis(direction, 1.3, name, BLACK)


def draw_path(globe: Globe, points: Array, part: Closeup, colour: str, label: str | None = None) -> None:
    """Samples on a globe, joined unless they are too far apart, with a mark at the first."""
    if part.coarse:
        globe.dots(points, color=colour, marker="o", markersize=3, label=label)
    else:
        globe.curve(points, color=colour, linewidth=2.0 if label else 1.0, label=label)
    globe.dots(points[:1], color=colour, marker="o", markersize=6, markeredgecolor=BLACK)


def graticule(globe: Globe) -> None:
    """Circles of latitude and longitude, every 30 degrees."""
    turn = np.linspace(0.0, 2.0 * np.pi, 181)
    flat = np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=1)
    upright = np.stack([np.cos(turn), np.zeros_like(turn), np.sin(turn)], axis=1)
    for angle in np.radians(np.arange(-60, 90, 30)):
        globe.curve(
            flat * np.cos(angle) + [0.0, 0.0, np.sin(angle)], color=BLACK, alpha=0.12, linewidth=0.6, behind=0.0
        )
    for angle in np.radians(np.arange(0, 180, 30)):
        meridian = np.stack([upright[:, 0] * np.cos(angle), upright[:, 0] * np.sin(angle), upright[:, 2]], axis=1)
        globe.curve(meridian, color=BLACK, alpha=0.12, linewidth=0.6, behind=0.0)


def _viewer(moments: Array, Pi: Array, k: float) -> Array:
    """A view from the side on which the path runs around its axis."""
    signs = np.ones(3)
    around = 0 if k < moments[1] else 2
    signs[around] = -1.0 if Pi[around] < 0.0 else 1.0
    return signs * np.array([0.75, 0.5, 0.45])
