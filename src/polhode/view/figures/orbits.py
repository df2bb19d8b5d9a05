"""Figures of bodies that move through space: paths, distances, orbital elements, librations, and energies."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...analysis.orbits import libration as libration_angles
from ...analysis.orbits import mutual_distance, mutual_elements
from ...core.system import System
from ...errors import InvalidInputError
from ...simulation.trajectory import Trajectory
from ..summary import body_label
from .style import BLACK, BLUE, GREY, ORANGE, PALETTE, SKY, legend_beside, styled
from .time_series import drawable_part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
MOST_TURNS = 60  # of a body that is drawn beside one that turns less
MAX_CURVES = 8  # bodies, and pairs of bodies, that a figure shows


def has_positions(system: System) -> bool:
    """Whether the system's bodies have positions in space."""
    return {"x1", "x2"} <= set(system.fields) or system.fields.get("x", None) is not None


def mass_centres(trajectory: Trajectory) -> Array:
    """The mass centres, (time, bodies, 3)."""
    if "x" in trajectory.system.fields:
        return trajectory.x
    return np.stack([trajectory.x1, trajectory.x2], axis=1)


@styled
def plot_orbits(trajectory: Trajectory) -> Figure:
    """Paths of the mass centres in the plane of the motion's two widest directions, and the mutual distances."""
    from matplotlib.figure import Figure

    trajectory = drawable_part(trajectory)
    x = mass_centres(trajectory)
    figure = Figure(figsize=(10.0, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.3])
    widths = np.ptp(x.reshape(-1, 3), axis=0)
    across, up = sorted(np.argsort(widths)[-2:])
    for i, colour in zip(range(min(x.shape[1], MAX_CURVES)), PALETTE * 2, strict=False):
        left.plot(x[:, i, across], x[:, i, up], color=colour, linewidth=1.0, label=body_label(trajectory.system, i))
        left.plot(*x[0, i, [across, up]], "o", color=colour, markersize=4, fillstyle="none")
        left.plot(*x[-1, i, [across, up]], "o", color=colour, markersize=5)
    left.set_aspect("equal", adjustable="datalim")
    left.set_xlabel("xyz"[across])
    left.set_ylabel("xyz"[up])
    left.set_title("Paths of the mass centres (○ start, ● end)")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4)
    nearest, farthest, closest = np.inf, 0.0, 0.0
    for i, j in list(combinations(range(x.shape[1]), 2))[:MAX_CURVES]:
        distance = np.linalg.norm(x[:, i] - x[:, j], axis=-1)
        right.plot(trajectory.t, distance, linewidth=1.0, label=f"{i}–{j}")
        k = int(np.argmin(distance))
        farthest = max(farthest, float(distance.max()))
        if distance[k] < nearest:
            nearest, closest = float(distance[k]), float(trajectory.t[k])
    right.plot(closest, nearest, ".", color=GREY)
    right.annotate(
        f"{nearest:.5g} at t = {closest:.5g}",
        (closest, nearest),
        (8, 6),
        textcoords="offset points",
        fontsize=8,
        color=GREY,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0},
    )
    if nearest < 0.5 * farthest:
        right.set_ylim(0.0, 1.1 * farthest)
    right.margins(x=0.01, y=0.12)
    right.set_xlabel("time")
    right.set_ylabel("distance")
    right.set_title("Distance between mass centres, with its minimum")
    if x.shape[1] > 2:
        legend_beside(right)
    return figure


def has_mutual_orbit(system: System) -> bool:
    """Whether the system has at least two bodies in space."""
    return len(system.bodies) > 1


