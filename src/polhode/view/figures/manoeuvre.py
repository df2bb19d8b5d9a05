"""The commands of a manoeuvre over time, with the rate of the body and the angle that is left to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...control.manoeuvre import Manoeuvre
from ...geometry.unchecked import rotation_distance
from .style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def plot_manoeuvre(result: Manoeuvre) -> Figure:
    """Three rows over time: commands, each held for a step; components of the rate; the angle to the end's attitude."""
    from matplotlib.figure import Figure

    motion = result.trajectory
    t, omega = motion.t, motion.omega
    figure = Figure(figsize=(7.0, 6.0), layout="constrained")
    top, middle, bottom = figure.subplots(3, 1, sharex=True)
    for name, values in zip(result.names, result.u.T, strict=True):
        top.stairs(values, t, label=name, baseline=None, linewidth=1.5)
    top.set(ylabel="commands")
    for i in range(3):
        middle.plot(t, omega[:, i], label=f"omega[{i}]")
    middle.set(ylabel="rate")
    bottom.plot(t, np.degrees(rotation_distance(motion.R, motion.R[-1])))
    bottom.set(ylabel="angle to the end, degrees", xlabel="time", ylim=(0.0, None))
    for ax in (top, middle):
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure
