"""The report of an ensemble as one page: what differs, what was conserved, who failed, and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path

from ...ensemble.blocks import Failure, MemberWarning
from ...ensemble.result import Ensemble
from ...io.atomic_files import write_text
from ...plain_text import printable
from ...tables import Table
from ..ensemble_summary import HEADINGS, drift_rows, input_rows
from .page import complete_page, page_head, static_file
from .report import figure_html, section

MOST_SHOWN = 50


def save_ensemble_report(
    ensemble: Ensemble, path: str | PathLike[str], figures: Mapping[str, Path] | None = None
) -> None:
    """Write the report of an ensemble. `figures` are PNG files to include, by their captions."""
    title = str(ensemble.provenance.get("title") or f"An ensemble of {type(ensemble.members.first.system).__name__}")
    description = str(ensemble.provenance.get("description") or "")
    images = "".join(figure_html(caption, file) for caption, file in (figures or {}).items())
    text = ensemble.provenance.get("scenario")
    scenario = f"<pre>{escape(printable(str(text)))}</pre>" if text else ""
    sections = [
        f"<header><h1>{escape(title)}</h1><p class='lead'>{escape(repr(ensemble))}</p>",
        f"<p>{escape(description)}</p></header>",
        section("What differs", _table(("key", "least", "median", "largest"), input_rows(ensemble))),
        section("Largest deviation of conserved quantities", _table(HEADINGS, drift_rows(ensemble))),
        section("Figures", images) if images else "",
        _members("Members that failed", ensemble.failures),
        _members("Members to look at again", ensemble.warnings),
        section("The scenario file", scenario) if scenario else "",
    ]
    body = f'<main class="polhode-report">{"".join(sections)}</main>'
    head = f"<style>\n{static_file('report.css')}</style>\n{page_head()}"
    write_text(path, complete_page(title, head, body))


def _members(title: str, told: Sequence[Failure | MemberWarning]) -> str:
    """A section about the first of these members; none if there are none."""
    items = "".join(f"<li>{escape(printable(str(each)))}</li>" for each in told[:MOST_SHOWN])
    more = f"<p>and {len(told) - MOST_SHOWN:,} more</p>" if len(told) > MOST_SHOWN else ""
    return section(title, f"<ul>{items}</ul>{more}") if told else ""


def _table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return "<p>none</p>"
    return Table("", [dict(zip(headings, row, strict=True)) for row in rows])._repr_html_()
