"""The figure of a spacecraft with a damper: energy dissipation and the direction of the spin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...core.system import System
from ...simulation.trajectory import Trajectory
from .axes import Given, label_quantity, label_rate, panels
from .style import GREY, legend_beside, styled
from .time_series import drawable_part, set_time_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def has_damper(system: System) -> bool:
    """Whether a system loses energy in an internal damper."""
    return {"omega_D", "kinetic_energy"} <= set(system.fields)


@styled
def plot_dissipation(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """Energy, the slip of the damper, and the squared direction cosines of the spin along the principal axes."""
    trajectory = drawable_part(trajectory)
    t, omega = trajectory.t, trajectory.omega
    figure, (top, middle, bottom) = panels(ax, "abc", (8.0, 6.4), sharex=True)
    top.plot(t, trajectory.kinetic_energy)
    levels = _steady_spin_energies(trajectory)
    for height, label in levels:
        top.axhline(height, color=GREY, linewidth=0.9, linestyle=":")
        top.annotate(
            label,
            (1.0, height),
            (3, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
        )
    low = min([*(height for height, _ in levels), float(trajectory.kinetic_energy.min())])
    high = max([*(height for height, _ in levels), float(trajectory.kinetic_energy.max())])
    margin = 0.06 * (high - low) or 1.0
    top.set_ylim(low - margin, high + margin)
    top.set_title("kinetic energy" + (", with its range over the steady spins of this momentum" if levels else ""))
    label_quantity(top.yaxis, trajectory.units, "mass length²/time²", "energy")
    middle.plot(t, np.linalg.norm(trajectory.omega_D - omega, axis=-1))
    middle.set_title("slip rate of the damper")
    label_rate(middle.yaxis, trajectory.units, r"$|\omega_D-\omega|$")
    middle.set_ylim(bottom=0.0)
    speed = np.linalg.norm(omega, axis=-1, keepdims=True)
    share = (omega @ trajectory.system.inertia.axes / np.where(speed > 0.0, speed, 1.0)) ** 2  # type: ignore[union-attr]
    for i, label in enumerate(("smallest", "middle", "largest")):
        bottom.plot(t, share[:, i], label=f"{label} inertia")
    bottom.set_title("squared direction cosines of the spin along the principal axes")
    bottom.set_ylim(-0.05, 1.05)
    legend_beside(bottom)
    set_time_axis(bottom, trajectory)
    return figure


def _steady_spin_energies(trajectory: Trajectory) -> list[tuple[float, str]]:
    """The least and greatest energy of steady spins with the momentum of the first state, with labels."""
    energies = trajectory.system.steady_spin_energies(trajectory.state(0))
    return [(energies[0], "minimum"), (energies[-1], "maximum")] if len(energies) > 1 else []
