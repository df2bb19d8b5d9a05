"""The residuals of a fit over time, in standard deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...estimation.fit_result import Fit
from .style import GREY, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def plot_fit(result: Fit) -> Figure:
    """One row per observation; two in three residuals lie between the dashed lines where the noise is as said."""
    from matplotlib.figure import Figure

    count = len(result.residuals)
    figure = Figure(figsize=(7.0, 1.2 + 2.0 * count), layout="constrained")
    rows = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    for ax, (name, (t, residuals)) in zip(rows, result.residuals.items(), strict=True):
        ax.plot(t, residuals, linestyle="", marker=".", markersize=4)
        for level in (-1.0, 1.0):
            ax.axhline(level, color=GREY, linestyle="--", linewidth=0.8)
        ax.set(ylabel="residual / σ", title=name.split(": ", 1)[1])
    rows[-1].set_xlabel("time")
    return figure
