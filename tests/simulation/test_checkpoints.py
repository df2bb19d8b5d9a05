"""Runs with checkpoints: whatever was lost, the same call ends with the same bits."""

from __future__ import annotations

import os
import shutil
import signal
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.io import netcdf
from polhode.io.checkpoint_folder import CheckpointFolder
from polhode.io.dataset import Dataset
from polhode.simulation import checkpoints, job

pytestmark = pytest.mark.usefixtures("short_legs")

STEPS, EVERY = 4321, 50


def run(checkpoint: Path | None = None, **options: Any) -> ph.Trajectory:
    given: dict[str, Any] = {"step": 0.1, "steps": STEPS, "save_every": EVERY} | options
    # no interval: everything is stored after every leg
    return ph.simulate(ph.FreeRigidBody.example(), **given, checkpoint=checkpoint, checkpoint_every=0.0)


def bits(trajectory: ph.Trajectory) -> list[bytes]:
    carry = b"" if trajectory.carry is None else trajectory.carry.tobytes()
    tangent = b"" if trajectory.tangent is None else trajectory.tangent.tobytes()
    return [trajectory.t.tobytes(), *(v.tobytes() for v in trajectory.values.values()), carry, tangent]


@pytest.mark.parametrize(
    "options", [{}, {"tangent": True, "steps": 1500}, {"save_every": 1}, {"save_every": 10**6}], ids=str
)
def test_they_change_no_bit(options: dict[str, Any], tmp_path: Path) -> None:
    plain = run(**options)
    assert bits(run(tmp_path / "c", **options)) == bits(plain)
    assert len(CheckpointFolder(tmp_path / "c").segments) > 1
    again = run(tmp_path / "c", **options)
    assert bits(again) == bits(plain)
    assert again.stats.steps == plain.stats.steps


def test_ctrl_c_while_one_is_written_waits_until_the_file_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill, written = netcdf.fill, []

    def interrupted(file: Any, dataset: Dataset) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        written.append(file.filepath())
        fill(file, dataset)

    plain = run(steps=1700)
    monkeypatch.setattr(netcdf, "fill", interrupted)
    with pytest.raises(ph.RunInterruptedError, match="of 1,700 steps") as stop:
        run(tmp_path / "c", steps=1700)
    assert stop.value.trajectory.stats.steps == 333
    assert len(written) == 2  # the second time while what was interrupted is stored
    stored = CheckpointFolder(tmp_path / "c").load()
    assert stored is not None
    assert bits(stored) == bits(stop.value.trajectory)
    monkeypatch.undo()
    assert bits(run(tmp_path / "c", steps=1700)) == bits(plain)


