"""Reference files that lie beside the project on some machines: tests that need them skip where they are absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "shared"


def golden(name: str) -> Any:
    """The reference numbers in `golden/<name>.json`."""
    path = FOLDER / "golden" / f"{name}.json"
    if not path.exists():
        pytest.skip(f"no reference file {path.name} beside the project")
    return json.loads(path.read_text())


def same_eigenvalues(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    """Whether two spectra agree, with λ² compared where it is small: rounding takes a defective zero to its root."""
    pairs = np.array(expected, dtype=float)
    left = list(np.asarray(found, dtype=complex))
    for value in pairs[:, 0] + 1j * pairs[:, 1]:
        nearest = min(left, key=lambda x: abs(x - value))
        assert min(abs(nearest - value), abs(nearest**2 - value**2)) < tolerance, (found, expected)
        left.remove(nearest)
    assert not left
