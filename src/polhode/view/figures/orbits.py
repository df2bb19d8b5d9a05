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
from .axes import (
    LONG_TIME,
    TIMES,
    Given,
    body_labels,
    label_angle,
    label_length,
    label_quantity,
    label_time,
    panels,
    plain_label,
    readable,
)
from .style import BLACK, BLUE, GREY, ORANGE, PALETTE, SKY, legend_beside, styled
from .time_series import drawable_part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
MANY_TURNS = 40  # beyond which a circulating angle is drawn as dots
MAX_CURVES = 8  # bodies, and pairs of bodies, that a figure shows
SEEN = 0.02  # the least change of an energy that is seen, as a part of the height of a figure of them all
ROUNDING = 1e-9  # changes below this part of the height are none


def has_positions(system: System) -> bool:
    """Whether the system's bodies have positions in space."""
    return {"x1", "x2"} <= set(system.fields) or system.fields.get("x", None) is not None


def mass_centres(trajectory: Trajectory) -> Array:
    """The mass centres, (time, bodies, 3)."""
    if "x" in trajectory.system.fields:
        return trajectory.x
    return np.stack([trajectory.x1, trajectory.x2], axis=1)


@styled
def plot_orbits(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """Paths of the mass centres in the plane of the motion's two widest directions, and the mutual distances."""
    trajectory = drawable_part(trajectory)
    x = mass_centres(trajectory)
    figure, (left, right) = panels(ax, ["ab"], (10.0, 4.4), width_ratios=[1.0, 1.3])
    units = trajectory.units
    widths = np.ptp(x.reshape(-1, 3), axis=0)
    across, up = sorted(np.argsort(widths)[-2:])
    for i, colour in zip(range(min(x.shape[1], MAX_CURVES)), PALETTE * 2, strict=False):
        left.plot(x[:, i, across], x[:, i, up], color=colour, linewidth=1.0, label=body_labels(trajectory.system)[i])
        left.plot(*x[0, i, [across, up]], "o", color=colour, markersize=4, fillstyle="none")
        left.plot(*x[-1, i, [across, up]], "o", color=colour, markersize=5)
    left.set_aspect("equal", adjustable="datalim")
    for axis, k in ((left.xaxis, across), (left.yaxis, up)):
        label_length(axis, units, x, "xyz"[k])
    label_time(right.xaxis, trajectory)
    seconds, times = readable(units.size("time"), units.time, float(np.ptp(trajectory.t)), TIMES, LONG_TIME)
    apart = [np.linalg.norm(x[:, i] - x[:, j], axis=-1) for i, j in combinations(range(x.shape[1]), 2)]
    metres, lengths = label_length(right.yaxis, units, apart, "distance")
    left.set_title("Paths of the mass centres (○ start, ● end)")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4)
    nearest, farthest, closest = np.inf, 0.0, 0.0
    names = body_labels(trajectory.system)
    for (first, second), distance in list(zip(combinations(names, 2), apart, strict=True))[:MAX_CURVES]:
        right.plot(trajectory.t, distance, linewidth=1.0, label=f"{first} – {second}")
        k = int(np.argmin(distance))
        farthest = max(farthest, float(distance.max()))
        if distance[k] < nearest:
            nearest, closest = float(distance[k]), float(trajectory.t[k])
    far = f"{nearest * metres:.5g}{f' {lengths}' if lengths else ''}"
    when = f"{closest * seconds:.5g} {times}" if times else f"t = {closest:.5g}"
    right.plot(closest, nearest, ".", color=GREY)
    if nearest < 0.5 * farthest:
        right.set_ylim(0.0, 1.1 * farthest)
    right.margins(x=0.01, y=0.12)
    right.set_title(f"Distance: least {far} at {when}")
    if x.shape[1] > 2:
        legend_beside(right)
    return figure


def has_mutual_orbit(system: System) -> bool:
    """Whether the system has at least two bodies in space."""
    return len(system.bodies) > 1