@styled
def plot_elements(trajectory: Trajectory) -> Figure:
    """Osculating elements of the orbit of the first body about the second: size, eccentricity, and angles."""
    from matplotlib.figure import Figure

    trajectory = drawable_part(trajectory)
    figure = Figure(figsize=(8.0, 7.0), layout="constrained")
    size, shape, angles = figure.subplots(3, 1, sharex=True)
    angles.set_xlabel("time")
    try:
        orbit = mutual_elements(trajectory)
    except InvalidInputError:
        size.set_title("A motion along the line of centres has no orbital elements")
        return figure
    t = trajectory.t
    size.set_title(f"Osculating orbit of {body_label(trajectory.system, 0)} about {body_label(trajectory.system, 1)}")
    size.plot(t, mutual_distance(trajectory), color=SKY, linewidth=2.2, label="distance")
    if np.all(orbit.e < 1.0):
        size.plot(t, orbit.a, color=BLUE, label="semi-major axis $a$")
    size.plot(t, orbit.q, color=ORANGE, linewidth=1.0, label="periapsis distance $q$")
    size.set_ylabel("length")
    shape.plot(t, orbit.e, color=BLUE, label="eccentricity $e$")
    shape.set_ylim(bottom=0.0)
    shape.set_ylabel("eccentricity")
    angles.plot(t, np.degrees(orbit.inclination), label="inclination")
    for name in ("node", "periapsis"):
        angles.plot(t, break_at_jumps(np.degrees(getattr(orbit, name)), 360.0), linewidth=1.0, label=name)
    angles.set_ylabel("degrees")
    for ax in (size, angles):
        legend_beside(ax)
    size.margins(x=0.01)
    return figure


@styled
def plot_libration(trajectory: Trajectory) -> Figure:
    """The angle of each body's long axis from the line of centres, in the plane of the orbit."""
    from matplotlib.figure import Figure

    trajectory = drawable_part(trajectory)
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    try:
        angles = np.degrees(libration_angles(trajectory))
    except InvalidInputError:
        figure.subplots().set_title("A motion along the line of centres has no orbital plane to librate in")
        return figure
    turns = np.sum(
        np.isnan([break_at_jumps(angle, 180.0) for angle in angles.T]), axis=1
    )  # all, if it has no long axis
    # the line of a body that turns over and over would fill its panel: it is named below the other's
    fast = [i for i, count in enumerate(turns) if MOST_TURNS < count < len(angles) and turns.min() <= MOST_TURNS]
    shown = [i for i in range(angles.shape[1]) if i not in fast]
    panels = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    panels[-1].set_xlabel(f"time{''.join(f'    ({body_label(trajectory.system, i)} circulates)' for i in fast)}")
    for i, ax in zip(shown, panels, strict=True):
        angle, colour = angles[:, i], PALETTE[i]
        ax.set_ylabel("degrees")
        ax.margins(x=0.01)
        if np.isnan(angle).any():
            ax.set_title(f"{body_label(trajectory.system, i)} has no long axis")
            continue
        line = break_at_jumps(angle, 180.0)
        circulates = bool(np.isnan(line).any())
        ax.plot(trajectory.t, line, color=colour, linewidth=1.0)
        extent = (
            "circulates" if circulates else f"librates within {angle.min():.3g}° … {angle.max():.3g}°".replace("-", "−")
        )
        ax.set_title(f"Angle of the long axis of {body_label(trajectory.system, i)} from the line of centres: {extent}")
        if circulates:
            ax.set_ylim(-90.0, 90.0)
            ax.set_yticks([-90, -45, 0, 45, 90])
    return figure


def break_at_jumps(angle: Array, turn: float) -> Array:
    """An angle with gaps where it jumps from one end of its range to the other, so that no line is drawn across."""
    jumps = np.abs(np.diff(angle, prepend=angle[:1])) > 0.5 * turn
    return np.where(jumps, np.nan, angle)


@styled
def plot_energies(trajectory: Trajectory) -> Figure:
    """The parts of the energy, kinetic and potential, and their sum."""
    from matplotlib.figure import Figure

    trajectory = drawable_part(trajectory)
    figure = Figure(figsize=(8.0, 4.0), layout="constrained")
    ax = figure.subplots()
    for label, values in trajectory.system.energies(trajectory.values, trajectory.t).items():
        style = {"color": BLACK, "linewidth": 1.8} if label == "total" else {"linewidth": 1.1}
        ax.plot(trajectory.t, values, label=label, **style)
    ax.margins(x=0.01)
    ax.set_xlabel("time")
    ax.set_ylabel("energy")
    ax.set_title("Parts of the energy")
    legend_beside(ax)
    return figure
