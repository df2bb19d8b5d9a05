"""Datasets as NetCDF files, written without loss and read back completely, each variable with its checksum.

Behind its end, where the HDF5 library does not look, each file has a line with the SHA-256 of all before it: with a single bit
changed, that library may read a file for ever. A file without this line, as another program writes it, is read all the same.

Ctrl-C and SIGTERM wait until a file is written or read: raised in between, they could leave a lock of the HDF5 library held,
on which the next access, even the closing of this file, would wait for ever.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..core.callbacks import defer_signals
from ..core.checks import check_ends
from ..errors import InvalidInputError, PolhodeError
from .atomic_files import reason, replacing
from .dataset import Dataset, Variable
from .memory import physical_memory

# the checksum (fletcher32) makes a damaged file an error instead of other numbers
LOSSLESS: dict[str, Any] = {"zlib": True, "complevel": 1, "shuffle": True, "fletcher32": True}
SEAL = b"\npolhode: SHA-256 of all before: %s\n"
SEAL_START = SEAL[:9]  # so much of a line that was cut is still told from other bytes
COORDINATES = "coordinates"  # the attribute by which CF names the further coordinates of a variable


def write_netcdf(dataset: Dataset, path: str | PathLike[str]) -> None:
    """Write a dataset to a new file beside `path`, then move it there; an older file is replaced."""
    with defer_signals(), writing(path) as file:
        fill(file, dataset)


@contextmanager
def writing(path: str | PathLike[str]) -> Iterator[Any]:
    """A new NetCDF file beside `path`, open for writing, which is moved there at the end."""
    import netCDF4

    with replacing(path) as beside:
        try:
            with netCDF4.Dataset(beside, "w", format="NETCDF4") as file:
                file.set_auto_maskandscale(False)
                yield file
            _seal(beside)
        except RuntimeError as error:  # from the HDF5 library, as when the disk is full
            raise PolhodeError(f"{path} could not be written: {reason(beside, error)}") from error


def _seal(path: Path) -> None:
    """Write behind a file what it holds."""
    with path.open("r+b") as file:
        seal = SEAL % hashlib.file_digest(file, "sha256").hexdigest().encode()
        file.seek(0, os.SEEK_END)
        file.write(seal)


def check_seal(path: Path) -> None:
    """Raise an `OSError` if a file is not what was written; one that was never sealed may be anything."""
    length = len(SEAL % (64 * b"0"))
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - length))
        seal = file.read()
        start = seal.rfind(SEAL_START)
        if start < 0:
            return
        if start > 0:
            raise OSError("the end of the file is missing")
        found, left = hashlib.sha256(), size - length
        file.seek(0)
        while left:
            part = file.read(min(left, 2**20))
            found.update(part)
            left -= len(part)
    if seal != SEAL % found.hexdigest().encode():
        raise OSError("the checksum of the file is wrong")


def fill(file: Any, dataset: Dataset) -> None:
    """Put all of a dataset into an empty file."""
    for name, size in dataset.sizes.items():
        file.createDimension(name, size)
    for name, variable in dataset.variables.items():
        stored = file.createVariable(name, "f8", variable.dims, **LOSSLESS)
        further = [] if name in dataset.coordinates else dataset.coordinates_of(variable.dims)
        stored.setncatts({**variable.attrs, **({COORDINATES: " ".join(further)} if further else {})})
        stored[...] = variable.values
    file.setncatts(dataset.attrs)


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A NetCDF file that is open for reading, whose numbers are given as they stand there.

    Where names or attributes are damaged, the NetCDF library would crash the process when it closes the file, which an object
    does at its end at the latest. Such a file is left open: nothing ever ends the object. What is written to it later is read
    from a copy, since HDF5 would go on with what it knows of the open one.
    """
    import netCDF4

    identity = _identity(path)
    if identity in _left_open:
        with TemporaryDirectory() as folder, opened(Path(shutil.copy(path, Path(folder) / "copy.nc"))) as copy:
            yield copy
        return
    file: Any = netCDF4.Dataset.__new__(netCDF4.Dataset)
    try:
        file.__init__(path)
        for item in (file, *file.variables.values()):
            attributes_of(item)
    except Exception as error:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(file))
        _left_open.add(identity)
        if isinstance(error, AttributeError):  # the one that netCDF4 raises where an attribute cannot be read
            raise RuntimeError(str(error)) from error
        raise
    with file:
        file.set_auto_maskandscale(False)
        yield file


def _identity(path: Path) -> tuple[int, int]:
    """What HDF5 knows an open file by."""
    found = path.stat()
    return found.st_dev, found.st_ino


_left_open: set[tuple[int, int]] = set()


def attributes_of(item: Any) -> dict[str, Any]:
    """The attributes of an open file, or of a variable in it."""
    return {name: item.getncattr(name) for name in item.ncattrs()}


def read_netcdf(path: Path) -> Dataset:
    """The whole file, in memory."""
    check_ends("path", path)
    try:
        check_seal(path)
        with defer_signals(), opened(path) as file:
            return _read(file)
    except MemoryError as error:
        raise InvalidInputError(
            "path", str(path), problem="this file holds more numbers than this machine can"
        ) from error
    except PermissionError as error:
        raise InvalidInputError("path", str(path), problem="no permission to read this file") from error
    except (OSError, RuntimeError, ValueError) as error:
        problem = "not a readable NetCDF file: of another format, damaged or incomplete"
        raise InvalidInputError("path", str(path), problem=problem) from error


def _read(file: Any) -> Dataset:
    numbers = {name: v for name, v in file.variables.items() if isinstance(v.dtype, np.dtype) and v.dtype.kind in "fiu"}
    if sum(int(v.size) * v.dtype.itemsize for v in numbers.values()) > physical_memory():
        raise MemoryError
    found = {name: Variable(v.dimensions, np.asarray(v[...]), attributes_of(v)) for name, v in numbers.items()}
    named = {word for v in found.values() for word in str(v.attrs.get(COORDINATES, "")).split()}
    coordinates = [name for name, v in found.items() if v.dims == (name,) or name in named]
    return Dataset(found, attributes_of(file), tuple(coordinates))
