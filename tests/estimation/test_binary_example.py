"""The example of a binary: its masses come out within their standard deviations, and what cannot be told is named."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "binary_masses.py"


@pytest.mark.verify
def test_masses_and_elongation_of_a_binary(capsys: pytest.CaptureFixture[str]) -> None:
    found = runpy.run_path(str(EXAMPLE))["found"]
    assert found.sigma["body1.mass"] < 0.01
    assert found.sigma["body2.semiaxes[0]"] < 0.001
    text = capsys.readouterr().out
    assert "do not determine one combination" in text
    assert "G: -" in text
    assert "body1.mass: 1" in text
