"""`polhode ensemble` from a scenario to files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main

FEWER = ["--members", "5", "--set", "run.t_end=1.0"]


def test_from_a_scenario_to_a_report(tmp_path: Path) -> None:
    command = ["ensemble", "tumbling_ensemble", "--out", str(tmp_path), *FEWER]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "5 members finished, 0 failed" in done.output
    assert "spatial_momentum" in done.output
    names = sorted(path.name for path in tmp_path.iterdir())
    stem = "tumbling_ensemble.ensemble"
    assert names == [f"{stem}-fan.png", f"{stem}-histogram.png", f"{stem}.html", f"{stem}.nc"]
    found = ph.Ensemble.load(tmp_path / f"{stem}.nc")
    assert found.R.shape == (5, 3, 3, 3)
    assert found.inputs["system.inertia[2]"].shape == (5,)
    assert "What differs" in (tmp_path / f"{stem}.html").read_text()
    told = CliRunner().invoke(main, ["info", str(tmp_path / f"{stem}.nc")])
    assert "Ensemble(FreeRigidBody, 5 members" in told.output
    assert "5 members finished, 0 failed" in told.output
    (tmp_path / "text.nc").write_text("no result")
    assert "not a readable NetCDF file" in CliRunner().invoke(main, ["info", str(tmp_path / "text.nc")]).output
    (tmp_path / "text.nc").unlink()
    drawn = CliRunner().invoke(main, ["plot", str(tmp_path / f"{stem}.nc"), "--figure", "fan", "--format", "svg"])
    assert drawn.output == f"wrote {tmp_path / stem}-fan.svg\n"
    (tmp_path / f"{stem}-fan.svg").unlink()
    again = CliRunner().invoke(main, command)
    assert again.exit_code == 2
    assert "exists already" in again.output
    more = [*command[:-4], "--members", "9", "--set", "run.t_end=1.0", "--overwrite", "--quiet", "--threads", "1"]
    assert CliRunner().invoke(main, [*more, "--no-plots", "--no-report"]).exit_code == 0
    bigger = ph.Ensemble.load(tmp_path / f"{stem}.nc")
    np.testing.assert_array_equal(bigger.states[:5], found.states)  # seeds do not depend on how many there are


def test_a_wrong_scenario(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["ensemble", "free_rigid_body", "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert "no [ensemble] table" in done.output
