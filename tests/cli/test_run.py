"""The command: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
from typer.testing import CliRunner

import polhode as ph
from polhode.cli import main
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import example_scenarios, find_example
from polhode.reproduce import Comparison
from polhode.systems.registry import known_systems
from polhode.view.figures.catalogue import figures_for

SHORT = ["--set", "run.steps=200"]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def polhode(*arguments: str, code: int = 0):
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


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


def test_view_writes_a_file_that_asks_for_nothing(tmp_path):
    polhode("run", "free_rigid_body", *SHORT, "--no-plots", "--no-report")
    assert polhode("view", "out/free_rigid_body.nc", "--html", "view.html").stdout == "wrote view.html\n"
    text = (tmp_path / "view.html").read_text()
    assert "polhodeView(" in text
    assert "http:" not in text
    assert "https:" not in text
    result = polhode("view", "out/free_rigid_body.nc", "--html", "nowhere/view.html", code=2)
    assert "does not exist" in result.stderr


def test_view_serves_until_it_is_stopped():
    polhode("run", "free_rigid_body", *SHORT, "--no-plots", "--no-report")
    serves_until_it_is_stopped("view", "out/free_rigid_body.nc")


@pytest.mark.verify
def test_studio_serves_until_it_is_stopped():
    serves_until_it_is_stopped("studio")
    assert "no file or example of this name" in polhode("studio", "nothing", code=2).stderr


def serves_until_it_is_stopped(*words):
    import re
    import signal
    from urllib.request import urlopen

    command = [sys.executable, "-m", "polhode.cli", *words, "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        try:
            line = served.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert address, line
            with urlopen(address[0], timeout=600) as answer:
                assert answer.status == 200
            served.send_signal(signal.SIGINT)
            out, err = served.communicate(timeout=600)
        finally:
            served.kill()
    assert served.returncode == 0
    assert out + err == ""


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
    assert "0.0001; steps as a first look suggests" in said
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


def test_check_says_that_a_scenario_is_valid_or_what_is_wrong(tmp_path):
    assert "free_rigid_body.toml is valid" in polhode("check", "free_rigid_body").stdout
    assert "method.order = 3" in polhode("check", "free_rigid_body", "--set", "method.order=3", code=2).stderr
    assert "output.plots" in polhode("check", "free_rigid_body", "--set", 'output.plots=["x"]', code=2).stderr


def test_a_failure_on_the_way_keeps_what_was_computed(tmp_path):
    changes = ("method.type=Midpoint", "method.order=", "run.step=1.0", "run.steps=500")
    arguments = [word for change in changes for word in ("--set", change)]
    result = polhode("run", "free_rigid_body", *arguments, "--quiet", code=1)
    assert "not finite" in result.stderr
    assert "out/free_rigid_body.partial.nc" in result.stderr
    assert "Traceback" not in result.output
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["free_rigid_body.partial.nc"]
    part = ph.load("out/free_rigid_body.partial.nc")
    assert 2 < len(part) < 251
    # and what was computed can be looked at
    polhode("plot", "out/free_rigid_body.partial.nc", "--figure", "invariants", "--figure", "polhode")


def test_interrupting_ends_cleanly(tmp_path, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("polhode.io.scenario.build.simulate", interrupted)
    result = polhode("run", "free_rigid_body", "--quiet", code=130)
    assert result.stderr == "polhode: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_interrupting_while_the_result_is_saved_finishes_the_saving(tmp_path, monkeypatch):
    import signal

    from polhode.io import trajectory_file

    def interrupted(trajectory, path):
        signal.raise_signal(signal.SIGINT)
        save(trajectory, path)

    save = trajectory_file.save
    monkeypatch.setattr(trajectory_file, "save", interrupted)
    result = polhode("run", "free_rigid_body", *SHORT, "--quiet", code=130)
    assert result.stderr == "polhode: interrupted; the result is in out/free_rigid_body.nc\n"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["free_rigid_body.nc"]
    assert ph.load("out/free_rigid_body.nc").stats.steps == 200
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_step_that_the_first_one_cannot_do_is_found_by_the_check():
    changes = ["--set", "run.step=5.0", "--set", "run.steps=3"]
    said = polhode("check", "free_rigid_body", *changes, code=2).stderr
    assert "run.step = 5.0" in said
    assert "largest usable" in said
    # explicit methods have no such bound
    polhode("check", "free_rigid_body", *changes, "--set", "method.type=RK4", "--set", "method.order=")


def test_an_order_without_a_type_is_that_of_the_default_method(tmp_path):
    text = find_example("free_rigid_body").read_text()
    before, method, after = text.partition("[method]")
    (tmp_path / "bare.toml").write_text(before + "[" + after.partition("\n[")[2] if method else text)
    assert "LGVI(order=4)" in polhode("check", "bare.toml", "--set", "method.order=4").stdout


def test_a_figure_named_twice_is_drawn_once(tmp_path):
    polhode("run", "free_rigid_body", *SHORT, "--set", 'output.plots=["rates", "rates"]', "--quiet")
    assert [path.name for path in (tmp_path / "out").glob("*.png")] == ["free_rigid_body-rates.png"]


@pytest.mark.parametrize(
    "name", ["free_rigid_body.nc", "free_rigid_body.scenario.toml", "report.html", "free_rigid_body-rates.png"]
)
def test_a_folder_in_the_place_of_a_file_is_found_before_the_run(name, tmp_path, monkeypatch):
    (tmp_path / "out" / name).mkdir(parents=True)
    monkeypatch.setattr("polhode.io.scenario.build.simulate", None)
    assert f"out/{name}" in polhode("run", "free_rigid_body", code=2).stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]


def test_what_the_system_says_of_a_file_is_one_message(tmp_path):
    polhode("run", "free_rigid_body", *SHORT, "--no-plots", "--no-report", "--quiet")
    long, result = "x" * 300, "out/free_rigid_body.nc"
    for arguments in (
        ["run", "free_rigid_body", "--out", long],
        ["run", long],
        ["plot", long],
        ["plot", result, "--out", long],
        ["view", result, "--html", long],
        ["export", result, "--to", "csv", "--out", long],
    ):
        said = polhode(*arguments, code=2).stderr
        assert "File name too long" in said
        assert said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_may_not_be_searched_is_one_message(monkeypatch):
    from pathlib import Path

    def forbidden(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", "locked/out")

    monkeypatch.setattr(Path, "exists", forbidden)
    assert polhode("run", "free_rigid_body", code=2).stderr == "polhode: locked/out: Permission denied\n"


def test_too_little_memory_is_told(monkeypatch):
    def greedy(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr("polhode.io.scenario.build.simulate", greedy)
    assert "run.save_every" in polhode("run", "free_rigid_body", code=2).stderr


def test_an_output_folder_that_is_a_file_is_refused_before_the_run(tmp_path, monkeypatch):
    (tmp_path / "out").write_text("in the way")
    monkeypatch.setattr("polhode.io.scenario.build.simulate", None)
    assert "is a file" in polhode("run", "free_rigid_body", code=2).stderr
    assert (tmp_path / "out").read_text() == "in the way"


def test_names_that_are_neither_file_nor_example():
    assert "did you mean 'free_rigid_body'?" in polhode("run", "free_rigid_bdy", code=2).stderr
    assert "No such file" in polhode("run", "some/free_rigid_body.toml", code=2).stderr
    assert "No such file" in polhode("check", "free_rigid_body.toml", code=2).stderr


@pytest.mark.parametrize("arguments", [["run"], ["rnu"], ["run", "free_rigid_body", "--fast"], ["plot"]])
def test_bad_usage(arguments):
    result = polhode(*arguments, code=2)
    assert result.stdout == ""
    assert "Usage" in result.stderr


def test_plot_draws_beside_the_result_or_elsewhere(tmp_path):
    polhode("run", "free_rigid_body", *SHORT, "--no-plots", "--quiet")
    result = polhode("plot", "out/free_rigid_body.nc", "--figure", "rates")
    assert result.stdout == "wrote out/free_rigid_body-rates.png\n"
    polhode("plot", "out/free_rigid_body.nc", "--figure", "attitude", "--out", "pictures")
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["free_rigid_body-attitude.png"]
    assert "one of invariants" in polhode("plot", "out/free_rigid_body.nc", "--figure", "cat", code=2).stderr
    assert "mean 'polhode'?" in polhode("plot", "out/free_rigid_body.nc", "--figure", "polhod", code=2).stderr
    assert "does not exist" in polhode("plot", "nothing.nc", code=2).stderr


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


def test_a_file_that_is_no_mesh_is_named(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "x.txt").write_text("v 0 0 0\n")
    result = polhode("run", "kw4", "--set", f"system.body1.mesh={tmp_path / 'x.txt'}", code=2)
    assert "system.body1.mesh" in result.stderr
    assert "x.txt" in result.stderr


def test_systems_and_methods_are_listed():
    systems, methods = polhode("systems").stdout, polhode("methods").stdout
    for word in ("FreeRigidBody", "inertia, allow_unphysical=False"):  # a table or paragraphs, as there is room
        assert word in systems
    for name, cls in {"LGVI": ph.LGVI, "RK4": ph.RK4}.items():
        assert name in methods
        assert cls.reference in methods
    assert "2, 4, 6, 8" in methods


def test_examples_are_listed_each_with_a_line():
    listed = polhode("examples").stdout
    assert len(example_scenarios()) >= 4
    for name, file in example_scenarios().items():
        title = load_scenario(file).document.title
        assert title
        assert f"│ {name} " in listed
        assert title.split()[0] in listed


def _one_of_each_kind() -> set[str]:
    """The first example of each kind of mechanics, which is a sub-package of `systems`."""
    kinds: dict[str, str] = {}
    for name, file in example_scenarios().items():
        system = known_systems()[tomllib.loads(file.read_text())["system"]["type"]]
        kinds.setdefault(system.__module__.split(".")[2], name)
    return set(kinds.values())


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in _one_of_each_kind() else [pytest.mark.verify])
        for name in example_scenarios()
    ],
)
def test_every_example_is_fit_to_run(name):
    polhode("check", name)
    beginning = build_plan(load_scenario(find_example(name))).run(steps=400)
    assert all(row.relative < (1e-2 if row.kind == "energy" else 1e-10) for row in beginning.conservation())


def test_version():
    assert polhode("--version").stdout == f"polhode {ph.__version__}\n"


def test_the_command_itself_and_what_it_imports():
    """In a process of its own: the exit code, no traceback, and help without the slow imports."""
    code = "import sys; from polhode.cli import main\ntry: main(sys.argv[1:])\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    for slow in ("matplotlib", "xarray", "netCDF4", "pydantic"):
        assert slow not in done.stdout.split()
    done = subprocess.run(
        [sys.executable, "-m", "polhode.cli", "run", "none.toml"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "polhode: none.toml: cannot be read: No such file or directory\n"


def test_reproduce_prints_published_values_and_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    slip = Comparison("(7)", "y", 2.0, 3.0, 1e-3, corrected=3.0, reason="a slip")
    rows = [Comparison("Table 1", "x", 1.25, 1.250001, 1e-3), slip]
    monkeypatch.setattr("polhode.reproduce.sources", lambda: {"paper": lambda: rows})
    done = polhode("reproduce")
    for said in ("paper: published values and ours", "1.250001", "agrees", "misprint", "(7): a slip"):
        assert said in done.stdout
    assert done.stderr == ""
    rows.append(Comparison("Table 2", "z", 1.0, 2.0, 1e-3))
    assert "differs" in polhode("reproduce", "paper", code=1).stdout
    assert "all, or one of paper" in polhode("reproduce", "nothing", code=2).stderr


@pytest.mark.verify
def test_reproduce_of_a_source() -> None:
    done = polhode("reproduce", "nontwisting")
    assert "agrees" in done.stdout
    assert "differs" not in done.stdout


def test_warnings_are_shown_on_standard_error_and_in_the_report(tmp_path):
    arguments = ["free_rigid_body", "--set", "run.steps=20", "--set", "run.step=0.9", "--no-plots"]
    for command in ("run", "check"):
        result = polhode(command, *arguments[: len(arguments) - (command == "check")])
        assert result.stderr.count("polhode: warning: ") == 1
        assert "rad in a step" in result.stderr
    page = (tmp_path / "out" / "report.html").read_text()
    assert "rad in a step" in page
