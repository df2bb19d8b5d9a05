"""How systems, states, methods and trajectories show themselves in a notebook: HTML that needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.method import Method
from ...core.system import State, System
from ...errors import PolhodeError
from ...simulation.trajectory import Trajectory
from ...tables import Table
from ..figures.style import styled
from ..scene.scene import scene
from ..summary import headline, kept_table, shortened
from .page import frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_TEXT = 200
POINTS = 400
TELLING = ("orbit", "polhode", "rates")


class Inline:
    """HTML that a notebook shows as it is."""

    def __init__(self, html: str, text: str) -> None:
        self._html, self._text = html, text

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return self._text


def system_html(system: System) -> str:
    """Its parameters, fields and conserved quantities."""
    rows = {name: shortened(repr(value), MOST_TEXT) for name, value in system.describe().items()}
    rows["state"] = ", ".join(system.fields)
    rows["conserved"] = ", ".join(system.conserved) or "nothing"
    return _card(type(system).__name__, system.summary, rows, system.reference)


def state_html(state: State) -> str:
    """Its values and conserved quantities."""
    rows = {name: _numbers(value) for name, value in state.values.items()}
    rows |= {f"{name} (conserved)": _numbers(value) for name, value in state.invariants().items()}
    return _card("State", f"of {type(state.system).__name__} at t = {state.t:g}", rows)


def method_html(method: Method) -> str:
    """Its options and traits."""
    rows = {name: repr(value) for name, value in method.options().items()}
    rows |= {"order": str(method.order)} if method.order else {}
    rows["traits"] = ", ".join(trait for trait, has in method.traits().items() if has) or "none"
    return _card(type(method).__name__, method.summary, rows, method.reference)


def trajectory_html(trajectory: Trajectory) -> str:
    """What was kept, and a small plot of the momenta or rates."""
    span = f"{len(trajectory):,} samples, t = {trajectory.t[0]:g} … {trajectory.t[-1]:g}"
    kept = kept_table(trajectory)
    table = kept._repr_html_() if len(kept) else "<p>This system conserves nothing.</p>"
    return f"<b>{escape(headline(trajectory))}</b><br>{span}{table}{_image(sparkline(trajectory))}"


def view(trajectory: Trajectory, height: int) -> Inline:
    """The moving picture."""
    shown = scene(trajectory)
    if shown.empty:
        return Inline(f"<p>{escape(shown.note)}</p>", shown.note)
    return Inline(
        frame(shown, height), f"the view of {trajectory!r}: shown in a notebook; polhode view shows a saved run"
    )


def plot(trajectory: Trajectory, figure: str | None) -> Figure:
    """A figure that a notebook shows; by default the one that tells most about the motion."""
    from ..figures.catalogue import FIGURES, check_figures, figures_for

    known = figures_for(trajectory)
    if figure is None and not known:
        raise PolhodeError(f"there is no figure of {type(trajectory.system).__name__}")
    name = next((n for n in TELLING if n in known), known[0]) if figure is None else figure
    check_figures([name], trajectory.system)
    drawn = FIGURES[name].draw(trajectory)
    drawn._repr_png_ = lambda: png(drawn)  # type: ignore[attr-defined]  # whatever backend the notebook has
    return drawn


@styled
def sparkline(trajectory: Trajectory) -> Figure:
    """A rate, or else the first field that is a vector or a number, over time."""
    from matplotlib.figure import Figure

    fields = trajectory.system.fields
    small = [n for n in ("omega", "Omega1", "theta", *fields) if n in fields and len(fields[n].shape) < 2]
    name = small[0] if small else list(fields)[-1]
    rows = np.unique(np.linspace(0, len(trajectory) - 1, min(len(trajectory), POINTS)).round().astype(int))
    values = trajectory.system.derive(name, {n: v[rows] for n, v in trajectory.values.items()})
    figure = Figure(figsize=(5.0, 1.6), layout="constrained")
    ax = figure.subplots()
    ax.plot(trajectory.t[rows], values.reshape(len(rows), -1)[:, :9], linewidth=1.0)
    ax.set_title(fields[name].meaning, size=9)
    ax.tick_params(labelsize=8)
    ax.set_xlabel("time", size=8)
    return figure


def png(figure: Figure, dpi: int = 100) -> bytes:
    """A figure as the bytes of a PNG file."""
    content = BytesIO()
    figure.savefig(content, format="png", dpi=dpi)
    return content.getvalue()


def _image(figure: Figure) -> str:
    return f'<img alt="" src="data:image/png;base64,{b64encode(png(figure)).decode("ascii")}">'


def _numbers(value: Any) -> str:
    return shortened(np.array2string(np.asarray(value), precision=6, separator=", ").replace("\n", ""), MOST_TEXT)


def _card(name: str, summary: str, rows: dict[str, str], reference: str = "") -> str:
    """A heading, a table of two columns and a reference."""
    table = Table("", [{"": key, " ": value} for key, value in rows.items()])._repr_html_()
    small = f"<small>{escape(reference)}</small>" if reference else ""
    return f"<b>{escape(name)}</b>: {escape(summary)}{table}{small}"
