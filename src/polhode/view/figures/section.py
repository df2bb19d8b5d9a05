"""Poincaré sections in the plane of two quantities, one colour per motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...analysis.quantities import Quantity
from ...analysis.sections import PoincareSection
from .style import PALETTE, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def plot_section(sections: Sequence[PoincareSection], x: str | Quantity, y: str | Quantity) -> Figure:
    """The crossings of several motions: each is given by its `PoincareSection`, a point per crossing."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 5.2), layout="constrained")
    ax = figure.subplots()
    for i, section in enumerate(sections):
        colour = PALETTE[i % len(PALETTE)]
        ax.plot(section.values(x), section.values(y), linestyle="", marker=".", markersize=2.5, color=colour)
    labels = [given if isinstance(given, str) else getattr(given, "__name__", "") for given in (x, y)]
    ax.set(xlabel=labels[0], ylabel=labels[1], title=f"section {sections[0].section} = 0" if sections else "")
    return figure
