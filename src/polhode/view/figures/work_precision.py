"""The work–precision diagram: error against cost, a curve for each method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...analysis.work import WorkPrecision
from .style import PALETTE, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = "osD^vP*"


@styled
def work_precision(result: WorkPrecision) -> Figure:
    """The error at the end against the substeps and against the time that a run takes, and the error of the energy."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 4.2), layout="constrained")
    axes = figure.subplots(1, 3)
    for i, (method, runs) in enumerate(result.by_method()):
        look: dict[str, Any] = {
            "color": PALETTE[i % len(PALETTE)],
            "marker": MARKERS[i % len(MARKERS)],
            "markersize": 4.5,
        }
        look["linestyle"] = "-" if i < len(PALETTE) else "--"
        cost, seconds = [run.evaluations for run in runs], [run.seconds for run in runs]
        axes[0].loglog(cost, [run.error for run in runs], label=repr(method), **look)
        axes[1].loglog(seconds, [run.error for run in runs], **look)
        axes[2].loglog(cost, [max(run.energy, 1e-17) for run in runs], **look)
    for ax, cost_name in zip(
        axes, ("substeps or right-hand sides", "seconds", "substeps or right-hand sides"), strict=True
    ):
        ax.set_xlabel(cost_name)
    name = type(result.state.system).__name__
    axes[0].set(ylabel="error of the state at the end", title=f"{name} over t = {result.duration:g}")
    axes[1].set(ylabel="error of the state at the end", title="against time")
    axes[2].set(ylabel="worst deviation, relative", title="energy")
    figure.legend(loc="outside right center")
    return figure
