"""Figures of ensembles: fans over time, histograms of what came out, and maps over two inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.checks import one_of
from ...ensemble.result import Ensemble
from ...errors import InvalidInputError
from .axes import label_time, superscripts
from .style import BLUE, GREY, PALETTE, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_PANELS = 9
LETTERS = "xyz"


def plot_ensemble(ensemble: Ensemble, figure: str = "fan", **options: Any) -> Figure:
    """The figure of this name."""
    return FIGURES[one_of("figure", figure, FIGURES)](ensemble, **options)


def usual_field(ensemble: Ensemble) -> str:
    """The field that says most about a motion: the rate, or the first one there is."""
    fields = ensemble.members.first.system.fields
    return next((name for name in ("omega", "Omega", "theta", "v") if name in fields), next(iter(fields)))


def quantity(ensemble: Ensemble, name: str) -> Array:
    """One number per member: a reduction, the drift of a conserved quantity ("drift of energy"), an input, or a component
    of a field at the end ("omega[2]", or the length of a vector, "omega")."""
    if name in ensemble.reductions:
        return np.asarray(ensemble.reductions[name], dtype=np.float64).reshape(len(ensemble), -1)[:, 0]
    if name in ensemble.inputs:
        return np.asarray(ensemble.inputs[name], dtype=np.float64).reshape(len(ensemble), -1)[:, 0]
    if name.startswith("drift of "):
        drifts = ensemble.drift()
        if name.removeprefix("drift of ") in drifts:
            return drifts[name.removeprefix("drift of ")]
    field, _, index = name.partition("[")
    if field in ensemble.members.first.system.fields:
        values = getattr(ensemble, field)[:, -1].reshape(len(ensemble), -1)
        if not index:
            return values[:, 0] if values.shape[1] == 1 else np.linalg.norm(values, axis=1)
        number = index.removesuffix("]")
        if number.isdigit() and int(number) < values.shape[1]:
            return np.asarray(values[:, int(number)])
    known = [*ensemble.reductions, *ensemble.inputs, *ensemble.members.first.system.fields]
    allowed = f"one of {', '.join(known)}, such a field with an index, or 'drift of' a conserved quantity"
    raise InvalidInputError("quantity", name, allowed)


@styled
def plot_fan(ensemble: Ensemble, field: str | None = None) -> Figure:
    """Quantiles over the members of each component of a field, over time."""
    from matplotlib.figure import Figure

    name = field or usual_field(ensemble)
    if name not in ensemble.members.first.system.fields:
        raise InvalidInputError("field", name, f"one of {', '.join(ensemble.members.first.system.fields)}")
    found = ensemble.quantiles(name, LEVELS).reshape(len(LEVELS), len(ensemble.t), -1)
    count = min(found.shape[2], MOST_PANELS)
    drawing = Figure(figsize=(8.0, 1.0 + 1.7 * count), layout="constrained")
    panels = np.atleast_1d(drawing.subplots(count, 1, sharex=True))
    for k, ax in enumerate(panels):
        low, lower, middle, upper, high = found[:, :, k]
        if len(ensemble.t) == 1:  # one sample has no time axis: show its spread
            ax.errorbar(ensemble.t, middle, [middle - low, high - middle], fmt="o", capsize=4)
        else:
            ax.fill_between(ensemble.t, low, high, color=BLUE, alpha=0.18, linewidth=0, label="5 % … 95 %")
            ax.fill_between(ensemble.t, lower, upper, color=BLUE, alpha=0.32, linewidth=0, label="25 % … 75 %")
            ax.plot(ensemble.t, middle, color=BLUE, label="median")
        ax.set_ylabel(component_name(ensemble, name, k) + _printed_unit(ensemble, name))
    label_time(panels[-1].xaxis, ensemble)
    panels[0].set_title(_headline(ensemble))
    if len(ensemble.t) > 1:
        drawing.legend(*panels[0].get_legend_handles_labels(), loc="outside upper right", ncols=3, fontsize=8)
    return drawing


@styled
def plot_histogram(ensemble: Ensemble, quantities: list[str] | str | None = None) -> Figure:
    """How often members end with which value of some quantities."""
    from matplotlib.figure import Figure

    if isinstance(quantities, str):
        quantities = [quantities]
    names = quantities or [*ensemble.reductions][:MOST_PANELS] or _components(ensemble)
    drawing = Figure(figsize=(8.0, 1.0 + 2.1 * len(names)), layout="constrained")
    panels = np.atleast_1d(drawing.subplots(len(names), 1))
    good = ~ensemble.failed
    for ax, name in zip(panels, names, strict=True):
        values = quantity(ensemble, name)[good]
        values = values[np.isfinite(values)]
        ax.hist(values, bins=min(60, max(8, int(np.sqrt(len(values))))), color=BLUE, edgecolor="white", linewidth=0.4)
        if len(values):
            ax.axvline(np.median(values), color=PALETTE[1])
            ax.set_title(f"median {np.median(values):.4g}", loc="right", fontsize=8, color=PALETTE[1])
        ax.set_xlabel(_label(ensemble, name))
        ax.set_ylabel("members")
    panels[0].set_title(_headline(ensemble))
    return drawing


@styled
def plot_map(ensemble: Ensemble, x: str | None = None, y: str | None = None, value: str | None = None) -> Figure:
    """A quantity over two inputs: cells of a grid, or points where the members do not lie on one."""
    from matplotlib.figure import Figure

    names = [name for name in ensemble.inputs if np.ndim(ensemble.inputs[name]) == 1]
    chosen = [x or next(iter(names), None), y or next((name for name in names[1:] if name != x), None)]
    if None in chosen:
        raise InvalidInputError(
            "inputs", names, "two numbers in which members differ: give ensemble(..., inputs={...})"
        )
    across, up = (np.asarray(ensemble.input(str(name)), dtype=np.float64) for name in chosen)
    name = value or next(iter(ensemble.reductions), usual_field(ensemble))
    shown = np.where(ensemble.failed, np.nan, quantity(ensemble, name))
    drawing = Figure(figsize=(7.0, 5.2), layout="constrained")
    ax = drawing.subplots()
    columns, rows = np.unique(across), np.unique(up)
    if len(columns) * len(rows) == len(ensemble):
        cells = np.full((len(rows), len(columns)), np.nan)
        cells[np.searchsorted(rows, up), np.searchsorted(columns, across)] = shown
        drawn: Any = ax.pcolormesh(columns, rows, cells, cmap="viridis", shading="nearest")
        ax.set_facecolor("#dddddd")
    else:
        drawn = ax.scatter(across, up, c=shown, s=14, cmap="viridis")
        bad = ~np.isfinite(shown)
        if bad.any():
            ax.scatter(across[bad], up[bad], marker="x", s=18, color=GREY, label="failed")
            ax.legend()
    ax.grid(False)
    drawing.colorbar(drawn, label=_label(ensemble, name) + (" (grey: failed)" if ensemble.failures else ""))
    ax.set_xlabel(str(chosen[0]))
    ax.set_ylabel(str(chosen[1]))
    ax.set_title(_headline(ensemble))
    return drawing


def component_name(ensemble: Ensemble, field: str, k: int) -> str:
    """What component k of a field is called in figures."""
    shape = ensemble.members.first.system.fields[field].shape
    if not shape:
        return field
    if shape == (3,):
        return f"{field} {LETTERS[k]}"
    return f"{field}[{k}]"


def _components(ensemble: Ensemble) -> list[str]:
    """The components of the usual field, as quantities."""
    field = usual_field(ensemble)
    count = int(np.prod(ensemble.members.first.system.fields[field].shape or (1,)))
    return [field] if count == 1 else [f"{field}[{k}]" for k in range(min(count, 3))]


def _label(ensemble: Ensemble, name: str) -> str:
    """What a quantity is called at an axis."""
    if name in ensemble.reductions or name in ensemble.inputs:
        return name
    unit = _printed_unit(ensemble, name)
    if name.startswith("drift of "):
        return name + unit
    field, _, index = name.partition("[")
    text = component_name(ensemble, field, int(index.removesuffix("]"))) if index else name
    if not index and ensemble.members.first.system.fields[field].shape:
        text = f"|{field}|"
    time = ensemble.units.time or ""
    return f"{text}{unit} at t = {ensemble.t[-1]:g} {time}".rstrip()


def _printed_unit(ensemble: Ensemble, name: str) -> str:
    """The unit of a quantity in brackets, where the ensemble names its units."""
    dimension = unit_of(ensemble, name)
    unit = ensemble.units.of(dimension) if ensemble.units and dimension else None
    return f" ({superscripts(unit)})" if unit else ""


def unit_of(ensemble: Ensemble, name: str) -> str:
    """The dimension of a field, a component of one, or the drift of a conserved quantity; empty where it has none."""
    system = ensemble.members.first.system
    if name.startswith("drift of "):
        return system.conserved[name.removeprefix("drift of ")].unit or ""
    return system.fields[name.partition("[")[0]].unit or ""


def _headline(ensemble: Ensemble) -> str:
    failed = len(ensemble.failures)
    text = f"{type(ensemble.members.first.system).__name__}: {len(ensemble):,} members"
    return text + (f", {failed:,} of which failed" if failed else "")


FIGURES = {"fan": plot_fan, "histogram": plot_histogram, "map": plot_map}
CAPTIONS = {
    "fan": "Quantiles over the members, over time",
    "histogram": "How the members end",
    "map": "How the members end, over the first two inputs",
}


def figures_of(ensemble: Ensemble) -> list[str]:
    """The figures that there is something to show in."""
    if ensemble.failed.all():
        return []
    plain = [name for name, values in ensemble.inputs.items() if np.ndim(values) == 1]
    wanted = {"fan": len(ensemble.t) > 1, "histogram": True, "map": len(plain) > 1}
    return [name for name, shown in wanted.items() if shown]
