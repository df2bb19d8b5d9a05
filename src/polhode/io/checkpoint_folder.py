"""Checkpoints of a run on disk: a folder of segments, each a NetCDF file that is written whole or not at all.

A segment holds the samples since the one before it, and what the method carried at its end. What a segment takes the place
of, the last sample between two regular ones, is left out when they are put together.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from ..core.system import System
from ..errors import InvalidInputError, PolhodeError
from ..simulation.trajectory import Trajectory
from .atomic_files import make_folder
from .integrity import validate_trajectory
from .netcdf import read_netcdf, write_netcdf
from .trajectory_file import Header, read_segment, to_dataset

ROWS = "polhode_rows_before"


class CheckpointFolder:
    """The checkpoints of one run in a folder, which is made when there is something to write."""

    def __init__(self, path: str | PathLike[str], system: System | None = None) -> None:
        self.path, self._system = Path(path), system
        if self.path.exists() and not self.path.is_dir():
            raise InvalidInputError("checkpoint", str(path), problem="this is a file, not a folder")

    @property
    def segments(self) -> list[Path]:
        """The files in order."""
        return sorted(self.path.glob("segment-*.nc")) if self.path.is_dir() else []

    def header(self) -> Header | None:
        """What the first segment says of the run; None if there is none."""
        files = self.segments
        return Header.from_attributes(read_netcdf(files[0]).attrs) if files else None

    def load(self) -> Trajectory | None:
        """All segments as one trajectory, up to the first that is damaged; None if there are none."""
        whole: Trajectory | None = None
        for file in self.segments:
            try:
                dataset = read_netcdf(file)
                part, rows = read_segment(dataset, self._system), int(dataset.attrs[ROWS])
            except (InvalidInputError, KeyError, TypeError, ValueError) as error:
                if whole is None:
                    problem = f"this checkpoint is damaged ({error}); delete it to start again"
                    raise InvalidInputError("checkpoint", str(file), problem=problem) from error
                break
            whole = part if whole is None else _joined(whole, part, rows)
        return None if whole is None else validate_trajectory(whole)

    def ends(self) -> tuple[Trajectory, Trajectory] | None:
        """The first segment and the last; None if there are no segments. A damaged segment and all behind it are deleted:
        what they held is computed again."""
        first = last = None
        files = self.segments
        for i, file in enumerate(files):
            try:
                last = read_segment(read_netcdf(file), self._system)
            except (InvalidInputError, KeyError, TypeError, ValueError):
                for damaged in files[i:]:
                    damaged.unlink()
                break
            first = first or last
        return None if first is None or last is None else (first, last)

    def append(self, part: Trajectory, rows: int) -> None:
        """Write samples, which follow the first `rows`, and what is carried at the last of them, as one more segment."""
        make_folder(self.path)
        number = 1 + int(self.segments[-1].stem.rpartition("-")[2]) if self.segments else 0
        dataset = to_dataset(part)
        dataset.attrs[ROWS] = rows
        write_netcdf(dataset, self.path / f"segment-{number:06d}.nc")

    def remove(self) -> None:
        """Delete the segments, and the folder if nothing else is in it."""
        for file in self.segments:
            file.unlink()
        if self.path.is_dir() and not any(self.path.iterdir()):
            self.path.rmdir()


def checkpoint_folder(path: str | PathLike[str], system: System) -> CheckpointFolder:
    """The checkpoints of a run of `system`."""
    return CheckpointFolder(path, system)


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
