"""Figures on ellipsoids: the polhode on the energy ellipsoid, and the body axes on the unit sphere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from .axes import Given, legend_below, panels, superscripts
from .polhode_curves import polhode_family, separatrix_curves
from .shaded_ellipsoid import ShadedEllipsoid
from .style import BLACK, BLUE, GREEN, ORANGE, styled
from .time_series import MOST_POINTS, Turning, attitude_frames, drawable_part, smooth_attitude

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

BELOW_MOMENTUM, ABOVE_MOMENTUM, SPHERE_COLOUR = (
    np.array([244, 227, 195]) / 255,
    np.array([187, 220, 240]) / 255,
    np.array([232, 236, 239]) / 255,
)


@styled
def plot_polhode(trajectory: Trajectory, *, size: tuple[float, float] = (6.6, 6.4), ax: Given = None) -> Figure:
    """The path of the angular momentum on the energy ellipsoid, among other polhodes.

    The colour of the ellipsoid changes where the momentum sphere cuts it: that curve is the polhode of the body.
    """
    trajectory = drawable_part(trajectory)
    given = ax
    figure, (ax,) = panels(given, ["a"], size)
    draw_polhode(ax, trajectory)
    energy, momentum = (_first_value(trajectory, name) for name in ("energy", "momentum_norm"))
    numbers = rf"energy {energy},  momentum $|\Pi|$ = {momentum}"
    if given is None:
        title = f"Polhode on the energy ellipsoid, in momentum space\n{trajectory.method!r}, {numbers}"
        figure.suptitle(title, size=11)
    legend_below(figure, ax, given, 3)
    return figure


def _first_value(trajectory: Trajectory, name: str) -> str:
    """A conserved quantity at the start, with its unit if the run names units."""
    unit = trajectory.units.of(trajectory.system.conserved[name].unit or "")
    return f"{float(trajectory.state(0).invariants()[name]):.4g} {superscripts(unit)}".rstrip()


def draw_polhode(ax: Axes, trajectory: Trajectory) -> None:
    """Draw the ellipsoid with its polhodes and the path of the trajectory into `ax`."""
    inertia: Any = trajectory.system.inertia  # type: ignore[attr-defined]
    moments: Array = inertia.moments
    turning = Turning.of(trajectory)
    Pi = trajectory.Pi @ inertia.axes
    first = Pi[0]
    twice_energy = float(first @ (first / moments))
    at_rest = twice_energy == 0.0
    semi_axes = np.sqrt((twice_energy or 1.0) * moments)
    k = float(first @ first) / (twice_energy or 1.0)

    sphere = ShadedEllipsoid(ax, semi_axes, _view_direction(moments, first, k))

    def colour(points: Array) -> Array:
        above = np.sum(points**2, axis=-1) > (first @ first) * (1.0 + 1e-9)
        return np.where(above[..., None] & (not at_rest), ABOVE_MOMENTUM, BELOW_MOMENTUM)

    sphere.draw_surface(colour)
    for i, curve in enumerate(polhode_family(moments)):
        label = "other polhodes of this energy" if i == 0 else None
        sphere.draw_curve(curve * semi_axes, color=BLACK, alpha=0.3, linewidth=0.7, hidden_alpha=0.3, label=label)
    for i, curve in enumerate(separatrix_curves(moments)):
        label = "separatrix" if i == 0 else None
        sphere.draw_curve(
            curve * semi_axes, color=BLACK, linewidth=1.1, linestyle=(0, (4, 2.5)), alpha=0.7, label=label
        )
    if not at_rest:
        draw_sphere_path(sphere, Pi, turning, ORANGE, label="computed")
    for direction, moment, name in zip(np.eye(3), moments, "123", strict=True):
        sphere.draw_axis(
            direction, 1.0 + 0.28 * semi_axes.max() / semi_axes[int(name) - 1], f"$J_{name}$ = {moment:.4g}", BLACK
        )


@styled
def plot_body_axes(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The direction of each body axis in space, as a path on the unit sphere."""
    trajectory = drawable_part(trajectory)
    given = ax
    figure, axes = panels(given, ["abc"], (9.0, 3.8))
    for i, (ax, colour) in enumerate(zip(axes, (BLUE, ORANGE, GREEN), strict=True)):
        draw_body_axis(ax, trajectory, i, colour)
        ax.set_title(f"body axis {i + 1}", loc="center", pad=12)
    if given is None:
        title = f"Directions of the body axes ({attitude_frames(trajectory)})" + Turning.of(trajectory).note
        figure.suptitle(title, size=11)
    return figure


