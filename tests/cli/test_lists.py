"""The commands that tell what there is, and how to begin."""

from __future__ import annotations

from pathlib import Path

import pytest

import polhode as ph
from polhode.core.method import known_methods
from polhode.io.scenario.examples import example_scenarios, find_example
from polhode.systems.registry import known_systems
from polhode.tables import list_methods

from .command import output_of


def test_an_example_is_printed_as_it_is() -> None:
    assert output_of("examples", "gyrostat").strip() == find_example("gyrostat").read_text().strip()
    assert "did you mean 'gyrostat'" in output_of("examples", "gyrostatt", code=2)
    assert "two_dumbbells" in output_of("examples")


def test_a_system_is_described() -> None:
    said = output_of("describe", "Gyrostat")
    for word in ("rotors", "angular velocity", "energy", "QuaternionVI", "inertia"):
        assert word in said
    assert "expected one of" in output_of("describe", "Gyroscope", code=2)


def test_a_new_scenario_is_checked_and_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "polhode run FreeRigidBody.toml" in output_of("new", "FreeRigidBody")
    output_of("run", "FreeRigidBody.toml", "--dry-run")
    assert "exists already" in output_of("new", "FreeRigidBody", code=2)
    output_of("new", "FreeRigidBody", "--out", "other.toml")
    assert Path("other.toml").read_text() == Path("FreeRigidBody.toml").read_text()


def test_a_result_is_told_about(tmp_path: Path) -> None:
    file = tmp_path / "run.nc"
    ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=20).save(file)
    said = output_of("info", str(file))
    for word in ("FreeRigidBody by LGVI(order=2), step 0.1", "21 samples", "spatial_momentum"):
        assert word in said


def test_the_name_of_an_example_wins_over_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("free_rigid_body").mkdir()
    output_of("run", "free_rigid_body", "--dry-run")


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
        said = output_of(command)
        assert all(name in said for name in names)
        assert all(len(line) <= width for line in table_lines(said))
        assert not any("…" in line for line in table_lines(said))
    assert "GaussLegendre," in output_of("systems")
    for said in (output_of("describe", "Gyrostat"), output_of("methods")):
        assert all(len(line) <= width for line in said.splitlines() if not line.startswith(">>>"))
    with_settings = {row["method"]: row["what"] for row in list_methods()}
    assert with_settings["GaussLegendre"].endswith("with order = 16, adaptive = 'reversible', angle_per_step = 0.6")


def test_the_tables_of_a_run_fit_80_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    ran = output_of("run", "free_rigid_body", "--set", "run.steps=100", "--no-plots", "--no-report")
    for said in (ran, output_of("info", "out/free_rigid_body.nc")):
        assert len(table_lines(said)) > 5
        assert all(len(line) <= 80 and "…" not in line for line in table_lines(said))


def test_figures_of_another_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=10).save("run.nc")
    output_of("plot", "run.nc", "--figure", "rates", "--format", "svg")
    assert "<svg" in Path("run-rates.svg").read_text()
    assert "one of png, pdf, svg, eps" in output_of("plot", "run.nc", "--format", "jpg", code=2)
