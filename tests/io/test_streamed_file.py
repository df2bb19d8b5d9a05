"""Results that go to disk as they are computed: the same file, in memory that does not grow."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InvalidInputError, PolhodeError
from polhode.io import checkpoint_folder, streamed_file
from polhode.io.checkpoint_folder import CheckpointFolder

pytestmark = pytest.mark.usefixtures("short_legs")

STEPS, EVERY = 2345, 10
NO_ROOM = OSError(errno.ENOSPC, "No space left on device")


def run(store: Path | None = None, **options: Any) -> ph.Trajectory:
    given: dict[str, Any] = {"step": 0.1, "steps": STEPS, "save_every": EVERY} | options
    return ph.simulate(ph.FreeRigidBody.example(), **given, store=store)


def assert_same(found: ph.Trajectory, plain: ph.Trajectory) -> None:
    assert np.array_equal(found.t, plain.t)
    assert all(np.array_equal(found.values[name], array) for name, array in plain.values.items())
    assert np.array_equal(found.carry, plain.carry)
    assert (found.tangent is None) == (plain.tangent is None)
    assert found.tangent is None or np.array_equal(found.tangent, plain.tangent)
    assert found.stats.steps == plain.stats.steps


@pytest.mark.parametrize(
    "options", [{}, {"save_every": 1}, {"save_every": 10**6}, {"steps": 0}, {"tangent": True, "steps": 700}], ids=str
)
def test_the_file_is_that_of_a_run_in_memory(options: dict[str, Any], tmp_path: Path) -> None:
    plain = run(**options)
    last = run(tmp_path / "run.nc", **options)
    assert len(last) == 1
    assert np.array_equal(last.final.Pi, plain.final.Pi)
    assert_same(ph.load(tmp_path / "run.nc"), plain)
    assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]


def test_its_derived_fields_are_there_too(tmp_path: Path) -> None:
    import xarray

    plain = run()
    plain.save(tmp_path / "plain.nc")
    run(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc") as a, xarray.open_dataset(tmp_path / "plain.nc") as b:
        assert set(a.variables) == set(b.variables)
        for name in b.variables:
            assert np.allclose(a[name], b[name], rtol=1e-14, atol=1e-14)
            assert a[name].attrs == b[name].attrs
            assert a[name].dims == b[name].dims


def test_a_full_disk_keeps_the_earlier_result_and_the_run_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(steps=50).save(tmp_path / "run.nc")
    earlier = (tmp_path / "run.nc").read_bytes()
    written = checkpoint_folder.write_netcdf

    def full(dataset: Any, path: Path) -> None:
        if path.name.endswith("3.nc"):
            raise PolhodeError(f"{path} could not be written: {NO_ROOM.strerror}")
        written(dataset, path)

    with monkeypatch.context() as disk:
        disk.setattr(checkpoint_folder, "write_netcdf", full)
        with pytest.raises(PolhodeError, match="No space left"):
            run(tmp_path / "run.nc")
    assert (tmp_path / "run.nc").read_bytes() == earlier
    assert len(CheckpointFolder(tmp_path / "run.checkpoint").segments) == 3
    run(tmp_path / "run.nc")
    assert_same(ph.load(tmp_path / "run.nc"), run())


def test_a_disk_that_is_full_at_the_end_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any) -> None:
        raise NO_ROOM

    with monkeypatch.context() as disk:
        disk.setattr(streamed_file, "_copy", full)
        with pytest.raises(PolhodeError, match="No space left"):
            run(tmp_path / "run.nc")
    assert [file.name for file in tmp_path.iterdir()] == ["run.checkpoint"]
    last = run(tmp_path / "run.nc")
    assert last.stats.steps == STEPS
    assert_same(ph.load(tmp_path / "run.nc"), run())


@pytest.mark.parametrize("damaged", [0, 2])
def test_what_a_damaged_segment_held_is_computed_again(damaged: int, tmp_path: Path, monkeypatch: Any) -> None:
    with monkeypatch.context() as disk:
        disk.setattr(streamed_file, "_copy", lambda *_: (_ for _ in ()).throw(NO_ROOM))
        with pytest.raises(PolhodeError):
            run(tmp_path / "run.nc")
    file = CheckpointFolder(tmp_path / "run.checkpoint").segments[damaged]
    file.write_bytes(file.read_bytes()[:1000])
    if damaged == 0:  # then nothing is left of the run
        with pytest.raises(InvalidInputError, match="this checkpoint is damaged"):
            run(tmp_path / "run.nc")
        file.unlink()
        with pytest.raises(InvalidInputError, match="it does not follow from the segment before it"):
            run(tmp_path / "run.nc")
        return
    run(tmp_path / "run.nc")
    assert_same(ph.load(tmp_path / "run.nc"), run())


def test_what_a_killed_process_left_of_the_folder_is_the_beginning_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is complete, and the segments are being deleted; one that was being written is there too."""
    unlink, deleted = Path.unlink, []

    def killed(self: Path, *_: Any, **__: Any) -> None:
        deleted.append(self)
        if len(deleted) == 2:
            raise SystemExit
        unlink(self)

    with monkeypatch.context() as process:
        process.setattr(
            Path, "unlink", lambda self, **more: (killed if self.name[:3] == "seg" else unlink)(self, **more)
        )
        with pytest.raises(SystemExit):
            run(tmp_path / "run.nc")
    left = CheckpointFolder(tmp_path / "run.checkpoint").segments
    assert left
    (tmp_path / "run.checkpoint" / ".segment-000009.0123abcd.nc").write_bytes(b"begun")
    (tmp_path / ".run.0123abcd.nc").write_bytes(b"begun")
    run(tmp_path / "run.nc")
    assert_same(ph.load(tmp_path / "run.nc"), run())
    assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]


