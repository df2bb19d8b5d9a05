"""Results, reports and scenarios that are there already: a run replaces only what the very same run would give again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from ..core.checks import check_ends
from ..errors import InvalidInputError
from .netcdf import check_seal, opened
from .scenario.document import Scenario
from .trajectory_file import PREFIX

HEAD = 1_000_000  # characters of a page in which its mark stands: titles may be long
ADVICE = "--overwrite replaces it, --out DIR or output.file puts the new one elsewhere"


def check_replaceable(path: Path, scenario: Scenario) -> None:
    """Refuse a `path` that exists, unless it is a result of the same scenario with the same overrides."""
    if not check_ends("path", path).exists():
        return
    provenance = _provenance(path)
    if provenance is None:
        problem = f"a file that is not a readable result is there already; {ADVICE}"
        raise InvalidInputError("path", str(path), problem=problem)
    there = (provenance.get("scenario"), provenance.get("overrides", []))
    if there != (scenario.text, list(scenario.overrides)):
        title = provenance.get("title") or provenance.get("scenario_file") or "a run without a scenario"
        problem = f"the result of another run, {title!r}, is there already; {ADVICE}"
        raise InvalidInputError("path", str(path), problem=problem)


def check_copy_replaceable(path: Path, text: str) -> None:
    """Refuse a copy of a scenario that exists and has another text."""
    if check_ends("path", path).exists() and _beginning(path, len(text) + 1) != text:
        raise InvalidInputError("path", str(path), problem=f"another scenario is there already; {ADVICE}")


def report_beside(result: Path, *, overwrite: bool = False) -> Path:
    """Where the report of a result goes: `report.html` beside it, or a name of its own where that is the report of another."""
    own = result.with_suffix(".report.html")
    for page in (result.with_name("report.html"), own):
        if not check_ends("path", page).exists() or page.is_dir() or mark_of(result) in _beginning(page, HEAD):
            return page  # a folder is refused by who writes
    if not overwrite:
        raise InvalidInputError("path", str(own), problem=f"another page is there already; {ADVICE}")
    return own


def mark_of(result: Path) -> str:
    """What says in the head of a page which result it is the report of."""
    return f'<meta name="polhode-result" content="{escape(result.name)}">'


def _beginning(path: Path, count: int) -> str:
    """The first characters of a file; none of what cannot be read."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read(count)
    except (OSError, ValueError):
        return ""


def _provenance(path: Path) -> Mapping[str, Any] | None:
    """What a result file says of its run, without reading its numbers; None if it cannot be read."""
    try:
        check_seal(path)
        with opened(path) as file:
            found = json.loads(file.getncattr(PREFIX + "provenance"))
    except (OSError, RuntimeError, ValueError, AttributeError, TypeError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None
