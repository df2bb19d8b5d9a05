"""Families of steady and periodic motions over a parameter, with their stability and what happens along them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...analysis.family import Family
from ...analysis.periodic import PeriodicMotion
from ...analysis.quantities import Quantity
from ...tables import Table
from .style import PALETTE, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PERIOD = "period"
MARKERS = {"fold": "o", "branch point": "D", "stability": "s"}


@styled
def plot_family(result: Family, y: str | Quantity = "energy", ax: Axes | None = None) -> Figure:
    """A quantity over the parameter: stable parts drawn through, unstable ones dashed, events marked."""
    from matplotlib.figure import Figure

    if ax is None:
        ax = Figure(figsize=(6.4, 4.4), layout="constrained").subplots()
    x, values, stable = result.values, result.quantity(y), result.stable
    marked = {event.index for event in result.events}
    # a part goes from event to event; the members inside it say whether it is stable
    ends = [0, *sorted(marked), len(x) - 1]
    drawn = set()
    for first, last in pairwise(ends):
        if last <= first:
            continue
        inside = stable[first + 1 : last] if last > first + 1 else stable[first : last + 1]
        steady = bool(np.mean(inside) > 0.5)
        label = None if steady in drawn else "stable" if steady else "unstable"
        drawn.add(steady)
        part = slice(first, last + 1)
        line = "-" if steady else "--"
        ax.plot(x[part], values[part], linestyle=line, marker=".", color=PALETTE[0 if steady else 1], label=label)
    for kind, marker in MARKERS.items():
        places = [event.index for event in result.events if event.kind == kind]
        if places:
            name = "change of stability" if kind == "stability" else kind
            ax.plot(x[places], values[places], linestyle="", marker=marker, color="black", markersize=7, label=name)
    ylabel = y if isinstance(y, str) else getattr(y, "__name__", "")
    ax.set(xlabel=result.parameter.replace("_", " "), ylabel=ylabel.replace("_", " "))
    ax.legend()
    return ax.get_figure()  # type: ignore[return-value]


def family_table(result: Family, quantities: Sequence[str] = ()) -> Table:
    """The members as rows: the parameter, the period, quantities, stability and events."""
    events = {event.index: event.kind for event in result.events}
    columns = {result.parameter: result.values}
    if isinstance(result.members[0], PeriodicMotion) and result.parameter != PERIOD:
        columns[PERIOD] = result.quantity(PERIOD)
    columns |= {name: result.quantity(name) for name in quantities}
    rows = []
    for i, member in enumerate(result.members):
        size = member.largest if isinstance(member, PeriodicMotion) else member.growth
        key = "largest multiplier" if isinstance(member, PeriodicMotion) else "growth"
        row: dict[str, Any] = {name: f"{float(values[i]):.8g}" for name, values in columns.items()}
        rows.append(row | {"stability": member.verdict, key: f"{size:.6g}", "event": events.get(i, "")})
    return Table(f"family over {result.parameter}", rows)
