"""The command `run`, and `check`: what they print and write."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import find_example
from polhode.view.figures.catalogue import figures_for

from .command import SHORT, polhode

pytestmark = pytest.mark.usefixtures("in_new_folder")


def test_run_prints_what_was_conserved_and_writes_result_and_plots(tmp_path):
    result = polhode("run", "free_rigid_body", *SHORT)
    lines = result.stdout.splitlines()
    for name in ph.FreeRigidBody.conserved:
        (row,) = (line for line in lines if f"│ {name} " in line)
        first, worst, relative, slope = (float(cell) for cell in row.strip("│").split("│")[1:])
        assert abs(first) > 0.1
        assert worst < 1e-13
        assert relative == pytest.approx(worst / first, rel=0.2, abs=1e-17)
        assert abs(slope) < 1e-14
    assert any("200 steps in" in line and "steps/s" in line and "Newton iterations" in line for line in lines)
    figures = figures_for(ph.FreeRigidBody([1, 2, 3]))
    written = {"free_rigid_body.nc", "free_rigid_body.scenario.toml", "report.html"}
    written |= {f"free_rigid_body-{name}.png" for name in figures}
    assert {path.name for path in (tmp_path / "out").iterdir()} == written
    assert {line.removeprefix("wrote out/") for line in lines if line.startswith("wrote")} == written
    assert ph.load("out/free_rigid_body.nc").stats.steps == 200


def test_run_in_another_folder_without_plots_and_without_a_word(tmp_path):
    result = polhode("run", "free_rigid_body", *SHORT, "--out", "a/b", "--no-plots", "--no-report", "--quiet")
    assert result.output == ""
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["free_rigid_body.nc"]


def test_run_draws_only_the_figures_that_the_scenario_names(tmp_path):
    polhode("run", "free_rigid_body", *SHORT, "--set", 'output.plots=["rates"]', "--no-report")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"free_rigid_body.nc", "free_rigid_body-rates.png"}


def test_the_report_holds_the_figures_and_the_copy_of_the_scenario_runs_again(tmp_path):
    polhode("run", "free_rigid_body", *SHORT, "--set", 'output.plots=["rates"]')
    report = (tmp_path / "out" / "report.html").read_text()
    assert report.count("data:image/png") == 1
    assert "angular velocity and momentum in the body" in report
    copy = tmp_path / "out" / "free_rigid_body.scenario.toml"
    head, changed, *rest = copy.read_text().splitlines(keepends=True)
    assert head == "# run with --set run.steps=200\n"
    assert changed == "# run with --set 'output.plots=[\"rates\"]'\n"
    assert "".join(rest) == find_example("free_rigid_body").read_text()
    polhode("check", str(copy))


def test_a_scenario_in_the_folder_of_the_results_stays_as_it_is(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(find_example("free_rigid_body").read_text())
    before = mine.read_text()
    polhode("run", "mine.toml", *SHORT, "--out", ".", "--no-plots")
    assert mine.read_text() == before


def test_the_result_tells_what_was_run():
    polhode("run", "quaternion", "--set", "run.t_end=1", "--no-plots")
    provenance = ph.load("out/quaternion.nc").provenance
    assert provenance["scenario"] == find_example("quaternion").read_text()
    assert provenance["overrides"] == ["run.t_end=1"]
    document = load_scenario(find_example("quaternion")).document
    assert (provenance["title"], provenance["description"]) == (document.title, document.description)
    assert document.title


def test_dry_run_says_what_would_run_and_writes_nothing(tmp_path):
    result = polhode("run", "free_rigid_body", "--dry-run")
    for word in (
        "LGVI(order=2)",
        "0 … 20000",
        "100,000 steps",
        "50,001",
        "free_rigid_body.nc",
        "largest step",
        "estimated",
    ):
        assert word in result.stdout
    largest = float(result.stdout.split("largest step")[1].split()[0])
    state = build_plan(load_scenario(find_example("free_rigid_body"))).state
    assert largest == pytest.approx(state.system.largest_step(state), rel=1e-5)
    assert list(tmp_path.iterdir()) == []


def test_check_says_that_a_scenario_is_valid_or_what_is_wrong(tmp_path):
    assert "free_rigid_body.toml is valid" in polhode("check", "free_rigid_body").stdout
    assert "method.order = 3" in polhode("check", "free_rigid_body", "--set", "method.order=3", code=2).stderr
    assert "output.plots" in polhode("check", "free_rigid_body", "--set", 'output.plots=["x"]', code=2).stderr


def test_an_order_without_a_type_is_that_of_the_default_method(tmp_path):
    text = find_example("free_rigid_body").read_text()
    before, method, after = text.partition("[method]")
    (tmp_path / "bare.toml").write_text(before + "[" + after.partition("\n[")[2] if method else text)
    assert "LGVI(order=4)" in polhode("check", "bare.toml", "--set", "method.order=4").stdout


def test_a_figure_named_twice_is_drawn_once(tmp_path):
    polhode("run", "free_rigid_body", *SHORT, "--set", 'output.plots=["rates", "rates"]', "--quiet")
    assert [path.name for path in (tmp_path / "out").glob("*.png")] == ["free_rigid_body-rates.png"]


CUBE_FILE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "".join(
    f"f {face}\n"
    for face in [
        "1 2 4",
        "1 4 3",
        "5 7 8",
        "5 8 6",
        "1 5 6",
        "1 6 2",
        "3 4 8",
        "3 8 7",
        "1 3 7",
        "1 7 5",
        "2 6 8",
        "2 8 4",
    ]
)


def test_what_was_done_to_a_mesh_is_said(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "cube.obj").write_text(CUBE_FILE)
    mesh = ["--set", f"system.body1.mesh={tmp_path / 'cube.obj'}", "--set", "system.body1.mesh_scale=500"]
    short = ["--out", str(tmp_path), "--set", "run.t_end=600", "--no-plots"]
    for result in (polhode("run", "kw4", *mesh, *short), polhode("run", "kw4", *mesh, "--dry-run")):
        line = next(line for line in result.stdout.splitlines() if line.startswith("mesh of Beta"))
        assert "lengths times 500" in line
        assert "mass centre 433 from the origin: moved there" in line
        assert "to principal axes" in line
    assert "mass centre 433 from the origin: moved there" in (tmp_path / "report.html").read_text()
