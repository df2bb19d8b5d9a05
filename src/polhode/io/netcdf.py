"""Datasets as NetCDF files, written without loss and read back completely, each variable with its checksum.

Ctrl-C and SIGTERM wait until a file is written or read: raised in between, they could leave a lock of the HDF5 library held,
on which the next access, even the closing of this file, would wait for ever.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.callbacks import defer_signals
from ..core.checks import check_ends
from ..errors import InvalidInputError, PolhodeError
from .atomic_files import reason, replacing
from .memory import physical_memory

if TYPE_CHECKING:
    import xarray

# the checksum (fletcher32) makes a damaged file an error instead of other numbers
LOSSLESS = {"dtype": "f8", "_FillValue": None, "zlib": True, "complevel": 1, "shuffle": True, "fletcher32": True}


def write_netcdf(dataset: xarray.Dataset, path: str | PathLike[str]) -> None:
    """Write a dataset to a new file beside `path`, then move it there; an older file is replaced."""
    encoding = {str(name): LOSSLESS for name in dataset.variables}
    with defer_signals(), replacing(path) as beside:
        try:
            dataset.to_netcdf(beside, format="NETCDF4", engine="netcdf4", encoding=encoding)
        except RuntimeError as error:  # from the HDF5 library, as when the disk is full
            raise PolhodeError(f"{path} could not be written: {reason(beside, error)}") from error


def read_netcdf(path: Path) -> xarray.Dataset:
    """The whole file, in memory."""
    import xarray

    check_ends("path", path)
    try:
        with defer_signals(), xarray.open_dataset(path, engine="netcdf4", decode_cf=False) as dataset:
            if dataset.nbytes > physical_memory():
                raise MemoryError
            return dataset.load()
    except MemoryError as error:
        raise InvalidInputError(
            "path", str(path), problem="this file holds more numbers than this machine can"
        ) from error
    except PermissionError as error:
        raise InvalidInputError("path", str(path), problem="no permission to read this file") from error
    except (OSError, RuntimeError, ValueError) as error:
        problem = "not a readable NetCDF file: of another format, damaged or incomplete"
        raise InvalidInputError("path", str(path), problem=problem) from error
