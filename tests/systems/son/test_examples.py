"""The example scripts on SO(n) run as they stand."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "examples"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("son_integrability", marks=pytest.mark.verify),
        "son_so4_motion",
        pytest.param("son_steering", marks=pytest.mark.verify),
    ],
)
def test_an_example_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(FOLDER / f"{name}.py"))
    assert len(capsys.readouterr().out.splitlines()) > 5
