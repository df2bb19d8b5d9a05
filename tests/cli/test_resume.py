"""A run that is killed goes on from its last checkpoint, bit for bit; SIGTERM is as Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

import polhode as ph
from polhode.io.checkpoint_folder import CheckpointFolder
from polhode.io.scenario.build import Plan, build_plan
from polhode.io.scenario.document import load_scenario, scenario_from_text
from polhode.io.scenario.examples import find_example
from polhode.simulation import checkpoints, job

from .command import output_of

CHANGES = ["run.t_end=", "run.steps=12000000", "run.save_every=100000"]
SETS = [part for change in CHANGES for part in ("--set", change)]
RUN = ["run", "free_rigid_body", *SETS, "--checkpoint-every", "0.1", "--no-plots", "--no-report", "--quiet"]


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.verify)], ids=lambda number: number.name
)
def test_a_killed_run_goes_on_to_the_same_bits(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = os.environ | {"PYTHONPATH": str(Path(ph.__file__).parents[1])}
    command = [sys.executable, "-m", "polhode.cli", *RUN]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=here)
    while len(list(tmp_path.glob("out/*.checkpoint/[!.]*.nc"))) < 2:  # complete ones, the start and another
        assert process.poll() is None, "it ended before its first checkpoint"
        time.sleep(0.05)
    process.send_signal(number)
    _, said = process.communicate(timeout=1200)
    assert not Path("out/free_rigid_body.nc").exists()
    if number == signal.SIGTERM:
        assert process.returncode == 130
        assert "interrupted after" in said
        assert ph.load("out/free_rigid_body.partial.nc").stats.steps > 0
    else:
        assert process.returncode == -signal.SIGKILL
    output_of("resume", "out", "--quiet")
    found = ph.load("out/free_rigid_body.nc")
    plain = build_plan(load_scenario(find_example("free_rigid_body"), CHANGES)).run()
    assert found.R.tobytes() == plain.R.tobytes()
    assert found.Pi.tobytes() == plain.Pi.tobytes()
    assert found.t.tobytes() == plain.t.tobytes()
    assert found.carry is not None
    assert plain.carry is not None
    assert found.carry.tobytes() == plain.carry.tobytes()
    assert list(Path("out").glob("**/*.checkpoint")) == list(Path("out").glob("**/.*")) == []
    assert "there is no unfinished run" in output_of("resume", "out", code=2)


@pytest.mark.parametrize(
    "changes",
    [
        ["run.steps=1000"],
        ["run.steps=", "run.save_every=", "run.t_end=2", "run.t_eval=[1, 2]"],
        ["method=", "method.type=Exact"],
        ["method=", "run.step=", "run.steps=", "run.save_every=", "run.t_end=300", "run.tolerance=1e-8"],
    ],
)
def test_a_run_that_is_killed_before_its_first_checkpoint_can_be_resumed(
    changes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def killed(*_: object, steps: int | None = None, **options: object) -> ph.Trajectory:
        if steps is None:
            raise SystemExit(9)
        return real(*_, steps=steps, **options)  # type: ignore[arg-type]

    real = Plan.run
    sets = [part for change in changes for part in ("--set", change)]
    with monkeypatch.context() as patch:
        patch.setattr(Plan, "run", killed)
        output_of("run", "free_rigid_body", *sets, "--no-plots", "--no-report", "--quiet", code=9)
    output_of("resume", "out", "--quiet")
    plain = build_plan(load_scenario(find_example("free_rigid_body"), changes)).run()
    assert ph.load("out/free_rigid_body.nc").R.tobytes() == plain.R.tobytes()
    assert not Path("out/free_rigid_body.checkpoint").exists()


def test_a_run_that_had_stored_nothing_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out/free_rigid_body.checkpoint").mkdir(parents=True)
    assert "stopped here before it had stored anything" in output_of("resume", "out", code=2)
    output_of("run", "free_rigid_body", "--set", "run.steps=10", "--no-plots", "--no-report", "--quiet")
    assert os.listdir("out") == ["free_rigid_body.nc"]


def test_the_same_command_again_goes_on_and_overwrite_starts_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    short = ["run", "free_rigid_body", "--set", "run.t_end=", "--no-plots", "--no-report", "--quiet"]
    plan = build_plan(load_scenario(find_example("free_rigid_body"), ["run.t_end=", "run.steps=2500"]))
    plan.run(checkpoint=Path("out/free_rigid_body.checkpoint"), checkpoint_every=0.0)
    assert "another number of steps" in output_of(*short, "--set", "run.steps=1500", code=2)
    output_of(*short, "--set", "run.steps=3000")
    assert ph.load("out/free_rigid_body.nc").stats.steps == 3000
    assert not Path("out/free_rigid_body.checkpoint").exists()
    plan.run(checkpoint=Path("out/free_rigid_body.checkpoint"), checkpoint_every=0.0)
    output_of(*short, "--set", "run.steps=1500", "--overwrite")
    assert ph.load("out/free_rigid_body.nc").stats.steps == 1500


@pytest.mark.parametrize(
    ("changes", "calls"),
    [
        (["method=", "run.step=", "run.t_end=600", "run.tolerance=1e-6"], 2),
        (["run.step=1e-4", "run.t_end=", f"run.t_eval={[1.0, 2.5, 777.7]}"], 30),
    ],
    ids=["tolerance", "times"],
)
def test_a_run_without_a_grid_of_ones_own_goes_on(
    changes: list[str], calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it is interrupted it says how to go on and keeps what it has; it ends with the same bits."""
    monkeypatch.chdir(tmp_path)
    plain = build_plan(load_scenario(find_example("pendulum3d"), changes)).run()
    command = ["run", "pendulum3d", *(part for change in changes for part in ("--set", change))]
    left = calls

    def pressed(*given: Any) -> tuple[int, int]:
        nonlocal left
        left -= 1
        if not left:
            raise KeyboardInterrupt
        return advance(*given)

    with monkeypatch.context() as patch:
        advance = job.advance_to_last_valid
        patch.setattr(job, "advance_to_last_valid", pressed)
        patch.setattr(checkpoints, "EVERY_LEG", 3)
        said = output_of(*command, "--checkpoint-every", "0", "--no-plots", "--no-report", code=130)
    assert said.splitlines()[-1] == "polhode resume out"
    assert len(CheckpointFolder("out/pendulum3d.checkpoint").segments) > 0
    partial = ph.load("out/pendulum3d.partial.nc")
    assert len(partial) > 1
    np.testing.assert_array_equal(partial.t, plain.t[: len(partial)])
    output_of("resume", "out", "--quiet")
    found = ph.load("out/pendulum3d.nc")
    assert found.R.tobytes() == plain.R.tobytes()
    assert found.accuracy == plain.accuracy
    assert not list(Path("out").glob("*.checkpoint"))


