"""Figures of chaos: Lyapunov exponents and indicators over time, and maps of an indicator over two parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...analysis.chaos import Indicator, LyapunovSpectrum
from ...analysis.chaos_map import ChaosMap
from .style import GREY, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {"megno": "MEGNO", "fli": "fast Lyapunov indicator", "lyapunov": "largest Lyapunov exponent"}


@styled
def plot_lyapunov(result: LyapunovSpectrum) -> Figure:
    """Mean rates of growth from the start, over time on a logarithmic scale, and the exponents where they are measured."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    ax = figure.subplots()
    elapsed = np.abs(result.t - result.state.t)
    for i, curve in enumerate(result.running.T):
        (line,) = ax.semilogx(elapsed, curve, linewidth=1.0)
        value, measured = result.exponents[i], elapsed[-1] * np.array([0.5, 1.0])
        ax.plot(measured, [value] * 2, color=line.get_color(), linewidth=3.5, label=f"λ{i + 1} = {value:.3g}")
    ax.axhline(0.0, color=GREY, linewidth=0.8)
    ax.set(xlabel="time", ylabel="rate of growth", title=f"Lyapunov exponents of {type(result.state.system).__name__}")
    figure.legend(
        loc="outside right center", title="thick: slope over\nthe second half;\nthin: mean growth\nsince the start"
    )
    return figure


@styled
def plot_indicator(result: Indicator) -> Figure:
    """The indicator over time; for MEGNO with the value of regular motion."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    ax = figure.subplots()
    ax.plot(result.t, result.values)
    if result.name == "MEGNO":
        ax.axhline(2.0, color=GREY, linestyle="--", label="regular motion: 2")
        ax.legend()
    ax.set(xlabel="time", ylabel=result.name, title=f"{result.name} of {type(result.state.system).__name__}")
    return figure


@styled
def plot_chaos_map(result: ChaosMap) -> Figure:
    """The indicator in colours over both parameters; what is not known stays grey."""
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure
    from matplotlib.ticker import FormatStrFormatter, LogLocator

    figure = Figure(figsize=(7.0, 5.2), layout="constrained")
    ax = figure.subplots()
    ax.set_facecolor("#bbbbbb")
    ax.grid(False)
    known = result.values[np.isfinite(result.values)]
    norm = LogNorm(known.min(), known.max()) if known.size and 0.0 < 4.0 * known.min() < known.max() else None
    mesh = ax.pcolormesh(
        result.x, result.y, np.ma.masked_invalid(result.values), shading="nearest", cmap="cividis", norm=norm
    )
    bar = figure.colorbar(mesh, ax=ax, label=NAMES[result.indicator])
    if norm is not None:
        bar.set_ticks(LogLocator(subs=(1.0, 2.0, 5.0)), minor=False)
        bar.set_ticks([], minor=True)
        bar.formatter = FormatStrFormatter("%g")
    ax.set(xlabel=result.labels[0], ylabel=result.labels[1])
    return figure
