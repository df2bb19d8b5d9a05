"""The work–precision diagram: error against cost, one curve per method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...analysis.work import WorkPrecision
from .style import PALETTE, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = "osD^vP*"


@styled
def plot_work_precision(result: WorkPrecision) -> Figure:
    """The final error against the number of substeps and against the run time, and the error of the energy."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 4.2), layout="constrained")
    axes = figure.subplots(1, 3)
    for i, (method, runs) in enumerate(result.by_method()):
        style: dict[str, Any] = {
            "color": PALETTE[i % len(PALETTE)],
            "marker": MARKERS[i % len(MARKERS)],
            "markersize": 4.5,
        }
        style["linestyle"] = "-" if i < len(PALETTE) else "--"
        cost, seconds = [run.evaluations for run in runs], [run.seconds for run in runs]
        axes[0].loglog(cost, [run.error for run in runs], label=repr(method), **style)
        axes[1].loglog(seconds, [run.error for run in runs], **style)
        axes[2].loglog(cost, [max(run.energy, 1e-17) for run in runs], **style)
    for ax, cost_name in zip(
        axes, ("substeps or right-hand sides", "run time (s)", "substeps or right-hand sides"), strict=True
    ):
        ax.set_xlabel(cost_name)
    name = type(result.state.system).__name__
    axes[0].set(ylabel="error of the final state", title=f"{name} over t = {result.duration:g}")
    axes[1].set(ylabel="error of the final state", title="against run time")
    axes[2].set(ylabel="worst relative deviation", title="energy")
    figure.legend(loc="outside right center")
    return figure
