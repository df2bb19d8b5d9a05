"""Stores of ensembles: what is done stays done, and is the same as what one process computes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.ensemble import driver, stream
from polhode.errors import InvalidInputError, PolhodeError
from polhode.io.ensemble_store import EnsembleStore

pytest.importorskip("zarr")
RUN = {"step": 0.1, "steps": 8, "save": 4}


def member(i: int) -> ph.State:
    return ph.FreeRigidBody([1.0, 2.0, 9.0 if i == 3 else 2.0 + 0.01 * i]).state(
        omega=[20.0 if i == 5 else 0.3, 0.4, 0.1]
    )


def spin(some: ph.Ensemble) -> np.ndarray:
    return some.omega.max(axis=(1, 2))


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LARGEST_BLOCK", 16)  # or the width of the lanes, where that is larger


@pytest.mark.usefixtures("small_blocks")
def test_a_store_holds_what_the_memory_would(tmp_path: Path) -> None:
    path, count = tmp_path / "spins.zarr", 50
    inputs = {"i": np.arange(count)}
    whole = ph.ensemble(member, members=count, **RUN, inputs=inputs)
    found = ph.ensemble(member, members=count, **RUN, inputs=inputs, store=path)
    assert found.failures == whole.failures
    assert [f.member for f in found.failures] == [3, 5]
    np.testing.assert_array_equal(found.states, whole.states)
    np.testing.assert_array_equal(found.omega, whole.omega)
    np.testing.assert_array_equal(found.inputs["i"], inputs["i"])
    assert found.members.state(40).system.describe() == member(40).system.describe()
    again = ph.Ensemble.load(path)
    np.testing.assert_array_equal(again.states, whole.states)
    assert EnsembleStore(path).numbers == whole.states.size
    parts = list(EnsembleStore(path).parts())
    assert len(parts) > 1
    np.testing.assert_array_equal(np.concatenate([part.omega for part in parts]), whole.omega)


@pytest.mark.usefixtures("small_blocks")
def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    path, made = tmp_path / "spins.zarr", []

    def counted(i: int) -> ph.State:
        made.append(i)
        if len(made) > 60 and i > 16:
            raise KeyboardInterrupt
        return member(i)

    with pytest.raises(KeyboardInterrupt):
        stream(counted, path, members=50, workers=1, **RUN)
    store = EnsembleStore(path)
    done = [numbers for numbers in store.blocks() if (path / "blocks" / f"{numbers.start // 16:06d}.json").exists()]
    assert done
    assert not store.complete
    with pytest.raises(InvalidInputError, match="blocks are missing"):
        store.load()
    before = {
        numbers.start: (path / "blocks" / f"{numbers.start // 16:06d}.json").stat().st_mtime_ns for numbers in done
    }
    assert stream(member, path, members=50, reduce=None, **RUN).complete
    for start, stamp in before.items():
        assert (path / "blocks" / f"{start // 16:06d}.json").stat().st_mtime_ns == stamp
    whole = ph.ensemble(member, members=50, **RUN)
    np.testing.assert_array_equal(store.load().states, whole.states)


@pytest.mark.usefixtures("small_blocks")
def test_reductions_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "spins.zarr"
    found = ph.ensemble(member, members=20, **RUN, store=path, reduce={"spin": spin})
    whole = ph.ensemble(member, members=20, **RUN, reduce={"spin": spin})
    np.testing.assert_array_equal(found.reductions["spin"], whole.reductions["spin"])
    np.testing.assert_array_equal(found.states, whole.states)


def test_another_ensemble_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "spins.zarr"
    ph.ensemble(member, members=5, **RUN, store=path)
    with pytest.raises(InvalidInputError, match="differs in step"):
        ph.ensemble(member, members=5, step=0.05, steps=8, save=4, store=path)
    with pytest.raises(InvalidInputError, match=r"differs in .*numbers of members"):
        ph.ensemble(lambda i: member(i + 10), members=5, **RUN, store=path)
    with pytest.raises(InvalidInputError, match=r"differs in .*numbers of members"):
        ph.ensemble(member, members=5, **RUN, inputs={"i": np.arange(5)}, store=path)
    with pytest.raises(InvalidInputError, match="zarr"):
        ph.ensemble(member, members=5, **RUN, store=tmp_path / "spins.nc")
    (tmp_path / "other.zarr").mkdir()
    with pytest.raises(InvalidInputError, match="a new name"):
        ph.ensemble(member, members=5, **RUN, store=tmp_path / "other.zarr")


@pytest.mark.parametrize("changed", [40, 99])
def test_members_that_differ_late_are_another_ensemble(tmp_path: Path, changed: int) -> None:
    """As in a grid, whose first members stay the same when its last value is another."""
    path = tmp_path / "spins.zarr"
    mass = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], 20)
    other = mass.copy()
    other[changed:] += 0.5
    ph.ensemble(member, members=100, **RUN, store=path, inputs={"mass": mass})
    with pytest.raises(InvalidInputError, match=r"differs in .*numbers of members"):
        ph.ensemble(member, members=100, **RUN, store=path, inputs={"mass": other})


def test_a_damaged_chunk_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "spins.zarr"
    ph.ensemble(member, members=5, **RUN, store=path)
    (chunk,) = (file for file in (path / "state" / "c").rglob("*") if file.is_file())
    content = bytearray(chunk.read_bytes())
    content[len(content) // 2] ^= 1
    chunk.write_bytes(content)
    with pytest.raises(InvalidInputError, match="damaged"):
        ph.Ensemble.load(path)
    chunk.unlink()
    with pytest.raises(InvalidInputError, match=r"numbers are missing or damaged: delete blocks.000000.json"):
        ph.Ensemble.load(path)
    (path / "blocks" / "000000.json").unlink()
    again = ph.ensemble(member, members=5, **RUN, store=path)
    np.testing.assert_array_equal(again.states, ph.ensemble(member, members=5, **RUN).states)


def test_a_full_disk_is_named_and_nothing_is_computed_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, ended = tmp_path / "spins.zarr", []

    def full(store: EnsembleStore, done: object) -> None:
        raise OSError(28, "No space left on device")

    def computed(*of_a_run: object) -> Iterator[object]:
        try:
            yield 1
        finally:
            ended.append(1)

    monkeypatch.setattr(EnsembleStore, "_write", full)
    monkeypatch.setattr(driver, "run_blocks", computed)
    with pytest.raises(PolhodeError, match=r"spins.zarr could not be written: .*; what is done stays") as raised:
        stream(member, path, members=5, **RUN)
    assert ended, raised  # whose traceback holds what was under way, had it not been closed


def test_a_cluster_needs_a_store() -> None:
    with pytest.raises(InvalidInputError, match="store"):
        ph.ensemble(member, members=5, **RUN, client="tcp://127.0.0.1:1")


def test_no_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    from polhode.ensemble import cluster

    monkeypatch.setattr(cluster, "CONNECT", 1)
    with pytest.raises(PolhodeError, match="no scheduler answers"):
        ph.ensemble(member, members=5, **RUN, store=tmp_path / "a.zarr", client="tcp://127.0.0.1:1")


def test_a_scheduler_that_goes_away_is_one_message_wherever_it_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client may still count as connected then."""
    distributed = pytest.importorskip("distributed")

    def gone() -> None:
        raise distributed.comm.CommClosedError("connection reset by peer")

    with distributed.Client(processes=False, n_workers=1, dashboard_address=None) as client:
        monkeypatch.setattr(client, "ncores", gone)
        with pytest.raises(PolhodeError, match="the scheduler has gone away"):
            ph.ensemble(member, members=5, **RUN, store=tmp_path / "a.zarr", client=client)
        address = client.scheduler.address
        monkeypatch.setattr(distributed.Client, "ncores", lambda client: gone())
        with pytest.raises(PolhodeError, match="the scheduler has gone away"):
            ph.ensemble(member, members=5, **RUN, store=tmp_path / "b.zarr", client=address)
