"""Files that are written whole or not at all, where writing fails."""

from __future__ import annotations

import errno
import os
import shutil
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from polhode.errors import PolhodeError
from polhode.io.atomic_files import reason, replacing, write_text

Usage = namedtuple("Usage", ["total", "used", "free"])


def test_a_full_disk_is_said_to_be_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the library says that could not write there."""
    file = tmp_path / "run.nc"
    assert reason(file, RuntimeError("NetCDF: HDF error")) == "NetCDF: HDF error"
    assert reason(file, PermissionError(errno.EACCES, "Permission denied")) == "Permission denied"
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**20, 2**20 - 100, 100))
    assert reason(file, RuntimeError("NetCDF: HDF error")) == "no space left on the disk"
    assert reason(file, PermissionError(errno.EACCES, "Permission denied")) == "no space left on the disk"


def test_a_protected_folder_is_named_even_if_nothing_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removing the temporary file fails there too, and must not hide the reason."""

    def protected(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", protected)
    with (
        pytest.raises(PolhodeError, match=r"run\.nc could not be written: Read-only file system"),
        replacing(tmp_path / "run.nc"),
    ):
        protected()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="an administrator can write anywhere")
def test_a_folder_without_permission_keeps_the_earlier_file(tmp_path: Path) -> None:
    file = write_text(tmp_path / "note.txt", "earlier")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PolhodeError, match="Permission denied"):
            write_text(file, "later")
        assert file.read_text() == "earlier"
    finally:
        tmp_path.chmod(0o700)


def test_a_file_that_may_not_grow_keeps_the_earlier_one(tmp_path: Path) -> None:
    """The limit of a process on the size of files stands for a disk that is full: it needs no rights."""
    resource = pytest.importorskip("resource")
    file = write_text(tmp_path / "note.txt", "earlier")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(PolhodeError, match="File too large"):
            write_text(file, "later" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert file.read_text() == "earlier"
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]
