"""The commands that tell what there is, and how to begin."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main
from polhode.core.method import known_methods
from polhode.io.scenario.examples import example_scenarios, find_example
from polhode.systems.registry import known_systems


def polhode(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


def test_an_example_is_printed_as_it_is() -> None:
    assert polhode("examples", "gyrostat").strip() == find_example("gyrostat").read_text().strip()
    assert "did you mean 'gyrostat'" in polhode("examples", "gyrostatt", code=2)
    assert "two_dumbbells" in polhode("examples")


def test_a_system_is_described() -> None:
    said = polhode("describe", "Gyrostat")
    for word in ("rotors", "angular velocity", "energy", "QuaternionVI", "inertia"):
        assert word in said
    assert "expected one of" in polhode("describe", "Gyroscope", code=2)


def test_a_new_scenario_is_checked_and_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "polhode run FreeRigidBody.toml" in polhode("new", "FreeRigidBody")
    polhode("run", "FreeRigidBody.toml", "--dry-run")
    assert "exists already" in polhode("new", "FreeRigidBody", code=2)
    polhode("new", "FreeRigidBody", "--out", "other.toml")
    assert Path("other.toml").read_text() == Path("FreeRigidBody.toml").read_text()


def test_a_result_is_told_about(tmp_path: Path) -> None:
    file = tmp_path / "run.nc"
    ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=20).save(file)
    said = polhode("info", str(file))
    for word in ("FreeRigidBody by LGVI(order=2), step 0.1", "21 samples", "spatial_momentum"):
        assert word in said


def test_the_name_of_an_example_wins_over_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("free_rigid_body").mkdir()
    polhode("run", "free_rigid_body", "--dry-run")


def table_lines(said: str) -> list[str]:
    return [line for line in said.splitlines() if line[:1] in tuple("│┃┏┡└")]


@pytest.mark.parametrize("width", [80, 140])
def test_tables_fit_the_terminal_and_break_no_word(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for command, names in (
        ("systems", known_systems()),
        ("methods", known_methods()),
        ("examples", example_scenarios()),
    ):
        said = polhode(command)
        assert all(name in said for name in names)
        assert all(len(line) <= width for line in table_lines(said))
        assert not any("…" in line for line in table_lines(said))
    assert "GaussLegendre," in polhode("systems")
    assert all(len(line) <= width for line in table_lines(polhode("describe", "FullTwoBodyProblem")))


def test_the_tables_of_a_run_fit_80_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    ran = polhode("run", "free_rigid_body", "--set", "run.steps=100", "--no-plots", "--no-report")
    for said in (ran, polhode("info", "out/free_rigid_body.nc")):
        assert len(table_lines(said)) > 5
        assert all(len(line) <= 80 and "…" not in line for line in table_lines(said))


def test_figures_of_another_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=10).save("run.nc")
    polhode("plot", "run.nc", "--figure", "rates", "--format", "svg")
    assert "<svg" in Path("run-rates.svg").read_text()
    assert "one of png, pdf, svg, eps" in polhode("plot", "run.nc", "--format", "jpg", code=2)