def draw_body_axis(ax: Axes, trajectory: Trajectory, i: int, colour: str) -> None:
    """Draw the path of body axis `i` (0, 1 or 2) on the unit sphere into `ax`."""
    turning = Turning.of(trajectory)
    sphere = ShadedEllipsoid(ax, np.ones(3), [1.0, -0.75, 0.55])
    sphere.draw_surface(lambda points: np.broadcast_to(SPHERE_COLOUR, points.shape))
    draw_graticule(sphere)
    _, q = smooth_attitude(trajectory, turning)
    draw_sphere_path(sphere, unchecked.to_matrix(q)[:, :, i], turning, colour)
    for direction, name in zip(np.eye(3), "xyz", strict=True):
        sphere.draw_axis(direction, 1.3, name, BLACK)


def draw_sphere_path(
    sphere: ShadedEllipsoid, points: Array, turning: Turning, colour: str, label: str | None = None
) -> None:
    """Draw samples on an ellipsoid, joined unless they are too far apart, with a mark at the first."""
    if turning.coarse:
        sphere.draw_points(stretches(points, 1), color=colour, marker="o", markersize=3, label=label)
    else:
        sphere.draw_curve(stretches(points), color=colour, linewidth=2.0 if label else 1.0, label=label)
    sphere.draw_points(points[:1], color=colour, marker="o", markersize=6, markeredgecolor=BLACK)


def stretches(points: Array, length: int = 2000, most: int = MOST_POINTS) -> Array:
    """At most about so many points of a path, from all over it: stretches of this many neighbours, with a gap after each.

    >>> stretches(np.arange(100.0)[:, None], 3, 6).ravel()
    array([ 0.,  1.,  2., nan, 97., 98., 99., nan])
    >>> stretches(np.arange(5.0)[:, None], 3, 6).ravel()
    array([0., 1., 2., 3., 4.])
    """
    if len(points) <= most:
        return points
    first = np.linspace(0, len(points) - length, most // length).astype(np.int64)
    chosen = points[first[:, None] + np.arange(length)]
    gaps = np.full((len(first), 1, points.shape[1]), np.nan)
    return np.concatenate([chosen, gaps], axis=1).reshape(-1, points.shape[1])


def draw_graticule(sphere: ShadedEllipsoid) -> None:
    """Draw circles of latitude and longitude every 30 degrees."""
    angles = np.linspace(0.0, 2.0 * np.pi, 181)
    equator = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    prime_meridian = np.stack([np.cos(angles), np.zeros_like(angles), np.sin(angles)], axis=1)
    for angle in np.radians(np.arange(-60, 90, 30)):
        sphere.draw_curve(
            equator * np.cos(angle) + [0.0, 0.0, np.sin(angle)],
            color=BLACK,
            alpha=0.12,
            linewidth=0.6,
            hidden_alpha=0.0,
        )
    for angle in np.radians(np.arange(0, 180, 30)):
        meridian = np.stack(
            [prime_meridian[:, 0] * np.cos(angle), prime_meridian[:, 0] * np.sin(angle), prime_meridian[:, 2]], axis=1
        )
        sphere.draw_curve(meridian, color=BLACK, alpha=0.12, linewidth=0.6, hidden_alpha=0.0)


def _view_direction(moments: Array, Pi: Array, k: float) -> Array:
    """The view direction from the side on which the path runs around its axis."""
    signs = np.ones(3)
    around = 0 if k < moments[1] else 2
    signs[around] = -1.0 if Pi[around] < 0.0 else 1.0
    return signs * np.array([0.75, 0.5, 0.45])
