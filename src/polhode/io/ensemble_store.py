"""Ensembles block by block in a Zarr folder: what is done stays done, even if the process that computes is killed.

    NAME.zarr/zarr.json              the header, in its attributes: what is computed, and in which blocks
    NAME.zarr/state, initial_state   the samples (member, time, entry) and the initial rows (member, entry), a chunk per block
    NAME.zarr/reduction_…            what the functions of `reduce` returned
    NAME.zarr/blocks/000012.json     written last: block 12 is done; who failed in it, its members' parameters, a checksum

A block counts as done when its note is there. Notes are written beside and renamed, after the numbers are on the disk. While
one run writes to a store, no other can.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._version import __version__
from ..core.method import known_methods
from ..ensemble.blocks import Failure, MemberWarning
from ..ensemble.result import Ensemble
from ..ensemble.tasks import Done, Task
from ..errors import InvalidInputError, PolhodeError
from ..systems.registry import known_systems
from .atomic_files import all_to_disk, reason, to_disk, write_text
from .ensemble_file import CHECKSUM, INPUT, REDUCTION, START, STATE, DescribedMembers, validate_ensemble
from .folder_lock import lock_folder, unlock_folder
from .memory import physical_memory
from .zarr import check_metadata, is_zarr, zarr_library

Array = NDArray[np.float64]
HEADER, BLOCKS = "polhode_ensemble_store", "blocks"
COMPARED = ("system", "common", "method", "form", "step", "t", "start", "members", "digest", "reductions")
SAID = {"digest": "numbers of members", "common": "parameters", "t": "times", "start": "start time"}
DIGESTED = 64  # members, spread over all, whose initial rows are compared: a store goes on with the same ensemble only


class EnsembleStore:
    """An ensemble in a Zarr folder, finished or not."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.suffix != ".zarr":
            raise InvalidInputError("store", str(path), 'a folder whose name ends in ".zarr"')
        if self.path.exists() and not is_zarr(self.path):
            raise InvalidInputError("store", str(path), "a new name, or that of a Zarr folder")
        if not self.path.parent.is_dir():
            raise InvalidInputError("store", str(path), problem=f"the folder {self.path.parent} does not exist")
        self._zarr = zarr_library()
        self._header: dict[str, Any] = {}

    @property
    def header(self) -> dict[str, Any]:
        """What is computed, and in which blocks."""
        if not self._header:
            attributes = check_metadata(self.path)
            if HEADER not in attributes:
                problem = "this folder does not hold an ensemble of polhode"
                raise InvalidInputError("store", str(self.path), problem=problem)
            header = attributes[HEADER]
            if attributes.get(CHECKSUM) != _digest(header):
                raise self._damaged("the checksum of its header is wrong")
            self._check_sizes(header)
            self._header = header
        return self._header

    def _check_sizes(self, header: dict[str, Any]) -> None:
        """Refuse a header that tells of other members, times or blocks than the arrays are of."""
        try:
            members, block = counts = header["members"], header["block"]
            group = self._group("r")
            right = all(type(n) is int and n > 0 for n in counts)
            right = right and group[STATE].shape[:2] == (members, len(header["t"]))
            chunks = dict.fromkeys([STATE, START, *_names(REDUCTION, header["reductions"])], block)
            chunks |= dict.fromkeys(_names(INPUT, header["inputs"]), members)
            for name, size in chunks.items() if right else ():
                if name in group:  # reductions are there when the first block is
                    shape = group[name].shape
                    right = right and shape[:1] == (members,) and group[name].chunks == (min(size, members), *shape[1:])
        except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._damaged(error) from error
        if not right:
            raise self._damaged("it has not the shape that its header tells")

    def _damaged(self, why: object) -> InvalidInputError:
        return InvalidInputError("store", str(self.path), problem=f"this Zarr folder is damaged or incomplete: {why}")

    def _group(self, mode: str) -> Any:
        return self._zarr.open_group(self.path, mode=mode, zarr_format=3, use_consolidated=False)

    @property
    def numbers(self) -> int:
        """How many doubles the samples of all members are."""
        return int(self._group("r")[STATE].size)

    def begin(self, task: Task, blocks: list[range], provenance: Mapping[str, Any]) -> list[range]:
        """Make the store, or take up one of the same ensemble; returns the blocks that are still to do."""
        wanted = _header(task, blocks, provenance)
        if not self.path.exists():
            self._create(wanted, task)
        found = self.header
        different = [SAID.get(name, name) for name in COMPARED if found.get(name) != wanted[name]]
        if different:
            problem = f"it holds another ensemble, which differs in {', '.join(different)}: take another name"
            raise InvalidInputError("store", str(self.path), problem=problem)
        done = set(self._done())
        return [numbers for k, numbers in enumerate(self.blocks()) if k not in done]

    def _create(self, header: dict[str, Any], task: Task) -> None:
        count, times, size = header["members"], len(header["t"]), task.job.size
        for field, names in {"inputs": task.inputs, "reduce": task.reductions}.items():
            try:
                _names("", names)
            except ValueError as error:
                raise InvalidInputError(field, list(names), problem=str(error)) from error
        beside = self.path.with_name(f".{self.path.stem}.{secrets.token_hex(4)}.zarr")
        try:
            group = self._zarr.open_group(beside, mode="w-", zarr_format=3)
            self._array(group, STATE, (count, times, size), header["block"], ("member", "time", "entry"))
            self._array(group, START, (count, size), header["block"], ("member", "entry"))
            for name, values in task.inputs.items():
                self._array(group, INPUT + name, values.shape, count, None)[:] = values
            group.attrs.update({HEADER: header, CHECKSUM: _digest(header)})
            group.create_group(BLOCKS)
            all_to_disk(beside)
            try:
                beside.rename(self.path)
            except OSError:
                if not is_zarr(self.path):  # by another run, just now
                    raise
            to_disk(self.path.parent)
        except OSError as error:
            raise PolhodeError(f"{self.path} could not be written: {reason(self.path, error)}") from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def _array(self, group: Any, name: str, shape: tuple[int, ...], block: int, names: Any) -> Any:
        codecs = (self._zarr.codecs.ZstdCodec(level=1, checksum=True),)
        chunks = (max(min(block, shape[0]), 1), *shape[1:])
        options = {"dtype": "f8", "compressors": codecs, "fill_value": float("nan"), "dimension_names": names}
        return group.create_array(name, shape=shape, chunks=chunks, config={"write_empty_chunks": True}, **options)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs from writing to the store during this block."""
        number = lock_folder("store", self.path)
        try:
            yield
        finally:
            unlock_folder(number)

    def blocks(self) -> list[range]:
        """All blocks, done or not."""
        return [self._block(k) for k in range(self._count)]

    @property
    def _count(self) -> int:
        """How many blocks there are."""
        return -(-int(self.header["members"]) // int(self.header["block"]))

    def _block(self, k: int) -> range:
        count, size = self.header["members"], self.header["block"]
        return range(k * size, min((k + 1) * size, count))

    def _done(self) -> list[int]:
        """The numbers of the blocks that are done, in order."""
        names = (file.stem for file in (self.path / BLOCKS).glob("*.json"))
        found = {int(name) for name in names if name.isascii() and name.isdigit() and len(name) < 12}
        return sorted(k for k in found if k < self._count and self._note(k).exists())

    def write(self, done: Done) -> None:
        """Add a block."""
        try:
            self._write(done)
        except OSError as error:
            why = f"{self.path} could not be written: {reason(self.path, error)}"
            raise PolhodeError(f"{why}; what is done stays, and the same run goes on from it") from error

    def _write(self, done: Done) -> None:
        group, header, part = self._group("r+"), self.header, slice(done.numbers.start, done.numbers.stop)
        k = done.numbers.start // header["block"]
        arrays = {STATE: done.states, START: done.initial}
        for name, values in done.reductions.items():
            if REDUCTION + name not in group:
                shape = (header["members"], *values.shape[1:])
                self._array(group, REDUCTION + name, shape, header["block"], None)
                all_to_disk(self.path / f"{REDUCTION}{name}")
                to_disk(self.path)
            arrays[REDUCTION + name] = values
        for name, values in arrays.items():
            group[name][part] = values
            chunks = self.path / name / "c"
            all_to_disk(chunks / str(k))
            to_disk(chunks)
            to_disk(chunks.parent)
        common = header["common"]
        own = [{k: v for k, v in each.items() if common.get(k) != v} for each in done.parameters]
        note = {
            "failures": [[f.member, f.kind, f.message, f.t] for f in done.failures],
            "warnings": [[w.member, w.kind, w.message] for w in done.warnings],
            "own": own,
        }
        write_text(self._note(k), json.dumps(note | {CHECKSUM: _digest(note, arrays)}))

    def _note(self, k: int) -> Path:
        return self.path / BLOCKS / f"{k:06d}.json"

    @property
    def complete(self) -> bool:
        """Whether all blocks are done."""
        return len(self._done()) == self._count

    def parts(self) -> Iterator[Ensemble]:
        """The blocks that are done as ensembles, one after another: for what is larger than the memory."""
        for k in self._done():
            yield self._ensemble([k], self._block(k))

    def load(self) -> Ensemble:
        """All of it, in memory; an error if blocks are missing."""
        missing = self._count - len(self._done())
        if missing:
            problem = f"{missing} of {self._count} blocks are missing: run the same command again"
            raise InvalidInputError("store", str(self.path), problem=problem)
        if 8 * self.numbers > physical_memory():
            problem = "it holds more numbers than this machine can: EnsembleStore(...).parts() reads it in parts"
            raise InvalidInputError("store", str(self.path), problem=problem)
        return self._ensemble(list(range(self._count)), range(self.header["members"]))

    def _ensemble(self, numbers_of_blocks: list[int], numbers: range) -> Ensemble:
        try:
            return validate_ensemble(self._read(numbers_of_blocks, numbers))
        except InvalidInputError:
            raise
        except (
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            IndexError,
            ArithmeticError,
            RuntimeError,
            OSError,
        ) as error:
            raise self._damaged(error) from error

    def _read(self, numbers_of_blocks: list[int], numbers: range) -> Ensemble:
        header, group = self.header, self._group("r")
        parts = [self._block_of(group, k) for k in numbers_of_blocks]
        notes, blocks = zip(*parts, strict=True)
        arrays = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
        failures = [Failure(row[0] - numbers.start, *row[1:]) for note in notes for row in note["failures"]]
        told = [MemberWarning(row[0] - numbers.start, *row[1:]) for note in notes for row in note["warnings"]]
        own = [each for note in notes for each in note["own"]]
        kind = known_systems().get(header["system"])
        if kind is None:
            raise InvalidInputError("system", header["system"], f"one of {', '.join(known_systems())}")
        members = DescribedMembers(kind, header["common"], own, arrays[START], header["start"], header["form"])
        method = None if header["method"] is None else known_methods()[header["method"][0]](**header["method"][1])
        return Ensemble(
            members=members,
            method=method,
            form=header["form"],
            step=header["step"],
            t=np.array(header["t"]),
            states=arrays[STATE],
            initial=arrays[START],
            failures=tuple(sorted(failures, key=lambda failure: failure.member)),
            warnings=tuple(told),
            reductions=_named(arrays, REDUCTION),
            inputs={name: values[numbers.start : numbers.stop] for name, values in self._inputs.items()},
            provenance=header["provenance"],
        )

    @cached_property
    def _inputs(self) -> dict[str, Array]:
        """The numbers in which members differ, of all members; an error if they are not what was written."""
        group, digests = self._group("r"), self.header["inputs"]
        inputs = {name: np.asarray(group[INPUT + name]) for name in digests}
        for name, digest in digests.items():
            if digest != _digest(name, {name: inputs[name]}):
                raise ValueError(f"the checksum of {name} is wrong")
        return inputs

    def _block_of(self, group: Any, k: int) -> tuple[dict[str, Any], dict[str, Array]]:
        """The note of a block and its numbers; an error if they are not what was written."""
        part = slice(self._block(k).start, self._block(k).stop)
        try:
            note = json.loads(self._note(k).read_text(encoding="utf-8"))
            names = (STATE, START, *(REDUCTION + name for name in self.header["reductions"]))
            arrays = {name: np.asarray(group[name][part]) for name in names}
            if note.pop(CHECKSUM) == _digest(note, arrays):
                return note, arrays
        except (ValueError, KeyError, TypeError, AttributeError, RuntimeError, OSError):
            pass
        place = self._note(k).relative_to(self.path)
        problem = f"numbers are missing or damaged: delete {place} in it, and run the same command again"
        raise InvalidInputError("store", str(self.path), problem=problem)


def ensemble_store(path: str | PathLike[str]) -> EnsembleStore:
    """The store of this name, which need not exist yet."""
    return EnsembleStore(path)


def _names(prefix: str, names: Iterable[str]) -> list[str]:
    """The names of arrays in the store itself: of those in folders further down nothing is checked."""
    for name in names:
        if set(name) & set("/\\"):
            raise ValueError(f"names such as {name!r}, with a stroke, stand for other folders")
    return [prefix + name for name in names]


def _digest(said: Any, arrays: Mapping[str, Array] | None = None) -> str:
    """The SHA-256 of what can be written as JSON, and of arrays."""
    found = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
    for name, array in (arrays or {}).items():
        found.update(f"{name} {array.shape}".encode())
        found.update(np.ascontiguousarray(array, dtype="<f8").data)
    return found.hexdigest()


def _named(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _header(task: Task, blocks: list[range], provenance: Mapping[str, Any]) -> dict[str, Any]:
    job = task.job
    first = job.members.first
    rows = hashlib.sha256()
    for i in np.unique(np.linspace(0, len(job.members) - 1, DIGESTED, dtype=int)):
        try:
            state = job.members.state(int(i))
            rows.update(state.system.enter(job.form, state).tobytes() + state.system.parameters().tobytes())
        except Exception:  # the user's function makes no state for this number
            rows.update(b"none")
    for values in task.inputs.values():
        rows.update(values.tobytes())
    method = job.named_method
    header = {
        "version": __version__,
        "system": type(first.system).__name__,
        "common": first.system.describe(),
        "method": None if method is None else [type(method).__name__, method.options()],
        "form": str(job.form),
        "step": job.step,
        "t": (job.times[-1:] if task.reductions else job.times).tolist(),
        "start": first.t,
        "members": len(job.members),
        "digest": rows.hexdigest(),
        "reductions": sorted(task.reductions),
        "inputs": {name: _digest(name, {name: values}) for name, values in task.inputs.items()},
        "block": len(blocks[0]),
        "provenance": dict(provenance),
    }
    try:
        return json.loads(json.dumps(header))  # type: ignore[no-any-return]
    except (TypeError, ValueError):
        raise PolhodeError("a store can hold only text, numbers, lists and mappings") from None
