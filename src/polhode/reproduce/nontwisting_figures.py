"""Figures 1–12 of C. G. Gebhardt, I. Romero (2020): momenta, energy, quotient of precision, d₃ on the sphere, EM and DLA."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..view.figures.shaded_ellipsoid import ShadedEllipsoid
from ..view.figures.style import BLUE, ORANGE, legend_beside, styled
from .nontwisting import CASES, END, case_quotient, case_run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDE, SQUARE = (9.0, 3.4), (4.6, 4.6)
GREY_SPHERE = np.array([232, 236, 239]) / 255
NAMES = {
    "momenta": "angular momentum",
    "energy": "kinetic energy and quotient of precision",
    "sphere": "trajectory of d₃",
}


def figure_functions() -> dict[str, Callable[[], Figure]]:
    """For each figure, by its file name, the function that draws it."""
    numbered: dict[int, Callable[[], Figure]] = {}
    for case in CASES:
        for place, draw in enumerate((plot_momenta, plot_energy, plot_sphere_path)):
            numbered[3 * case.number - 2 + place] = partial(draw, case.number)
    numbered |= {10 + component: partial(plot_comparison, component) for component in range(3)}
    return {f"nontwisting_figure_{number:02d}": draw for number, draw in numbered.items()}


@styled
def plot_momenta(number: int) -> Figure:
    """Figures 1, 4 and 7: the angular momentum in space (left) and in the body (right), by EM."""
    traj = case_run(number, "EM")
    figure, (left, right) = _panels(f"Case {number}: {NAMES['momenta']}")
    left.plot(traj.t, np.einsum("nij,nj->ni", traj.R, traj.Pi), label=["1", "2", "3"])
    right.plot(traj.t, traj.Pi, label=["1", "2", "3"])
    left.set(title="in space", xlabel="t (s)", ylabel="π (kg m²/s)")
    right.set(title="in the body", xlabel="t (s)", ylabel="Π (kg m²/s)")
    legend_beside(right)
    return figure


@styled
def plot_energy(number: int) -> Figure:
    """Figures 2, 5 and 8: kinetic energy (left) and second quotient of precision (right), by EM."""
    traj, q = case_run(number, "EM"), case_quotient(number, save_every=10)
    figure, (left, right) = _panels(f"Case {number}: {NAMES['energy']}")
    left.plot(traj.t, traj.kinetic_energy)
    left.set(title="kinetic energy", xlabel="t (s)", ylabel="K (J)", ylim=(0.0, 1.1 * traj.kinetic_energy.max()))
    right.plot(q.t, q.values)
    right.set(title="second quotient of precision", xlabel="t (s)", ylim=(3.0, 5.0), xlim=(0.0, END))
    return figure


@styled
def plot_sphere_path(number: int) -> Figure:
    """Figures 3, 6 and 9: the path of d₃ on the unit sphere, by EM."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SQUARE, layout="constrained")
    figure.suptitle(f"Case {number}: {NAMES['sphere']}", size=11)
    sphere = ShadedEllipsoid(figure.subplots(), [1.0, 1.0, 1.0], view_direction=[1.0, 0.6, 0.5])
    sphere.draw_surface(lambda points: np.broadcast_to(GREY_SPHERE, points.shape))
    d3 = case_run(number, "EM").R[:, :, 2]
    sphere.draw_curve(d3, color=BLUE)
    sphere.draw_points(d3[:1], color=ORANGE, marker="o", markersize=5)
    for axis, label in zip(np.eye(3), "123", strict=True):
        sphere.draw_axis(axis, 1.3, f"$e_{label}$", "black")
    return figure


@styled
def plot_comparison(component: int) -> Figure:
    """Figures 10, 11 and 12: a component of d₃ in case 1, by EM and DLA, over all times and enlarged."""
    figure, panels = _panels(f"Case 1: component {component + 1} of d₃, EM and DLA")
    for ax, start in zip(panels, (0.0, 4.0), strict=True):
        for scheme, line in (("EM", "-"), ("DLA", "--")):
            traj = case_run(1, scheme)
            shown = traj.t >= start
            ax.plot(traj.t[shown], traj.R[shown, component, 2], line, label=scheme)
        ax.set(title=f"t from {start:g} to {END:g} s", xlabel="t (s)", ylim=(-1.05, 1.05))
    legend_beside(panels[1])
    return figure


def _panels(title: str) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=WIDE, layout="constrained")
    figure.suptitle(title, size=11)
    return figure, figure.subplots(1, 2)