def test_segments_of_another_run_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as disk:
        disk.setattr(streamed_file, "_copy", lambda *_: (_ for _ in ()).throw(NO_ROOM))
        with pytest.raises(PolhodeError):
            run(tmp_path / "run.nc")
    with pytest.raises(InvalidInputError, match="another step"):
        run(tmp_path / "run.nc", step=0.05)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"checkpoint": "c"}, "give one of them"),
        ({"t_eval": [1.0], "steps": None, "save_every": 1}, "exclude each other"),
        ({"step": None, "steps": None, "t_end": 1.0, "save_every": 1}, "needs a step"),
    ],
)
def test_what_does_not_go_together(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=words):
        run(tmp_path / "run.nc", **options)
    with pytest.raises(InvalidInputError, match="NetCDF"):
        run(tmp_path / "run.zarr")


MEASURE = """
import sys
import polhode as ph
steps, path, streamed = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "streamed"
traj = ph.simulate(ph.FreeRigidBody.example(), step=0.05, steps=steps, store=path if streamed else None)
if not streamed:
    traj.save(path)
print(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])  # not ru_maxrss: it begins with the parent's
"""


def peak(steps: int, path: Path, how: str) -> float:
    """The most memory, in MB, that a process takes that runs so many steps and saves each of them."""
    command = [sys.executable, "-c", MEASURE, str(steps), str(path), how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True)
    return float(done.stdout) / 1024


@pytest.mark.verify
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of the peak differs")
def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    short, long = (peak(steps, tmp_path / "run.nc", "streamed") for steps in (300_000, 1_200_000))
    assert long < 1.15 * short  # the samples alone would add 86 MB, and saving them as much again


@pytest.mark.verify
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of the peak differs")
def test_the_memory_that_a_plan_tells_is_what_is_used(tmp_path: Path) -> None:
    from polhode.io.scenario.build import build_plan
    from polhode.io.scenario.document import scenario_from_text

    steps = 1_000_000
    system = '[system]\ntype = "FreeRigidBody"\ninertia = [1.0, 2.0, 3.0]\n[state]\nomega = [0.7, -0.6, 0.5]\n'
    text = f'{system}[method]\ntype = "LGVI"\n[run]\nstep = 0.05\nsteps = {steps}\n'
    told = build_plan(scenario_from_text("large.toml", text)).memory
    assert told is not None
    assert told / 1e6 == pytest.approx(peak(steps, tmp_path / "run.nc", "kept"), rel=0.25)
