"""A result file put together from the segments of a run on disk, which need not fit into memory.

The file is the one that `Trajectory.save` would write: variable by variable and segment by segment, with the same checksum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.system import System
from ..errors import InvalidInputError, PolhodeError
from ..simulation.trajectory import Trajectory
from .atomic_files import check_writable, remove_leftovers
from .checkpoint_folder import OWN, ROWS, CheckpointFolder
from .dataset import Dataset, Variable
from .netcdf import LOSSLESS, attributes_of, opened, writing
from .trajectory_file import CARRY, PREFIX, TANGENT, TIME, Header, from_dataset

Array = NDArray[np.float64]
CHUNK = 10_000  # samples that are compressed together


@dataclass(frozen=True)
class Piece:
    """The samples of a segment that belong to the run: the first `count`, from number `start` on."""

    file: Path
    start: int
    count: int

    def read(self, name: str) -> Array:
        """One variable of them. The file is closed again: what it has read would stay in its buffers."""
        with opened(self.file) as dataset:
            return np.asarray(dataset[name][: self.count])


def segments_beside(path: str | PathLike[str], system: System, events: Sequence[str]) -> CheckpointFolder:
    """The folder beside a result file in which the segments of its run are kept until it is finished."""
    target = check_writable(path)
    if target.suffix == ".zarr":
        raise InvalidInputError("store", str(path), "a NetCDF file, with a name such as run.nc")
    return CheckpointFolder(target.with_suffix(".checkpoint"), system, events)


def write_streamed(folder: CheckpointFolder, path: str | PathLike[str]) -> Path:
    """Write the segments of a finished run as one result file."""
    target = check_writable(path)
    if not folder.segments:
        raise InvalidInputError("store", str(folder.path), problem="there are no segments of a run in this folder")
    remove_leftovers(target)
    with writing(target) as out, opened(folder.segments[-1]) as last:
        _copy(_pieces(folder.segments), last, out)
    return target


def overview(path: str | PathLike[str], system: System, most: int = 20_000) -> Trajectory:
    """The first sample of a result file, every n-th after it, and the last: at most about `most`, whatever the file holds."""
    data: dict[str, Variable] = {}
    with opened(Path(path)) as file:
        attributes = attributes_of(file)
        count = int(file.dimensions[TIME].size)
        every = -(-count // most)
        block = max(CHUNK // every, 1) * every  # samples that are read together
        for name in (TIME, *Header.from_attributes(attributes).values):
            file[name].set_var_chunk_cache(size=1_000_000)  # what was read would stay in a larger one
            # copies: a view would hold all that was read
            parts = [np.asarray(file[name][i : min(i + block, count)])[::every].copy() for i in range(0, count, block)]
            last = [np.asarray(file[name][count - 1 :])] if (count - 1) % every else []
            data[name] = Variable(file[name].dimensions, np.concatenate([*parts, *last]))
    whole = from_dataset(Dataset(data, attributes), system)
    return replace(whole, save_every=whole.save_every * every, tangent_of=())


def _read(pieces: Sequence[Piece], name: str) -> Iterator[Array]:
    """A variable, piece by piece."""
    for piece in pieces:
        yield piece.read(name)


def _pieces(files: Sequence[Path]) -> list[Piece]:
    """What each segment contributes: all but a last sample that the next one takes the place of."""
    starts, sizes = [], []
    for file in files:
        with opened(file) as dataset:
            starts.append(int(dataset.getncattr(ROWS)))
            sizes.append(int(dataset.dimensions[TIME].size))
    stops = [*starts[1:], starts[-1] + sizes[-1]]
    if any(not 0 <= b - a <= size for a, b, size in zip(starts, stops, sizes, strict=True)):
        raise PolhodeError("the segments of this run do not follow each other")
    return [Piece(file, a, b - a) for file, a, b in zip(files, starts, stops, strict=True)]


def _copy(pieces: list[Piece], last: Any, out: Any) -> None:
    samples = pieces[-1].start + pieces[-1].count
    for name, dimension in last.dimensions.items():
        out.createDimension(name, samples if name == TIME else dimension.size)
    for name, variable in last.variables.items():
        chunks = [min(CHUNK, samples) if d == TIME else last.dimensions[d].size for d in variable.dimensions]
        copy = out.createVariable(name, "f8", variable.dimensions, chunksizes=chunks, **LOSSLESS)
        copy.set_var_chunk_cache(size=1_000_000)
        copy.setncatts(attributes_of(variable))
        if name == CARRY:
            copy[:] = np.asarray(variable[:])
            continue
        for piece, numbers in zip(pieces, _read(pieces, name), strict=True):
            copy[piece.start : piece.start + piece.count] = numbers
    attributes = {key: value for key, value in attributes_of(last).items() if key not in OWN}
    header = Header.from_attributes(attributes)
    arrays: dict[str, Any] = {}
    for name in (TIME, *header.values, TANGENT):
        if name in last.variables:
            arrays[name] = ((samples, *last[name].shape[1:]), _read(pieces, name))
        else:
            arrays[name] = None
    carry = np.asarray(last[CARRY][:]) if CARRY in last.variables else None
    arrays[CARRY] = None if carry is None else (carry.shape, [carry])
    out.setncatts(attributes | {PREFIX + "checksum": header.digest_of(arrays)})