@pytest.mark.parametrize("left", range(4))
@pytest.mark.parametrize("damage", ["none", "cut", "empty"])
def test_from_any_segment_on_the_end_is_the_same(left: int, damage: str, tmp_path: Path) -> None:
    plain = run(steps=1700)
    run(tmp_path / "c", steps=1700)
    files = CheckpointFolder(tmp_path / "c").segments
    for file in files[left + 1 :]:
        file.unlink()
    content = files[left].read_bytes()
    spoilt = {"cut": content[: len(content) // 2], "empty": b""}
    if damage != "none":
        files[left].write_bytes(spoilt[damage])
    if left == 0 and damage != "none":
        with pytest.raises(ph.InvalidInputError, match="this checkpoint is damaged"):
            run(tmp_path / "c", steps=1700)
    else:
        assert bits(run(tmp_path / "c", steps=1700)) == bits(plain)


@pytest.mark.parametrize("wrong", ["cut", "missing", "of another run", "of earlier times"])
def test_what_does_not_follow_is_computed_again_and_stored_again(wrong: str, tmp_path: Path) -> None:
    plain = run(tmp_path / "c", steps=1700)
    files = CheckpointFolder(tmp_path / "c").segments
    if wrong == "cut":
        files[2].write_bytes(files[2].read_bytes()[:999])
    elif wrong == "missing":
        files[2].unlink()
    elif wrong == "of earlier times":
        shutil.copy(files[1], files[2])
    else:
        other = ph.FreeRigidBody.example().system.state(omega=[0.3, 0.2, 0.9])
        ph.simulate(other, step=0.1, steps=1700, save_every=EVERY, checkpoint=tmp_path / "other", checkpoint_every=0.0)
        shutil.copy(CheckpointFolder(tmp_path / "other").segments[2], files[2])
    assert bits(run(tmp_path / "c", steps=1700)) == bits(plain)
    stored = CheckpointFolder(tmp_path / "c").load()
    assert stored is not None
    assert bits(stored) == bits(plain)


@pytest.mark.skipif(os.name != "posix", reason="folders are not locked on this system")
def test_two_runs_at_once_do_not_write_into_one_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as other, CheckpointFolder(tmp_path / "a" / "c").held():
        with pytest.raises(ph.InvalidInputError, match="another run is writing here"):
            other.submit(run, tmp_path / "a" / "c").result()
        run(tmp_path / "a" / "c", steps=1700)  # within, as the command does
    assert CheckpointFolder(tmp_path / "a" / "c").load() is not None
    with CheckpointFolder(tmp_path / "b" / "c").held():
        pass
    assert not (tmp_path / "b").exists()


def test_another_run_does_not_go_on_from_it(tmp_path: Path) -> None:
    run(tmp_path / "c")
    for other, what in (
        ({"step": 0.2}, "step"),
        ({"save_every": 7}, "save_every"),
        ({"method": ph.LGVI(order=4)}, "method"),
        ({"steps": 10}, "number of steps"),
        ({"tangent": True}, "tangent map"),
    ):
        with pytest.raises(ph.InvalidInputError, match=f"checkpoint = .*another {what}"):
            run(tmp_path / "c", **other)
    state = ph.FreeRigidBody([1, 2, 3]).state(omega=[1, 0, 0])
    with pytest.raises(ph.InvalidInputError, match="another"):
        ph.simulate(state, step=0.1, steps=STEPS, save_every=EVERY, checkpoint=tmp_path / "c")
    assert bits(run(tmp_path / "c", steps=STEPS + 100)) == bits(run(steps=STEPS + 100))  # a longer one does


@pytest.mark.parametrize("stop", [False, True])
def test_a_run_that_looks_for_other_events_does_not_go_on_from_it(stop: bool, tmp_path: Path) -> None:
    def crossing() -> Any:
        return ph.simulation.events.Crossing("through", lambda state: state.omega[..., 1], stop=stop)

    run(tmp_path / "none", steps=1700)
    with pytest.raises(ph.InvalidInputError, match="checkpoint of another run is there, with other events"):
        run(tmp_path / "none", steps=1700, events=[crossing()])
    run(tmp_path / "some", steps=1700, events=[ph.simulation.events.Crossing("up", lambda state: state.omega[..., 1])])
    for events in ([], [crossing()]):
        with pytest.raises(ph.InvalidInputError, match="checkpoint of another run is there, with other events"):
            run(tmp_path / "some", steps=1700, events=events)


def test_units_that_have_other_names_are_those_of_the_call(tmp_path: Path) -> None:
    for length in ("km", "m"):
        found = run(tmp_path / "c", units={"length": length, "time": "s", "mass": "kg"})
        assert found.provenance["units"]["length"] == length


TIMES = np.concatenate([np.arange(1, 60) * 0.37, [40.0, 2000.05, 2000.07, 9000.03]])


def through_times(checkpoint: Path | None = None, **options: Any) -> ph.Trajectory:
    given: dict[str, Any] = {"step": 0.1, "t_eval": TIMES} | options
    return ph.simulate(ph.Pendulum3D.example(), **given, checkpoint=checkpoint, checkpoint_every=0.0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"t_eval": np.append(0.0, TIMES), "method": ph.GaussLegendre(order=8)},
        {"step": None, "method": ph.DOP853()},
        {"method": ph.DOP853(rtol=1e-9), "tangent": True, "t_eval": TIMES[:-3]},
        {"tangent": ["state", "mass"], "t_eval": TIMES[:-3]},
        {"step": -0.1, "t_eval": -TIMES},
        {"events": [ph.simulation.events.Crossing("through", lambda state: state.omega[..., 1])], "t_eval": TIMES[:20]},
    ],
    ids=lambda options: " ".join(map(str, options)) or "steps",
)
def test_chosen_times_have_them_too(options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "FIRST_LEG", 7)
    monkeypatch.setattr(checkpoints, "EVERY_LEG", 7)
    plain = through_times(**options)
    found = through_times(tmp_path / "c", **options)
    files = CheckpointFolder(tmp_path / "c").segments
    assert len(files) > 5
    for given in (found, plain):
        assert given.carry is given.reached is None
        assert len(given) == len(options.get("t_eval", TIMES))
    assert bits(found) == bits(plain)
    for left in range(len(files) - 1, 0, -3):
        for file in CheckpointFolder(tmp_path / "c").segments[left:]:
            file.unlink()
        again = through_times(tmp_path / "c", **options)
        assert bits(again) == bits(plain)
        assert (again.events, again.stats.steps) == (plain.events, plain.stats.steps)


