"""`polhode analyse` from a scenario to a table, a file and a figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main
from polhode.io.family_file import load_family_states


def analyse(name: str, folder: Path, *changes: str, code: int = 0) -> str:
    settings = [part for change in changes for part in ("--set", change)]
    done = CliRunner().invoke(main, ["analyse", name, "--out", str(folder), *settings])
    assert done.exit_code == code, done.output
    return done.output


def test_a_family(tmp_path: Path) -> None:
    said = analyse("sleeping_top_family", tmp_path, "analysis.arc=0.3")
    assert "stability at 1.92666" in said
    states = load_family_states(tmp_path / "sleeping_top_family-family.json")
    np.testing.assert_allclose([s.R[2, 2] for s in states], 1.0, atol=1e-9)
    assert (tmp_path / "sleeping_top_family-family.png").stat().st_size > 5000
    assert "exists already" in analyse("sleeping_top_family", tmp_path, code=2)


def test_a_section(tmp_path: Path) -> None:
    assert "more rows" not in analyse("top_section", tmp_path, "analysis.crossings=5")
    crossings = ph.load(tmp_path / "top_section-section.nc")
    np.testing.assert_allclose(crossings.omega[:, 0], 0.0, atol=1e-12)
    assert len(crossings) == 5


def test_exponents_and_a_map(tmp_path: Path) -> None:
    analyse("top_exponents", tmp_path, "run.t_end=20.0")
    rows = (tmp_path / "top_exponents-exponents.csv").read_text().splitlines()
    assert [rows[0], len(rows)] == ["exponent,uncertainty", 7]
    said = analyse("top_chaos_map", tmp_path, "run.t_end=10.0", "analysis.x.count=2", "analysis.y.count=6")
    assert "… and 2 more rows, which are in the file" in said
    rows = (tmp_path / "top_chaos_map-chaos_map.csv").read_text().splitlines()
    assert [rows[0], len(rows)] == ["system.inertia_cm[1],state.omega[2],megno", 13]


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("sleeping_top_family", "analysis.kind=map", "analysis.kind = 'map': expected 'exponents'"),
        ("sleeping_top_family", "analysis.parameter=spin", "analysis.parameter = 'spin'"),
        ("sleeping_top_family", "analysis.parameter=", "analysis.parameter"),
        ("sleeping_top_family", "analysis.hold=['mass']", "analysis.hold = 'mass'"),
        ("sleeping_top_family", "analysis.motion=periodic", "analysis.period"),
        ("top_section", "analysis.axes=['R[2, 2]', 'spin']", "analysis.axes[1] = 'spin'"),
        ("top_section", "analysis.section=omega", "analysis.section = 'omega'"),
        ("top_chaos_map", "analysis.x.key=state.spin[0]", "analysis.x.key = 'state.spin[0]'"),
        ("top_chaos_map", "analysis.y.count=", "analysis.y"),
        ("free_rigid_body", "run.steps=1", "there is no [analysis] table"),
    ],
)
def test_a_wrong_table_is_named(tmp_path: Path, name: str, change: str, said: str) -> None:
    assert said in analyse(name, tmp_path, change, code=2)
    assert not list(tmp_path.iterdir())
