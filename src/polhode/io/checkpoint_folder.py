"""Checkpoints of a run on disk: a folder of segments, each a NetCDF file that is written whole or not at all.

A segment holds the samples since the one before it, and what the method carried at its end. What a segment takes the place
of, the last sample between two regular ones, is left out when they are put together. It names the checksum of the one before
it: a segment that does not follow from it is damaged, or of another run. While a run writes here, no other can. Beside the
segments there may be notes: which scenario is run, and what a run to a tolerance has found.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.system import System
from ..errors import InvalidInputError, PolhodeError
from ..simulation.checkpoints import another_run
from ..simulation.trajectory import Trajectory
from .atomic_files import make_folder, remove_leftovers, write_text
from .folder_lock import lock_folder, unlock_folder
from .integrity import validate_trajectory
from .netcdf import read_netcdf, write_netcdf
from .trajectory_file import DAMAGED, Header, read_segment, to_dataset

if TYPE_CHECKING:
    from .scenario.document import Scenario

ROWS = "polhode_rows_before"
AFTER = "polhode_checksum_before"
EVENTS = "polhode_events_watched"
OWN = (ROWS, AFTER, EVENTS)  # what a segment says beside what a result does
CHECKSUM = "polhode_checksum"
NOTES = "notes.json"


class _Held(threading.local):
    """The folders in which runs of this thread write."""

    def __init__(self) -> None:
        self.paths: set[Path] = set()


_held = _Held()


class CheckpointFolder:
    """The checkpoints of one run in a folder, which is made when there is something to write. `events`: what the run looks for,
    in words; None for who only reads."""

    def __init__(
        self, path: str | PathLike[str], system: System | None = None, events: Sequence[str] | None = None
    ) -> None:
        self.path, self._system = Path(path), system
        self._events = None if events is None else json.dumps(list(events))
        self._last = ""  # the checksum of the last segment
        if self.path.exists() and not self.path.is_dir():
            raise InvalidInputError("checkpoint", str(path), problem="this is a file, not a folder")

    @property
    def segments(self) -> list[Path]:
        """The files in order."""
        return sorted(file for file in self.path.glob(f"segment-{6 * '[0-9]'}.nc") if file.is_file())

    def provenance(self) -> Mapping[str, Any] | None:
        """What is said of the run that is stored here; None if nothing is."""
        files = self.segments
        if not files:
            said = self.notes().get("provenance")
            return said if isinstance(said, dict) else None
        for file in reversed(files):  # a longer run may have gone on
            try:
                return Header.from_attributes(read_netcdf(file).attrs).provenance
            except DAMAGED as error:
                damaged = _damaged(file, error)
        raise damaged

    def scenario(self) -> Scenario | None:
        """The scenario whose run is stored here; None if nothing is stored yet."""
        from .scenario.document import scenario_from_text

        said = self.provenance()
        if said is None:
            return None
        said = said if isinstance(said, Mapping) else {}
        changes = said.get("overrides", [])
        told = [said.get("scenario_file"), said.get("scenario"), *(changes if isinstance(changes, list) else [None])]
        if not all(isinstance(text, str) for text in told):
            problem = (
                "this run was not begun by `polhode run`, or its checkpoint is damaged: continue it where it was begun"
            )
            raise InvalidInputError("checkpoint", str(self.path), problem=problem)
        found = scenario_from_text(told[0], told[1], told[2:])
        wanted = Path(found.output_name).stem
        if wanted != self.path.stem:  # another result could be replaced
            again = f"give it its name {wanted + self.path.suffix!r} again"
            problem = f"this is a checkpoint of the run whose result is {found.output_name!r}: {again}"
            raise InvalidInputError("checkpoint", str(self.path), problem=problem)
        return found

    def notes(self) -> dict[str, Any]:
        """What is noted of the run beside its samples; nothing where the file is damaged."""
        file = self.path / NOTES
        try:
            said = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
            text = str(said["notes"])
            found = json.loads(text) if hashlib.sha256(text.encode()).hexdigest() == said["sha256"] else {}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def note(self, notes: dict[str, Any]) -> None:
        """Note this of the run, instead of what was noted."""
        make_folder(self.path)
        text = json.dumps(notes)
        write_text(self.path / NOTES, json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest(), "notes": text}))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs out of the folder during this block, which makes it, and deletes it if it is empty at the end. Where a
        folder cannot be made or locked, as on Windows, nothing is kept out."""
        path = self.path.absolute()
        if path in _held.paths:  # by the command, around `simulate`
            yield
            return
        made = [folder for folder in (path, *path.parents) if not folder.exists()]
        number = self._lock()
        _held.paths.add(path)
        try:
            for left in self.path.glob(".segment-*.nc"):  # by a run that was killed while it wrote
                left.unlink()
            remove_leftovers(self.path / NOTES)
            yield
        finally:
            _held.paths.discard(path)
            for folder in made or [path]:
                with suppress(OSError):  # there is something in it, or it is gone
                    folder.rmdir()
            unlock_folder(number)

    def _lock(self) -> int | None:
        """The open folder, locked until it is closed or the process ends; None where that is not possible."""
        with suppress(OSError):
            self.path.mkdir(parents=True, exist_ok=True)
        number = lock_folder("checkpoint", self.path)
        if number is None:
            return None
        if self.path.is_dir() and os.path.samestat(os.fstat(number), self.path.stat()):
            return number
        unlock_folder(number)  # the other run has ended just now, and has deleted it
        return self._lock()

    def load(self) -> Trajectory | None:
        """All segments as one trajectory; None if there are none. One that is damaged or does not follow from the one before,
        and all behind it, are deleted: what they held is computed again."""
        whole: Trajectory | None = None
        for part, rows in self._read():
            whole = part if whole is None else _joined(whole, part, rows)
        return None if whole is None else validate_trajectory(whole)

    def ends(self) -> tuple[Trajectory, Trajectory] | None:
        """The first segment and the last; None if there are no segments. Damaged ones are treated as by `load`."""
        first = last = None
        for last, _ in self._read():
            first = first or last
        return None if first is None or last is None else (first, last)

    def _read(self) -> Iterator[tuple[Trajectory, int]]:
        """The segments with the numbers of samples before them, up to the first that is damaged."""
        before = ""
        files = self.segments
        for i, file in enumerate(files):
            try:
                dataset = read_netcdf(file)
                part, rows = read_segment(dataset, self._system), int(dataset.attrs[ROWS])
                if dataset.attrs[AFTER] != before:
                    raise ValueError("it does not follow from the segment before it")
            except DAMAGED as error:
                if i == 0:
                    raise _damaged(file, error) from error
                for damaged in reversed(files[i:]):
                    damaged.unlink()
                break
            if self._events not in (None, dataset.attrs.get(EVENTS, "[]")):
                raise another_run(self.path, ", with other events")
            before = self._last = dataset.attrs[CHECKSUM]
            yield part, rows

    def append(self, part: Trajectory, rows: int) -> None:
        """Write samples, which follow the first `rows`, and what is carried at the last of them, as one more segment."""
        if self._last and not self.segments:
            raise PolhodeError(f"what was stored before in {self.path} is gone")
        make_folder(self.path)
        number = 1 + int(self.segments[-1].stem.rpartition("-")[2]) if self.segments else 0
        dataset = to_dataset(part)
        dataset.attrs |= {ROWS: rows, AFTER: self._last, EVENTS: self._events or "[]"}
        write_netcdf(dataset, self.path / f"segment-{number:06d}.nc")
        self._last = dataset.attrs[CHECKSUM]

    def remove_segments(self) -> None:
        """Delete the segments. The last comes first: if this is cut short, what is left is the beginning of the run, from which
        it goes on."""
        for file in reversed(self.segments):
            file.unlink()
        self._last = ""

    def remove(self) -> None:
        """Delete the segments and the notes, and the folder if nothing else is in it."""
        self.remove_segments()
        (self.path / NOTES).unlink(missing_ok=True)
        if self.path.is_dir() and not any(self.path.iterdir()):
            self.path.rmdir()


def checkpoint_folder(path: str | PathLike[str], system: System, events: Sequence[str]) -> CheckpointFolder:
    """The checkpoints of a run of `system` that looks for these events."""
    return CheckpointFolder(path, system, events)


def _damaged(file: Path, error: Exception) -> InvalidInputError:
    why = error.problem if isinstance(error, InvalidInputError) and error.field == "path" else error
    problem = f"this checkpoint is damaged ({why}); delete it to start again"
    return InvalidInputError("checkpoint", str(file), problem=problem)


def _joined(whole: Trajectory, part: Trajectory, rows: int) -> Trajectory:
    if not 0 <= rows <= len(whole):
        raise PolhodeError("the segments of this checkpoint do not follow each other")

    def both(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.concatenate([x[:rows], y])

    tangent = None
    if whole.tangent is not None and part.tangent is not None:
        tangent = both(whole.tangent, part.tangent)
    values = {name: both(array, part.values[name]) for name, array in whole.values.items()}
    return replace(part, t=both(whole.t, part.t), values=values, tangent=tangent)
