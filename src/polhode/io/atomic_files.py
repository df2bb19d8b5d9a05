"""Files are written beside their place and then renamed: a reader sees the old file or the new one, never a part."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import InvalidInputError, PolhodeError

LONGEST_NAME = 200  # bytes of a name to which others are made by adding to it; file systems allow 255


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A name in the same folder to write to; it becomes `path` if all goes well, and is removed if not.

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
        os.replace(beside, target)
    except OSError as error:
        raise PolhodeError(f"{target} could not be written: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file, all of it or nothing."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")
    return Path(path)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """`path`, if a file can be put there: its folder exists and it is not a folder itself."""
    target = Path(path)
    if target.is_dir():
        raise InvalidInputError("path", str(path), "a file, but this is a folder")
    if not target.parent.is_dir():
        raise InvalidInputError("path", str(path), f"a folder that exists, but there is no {target.parent}")
    return target


def check_files(paths: Iterable[Path]) -> None:
    """Refuse places where no file can be put, whether or not their folder exists yet."""
    for path in paths:
        if path.is_dir():
            raise InvalidInputError("path", str(path), "a file, but this is a folder")
        if len(os.fsencode(path.name)) > LONGEST_NAME + 40:
            raise InvalidInputError("path", path.name, f"a file name of at most {LONGEST_NAME} bytes")


def make_folder(path: str | os.PathLike[str]) -> Path:
    """`path` as a folder, made if need be."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError("folder", str(path), f"a folder that can be made ({error.strerror})") from error
    return Path(path)


def check_folder(path: str | os.PathLike[str]) -> Path:
    """`path`, if it is a folder that can be written to or one that `make_folder` can make; makes nothing."""
    folder = Path(path)
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise InvalidInputError("folder", str(path), f"a folder, but {nearest} is a file")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InvalidInputError("folder", str(path), f"a folder that may be written to, unlike {nearest}")
    return folder
