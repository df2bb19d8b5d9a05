"""A folder that one run at a time writes to."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ..errors import InvalidInputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def lock_folder(field: str, path: Path) -> int | None:
    """The number of the open folder, which no other run gets until it is closed or the process ends; None where folders
    cannot be opened or locked, as on Windows. An error if another run has it."""
    if fcntl is None or not path.is_dir():
        return None
    number = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(number)
        if isinstance(error, BlockingIOError):
            problem = "another run is writing here; wait for its end, or let this one write elsewhere"
            raise InvalidInputError(field, str(path), problem=problem) from None
        return None  # a file system without locks
    return number


def unlock_folder(number: int | None) -> None:
    """Let others have the folder again."""
    if number is not None:
        with suppress(OSError):
            os.close(number)
