"""The figure of a damped spacecraft."""

from __future__ import annotations

import polhode as ph
from polhode.view.figures.catalogue import figures_for
from polhode.view.figures.damper import plot_dissipation


def test_energy_lies_between_that_of_the_steady_spins() -> None:
    body = ph.DampedGyrostat([1.0, 2.0, 3.0], damper_inertia=0.2, damping=1.0)
    traj = ph.simulate(body.state(omega=[0.8, -0.6, 0.5]), step=0.2, steps=50, method=ph.QuaternionVI())
    assert "dissipation" in figures_for(traj.system)
    top = plot_dissipation(traj).axes[0]
    curve, least, most = (line.get_ydata() for line in top.lines)
    assert least[0] < curve[-1] < curve[0] < most[0]


def test_only_a_damper_dissipates() -> None:
    start = ph.Gyrostat.example()
    assert "dissipation" not in figures_for(start.system)
