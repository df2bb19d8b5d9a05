"""Reference files that lie beside the project on some machines: tests that need them skip where they are absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "shared"


def golden(name: str) -> Any:
    """The reference numbers in `golden/<name>.json`."""
    path = FOLDER / "golden" / f"{name}.json"
    if not path.exists():
        pytest.skip(f"no reference file {path.name} beside the project")
    return json.loads(path.read_text())