@styled
def plot_elements(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """Osculating elements of the orbit of the first body about the second: size, eccentricity, and angles."""
    trajectory = drawable_part(trajectory)
    figure, (size, shape, angles) = panels(ax, "abc", (8.0, 7.0), sharex=True)
    label_time(angles.xaxis, trajectory)
    try:
        orbit = mutual_elements(trajectory)
    except InvalidInputError:
        size.set_title("A motion along the line of centres has no orbital elements")
        return figure
    t = trajectory.t
    size.set_title(f"Osculating orbit of {body_labels(trajectory.system)[0]} about {body_labels(trajectory.system)[1]}")
    size.plot(t, mutual_distance(trajectory), color=SKY, linewidth=2.2, label="distance")
    if np.all(orbit.e < 1.0):
        size.plot(t, orbit.a, color=BLUE, label="semi-major axis $a$")
    size.plot(t, orbit.q, color=ORANGE, linewidth=1.0, label="periapsis distance $q$")
    label_length(size.yaxis, trajectory.units, mutual_distance(trajectory), "length")
    shape.plot(t, orbit.e, color=BLUE, label="eccentricity $e$")
    shape.set_ylim(bottom=0.0)
    shape.set_ylabel("eccentricity")
    angles.plot(t, np.degrees(orbit.inclination), label="inclination")
    for name in ("node", "periapsis"):
        angles.plot(t, break_at_jumps(np.degrees(getattr(orbit, name)), 360.0), linewidth=1.0, label=name)
    label_angle(angles.yaxis, trajectory.units)
    for ax in (size, angles):
        legend_beside(ax)
    size.margins(x=0.01)
    return figure


@styled
def plot_libration(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The angle of each body's long axis from the line of centres, in the plane of the orbit."""
    trajectory = drawable_part(trajectory)
    figure, axes = panels(ax, "ab", (8.0, 5.0), sharex=True)
    label_time(axes[-1].xaxis, trajectory)
    try:
        angles = np.degrees(libration_angles(trajectory))
    except InvalidInputError:
        axes[0].set_title("A motion along the line of centres has no orbital plane to librate in")
        return figure
    for i, (ax, colour) in enumerate(zip(axes, PALETTE, strict=False)):
        angle = angles[:, i]
        label_angle(ax.yaxis, trajectory.units)
        ax.margins(x=0.01)
        if np.isnan(angle).any():
            ax.set_title(f"{body_labels(trajectory.system)[i]} has no long axis")
            continue
        line = break_at_jumps(angle, 180.0)
        circulates = bool(np.isnan(line).any())
        turns = abs(float(np.diff(np.unwrap(angle, period=180.0)[[0, -1]])[0])) / 360.0
        if turns > MANY_TURNS:  # lines would fill the panel
            ax.plot(trajectory.t, angle, ".", color=colour, markersize=1.5)
        else:
            ax.plot(trajectory.t, line, color=colour, linewidth=1.0)
        low, high = (f"{x:.3g}°".replace("-", "−") for x in (angle.min(), angle.max()))
        extent = f"librates within {low} … {high}" if not circulates else f"circulates, {turns:.3g} turns"
        name = body_labels(trajectory.system)[i]
        ax.set_title(f"Angle of the long axis of {name} from the line of centres: {extent}")
        if circulates:
            ax.set_ylim(-90.0, 90.0)
            ax.set_yticks([-90, -45, 0, 45, 90])
    return figure


def break_at_jumps(angle: Array, turn: float) -> Array:
    """An angle with gaps where it jumps, as from one end of its range to the other, so that no line is drawn across."""
    # those of half a turn too, as of Euler angles where they are singular
    jumps = np.abs(np.diff(angle, prepend=angle[:1])) > 0.4 * turn
    return np.where(jumps, np.nan, angle)


@styled
def plot_energies(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The parts of the energy, kinetic and potential, and their sum; where these would be straight lines, their changes."""
    trajectory = drawable_part(trajectory)
    figure, (ax,) = panels(ax, ["a"], (8.0, 4.0))
    parts = trajectory.system.energies(trajectory.values, trajectory.t)
    height = float(np.ptp(list(parts.values()))) or 1.0
    changes = {label: float(np.ptp(values)) / height for label, values in parts.items()}
    hidden = ROUNDING < max(changes.values()) < SEEN
    for label, values in parts.items():
        style = {"color": BLACK, "linewidth": 1.8} if label == "total" else {"linewidth": 1.1}
        first = f": {values[0]:.4g} at first" if hidden else ""
        shown = values - values[0] if hidden else values
        # the wider ones behind, since they may fill what is in front of them
        ax.plot(trajectory.t, shown, label=plain_label(label) + first, zorder=2.9 - changes[label], **style)
    ax.margins(x=0.01)
    label_time(ax.xaxis, trajectory)
    label_quantity(ax.yaxis, trajectory.units, "mass length²/time²", "change of energy" if hidden else "energy")
    ax.set_title("Parts of the energy" + (", less their first values" if hidden else ""))
    legend_beside(ax)
    return figure