def test_a_command_that_is_refused_does_not_change_what_resume_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    short = ["run", "pendulum3d", "--set", "run.t_end=20", "--no-plots", "--no-report", "--quiet"]

    def pressed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("polhode.simulation.pilot.Pilot.evaluations", pressed)
        output_of(*short, "--tolerance", "1e-9", code=130)
    assert "another run is there" in output_of(*short, "--tolerance", "1e-7", code=2)
    output_of("resume", "out", "--quiet")
    accuracy = ph.load("out/pendulum3d.nc").accuracy
    assert accuracy is not None
    assert accuracy.tolerance == 1e-9


def test_a_longer_run_that_has_gone_on_is_resumed_to_its_own_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for steps in (2500, 3000):
        plan = build_plan(load_scenario(find_example("free_rigid_body"), ["run.t_end=", f"run.steps={steps}"]))
        plan.run(checkpoint=Path("out/free_rigid_body.checkpoint"), checkpoint_every=0.0)
    output_of("resume", "out", "--quiet")
    assert ph.load("out/free_rigid_body.nc").stats.steps == 3000


def stored(name: str = "body", **told: Any) -> Path:
    """A checkpoint, with only the start of a run, that tells something else of the scenario."""
    text = find_example("free_rigid_body").read_text()
    plan = build_plan(scenario_from_text("body.toml", text, ["run.steps=5", "output.file="]))
    start = plan.run(steps=0)
    path = Path("out", f"{name}.checkpoint")
    CheckpointFolder(path).append(replace(start, provenance={**start.provenance, **told}), 0)
    return path


def noted(name: str = "body", **told: Any) -> Path:
    """A checkpoint with nothing but notes, that tell something else of the scenario."""
    path = stored(name)
    folder = CheckpointFolder(path)
    provenance = folder.provenance()
    assert provenance is not None
    folder.remove_segments()
    folder.note({"provenance": {**provenance, **told}})
    return path


def refused(said: str) -> str:
    """What `resume` says, in one line, and nothing is written."""
    before = sorted(Path("out").rglob("*"))
    printed = output_of("resume", "out", code=2)
    assert printed.count("\n") == 1
    assert said in printed
    assert sorted(Path("out").rglob("*")) == before
    return printed


BOTH = pytest.mark.parametrize("checkpoint", [stored, noted])


@BOTH
def test_a_checkpoint_as_it_was_stored_is_continued(
    checkpoint: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checkpoint()
    output_of("resume", "out", "--quiet")
    assert ph.load("out/body.nc").stats.steps == 5


@pytest.mark.parametrize(
    "told",
    [{"overrides": 5}, {"overrides": "run.steps=2"}, {"overrides": [5]}, {"scenario": None}, {"scenario_file": 3}],
    ids=str,
)
@BOTH
def test_a_checkpoint_that_tells_of_no_scenario_is_refused(
    checkpoint: Callable[..., Path], told: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checkpoint(**told)
    refused("not begun by `polhode run`")


@BOTH
def test_a_checkpoint_of_another_result_replaces_nothing(
    checkpoint: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checkpoint("other")
    Path("out/body.nc").write_text("mine")
    refused("the run whose result is 'body.nc': give it its name 'body.checkpoint' again")
    assert Path("out/body.nc").read_text() == "mine"


@pytest.mark.parametrize("file", ["a\0b.toml", "../elsewhere.toml", "a\nb.toml", "/", ""])
@BOTH
def test_a_checkpoint_cannot_choose_another_place(
    checkpoint: Callable[..., Path], file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checkpoint(scenario_file=file)
    refused("give it its name")


@pytest.mark.parametrize("attributes", [{}, {"polhode_system": "FreeRigidBody", "polhode_parameters": "{"}], ids=str)
def test_a_checkpoint_of_another_program_is_refused(
    attributes: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out/body.checkpoint").mkdir(parents=True)
    with netCDF4.Dataset("out/body.checkpoint/segment-000000.nc", "w") as file:
        file.setncatts(attributes)
    refused("this checkpoint is damaged")


def test_sigterm_while_the_scenario_is_read_is_an_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def terminated(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("polhode.io.scenario.build.build_plan", terminated)
    assert output_of("run", "free_rigid_body", "--quiet", code=130) == "polhode: interrupted\n"
    assert not list(tmp_path.iterdir())


def test_a_search_that_fails_leaves_nothing_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    changes = ["run.step=", "run.t_end=2000", "run.tolerance=1e-12", "method.type=LGVI"]
    command = ["run", "pendulum3d", *(part for change in changes for part in ("--set", change))]
    assert "take a method of higher order" in output_of(*command, "--quiet", code=2)
    assert not list(tmp_path.iterdir())
