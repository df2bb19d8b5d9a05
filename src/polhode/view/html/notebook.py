"""The display of systems, states, methods and trajectories in a notebook, as HTML that needs no other file."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.method import Method
from ...core.system import State, System
from ...errors import PolhodeError
from ...io.atomic_files import write_text
from ...simulation.trajectory import Trajectory
from ...tables import Table
from ..figures.axes import label_time
from ..figures.style import styled
from ..scene.scene import Scene, scene
from ..summary import conservation_html, headline, time_span, truncated
from .page import iframe_html, page_html

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from ...estimation.covariance import CovarianceRun

LONGEST_TEXT = 200
SPARKLINE_POINTS = 400
PREFERRED_FIGURES = ("orbit", "polhode", "rates")


class NotebookHtml:
    """HTML that a notebook displays, with a plain text for other places."""

    def __init__(self, html: str, text: str) -> None:
        self._html, self._text = html, text

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return self._text


def system_html(system: System) -> str:
    """The parameters, fields and conserved quantities of a system."""
    rows = {name: truncated(repr(value), LONGEST_TEXT) for name, value in system.describe().items()}
    rows["state"] = ", ".join(system.fields)
    rows["conserved"] = ", ".join(system.conserved) or "none"
    return _card_html(type(system).__name__, system.summary, rows, system.reference)


def state_html(state: State) -> str:
    """The values and conserved quantities of a state."""
    rows = {name: _array_text(value) for name, value in state.values.items()}
    rows |= {f"{name} (conserved)": _array_text(value) for name, value in state.invariants().items()}
    return _card_html("State", f"of {type(state.system).__name__} at t = {state.t:g}", rows)


def method_html(method: Method) -> str:
    """The options and traits of a method."""
    rows = {name: repr(value) for name, value in method.options().items()}
    rows |= {"order": str(method.order)} if method.order else {}
    rows["traits"] = ", ".join(trait for trait, has in method.traits().items() if has) or "none"
    return _card_html(type(method).__name__, method.summary, rows, method.reference)


def trajectory_html(trajectory: Trajectory) -> str:
    """The table of conserved quantities, and a small plot of the rates."""
    span = f"{len(trajectory):,} samples, t = {escape(time_span(trajectory))}"
    return f"<b>{escape(headline(trajectory))}</b><br>{span}{conservation_html(trajectory)}{_image_html(sparkline(trajectory))}"


def view(trajectory: Trajectory, height: int) -> NotebookHtml:
    """The moving scene."""
    return _displayed(
        scene(trajectory),
        height,
        f"the view of {trajectory!r}: a notebook displays it; for a saved run use polhode view",
    )


def view_covariance(
    result: CovarianceRun, height: int, sigmas: float, sampled: bool, path: Path | None
) -> NotebookHtml:
    """The moving scene with ellipsoids of uncertainty, also written as a page if there is a path."""
    from ..scene.uncertainty import uncertain_scene  # needs the layer of estimation, which a plain view does not

    shown = uncertain_scene(result, sigmas, sampled=sampled)
    if path is not None:
        write_text(path, page_html(shown))
    return _displayed(shown, height, "the view of a motion with its uncertainty: a notebook displays it")


def _displayed(shown: Scene, height: int, text: str) -> NotebookHtml:
    """A scene, or why there is none."""
    if shown.is_empty:
        return NotebookHtml(f"<p>{escape(shown.note)}</p>", shown.note)
    return NotebookHtml(iframe_html(shown, height), text)


def plot(trajectory: Trajectory, figure: str | None, ax: Any = None) -> Figure:
    """A figure that a notebook displays, drawn into `ax` if given; by default the most informative one for this system."""
    from ..figures.catalogue import FIGURES, check_figures, figures_for

    known = figures_for(trajectory.system)
    if figure is None and not known:
        raise PolhodeError(f"there is no figure for {type(trajectory.system).__name__}")
    name = next((n for n in PREFERRED_FIGURES if n in known), known[0]) if figure is None else figure
    check_figures([name], trajectory.system)
    drawn = FIGURES[name].draw(trajectory, ax=ax)
    if ax is None:
        drawn._repr_png_ = lambda: to_png(drawn)  # type: ignore[attr-defined]  # works with any backend
    return drawn


@styled
def sparkline(trajectory: Trajectory) -> Figure:
    """A rate, or else the first field that is a vector or a number, over time."""
    from matplotlib.figure import Figure

    fields = trajectory.system.fields
    candidates = [n for n in ("omega", "Omega1", "theta", *fields) if n in fields and len(fields[n].shape) < 2]
    name = candidates[0] if candidates else list(fields)[-1]
    rows = np.unique(np.linspace(0, len(trajectory) - 1, min(len(trajectory), SPARKLINE_POINTS)).round().astype(int))
    values = trajectory.system.derive(name, {n: v[rows] for n, v in trajectory.values.items()})
    figure = Figure(figsize=(5.0, 1.6), layout="constrained")
    ax = figure.subplots()
    ax.plot(trajectory.t[rows], values.reshape(len(rows), -1)[:, :9], linewidth=1.0)
    ax.set_title(fields[name].meaning, size=9)
    ax.tick_params(labelsize=8)
    label_time(ax.xaxis, trajectory)
    ax.xaxis.label.set_fontsize(8)
    return figure


def to_png(figure: Figure, dpi: int = 100) -> bytes:
    """A figure as the bytes of a PNG file."""
    content = BytesIO()
    figure.savefig(content, format="png", dpi=dpi)
    return content.getvalue()


def _image_html(figure: Figure) -> str:
    return f'<img alt="" src="data:image/png;base64,{b64encode(to_png(figure)).decode("ascii")}">'


def _array_text(value: Any) -> str:
    return truncated(np.array2string(np.asarray(value), precision=6, separator=", ").replace("\n", ""), LONGEST_TEXT)


def _card_html(name: str, summary: str, rows: dict[str, str], reference: str = "") -> str:
    """A heading, a table of two columns, and a reference."""
    table = Table("", [{"": key, " ": value} for key, value in rows.items()])._repr_html_()
    small = f"<small>{escape(reference)}</small>" if reference else ""
    return f"<b>{escape(name)}</b>: {escape(summary)}{table}{small}"
