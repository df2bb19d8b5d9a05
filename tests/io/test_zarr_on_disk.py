"""Zarr folders: numbers are on the disk before anything stands for them, nothing else than what was written is read, and an
interruption or a second run at the same time loses nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InvalidInputError, PolhodeError
from polhode.io import ensemble_store
from polhode.io.atomic_files import exchange
from polhode.io.dataset import Dataset
from polhode.io.ensemble_file import holds_ensemble
from polhode.io.ensemble_store import EnsembleStore

zarr = pytest.importorskip("zarr")
pytest.importorskip("xarray")
RUN = {"step": 0.1, "steps": 8, "save": 4}


def member(i: int) -> ph.State:
    return ph.FreeRigidBody([1.0, 2.0, 2.0 + 0.01 * i]).state(omega=[0.3, 0.4, 0.1])


def turned(step: float = 0.1) -> ph.Trajectory:
    return ph.simulate(ph.FreeRigidBody([1, 2, 3]).state(omega=[0.3, 0.4, 0.1]), step=step, steps=20)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "spins.zarr"
    ph.ensemble(member, members=5, **RUN, store=path, inputs={"i": np.arange(5)})
    return path


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The files that were waited for."""
    found: set[int] = set()

    def noted(number: int, sync: Callable[[int], None] = os.fsync) -> None:
        sync(number)
        found.add(os.fstat(number).st_ino)

    monkeypatch.setattr(os, "fsync", noted)
    return found


def files(folder: Path) -> set[int]:
    return {path.stat().st_ino for path in (folder, *folder.rglob("*")) if path.is_file() or os.name != "nt"}


def test_a_result_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, synced: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = []

    def renamed(old: Path, new: Path, replace: Callable[..., None] = os.replace) -> None:
        if Path(new).name == "run.zarr":
            missing.append(files(old) - synced)
        replace(old, new)

    monkeypatch.setattr(os, "replace", renamed)
    turned().save(tmp_path / "run.zarr")
    assert missing == [set()]
    assert tmp_path.stat().st_ino in synced


def test_a_block_is_on_the_disk_before_its_note(
    tmp_path: Path, synced: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, missing = tmp_path / "spins.zarr", []

    def written(note: Path, text: str, write: Callable[..., Path] = ensemble_store.write_text) -> Path:
        missing.append(files(path) - synced)
        return write(note, text)

    monkeypatch.setattr(ensemble_store, "write_text", written)
    reduce = {"spin": lambda some: some.omega.max(axis=(1, 2))}
    ph.ensemble(member, members=5, **RUN, store=path, inputs={"i": np.arange(5)}, reduce=reduce)
    assert missing == [set()]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, PermissionError(13, "Permission denied")])
