"""Results that are there already: a run replaces only what the very same run would give again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.checks import check_ends
from ..errors import InvalidInputError
from .netcdf import check_seal, opened
from .scenario.document import Scenario
from .trajectory_file import PREFIX

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


def _provenance(path: Path) -> Mapping[str, Any] | None:
    """What a result file says of its run, without reading its numbers; None if it cannot be read."""
    try:
        check_seal(path)
        with opened(path) as file:
            found = json.loads(file.getncattr(PREFIX + "provenance"))
    except (OSError, RuntimeError, ValueError, AttributeError, TypeError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None
