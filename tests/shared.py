"""Reference numbers that tests compare with, and how spectra are compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from polhode.systems.attitude.base import AttitudeSystem

FOLDER = Path(__file__).resolve().parent / "data"


def golden(name: str) -> Any:
    """The reference numbers in `data/<name>.json`."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def check_map(case: Mapping[str, Any], body: AttitudeSystem, form: str) -> ph.State:
    """The state after as many steps of `LGVI` as the reference numbers have, which are met."""
    state = body.state(R=case["R0"], Pi=case["Pi0"])
    final = ph.simulate(state, step=case["h"], steps=case["steps"], method=ph.LGVI(form=form)).final
    np.testing.assert_allclose(final.R, case["R"], atol=1e-12)
    np.testing.assert_allclose(final.Pi, case["Pi"], atol=1e-12)
    return final


def same_eigenvalues(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    """Whether two spectra agree, with λ² compared where it is small: rounding takes a defective zero to its root."""
    pairs = np.array(expected, dtype=float)
    left = list(np.asarray(found, dtype=complex))
    for value in pairs[:, 0] + 1j * pairs[:, 1]:
        nearest = min(left, key=lambda x: abs(x - value))
        assert min(abs(nearest - value), abs(nearest**2 - value**2)) < tolerance, (found, expected)
        left.remove(nearest)
    assert not left
