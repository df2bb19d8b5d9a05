"""How the command ends when something is wrong: what it says, with which code, and what it leaves behind."""

from __future__ import annotations

import pytest

import polhode as ph

from .command import SHORT, polhode

pytestmark = pytest.mark.usefixtures("in_new_folder")


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
        ["view", result, "--html", f"{long}.html"],
        ["export", result, "--to", "csv", "--out", long],
    ):
        said = polhode(*arguments, code=2).stderr
        # from Python 3.14 on, a path that cannot be is one that does not exist
        assert any(words in said for words in ("File name too long", "no file or example", "does not exist"))
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


def test_a_file_that_is_no_mesh_is_named(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "x.txt").write_text("v 0 0 0\n")
    result = polhode("run", "kw4", "--set", f"system.body1.mesh={tmp_path / 'x.txt'}", code=2)
    assert "system.body1.mesh" in result.stderr
    assert "x.txt" in result.stderr


def test_warnings_are_shown_on_standard_error_and_in_the_report(tmp_path):
    arguments = ["free_rigid_body", "--set", "run.steps=20", "--set", "run.step=0.9", "--no-plots"]
    for command in ("run", "check"):
        result = polhode(command, *arguments[: len(arguments) - (command == "check")])
        assert result.stderr.count("polhode: warning: ") == 1
        assert "rad in a step" in result.stderr
    page = (tmp_path / "out" / "report.html").read_text()
    assert "rad in a step" in page


@pytest.mark.filterwarnings("always")
def test_a_warning_is_one_line_and_gives_no_orders_to_the_terminal(monkeypatch):
    import warnings

    from polhode.io.scenario.build import Plan

    real = Plan.run

    def warned(*arguments, **options):
        if "steps" not in options:  # not while the start is stored
            warnings.warn("the checkpoint \x1b[31m could not be written", stacklevel=1)
        return real(*arguments, **options)

    monkeypatch.setattr(Plan, "run", warned)
    result = polhode("run", "free_rigid_body", "--set", "run.steps=10", "--no-plots", "--no-report", "--quiet")
    assert result.stderr == "polhode: warning: the checkpoint \\x1b[31m could not be written\n"
