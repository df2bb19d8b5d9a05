"""Runs to a tolerance, and at chosen times."""

from __future__ import annotations

import pytest

import polhode as ph

from .command import polhode

pytestmark = pytest.mark.usefixtures("in_new_folder")


TO_END = ["--set", "run.steps=", "--set", "run.t_end=5"]


def test_a_tolerance_chooses_method_and_step_and_says_the_error(tmp_path):
    result = polhode("run", "free_rigid_body", "--tolerance", "1e-7", *TO_END, "--no-plots")
    assert "FreeRigidBody to a tolerance of 1e-07" in result.stdout
    found = ph.load("out/free_rigid_body.nc")
    assert found.method == ph.Exact()
    assert found.accuracy.tolerance == 1e-7
    assert str(found.accuracy) in result.stdout
    assert "estimated error" in (tmp_path / "out" / "report.html").read_text()
    # the same run again may replace it, another tolerance may not
    polhode("run", "free_rigid_body", "--tolerance", "1e-7", *TO_END, "--no-plots", "--quiet")
    polhode("run", "free_rigid_body", "--tolerance", "1e-6", *TO_END, "--no-plots", code=2)


def test_chosen_times_are_run_by_the_command():
    polhode("run", "free_rigid_body", "--set", "run.steps=", "--set", "run.save_every=1", "--set", "run.t_eval=[1, 2.5]",
            "--no-plots", "--no-report")  # fmt: skip
    assert ph.load("out/free_rigid_body.nc").t.tolist() == [1.0, 2.5]


def test_a_tolerance_in_a_dry_run_and_in_the_check(tmp_path):
    changes = [*TO_END, "--set", "method.type=RK4"]
    said = polhode("run", "free_rigid_body", "--tolerance", "1e-4", *changes, "--dry-run").stdout
    assert "RK4()" in said
    assert "0 … 5: about " in said
    assert "0.0001; steps as estimated from a quick first run" in said
    assert "estimated" in said
    assert list(tmp_path.iterdir()) == []
    result = polhode("check", "free_rigid_body", *TO_END, "--set", "run.step=", "--set", "method=")
    assert result.stdout == "free_rigid_body.toml is valid: FreeRigidBody to a tolerance of 1e-09\n"
    said = polhode("run", "free_rigid_body", "--tolerance", "3", *TO_END, code=2).stderr
    assert "run.tolerance = 3.0: expected a number from 1e-13 to 0.01" in said
    assert "needs a step" in polhode("run", "free_rigid_body", "--tolerance", "1e-6", code=2).stderr


def test_a_tolerance_that_was_missed_is_said_even_in_silence(monkeypatch):
    from polhode.simulation import accuracy

    monkeypatch.setattr(accuracy, "LEAST_ERROR", 2e-3)
    result = polhode("run", "free_rigid_body", "--tolerance", "1e-3", *TO_END, "--no-plots", "--no-report", "--quiet")
    assert result.stdout == ""
    assert "above the tolerance" in result.stderr