def test_a_run_through_times_far_apart_is_stored_between_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = through_times(t_eval=[9000.03])

    def pressed(*args: Any) -> int:
        if len(CheckpointFolder(tmp_path / "c").segments) == 4:
            raise KeyboardInterrupt
        return append(*args)

    append = checkpoints._append
    monkeypatch.setattr(checkpoints, "EVERY_LEG", 7)
    monkeypatch.setattr(checkpoints, "_append", pressed)
    with pytest.raises(ph.RunInterruptedError, match=r"of 90,000 steps") as stop:
        through_times(tmp_path / "c", t_eval=[9000.03])
    assert stop.value.trajectory.carry is None
    stored = CheckpointFolder(tmp_path / "c").load()
    assert stored is not None
    assert stored.reached is not None
    assert 1000.0 < stored.reached < 9000.0
    with pytest.raises(ph.InvalidInputError, match="cannot be continued"):
        ph.resume(stored, steps=1)
    monkeypatch.setattr(checkpoints, "_append", append)
    for times in ([50.05, 9000.03], [2e6]):  # a sample before, and other places to pause
        with pytest.raises(ph.InvalidInputError, match="another choice of samples"):
            through_times(tmp_path / "c", t_eval=times)
    with pytest.raises(ph.InvalidInputError, match="another choice of samples"):
        through_times(tmp_path / "c", t_eval=None, t_end=9000.0)
    assert bits(through_times(tmp_path / "c", t_eval=[9000.03])) == bits(plain)


def test_an_interruption_between_chosen_times_comes_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """However far they are apart; what was computed until then is in the error."""
    advance, numbers = job.advance_to_last_valid, []

    def pressed(run: Any, first: int, count: int, *others: Any) -> tuple[int, int]:
        numbers.append((first, count))
        if first > 30:
            os.kill(os.getpid(), signal.SIGINT)
        return advance(run, first, count, *others)

    monkeypatch.setattr(job, "advance_to_last_valid", pressed)
    with pytest.raises(ph.RunInterruptedError) as stop:
        through_times(t_eval=[1.0, 2.0, 3.0, 9e6])
    assert len(numbers) > 3
    assert numbers[0] == (0, 1)
    np.testing.assert_array_equal(stop.value.trajectory.t, [1.0, 2.0, 3.0])


def test_a_full_disk_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CheckpointFolder, "append", full)
    with pytest.warns(UserWarning, match="could not be written.*No space left"):
        found = run(tmp_path / "c")
    assert bits(found) == bits(run())
    assert not (tmp_path / "c").exists()


