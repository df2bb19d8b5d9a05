"""Figures of systems with one or two angles: the phase plane, and the paths of a double pendulum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.system import System
from ...simulation.trajectory import Trajectory
from ...systems.planar.base import CircleSystem
from .axes import Given, label_angle, label_length, label_rate, legend_below, panels
from .style import BLACK, BLUE, GREY, ORANGE, styled
from .time_series import Turning, drawable_part, set_time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
COLOURS = (BLUE, ORANGE)
LEVELS = 14


def has_angles(system: System) -> bool:
    """Whether the state consists of one or two angles and their rates."""
    field = system.fields.get("theta")
    return field is not None and "omega" in system.fields and field.shape in ((), (2,))


@styled
def plot_phase_plane(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """Angle and rate in the phase plane, with curves of equal energy for one angle; and both over time."""
    trajectory = drawable_part(trajectory)
    theta, omega = (getattr(trajectory, n).reshape(len(trajectory), -1) for n in ("theta", "omega"))
    count = theta.shape[1]
    turning = Turning.of(trajectory)
    planes, widths = "ab"[:count], [*[1.0] * count, 1.2 if count == 1 else 1.0]
    figure, axes = panels(ax, [f"{planes}y", f"{planes}z"], (10.0, 4.6), width_ratios=widths)
    phases, (upper, lower) = axes[:count], axes[count:]
    for i in range(count):
        ax = phases[i]
        if isinstance(trajectory.system, CircleSystem):
            draw_energy_levels(ax, trajectory.system, float(np.abs(omega).max()))
        draw_phase_path(ax, theta[:, i], omega[:, i], turning, COLOURS[i])
        label_rate(ax.yaxis, trajectory.units, r"rate $\omega$")
        ax.set_title("phase plane" if count == 1 else f"link {i + 1}")
    t = trajectory.t
    for i in range(count):
        label = None if count == 1 else f"link {i + 1}"
        angle = theta[:, i] if turning.coarse else np.unwrap(theta[:, i])
        upper.plot(t, np.degrees(angle), color=COLOURS[i], label=label, **turning.line_style())
        lower.plot(t, omega[:, i], color=COLOURS[i], **turning.line_style())
    upper.set_title("over time" + turning.note)
    label_angle(upper.yaxis, trajectory.units)
    upper.sharex(lower)
    upper.tick_params(labelbottom=False)
    label_rate(lower.yaxis, trajectory.units, r"$\omega$")
    set_time_axis(lower, trajectory)
    if count > 1:
        upper.legend(loc="best")
    return figure


def draw_phase_path(ax: Axes, theta: Array, omega: Array, turning: Turning, colour: str) -> None:
    """Draw a path in the plane of an angle from −π to π and its rate into `ax`, with a mark at its start."""
    line: dict[str, Any] = turning.line_style() or {"linewidth": 1.2}
    # a gap where the angle passes π
    jumps = np.flatnonzero(np.abs(np.diff(theta)) > np.pi) + 1
    ax.plot(np.insert(theta, jumps, np.nan), np.insert(omega, jumps, np.nan), color=colour, zorder=3, **line)
    ax.plot(theta[:1], omega[:1], "o", color=colour, markeredgecolor=BLACK, markersize=6, zorder=4, label="start")
    ax.set_xlim(-np.pi, np.pi)
    ax.set_xticks(np.pi * np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), ["−π", "−π/2", "0", "π/2", "π"])
    ax.set_xlabel(r"angle $\theta$")


def draw_energy_levels(ax: Axes, system: CircleSystem, fastest: float) -> None:
    """Draw curves of equal energy into `ax`, separatrices dashed, and the equilibria, unstable ones as open circles."""
    angle = np.linspace(-np.pi, np.pi, 361)
    U = system.potential_energy(np.stack([np.cos(angle), np.sin(angle)], axis=-1))
    depth = float(np.ptp(U))
    width = 1.15 * max(fastest, np.sqrt(2.0 * depth / system.J), 1e-12)
    rate = np.linspace(-width, width, 241)
    H = 0.5 * system.J * rate[:, None] ** 2 + U
    ax.set_ylim(-width, width)
    if not depth > 0.0:
        return
    levels = U.min() + (float(H.max()) - U.min()) * (np.arange(1, LEVELS + 1) / (LEVELS + 1)) ** 2
    ax.contour(angle, rate, H, levels=levels, colors=GREY, linewidths=0.6, linestyles="-", alpha=0.55)
    # local extrema of U on the circle; the last sample repeats the first
    around = U[:-1]
    before, after = np.roll(around, 1), np.roll(around, -1)
    tops, wells = (around > before) & (around >= after), (around < before) & (around <= after)
    passes = sorted({round(float(u), 9) for u in around[tops]})
    ax.contour(angle, rate, H, levels=passes, colors=BLACK, linewidths=0.9, linestyles="--", alpha=0.8)
    for chosen, face in ((wells, BLACK), (tops, "white")):
        at = angle[:-1][chosen]
        at = np.concatenate([at, at[np.isclose(at, -np.pi)] + 2.0 * np.pi])
        ax.plot(at, 0.0 * at, "o", color=BLACK, markerfacecolor=face, markersize=5, zorder=5, clip_on=False)


def has_joints(system: System) -> bool:
    """Whether the system is a chain of links in a plane."""
    return system.offers("joints")


@styled
def plot_joint_paths(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The paths of the second joint and the second mass centre of a double pendulum, and the links at both ends."""
    trajectory = drawable_part(trajectory)
    places = trajectory.system.joints(trajectory.theta)
    given = ax
    figure, (ax,) = panels(given, ["a"], (6.4, 6.0))
    names = ("second joint", "mass centre of the second link")
    for i, (name, colour) in enumerate(zip(names, COLOURS, strict=True)):
        ax.plot(*places[:, i].T, color=colour, linewidth=0.8, alpha=0.75, label=name)
    for row, alpha in ((0, 0.35), (-1, 1.0)):
        links = np.vstack([np.zeros(2), places[row]])
        ax.plot(*links.T, "o-", color=BLACK, alpha=alpha, linewidth=2.0, markersize=5)
    plain: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.0}
    for row, label, colour in ((0, "start", GREY), (-1, "end", BLACK)):
        ax.annotate(label, places[row, 1], (7, -12), textcoords="offset points", color=colour, bbox=plain, zorder=5)
    ax.set_aspect("equal", adjustable="datalim")
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y, up")):
        label_length(axis, trajectory.units, places, name)
    ax.set_title(f"Path in the plane, t = {trajectory.t[0]:g} … {trajectory.t[-1]:g}")
    legend_below(figure, ax, given, 2)
    return figure
