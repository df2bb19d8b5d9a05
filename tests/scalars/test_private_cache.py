"""The cache of compiled code is its owner's alone, and a damaged entry is compiled anew."""

from __future__ import annotations

import importlib.util
import os
import pickle
import stat
from pathlib import Path
from typing import Any

import numba
import pytest

from polhode.scalars import compiled, private_cache
from polhode.scalars.private_cache import FOLDER, PrivateCacheFile

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes are those of Unix")


class Mark:
    """What leaves a mark when it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = str(place)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.place,)


def cache(folder: Path, stamp: str = "now") -> PrivateCacheFile:
    return PrivateCacheFile(str(folder), "f", stamp)


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.lstat().st_mode) for path in folder.iterdir()}


def test_folder_and_files_belong_to_the_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)  # a user who lets everybody write everywhere
    try:
        cache(tmp_path).save("key", [1, 2])
    finally:
        os.umask(before)
    assert modes(tmp_path) == {0o700}
    assert modes(tmp_path / FOLDER) == {0o600}
    assert len(list((tmp_path / FOLDER).iterdir())) == 2
    assert cache(tmp_path).load("key") == [1, 2]
    assert cache(tmp_path, "later").load("key") is None
    assert cache(tmp_path).load("other") is None


def test_data_that_another_process_saved_at_once_are_not_taken_for_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both found the index without an entry, and so the same name for their data; the first one's come last."""
    cache(tmp_path).save("one", [1])
    (file,) = (tmp_path / FOLDER).glob("*.nbc")
    late = file.read_bytes()
    other = cache(tmp_path)
    monkeypatch.setattr(other, "_load_index", dict)
    other.save("other", [2])
    assert cache(tmp_path).load("other") == [2]
    file.write_bytes(late)
    assert cache(tmp_path).load("other") is None
    cache(tmp_path).save("other", [2])
    assert cache(tmp_path).load("other") == [2]


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "pickle"])
def test_a_damaged_entry_is_dropped_unread(suffix: str, damage: str, tmp_path: Path) -> None:
    cache(tmp_path).save("key", [1, 2])
    (file,) = (tmp_path / FOLDER).glob(f"*{suffix}")
    content = bytearray(file.read_bytes())
    content[-3] ^= 16
    spoilt = {"flip": content, "cut": content[:-5], "empty": b"", "pickle": pickle.dumps(Mark(tmp_path / "hit"))}
    file.write_bytes(spoilt[damage])
    assert cache(tmp_path).load("key") is None
    assert not (tmp_path / "hit").exists()
    cache(tmp_path).save("key", [3])
    assert cache(tmp_path).load("key") == [3]


@pytest.mark.parametrize("where", ["folder", "file"])
def test_what_others_can_write_is_not_read(where: str, tmp_path: Path) -> None:
    cache(tmp_path).save("key", [1, 2])
    folder = tmp_path / FOLDER
    for place in [folder] if where == "folder" else list(folder.iterdir()):
        place.chmod(0o777)
    assert cache(tmp_path).load("key") is None
    cache(tmp_path).save("key", [3])
    assert cache(tmp_path).load("key") == [3]
    assert modes(tmp_path) == {0o700}
    assert modes(folder) == {0o600}


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("in the way")
    cache(tmp_path).save("key", [1, 2])
    assert cache(tmp_path).load("key") is None


def test_compiled_functions_use_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")  # beside the file, whatever the environment says
    (tmp_path / "doubling.py").write_text("def twice(x):\n    return 2.0 * x\n")
    spec = importlib.util.spec_from_file_location("doubling", tmp_path / "doubling.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def hits() -> int:
        function: Any = compiled(module.twice)
        assert function(1.5) == 3.0
        return sum(function.stats.cache_hits.values())

    assert [hits(), hits()] == [0, 1]
    (folder,) = tmp_path.rglob(FOLDER)
    for file in folder.glob("*.nbc"):
        file.write_bytes(file.read_bytes()[:100])
    assert [hits(), hits()] == [0, 1]


def test_of_many_functions_of_one_name_the_newest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_cache, "KEPT", 2)
    for k, label in enumerate(["-a", "-b", "-c"]):
        PrivateCacheFile(str(tmp_path), "f", "now", label).save("key", k)
        for file in (tmp_path / FOLDER).glob(f"f{label}*"):
            os.utime(file, (k, k))
    PrivateCacheFile(str(tmp_path), "g", "now").save("key", 5)
    assert PrivateCacheFile(str(tmp_path), "f", "now", "-d").load("key") is None
    PrivateCacheFile(str(tmp_path), "f", "now", "-d").save("key", 3)
    kept = {label: PrivateCacheFile(str(tmp_path), "f", "now", label).load("key") for label in ("-a", "-b", "-c", "-d")}
    assert kept == {"-a": None, "-b": None, "-c": 2, "-d": 3}
    assert PrivateCacheFile(str(tmp_path), "g", "now").load("key") == 5
    assert len(list((tmp_path / FOLDER).iterdir())) == 6
