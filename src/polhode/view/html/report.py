"""The report of a run as one page: conserved quantities, the moving scene, figures, and how to repeat the run.

The file needs no other file and no network, and the same run gives the same file.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from html import escape
from os import PathLike
from pathlib import Path

from ...io.atomic_files import write_text
from ...plain_text import printable
from ...simulation.trajectory import Trajectory
from ...tables import Table
from ..scene.scene import scene
from ..summary import citations, conservation_html, description_of, headline, run_details, title_of
from .page import complete_page, page_head, scene_html, static_file


def save_report(
    trajectory: Trajectory, path: str | PathLike[str], figures: Mapping[str, Path] | None = None, mark: str = ""
) -> None:
    """Write the report of a run. `figures` are PNG files to include, by their captions; `mark` stands first in its head.

    >>> import tempfile, polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> file = Path(tempfile.mkdtemp()) / "report.html"
    >>> save_report(ph.simulate(start, step=0.1, steps=100), file)
    >>> "Conserved quantities" in file.read_text()
    True
    """
    write_text(path, report_html(trajectory, figures or {}, mark))


def report_html(trajectory: Trajectory, figures: Mapping[str, Path], mark: str = "") -> str:
    """The report as text."""
    events = "".join(f"<p>{escape(str(event))}</p>" for event in trajectory.events)
    images = "".join(figure_html(caption, file) for caption, file in figures.items())
    sections = [
        f"<header><h1>{escape(title_of(trajectory))}</h1>",
        f"<p class='lead'>{escape(headline(trajectory))}</p>",
        f"<p>{escape(description_of(trajectory))}</p></header>",
        section("Conserved quantities", conservation_html(trajectory)),
        section("Events", events) if events else "",
        section("Motion", f'<div class="stage">{scene_html(scene(trajectory))}</div>'),
        section("Figures", images) if images else "",
        section("How to repeat this run", _details_html(trajectory) + _scenario_html(trajectory)),
        section("References", _citations_html(trajectory)),
    ]
    body = f'<main class="polhode-report">{"".join(sections)}</main>'
    head = f"{mark}<style>\n{static_file('report.css')}</style>\n{page_head()}"
    return complete_page(title_of(trajectory), head, body)


def section(title: str, content: str) -> str:
    """A part of a report under its heading."""
    return f"\n<section>\n<h2>{escape(title)}</h2>\n{content}\n</section>"


def figure_html(caption: str, file: Path) -> str:
    """An image within the page, with its caption."""
    data = b64encode(file.read_bytes()).decode("ascii")
    text = escape(caption)
    return f'<figure><img alt="{text}" src="data:image/png;base64,{data}"><figcaption>{text}</figcaption></figure>'


def _details_html(trajectory: Trajectory) -> str:
    rows = [{"item": name, "value": value} for name, value in run_details(trajectory).items()]
    return Table("", rows)._repr_html_()


def _scenario_html(trajectory: Trajectory) -> str:
    text = trajectory.provenance.get("scenario")
    if not text:
        return ""
    return f"<details><summary>The scenario file</summary><pre>{escape(printable(str(text)))}</pre></details>"


def _citations_html(trajectory: Trajectory) -> str:
    rows = "".join(f"<li><b>{escape(name)}</b>: {escape(text)}</li>" for name, text in citations(trajectory).items())
    return f"<ul>{rows}</ul>"
