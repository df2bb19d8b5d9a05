"""A run as one page: what was kept, the moving picture, the figures, and how to make it again.

The file needs nothing else and no network, and the same run gives the same file.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from html import escape
from os import PathLike
from pathlib import Path

from ...io.atomic_files import write_text
from ...simulation.trajectory import Trajectory
from ...tables import Table
from ..scene.scene import scene
from ..summary import citations, facts, headline, kept_table, scenario_of, title_of
from .page import PAGE, fragment, head, static


def save_report(trajectory: Trajectory, path: str | PathLike[str], pictures: Mapping[str, Path] | None = None) -> None:
    """Write the report of a run. `pictures` are PNG files to take into it, each with what it shows.

    >>> import tempfile, polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> file = Path(tempfile.mkdtemp()) / "report.html"
    >>> save_report(ph.simulate(start, step=0.1, steps=100), file)
    >>> "What was kept" in file.read_text()
    True
    """
    write_text(path, report(trajectory, pictures or {}))


def report(trajectory: Trajectory, pictures: Mapping[str, Path]) -> str:
    """The page as text."""
    scenario = scenario_of(trajectory)
    kept = kept_table(trajectory)
    happened = [f"<p>{escape(str(event))}</p>" for event in trajectory.events]
    parts = [
        f"<header><h1>{escape(title_of(trajectory))}</h1>",
        f"<p class='lead'>{escape(headline(trajectory))}</p>",
        f"<p>{escape(str(scenario.get('description', '')).strip())}</p></header>",
        _section("What was kept", kept._repr_html_() if len(kept) else "<p>This system conserves nothing.</p>"),
        _section("What happened", "".join(happened)) if happened else "",
        _section("The motion", f'<div class="stage">{fragment(scene(trajectory))}</div>'),
        _section("Figures", "".join(_picture(name, file) for name, file in pictures.items())) if pictures else "",
        _section("How it was made", _facts(trajectory) + _scenario(trajectory)),
        _section("To cite", _citations(trajectory)),
    ]
    body = f'<main class="polhode-report">{"".join(parts)}</main>'
    style = f"<style>\n{static('report.css')}</style>\n{head()}"
    return PAGE.format(title=escape(title_of(trajectory)), head=style, body=body)


def _section(title: str, content: str) -> str:
    return f"\n<section>\n<h2>{escape(title)}</h2>\n{content}\n</section>"


def _picture(caption: str, file: Path) -> str:
    data = b64encode(file.read_bytes()).decode("ascii")
    text = escape(caption)
    return f'<figure><img alt="{text}" src="data:image/png;base64,{data}"><figcaption>{text}</figcaption></figure>'


def _facts(trajectory: Trajectory) -> str:
    return Table("", [{"what": name, "value": value} for name, value in facts(trajectory).items()])._repr_html_()


def _scenario(trajectory: Trajectory) -> str:
    text = trajectory.provenance.get("scenario")
    if not text:
        return ""
    return f"<details><summary>The scenario</summary><pre>{escape(str(text))}</pre></details>"


def _citations(trajectory: Trajectory) -> str:
    rows = "".join(f"<li><b>{escape(name)}</b>: {escape(text)}</li>" for name, text in citations(trajectory).items())
    return f"<ul>{rows}</ul>"
