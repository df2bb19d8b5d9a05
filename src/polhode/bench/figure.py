"""The work–precision figure: error against processor time, one panel per motion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..view.figures.style import GREY, PALETTE, styled
from .report import Report
from .tables import is_ours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = [*PALETTE[:-1], "#882255", "#44AA99", "#999933"]
OTHER_COLOURS = [PALETTE[-1], GREY, "#AA4499", "#332288", "#117733", "#661100"]
MARKERS, OTHER_MARKERS = "osD^vPXh<", "*pd>8H"
SMALLEST = 1e-15


@styled
def draw(report: Report) -> Figure:
    """A panel for each problem that has errors against times."""
    from matplotlib.figure import Figure

    results = [result for result in report.results if result.accuracy]
    solvers = list(dict.fromkeys(solver for result in results for solver in result.solvers))
    mine, others = [s for s in solvers if is_ours(s)], [s for s in solvers if not is_ours(s)]
    styles: dict[str, dict[str, Any]] = {}
    for names, colours, markers, line in ((mine, COLOURS, MARKERS, "-"), (others, OTHER_COLOURS, OTHER_MARKERS, "--")):
        for i, name in enumerate(names):
            colour, marker = colours[i % len(colours)], markers[i % len(markers)]
            styles[name] = {"color": colour, "marker": marker, "markersize": 5, "linestyle": line}
    columns = 1 if len(results) < 2 else 2
    rows = max(1, math.ceil(len(results) / columns))
    figure = Figure(figsize=(5.5 * columns + 1.5, 3.7 * rows + 1.0), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False)
    for ax, result in zip(panels.flat, results, strict=False):
        for solver in result.solvers:
            points = [
                (1e3 * row.seconds, max(row.error, SMALLEST))
                for row in result.rows
                if row.solver == solver and row.error is not None
            ]
            if points:
                ax.loglog(*zip(*points, strict=True), label=solver, **styles[solver])
        what = "processor time (ms)" if result.unit == "run" else f"processor time per {result.unit} (ms)"
        ax.set(title=result.title, xlabel=what, ylabel="error at the end", ylim=(2e-16, 3.0))
    for ax in panels.flat[len(results) :]:
        ax.set_visible(False)
    handles: dict[str, Any] = {}
    for ax in figure.axes:
        handles |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    named = [solver for solver in (*mine, *others) if solver in handles]
    figure.legend(
        [handles[s] for s in named], named, loc="outside lower center", ncols=max(1, min(len(named), 1 + 2 * columns))
    )
    return figure
