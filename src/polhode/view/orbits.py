"""Figures of bodies that move through space: their paths, how far apart they are, and where the energy goes."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..systems.base import System
from ..trajectory import Trajectory
from .series import drawable
from .style import BLACK, GREY, PALETTE, legend_beside, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
PATHS = 8  # bodies and pairs that a figure can show apart


def has_positions(system: System) -> bool:
    """Whether the system's bodies have places in space."""
    return {"x1", "x2"} <= set(system.fields) or system.fields.get("x", None) is not None


def positions(trajectory: Trajectory) -> Array:
    """The mass centres, (time, bodies, 3)."""
    if "x" in trajectory.system.fields:
        return trajectory.x
    return np.stack([trajectory.x1, trajectory.x2], axis=1)


@styled
def orbit(trajectory: Trajectory) -> Figure:
    """Paths of the mass centres in the plane of the motion's two widest directions, and the mutual distances."""
    from matplotlib.figure import Figure

    trajectory = drawable(trajectory)
    x = positions(trajectory)
    figure = Figure(figsize=(10.0, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.3])
    widths = np.ptp(x.reshape(-1, 3), axis=0)
    across, up = sorted(np.argsort(widths)[-2:])
    for i, colour in zip(range(min(x.shape[1], PATHS)), PALETTE * 2, strict=False):
        left.plot(x[:, i, across], x[:, i, up], color=colour, linewidth=1.0, label=f"body {i + 1}")
        left.plot(*x[0, i, [across, up]], "o", color=colour, markersize=4, fillstyle="none")
        left.plot(*x[-1, i, [across, up]], "o", color=colour, markersize=5)
    left.set_aspect("equal", adjustable="datalim")
    left.set_xlabel("xyz"[across])
    left.set_ylabel("xyz"[up])
    left.set_title("Paths of the mass centres (○ start, ● end)")
    left.legend(loc="best")
    for i, j in list(combinations(range(x.shape[1]), 2))[:PATHS]:
        distance = np.linalg.norm(x[:, i] - x[:, j], axis=-1)
        right.plot(trajectory.t, distance, linewidth=1.0, label=f"{i + 1}–{j + 1}")
        k = int(np.argmin(distance))
        right.plot(trajectory.t[k], distance[k], ".", color=GREY)
        right.annotate(
            f"{distance[k]:.5g} at t = {trajectory.t[k]:.5g}",
            (trajectory.t[k], distance[k]),
            (8, 6),
            textcoords="offset points",
            fontsize=8,
            color=GREY,
        )
    right.set_ylim(bottom=0.0)
    right.margins(x=0.01)
    right.set_xlabel("time")
    right.set_ylabel("distance")
    right.set_title("Distance of the mass centres, and the closest")
    if x.shape[1] > 2:
        legend_beside(right)
    return figure


@styled
def energies(trajectory: Trajectory) -> Figure:
    """Kinetic energy of translation and of rotation, potential energy, and their sum."""
    from matplotlib.figure import Figure

    trajectory = drawable(trajectory)
    figure = Figure(figsize=(8.0, 4.0), layout="constrained")
    ax = figure.subplots()
    for label, values in trajectory.system.energies(trajectory.values).items():  # type: ignore[attr-defined]
        look = {"color": BLACK, "linewidth": 1.8} if label == "total" else {"linewidth": 1.1}
        ax.plot(trajectory.t, values, label=label, **look)
    ax.margins(x=0.01)
    ax.set_xlabel("time")
    ax.set_ylabel("energy")
    ax.set_title("Where the energy is")
    legend_beside(ax)
    return figure
