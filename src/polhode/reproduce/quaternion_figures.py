"""Figures 1–7 of Manchester and Peck (2016): errors of a free body, cost and energy of a damped one, a filter's error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..errors import PolhodeError
from ..methods import FullKickVI, QuaternionVI
from ..view.figures.style import BLACK, legend_beside, styled
from .quaternion_experiments import (
    FILTERS,
    TIGHT,
    damped_run,
    damped_scipy,
    explicit_work,
    filter_error,
    free_run,
    free_series,
    implicit_work,
    relative_errors,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DAMPING_CONSTANTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
INTERVALS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
SIZE = (8.0, 3.8)


def figure_functions() -> dict[str, Callable[[], Figure]]:
    """For each figure, by its file name, the function that draws it."""
    numbered: list[Callable[[], Figure]] = [
        partial(plot_errors, 0),
        partial(plot_errors, 1),
        plot_long_run,
        plot_cost,
        plot_energies,
        plot_stiff_solvers,
        plot_filter_errors,
    ]
    return {f"quaternion_figure_{number}": draw for number, draw in enumerate(numbered, start=1)}


def _panel(title: str, x: str, y: str) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    ax = figure.subplots()
    ax.set(title=title, xlabel=x, ylabel=y)
    return figure, ax


@styled
def plot_errors(which: int) -> Figure:
    """Figures 1 and 2: relative error of the momentum or the energy, for three integrators."""
    name = ("angular momentum", "energy")[which]
    figure, ax = _panel(f"free body, step 0.2 s: relative error of the {name}", "t (s)", "relative error")
    for label, values in free_series().items():
        error = relative_errors(values)[which]
        ax.semilogy(0.2 * np.arange(1, len(error)), np.maximum(error[1:], 1e-17), label=label)
    ax.set_xlim(0.0, 200.0)
    legend_beside(ax)
    return figure


@styled
def plot_long_run() -> Figure:
    """Figure 3: a million steps."""
    figure, ax = _panel("free body, 10⁶ variational steps", "t (s)", "relative error")
    run = free_run(QuaternionVI(), 1_000_000, 500)
    for label, error in zip(("momentum", "energy"), relative_errors({"R": run.R, "Pi": run.Pi}), strict=True):
        ax.plot(run.t, error, label=label)
    ax.set_xlim(0.0, float(run.t[-1]))
    ax.set_ylim(bottom=0.0)
    legend_beside(ax)
    return figure


@styled
def plot_cost() -> Figure:
    """Figure 4: work over the damping constant, in evaluations rather than in seconds."""
    figure, ax = _panel("body with damper: work per second of motion", "C", "evaluations, iterations")
    ax.loglog(DAMPING_CONSTANTS, [explicit_work(C) for C in DAMPING_CONSTANTS], "o-", label="RK45, evaluations")
    ax.loglog(
        DAMPING_CONSTANTS, [implicit_work(C) for C in DAMPING_CONSTANTS], "s-", label="full kick,\nNewton iterations"
    )
    legend_beside(ax)
    return figure


@styled
def plot_energies() -> Figure:
    """Figure 5: the energy over time; the damper initially rotates with the body."""
    figure, ax = _panel("body with damper: energy", "t (s)", "energy (J)")
    for C in (0.1, 1.0, 10.0, 100.0):
        truth = damped_run(C, TIGHT)
        (line,) = ax.plot(truth.t, truth.kinetic_energy, label=f"C = {C:g}, reference")
        run = damped_run(C, FullKickVI() if C > 10.0 else QuaternionVI())
        ax.plot(run.t, run.kinetic_energy, "o", color=line.get_color(), markersize=3, markevery=2)
    ax.plot([], [], "o", color=BLACK, markersize=3, label="h = 0.3 s; full kick\nfor C = 100, else\nsymmetric")
    legend_beside(ax)
    return figure


@styled
def plot_stiff_solvers() -> Figure:
    """Figure 6: the energy by stiff solvers at their default tolerances, after the initial slip has decayed."""
    figure, ax = _panel("C = 100, damper initially at rest: energy from 3 s on", "t (s)", "energy (J)")
    truth = damped_run(100.0, TIGHT, at_rest=True)
    ax.plot(truth.t[1:], truth.kinetic_energy[1:], color=BLACK, label="reference")
    run = damped_run(100.0, FullKickVI(), at_rest=True)
    ax.plot(run.t[1:], run.kinetic_energy[1:], "--", label="full kick, h = 0.3 s")
    for solver in ("BDF", "Radau"):
        t, energy, _ = damped_scipy(100.0, solver, at_rest=True)
        ax.plot(t[1:], energy[1:], label=f"{solver}, default tolerance")
    legend_beside(ax)
    return figure


def _error_or_gap(name: str, interval: float) -> float:
    """The error of a filter, or NaN, which is not drawn, where its step has no solution or it diverges."""
    try:
        return filter_error(name, interval)
    except PolhodeError:
        return float("nan")


@styled
def plot_filter_errors() -> Figure:
    """Figure 7: the filter's error over the sample interval; a curve ends where its filter fails."""
    title = "RMS attitude error of the filter over the sample interval"
    figure, ax = _panel(title, "sample interval (s)", "error (degrees)")
    for name, marker in zip(FILTERS, "osD^v", strict=True):
        found = np.array([_error_or_gap(name, T) for T in INTERVALS])
        ax.loglog(INTERVALS, np.where(found < 60.0, found, np.nan), f"{marker}-", markersize=4, label=name)
    ax.axhline(1.39, color=BLACK, linewidth=0.9, linestyle=":", label="TRIAD alone")
    legend_beside(ax)
    return figure