def test_a_folder_that_is_deleted_meanwhile_is_not_left_without_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, writes = CheckpointFolder.append, 0

    def deleted(self: CheckpointFolder, *given: Any) -> None:
        nonlocal writes
        writes += 1
        if writes == 3:
            shutil.rmtree(self.path)
        append(self, *given)

    monkeypatch.setattr(CheckpointFolder, "append", deleted)
    with pytest.warns(UserWarning, match=r"could not be written.*what was stored before in .* is gone"):
        found = run(tmp_path / "c")
    assert bits(found) == bits(run())
    assert bits(run(tmp_path / "c")) == bits(found)


def test_nothing_is_written_before_the_interval_is_over(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=100, checkpoint=tmp_path / "c", checkpoint_every=1e9)
    assert not (tmp_path / "c").exists()


def test_an_interruption_is_stored_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    advance, calls = checkpoints._append, []

    def pressed(*args: Any) -> int:
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return advance(*args)

    monkeypatch.setattr(checkpoints, "_append", pressed)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "c")
    monkeypatch.setattr(checkpoints, "_append", advance)
    assert bits(run(tmp_path / "c")) == bits(run())


def test_events_are_kept(tmp_path: Path) -> None:
    def crossing() -> Any:
        return ph.simulation.events.Crossing("through", lambda state: state.omega[..., 1])

    plain = run(events=[crossing()])
    assert len(plain.events) > 10
    found = run(tmp_path / "c", events=[crossing()])
    assert found.events == plain.events
    for file in CheckpointFolder(tmp_path / "c").segments[3:]:
        file.unlink()
    assert run(tmp_path / "c", events=[crossing()]).events == plain.events


@pytest.mark.parametrize(
    "options", [{"steps": 600}, {"steps": None, "t_eval": [0.25, 3.0, 11.0], "t_end": 60.0}], ids=str
)
def test_an_event_that_ends_the_run_does_so_here_too(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def given() -> dict[str, Any]:
        once = ph.simulation.events.Crossing("once", lambda state: state.omega[..., 1], stop=True)
        return {"save_every": 1, "events": [once]} | options

    plain = run(**given())
    assert plain.events[-1].stopped
    monkeypatch.setattr(checkpoints, "FIRST_LEG", 7)
    monkeypatch.setattr(checkpoints, "EVERY_LEG", 7)
    for _ in range(2):
        found = run(tmp_path / "c", **given())
        assert found.events == plain.events
        assert bits(found) == bits(plain)
    assert CheckpointFolder(tmp_path / "c").segments


def test_removing_leaves_what_is_not_its_own(tmp_path: Path) -> None:
    run(tmp_path / "c", steps=700)
    (tmp_path / "c" / "mine.txt").write_text("mine")
    CheckpointFolder(tmp_path / "c").remove()
    assert [file.name for file in (tmp_path / "c").iterdir()] == ["mine.txt"]
    shutil.rmtree(tmp_path / "c")
    assert CheckpointFolder(tmp_path / "c").segments == []


def test_a_store_needs_a_fixed_step(tmp_path: Path) -> None:
    start = ph.FreeRigidBody.example()
    with pytest.raises(ph.InvalidInputError, match="store needs a step"):
        ph.simulate(start, t_end=1.0, store=tmp_path / "run.nc")
    with pytest.raises(ph.InvalidInputError, match="store and t_eval exclude each other"):
        ph.simulate(start, step=0.1, t_eval=[0.15, 1.0], store=tmp_path / "run.nc")


def test_a_folder_in_the_place_of_a_segment_is_none(tmp_path: Path) -> None:
    plain = run(tmp_path / "c", steps=1700)
    file = CheckpointFolder(tmp_path / "c").segments[2]
    file.unlink()
    file.mkdir()
    with pytest.warns(UserWarning, match="could not be written"):
        assert bits(run(tmp_path / "c", steps=1700)) == bits(plain)
