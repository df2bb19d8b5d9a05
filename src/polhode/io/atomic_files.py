"""Files are written under another name and then renamed: a reader sees the old file or the new one, never a part."""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from ..errors import InvalidInputError, PolhodeError

NO_ROOM = 2**16  # bytes: a disk that is full may have less than a block of HDF5 left
HERE, EXCHANGE = -100, 2  # what Linux calls AT_FDCWD and RENAME_EXCHANGE
LONGEST_NAME = 200  # bytes of a name; other names are made by adding to it, and file systems allow 255


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary name in the same folder to write to; it becomes `path` at the end, and is removed after an error.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "note.txt") as beside:
    ...     _ = beside.write_text("whole")
    >>> [file.name for file in folder.iterdir()]
    ['note.txt']
    """
    target = check_writable(path)
    # the suffix stays: some writers choose the format by it
    beside = target.with_name(f".{target.stem}.{secrets.token_hex(4)}{target.suffix}")
    try:
        yield beside
        to_disk(beside)
        os.replace(beside, target)
        to_disk(target.parent)  # the new name too, before anything is deleted for it
    except OSError as error:
        raise PolhodeError(f"{target} could not be written: {reason(target, error)}") from error
    finally:
        with suppress(OSError):  # where nothing can be written, nothing can be removed either
            beside.unlink(missing_ok=True)


def exchange(one: Path, other: Path) -> bool:
    """Swap the names of two files or folders at once; False where the system cannot do it, and nothing is changed."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None  # of Linux alone
    return rename is not None and rename(HERE, os.fsencode(one), HERE, os.fsencode(other), EXCHANGE) == 0


def remove_leftovers(path: Path) -> None:
    """Delete what writers of `path` left when they were killed. Nobody else may be writing it."""
    for left in path.parent.glob(f".{escape(path.stem)}.{8 * '[0-9a-f]'}{escape(path.suffix)}"):
        with suppress(OSError):
            left.unlink()


def to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk: after a loss of power its name must not stand for a part
    of it."""
    with suppress(*[OSError] if path.is_dir() else []):  # not every system can do it with folders
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def all_to_disk(path: Path) -> None:
    """The same for all that is in a folder, and for the folder itself."""
    for inner in (*path.rglob("*"), path):
        to_disk(inner)


def reason(path: Path, error: Exception) -> str:
    """Why a file could not be written, in words: HDF5 does not say that the disk is full, or says "permission denied"."""
    if shutil.disk_usage(path.parent).free < NO_ROOM:
        return "no space left on the disk"
    return getattr(error, "strerror", None) or str(error)


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file completely or not at all."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")
    return Path(path)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """`path`, if a file can be written there: its folder exists and it is not a folder itself."""
    target = Path(path)
    if target.is_dir():
        raise InvalidInputError("path", str(path), problem="this is a folder, not a file")
    if not target.parent.is_dir():
        raise InvalidInputError("path", str(path), problem=f"the folder {target.parent} does not exist")
    return target


def check_files(paths: Iterable[Path]) -> None:
    """Refuse paths where no file can be written, whether or not their folder exists yet."""
    for path in paths:
        if path.is_dir():
            raise InvalidInputError("path", str(path), problem="this is a folder, not a file")
        if len(os.fsencode(path.name)) > LONGEST_NAME + 40:
            raise InvalidInputError("path", path.name, f"a file name of at most {LONGEST_NAME} bytes")


def make_folder(path: str | os.PathLike[str]) -> Path:
    """`path` as a folder, created if it does not exist."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(
            "folder", str(path), problem=f"this folder cannot be created ({error.strerror})"
        ) from error
    return Path(path)


def check_folder(path: str | os.PathLike[str]) -> Path:
    """`path`, if it is a writable folder or one that `make_folder` can create; creates nothing."""
    folder = Path(path)
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise InvalidInputError("folder", str(path), problem=f"{nearest} is a file, not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InvalidInputError("folder", str(path), problem=f"no permission to write to {nearest}")
    return folder
