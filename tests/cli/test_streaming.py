"""`polhode run` with more samples than fit into memory: they go to disk as they are computed, and nothing else changes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.io.checkpoint_folder import CheckpointFolder
from polhode.io.scenario import build
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import find_example
from polhode.io.streamed_file import overview

from .command import output_of

STEPS = 2345
SETS = ["--set", f"run.steps={STEPS}", "--set", "run.save_every=3"]
RUN = ["run", "free_rigid_body", *SETS, "--checkpoint-every", "0"]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_legs: None) -> None:
    """A machine of 1 MB."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(build, "physical_memory", lambda: 1e6)


def plain() -> ph.Trajectory:
    scenario = load_scenario(find_example("free_rigid_body"), SETS[1::2])
    plan = build.build_plan(scenario)
    return ph.simulate(plan.state, step=scenario.document.run.step, steps=STEPS, save_every=3, method=plan.method)


def assert_same(found: ph.Trajectory) -> None:
    expected = plain()
    for one, other in (
        (found.t, expected.t),
        (found.R, expected.R),
        (found.Pi, expected.Pi),
        (found.carry, expected.carry),
    ):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()
    assert found.stats.steps == STEPS


@pytest.mark.verify
@pytest.mark.usefixtures("small")
def test_the_result_has_the_same_bits_and_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    kept: list[int] = []
    append = CheckpointFolder.append

    def counted(self: CheckpointFolder, part: ph.Trajectory, rows: int) -> None:
        kept.append(len(part))
        append(self, part, rows)

    monkeypatch.setattr(CheckpointFolder, "append", counted)
    said = output_of(*RUN)
    assert "more samples than fit into memory" in said
    assert "spatial_momentum" in said
    assert_same(ph.load("out/free_rigid_body.nc"))
    assert max(kept) < 200 < sum(kept)
    assert len(kept) == -(-STEPS // 333)  # legs of the length that short_legs says, not single steps
    names = {path.name for path in Path("out").iterdir()}
    assert {"free_rigid_body-rates.png", "report.html", "free_rigid_body.scenario.toml"} <= names
    assert not any(name.endswith((".checkpoint", ".partial.nc")) for name in names)
    assert ph.load("out/free_rigid_body.nc").provenance["scenario_file"] == "free_rigid_body.toml"


@pytest.mark.usefixtures("small")
def test_an_interrupted_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    append = CheckpointFolder.append

    def interrupted(self: CheckpointFolder, part: ph.Trajectory, rows: int) -> None:
        if len(self.segments) == 3:
            raise ph.RunInterruptedError(part, STEPS)
        append(self, part, rows)

    with monkeypatch.context() as once:
        once.setattr(CheckpointFolder, "append", interrupted)
        assert "polhode resume out" in output_of(*RUN, code=130)
    assert not Path("out/free_rigid_body.nc").exists()
    assert "use polhode resume" in output_of(*RUN, "--from", "out/free_rigid_body.partial.nc", code=2)
    output_of("resume", "out", "--quiet")
    assert_same(ph.load("out/free_rigid_body.nc"))
    assert not list(Path("out").glob("*.checkpoint"))


@pytest.mark.usefixtures("small")
def test_samples_before_a_step_that_fails_are_kept(tmp_path: Path) -> None:
    system = '[system]\ntype = "ConstantBodyMoment"\ninertia = [1.0, 2.0, 2.5]\nmoment = [0.0, 0.0, 10.0]\n'
    Path("spin.toml").write_text(system + "[state]\n[run]\nstep = 0.01\nsteps = 100000\n")
    said = output_of("run", "spin.toml", "--no-plots", "--no-report", code=1)
    assert "most samples before it are in out/spin.partial.nc" in said
    found = ph.load("out/spin.partial.nc")
    assert len(found) > 1000
    assert found.omega[-1, 2] == pytest.approx(10.0 * found.t[-1] / 2.5, rel=1e-6)


@pytest.mark.usefixtures("small")
def test_what_does_not_fit_on_the_disk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    assert "disk" in output_of(*RUN[:-2], "--dry-run")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    for command in (RUN, ["check", *RUN[1:-2]]):
        said = output_of(*command, code=2)
        assert "more than the disk has room for: use a larger save_every" in said
    assert not Path("out").exists()


def test_an_overview_holds_some_of_the_samples(tmp_path: Path) -> None:
    whole = plain()
    whole.save(tmp_path / "run.nc")
    for most, every in ((1000, 1), (300, 3), (200, 4), (7, 112)):
        part = overview(tmp_path / "run.nc", whole.system, most)
        chosen = sorted({*range(0, len(whole), every), len(whole) - 1})
        assert np.array_equal(part.t, whole.t[chosen])
        assert np.array_equal(part.Pi, whole.Pi[chosen])
        assert part.save_every == 3 * every
        assert part.carry is None


MEASURE = """
import sys
import polhode.io.scenario.build as build
build.physical_memory = lambda: 1e6
from polhode.cli import main
main(["run", "free_rigid_body", "--set", f"run.steps={sys.argv[1]}", "--set", "run.save_every=1", *sys.argv[2:]], standalone_mode=False)
print("peak", open("/proc/self/status").read().split("VmHWM:")[1].split()[0])  # not ru_maxrss: it begins with the parent's
"""


def measured(tmp_path: Path, steps: int, *more: str) -> str:
    here: dict[str, Any] = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(Path(ph.__file__).parents[1])}}
    command = [sys.executable, "-c", MEASURE, str(steps), "--no-plots", "--no-report", "--overwrite", *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=True, **here).stdout


def peak(text: str) -> float:
    return float(text.split("peak")[1]) / 1024


@pytest.mark.verify
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of the peak differs")
def test_memory_is_flat_and_as_announced(tmp_path: Path) -> None:
    announced = re.search(r"memory +about (\d+) MB", measured(tmp_path, 700_000, "--dry-run"))
    assert announced is not None
    short, long = (peak(measured(tmp_path, steps)) for steps in (200_000, 700_000))
    assert long < 1.15 * short
    assert 0.75 * long < float(announced[1]) < 1.25 * long