def test_a_result_that_cannot_be_moved_into_place_leaves_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: Any
) -> None:
    path, real = tmp_path / "run.zarr", os.replace
    turned().save(path)
    monkeypatch.setattr("polhode.io.zarr.exchange", lambda *_: False)  # as where the system cannot swap names

    def failing(old: Path, new: Path) -> None:
        if Path(new) == path and old.suffix == ".zarr":
            if raised is KeyboardInterrupt:
                os.kill(os.getpid(), signal.SIGINT)  # waits until both names are right
            else:
                raise raised
        real(old, new)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises((KeyboardInterrupt, PolhodeError)):
        turned(0.05).save(path)
    assert ph.load(path).step == (0.05 if raised is KeyboardInterrupt else 0.1)
    assert os.listdir(tmp_path) == ["run.zarr"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux swaps names")
def test_there_is_a_result_at_every_moment_of_its_replacement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.zarr"
    turned().save(path)

    def noted(old: Path, new: Path, replace: Callable[..., None] = os.replace) -> None:
        assert path not in (Path(old), Path(new)), "the name is free for a moment"
        replace(old, new)

    monkeypatch.setattr(os, "replace", noted)
    turned(0.05).save(path)
    assert ph.load(path).step == 0.05
    assert os.listdir(tmp_path) == ["run.zarr"]
    assert not exchange(path, tmp_path / "nowhere")


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_other_codecs_are_refused_unread(store: Path) -> None:
    group = zarr.open_group(store, mode="r+")
    group.create_array(
        "state", shape=(5, 3, 12), dtype="f8", compressors=zarr.codecs.GzipCodec(), overwrite=True, chunks=(5, 3, 12)
    )
    with pytest.raises(InvalidInputError, match=r"not written by polhode: .*gzip"):
        ph.Ensemble.load(store)
    shutil.rmtree(store)
    zarr.open_group(store, mode="w", zarr_format=2).attrs["polhode_ensemble_store"] = {}
    with pytest.raises(InvalidInputError, match="damaged or incomplete"):
        EnsembleStore(store).header  # noqa: B018


@pytest.mark.parametrize(
    ("key", "value"), [("members", 10**12), ("block", 0), ("block", "x"), ("form", "x"), ("system", []), ("t", [])]
)
@pytest.mark.parametrize("forged", [False, True])
def test_a_changed_header_is_refused(store: Path, key: str, value: Any, forged: bool) -> None:
    def change(content: dict[str, Any]) -> None:
        header = content["attributes"][ensemble_store.HEADER]
        header[key] = value
        if forged:
            content["attributes"][ensemble_store.CHECKSUM] = ensemble_store._digest(header)

    changed(store / "zarr.json", change)
    with pytest.raises(InvalidInputError, match="damaged or incomplete" if forged else "checksum of its header"):
        ph.Ensemble.load(store)


def test_a_chunk_of_another_store_is_noticed(store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.zarr"
    ph.ensemble(lambda i: member(i + 1), members=5, **RUN, store=other, inputs={"i": np.arange(5) + 1})
    shutil.copytree(other / "state", store / "state", dirs_exist_ok=True)
    with pytest.raises(InvalidInputError, match=r"missing or damaged: delete blocks.000000.json"):
        ph.Ensemble.load(store)
    (store / "blocks" / "000000.json").unlink()
    assert ph.ensemble(member, members=5, **RUN, store=store, inputs={"i": np.arange(5)}).failed.sum() == 0
    shutil.copytree(other / "input_i", store / "input_i", dirs_exist_ok=True)
    with pytest.raises(InvalidInputError, match="checksum of i is wrong"):
        ph.Ensemble.load(store)


def test_one_run_at_a_time(store: Path) -> None:
    pytest.importorskip("fcntl")
    (store / "blocks" / "000000.json").unlink()

    def again() -> ph.Ensemble:
        return ph.ensemble(member, members=5, **RUN, store=store, inputs={"i": np.arange(5)})

    with (
        ThreadPoolExecutor(1) as other,
        EnsembleStore(store).held(),
        pytest.raises(InvalidInputError, match="another run is writing here"),
    ):
        other.submit(again).result()
    assert len(again()) == 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    turned().save(tmp_path / "run.zarr")
    return tmp_path / "run.zarr"


@pytest.mark.parametrize("place", ["zarr.json", "R/zarr.json", "R/c/0/0/0", "more"])
@pytest.mark.parametrize("device", [None, "/dev/zero"])
def test_pipes_and_devices_in_a_folder_are_refused_unread(folder: Path, place: str, device: str | None) -> None:
    (folder / place).unlink(missing_ok=True)
    if device is None:
        os.mkfifo(folder / place)
    else:
        (folder / place).symlink_to(device)
    assert not holds_ensemble(folder)
    with pytest.raises(InvalidInputError, match=f"{place}': this is a pipe or a device"):
        ph.load(folder)


@pytest.mark.parametrize("target", [".", "/", "../run.zarr/R"])
def test_links_to_other_folders_are_refused(folder: Path, target: str) -> None:
    (folder / "more").symlink_to(target)
    with pytest.raises(InvalidInputError, match="more': this is a link to another folder"):
        ph.load(folder)


def extra_array(folder: Path, shape: list[int], chunk: list[int]) -> None:
    """Another array, of its own dimensions, which a few bytes describe."""
    shutil.copytree(folder / "R", folder / "more")

    def change(content: dict[str, Any]) -> None:
        content |= {"shape": shape, "dimension_names": ["a", "b", "c"]}
        content["chunk_grid"]["configuration"]["chunk_shape"] = chunk

    changed(folder / "more" / "zarr.json", change)


def test_more_numbers_than_the_memory_holds_are_refused_unread(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polhode.io.zarr.physical_memory", lambda: 1e6)
    assert np.array_equal(ph.load(folder).R, turned().R)
    extra_array(folder, [20_000, 3, 3], [20_000, 3, 3])
    with pytest.raises(InvalidInputError, match="more numbers than this machine can"):
        ph.load(folder)


@pytest.mark.parametrize("shape", [[2, 3, 3], [10**5, 3, 3]])
def test_chunks_that_are_not_there_are_not_looked_for_one_by_one(
    folder: Path, shape: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    extra_array(folder, shape, [1, 3, 3])
    shutil.rmtree(folder / "more" / "c")
    monkeypatch.setattr(Dataset, "of_xarray", lambda data: pytest.fail("it was read"))
    with pytest.raises(InvalidInputError, match="damaged or incomplete"):
        ph.load(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda array: array["chunk_grid"]["configuration"].update(chunk_shape=[0, 3, 3]),
        lambda array: array.update(attributes=[1]),
    ],
    ids=["chunks of nothing", "a list of attributes"],
)
def test_whatever_the_libraries_raise_is_one_message(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    changed(folder / "R" / "zarr.json", change)
    with pytest.raises(InvalidInputError, match="damaged or incomplete"):
        ph.load(folder)


def test_brackets_without_end_are_no_ensemble(folder: Path) -> None:
    (folder / "zarr.json").write_text("[" * 10**5)
    assert not holds_ensemble(folder)


def forged(store: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the header of a store, and its checksum with it."""

    def inner(content: dict[str, Any]) -> None:
        header = content["attributes"][ensemble_store.HEADER]
        change(header)
        content["attributes"][ensemble_store.CHECKSUM] = ensemble_store._digest(header)

    changed(store / "zarr.json", inner)


@pytest.mark.parametrize("stroke", ["/", "\\"])
def test_arrays_further_down_whose_codecs_nobody_checks_are_not_read(store: Path, stroke: str) -> None:
    (store / "input_a").mkdir()
    shutil.copytree(store / "input_i", store / "input_a" / "b")
    changed(store / "input_a" / "b" / "zarr.json", lambda array: array["codecs"].append({"name": "gzip"}))
    name = f"a{stroke}b"
    digest = ensemble_store._digest(name, {name: np.arange(5.0)})
    forged(store, lambda header: header["inputs"].update({name: digest}))
    with pytest.raises(InvalidInputError, match=r"a stroke, stand for other folders"):
        ph.Ensemble.load(store)
    with pytest.raises(InvalidInputError, match=r"inputs = .*other folders"):
        ph.ensemble(member, members=5, **RUN, store=store.with_name("new.zarr"), inputs={name: np.arange(5)})
    assert not store.with_name("new.zarr").exists()


@pytest.mark.parametrize("name", ["state", "initial_state", "input_i"])
def test_a_store_has_one_chunk_per_block(store: Path, name: str) -> None:
    def one_each(array: dict[str, Any]) -> None:
        grid = array["chunk_grid"]["configuration"]
        grid["chunk_shape"] = [1, *grid["chunk_shape"][1:]]

    changed(store / name / "zarr.json", one_each)
    with pytest.raises(InvalidInputError, match="not the shape that its header tells"):
        ph.Ensemble.load(store)
