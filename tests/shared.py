"""Reference numbers that tests compare with, and how spectra are compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent / "data"


def golden(name: str) -> Any:
    """The reference numbers in `data/<name>.json`."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def same_eigenvalues(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    """Whether two spectra agree, with λ² compared where it is small: rounding takes a defective zero to its root."""
    pairs = np.array(expected, dtype=float)
    left = list(np.asarray(found, dtype=complex))
    for value in pairs[:, 0] + 1j * pairs[:, 1]:
        nearest = min(left, key=lambda x: abs(x - value))
        assert min(abs(nearest - value), abs(nearest**2 - value**2)) < tolerance, (found, expected)
        left.remove(nearest)
    assert not left
