"""The disk cache of compiled code, for its owner alone: what is loaded from it is executed.

Numba's cache files stand in a folder of mode 700 with files of mode 600, each with the SHA-256 of its content. A folder or
file that belongs to, or can be written by, another user is not read, and a damaged file is dropped: the function is then
compiled anew. A cache that cannot be written is no reason to stop. Of functions that users give, which are as many as users
think of, those that were compiled last are kept.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
from contextlib import contextmanager, suppress
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, dumps
from numba.core.runtime import rtsys

FOLDER = "polhode"
KEPT = 256  # functions made at one place in a file


class PrivateCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, found by the `stamp` of what it is made of."""

    def __init__(self, function: Any, stamp: str, label: str) -> None:
        super().__init__(function)
        self._cache_file = PrivateCacheFile(self._cache_path, self._impl.filename_base, stamp, label)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function from the disk, or None. Numba would first load all that it needs to compile, half a second
        of imports; machine code needs no more than its memory manager."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """What it closes over is in the label and the stamp; Numba would pickle it, not always to the same bytes."""
        return sig, codegen.magic_tuple()


class PrivateCacheFile(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data files of one function, in the folder `polhode` inside the one that it chose. The `label` tells
    functions apart that have the same name."""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: str, label: str = "") -> None:
        super().__init__(os.path.join(cache_path, FOLDER), filename_base + label, source_stamp)
        self._name = filename_base

    def save(self, key: Any, data: Any) -> None:
        with suppress(OSError):
            self._make_folder()
            super().save(key, (key, data))
            self._drop_the_oldest()

    def load(self, key: Any) -> Any:
        """What was saved with this key. Two processes that save at once may give their data one name, so that the index of the
        one leads to the data of the other: that is not there."""
        found = super().load(key)
        return found[1] if isinstance(found, tuple) and found[0] == key else None

    def _drop_the_oldest(self) -> None:
        """Keep the newest functions of this name only."""
        same = [entry for entry in os.scandir(self._cache_path) if entry.name.startswith(f"{self._name}-")]
        indices = sorted((e for e in same if e.name.endswith(".nbi")), key=lambda entry: entry.stat().st_mtime)
        for index in indices[:-KEPT]:
            for entry in same:
                if entry.name.startswith(index.name.removesuffix("nbi")):
                    os.unlink(entry.path)

    def _load_index(self) -> dict[Any, str]:
        found = self._read(self._index_path)
        if found is None:
            return {}
        stamp, overloads = found
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        found = self._read(self._data_path(name))
        if found is None:
            raise FileNotFoundError(name)  # which Numba takes as a function that is not there
        return found

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _digest(self, content: bytes) -> bytes:
        return hashlib.sha256(self._version.encode() + b"\0" + content).digest()

    def _read(self, path: str) -> Any:
        """What a file holds; None if there is none, if others may have written it, or if it is damaged."""
        try:
            if not (_is_private(self._cache_path) and _is_private(path)):
                return None
            with open(path, "rb") as file:
                digest, content = file.read(32), file.read()
        except OSError:
            return None
        if digest == self._digest(content):
            with suppress(Exception):  # of a class that has another name by now
                return pickle.loads(content)
        with suppress(OSError):  # damaged, or of another version
            os.unlink(path)
        return None

    def _write(self, path: str, what: Any) -> None:
        content = dumps(what)
        with self._open_for_write(path) as file:
            file.write(self._digest(content) + content)

    def _make_folder(self) -> None:
        """The folder, for its owner alone; files in one that was open to others are not kept."""
        os.makedirs(self._cache_path, mode=0o700, exist_ok=True)
        if not _is_private(self._cache_path):
            os.chmod(self._cache_path, 0o700)  # an error, if it is not ours
            for name in os.listdir(self._cache_path):
                os.unlink(os.path.join(self._cache_path, name))

    @contextmanager
    def _open_for_write(self, filepath: str) -> Any:
        beside = f"{filepath}.tmp.{os.urandom(8).hex()}"
        try:
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                yield file
            os.replace(beside, filepath)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside)
            raise


def _is_private(path: str) -> bool:
    """Whether a file or folder is this user's own, and nobody else can write it."""
    if not hasattr(os, "geteuid"):  # Windows keeps a user's folders to the user
        return True
    found = os.lstat(path)
    return (
        found.st_uid == os.geteuid()
        and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        and not stat.S_ISLNK(found.st_mode)
    )
