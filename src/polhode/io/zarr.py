"""Datasets as Zarr folders: chunks that can be read one by one, also over a network, each with its checksum."""

from __future__ import annotations

import json
import math
import os
import secrets
import shutil
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from ..core.callbacks import defer_signals
from ..core.checks import check_ends
from ..core.extras import extra
from ..errors import InvalidInputError, PolhodeError
from .atomic_files import all_to_disk, exchange, reason, to_disk
from .dataset import Dataset
from .memory import physical_memory

GROUP_FILES = ("zarr.json", ".zgroup")
# what `write_zarr` uses; other codecs and types of data are refused unread, since some of them run code from the file
CODECS = {"bytes", "zstd", "crc32c"}
DATA_TYPES = {"float64"}


def is_zarr(path: Path) -> bool:
    """Whether `path` is a folder that holds a Zarr group."""
    return path.is_dir() and any((path / name).exists() for name in GROUP_FILES)


def write_zarr(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a dataset to a new folder beside `path`, then move it there; an older Zarr folder is replaced."""
    codecs = zarr_library().codecs
    target = Path(path)
    if target.exists() and not is_zarr(target):
        raise InvalidInputError("path", str(path), "a new name, or that of a Zarr folder to replace")
    if not target.parent.is_dir():
        raise InvalidInputError("path", str(path), problem=f"the folder {target.parent} does not exist")
    beside, old = (target.with_name(f".{target.stem}.{secrets.token_hex(4)}{end}") for end in (".zarr", ".old"))
    lossless = {"_FillValue": None, "compressors": (codecs.ZstdCodec(level=1, checksum=True),)}
    try:
        # chunks of zeros are written too: left out, a −0 could be read back as 0
        dataset.to_xarray().to_zarr(
            beside,
            mode="w-",
            consolidated=False,
            zarr_format=3,
            write_empty_chunks=True,
            encoding=dict.fromkeys(dataset.variables, lossless),
        )
        all_to_disk(beside)
        with defer_signals():  # between the two names there is no result
            _put_in_place(beside, target, old)
    except OSError as error:
        raise PolhodeError(f"{target} could not be written: {reason(target, error)}") from error
    finally:
        for left in (beside, old):
            shutil.rmtree(left, ignore_errors=True)


def _put_in_place(beside: Path, target: Path, old: Path) -> None:
    """Give a folder its name; what was there gets another: at once where the system can do it, else after a moment without
    either, and its own again if that fails."""
    was_there = target.exists()
    if not was_there or not exchange(beside, target):
        if was_there:
            os.replace(target, old)
        try:
            os.replace(beside, target)
        except OSError:
            if was_there:
                os.replace(old, target)
            raise
    to_disk(target.parent)  # the new names, before what was there is deleted


def read_zarr(path: Path) -> Dataset:
    """The whole folder, in memory."""
    xarray, _ = extra("xarray"), zarr_library()
    check_metadata(path)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", category=UserWarning, module=r"zarr\.")  # of an array that is left out
            with xarray.open_zarr(path, consolidated=False, decode_cf=False, chunks=None) as dataset:
                if dataset.nbytes > physical_memory():
                    raise MemoryError
                _check_chunks(path, dataset)
                return Dataset.of_xarray(dataset.load())
    except MemoryError as error:
        raise InvalidInputError(
            "path", str(path), problem="this Zarr folder holds more numbers than this machine can"
        ) from error
    except Exception as error:  # two libraries read what may be anything
        raise _damaged(path) from error


def _check_chunks(path: Path, dataset: Any) -> None:
    """Raise an `OSError` if chunks are missing, of which a few bytes may claim any number: each would be looked for."""
    for name, array in dataset.variables.items():
        chunks = math.prod(-(-n // size) for n, size in zip(array.shape, array.encoding["chunks"], strict=True))
        if chunks >= sum(len(files) for _, _, files in os.walk(path / str(name))):  # with that of the metadata
            raise OSError(f"chunks of {name} are missing")


def _check_files(path: Path) -> None:
    """Refuse a folder in which reading might never end: pipes, devices, and links to other folders."""
    folders: list[str | Path] = [path]
    while folders:
        with suppress(FileNotFoundError), os.scandir(folders.pop()) as entries:  # another process may write here
            for entry in entries:
                if entry.is_symlink() and entry.is_dir():
                    raise InvalidInputError("path", entry.path, problem="this is a link to another folder")
                if entry.is_dir():
                    folders.append(entry.path)
                elif not entry.is_file():
                    check_ends("path", entry.path)


def _damaged(path: Path) -> InvalidInputError:
    return InvalidInputError("path", str(path), problem="this Zarr folder is damaged or incomplete")


def check_metadata(path: Path) -> dict[str, Any]:
    """The attributes of a folder; an error, before any of its arrays is decoded, if polhode cannot have written it."""
    try:
        _check_files(path)
    except OSError as error:
        raise _damaged(path) from error
    try:
        group, *inner = (
            json.loads(file.read_text(encoding="utf-8"))
            for file in (path / "zarr.json", *sorted(path.glob("*/zarr.json")))
        )
        arrays = [each for each in inner if each["node_type"] == "array"]
        formats = {each["zarr_format"] for each in (group, *inner)}
        types = {array["data_type"] for array in arrays}
        codecs = {codec["name"] for array in arrays for codec in array["codecs"]}
        attributes = dict(group["attributes"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(path) from error
    if formats != {3} or not types <= DATA_TYPES or not codecs <= CODECS:
        found = ", ".join(sorted(map(str, formats | types | codecs)))
        raise InvalidInputError("path", str(path), problem=f"this Zarr folder was not written by polhode: {found}")
    return attributes


def zarr_library() -> Any:
    """The library, which is an extra."""
    zarr = extra("zarr")
    import_module("zarr.codecs")
    return zarr
