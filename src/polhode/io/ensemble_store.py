"""Ensembles block by block in a Zarr folder: what is done stays done, even if the process that computes is killed.

    NAME.zarr/zarr.json              the header, in its attributes: what is computed, and in which blocks
    NAME.zarr/state, initial_state   the samples (member, time, entry) and the initial rows (member, entry), a chunk per block
    NAME.zarr/reduction_…            what the functions of `reduce` returned
    NAME.zarr/blocks/000012.json     written last: block 12 is done; who failed in it, and its members' parameters

A block counts as done when its note is there. Notes are written beside and renamed, after the numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
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
from .atomic_files import reason, write_text
from .ensemble_file import INPUT, REDUCTION, START, STATE, DescribedMembers
from .zarr import is_zarr, zarr_library

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

    @property
    def header(self) -> dict[str, Any]:
        """What is computed, and in which blocks."""
        group = self._zarr.open_group(self.path, mode="r")
        if HEADER not in group.attrs:
            raise InvalidInputError("store", str(self.path), problem="this folder does not hold an ensemble of polhode")
        return dict(group.attrs[HEADER])

    @property
    def numbers(self) -> int:
        """How many doubles the samples of all members are."""
        return int(self._zarr.open_group(self.path, mode="r")[STATE].size)

    def begin(self, task: Task, blocks: list[range], provenance: Mapping[str, Any]) -> list[range]:
        """Make the store, or take up one of the same ensemble; returns the blocks that are still to do."""
        wanted = _header(task, blocks, provenance)
        if self.path.exists():
            found = self.header
            different = [SAID.get(name, name) for name in COMPARED if found.get(name) != wanted[name]]
            if different:
                problem = f"it holds another ensemble, which differs in {', '.join(different)}: take another name"
                raise InvalidInputError("store", str(self.path), problem=problem)
        else:
            self._create(wanted, task)
        return [numbers for k, numbers in enumerate(self.blocks()) if not self._note(k).exists()]

    def _create(self, header: dict[str, Any], task: Task) -> None:
        count, times, size = header["members"], len(header["t"]), task.job.size
        beside = self.path.with_name(f".{self.path.stem}.new.zarr")
        group = self._zarr.open_group(beside, mode="w", zarr_format=3)
        self._array(group, STATE, (count, times, size), header["block"], ("member", "time", "entry"))
        self._array(group, START, (count, size), header["block"], ("member", "entry"))
        for name, values in task.inputs.items():
            self._array(group, INPUT + name, values.shape, count, None)[:] = values
        group.attrs[HEADER] = header
        group.create_group(BLOCKS)
        beside.rename(self.path)

    def _array(self, group: Any, name: str, shape: tuple[int, ...], block: int, names: Any) -> Any:
        codecs = (self._zarr.codecs.ZstdCodec(level=1, checksum=True),)
        chunks = (max(min(block, shape[0]), 1), *shape[1:])
        options = {"dtype": "f8", "compressors": codecs, "fill_value": float("nan"), "dimension_names": names}
        return group.create_array(name, shape=shape, chunks=chunks, config={"write_empty_chunks": True}, **options)

    def blocks(self) -> list[range]:
        """All blocks, done or not."""
        header = self.header
        count, size = header["members"], header["block"]
        return [range(a, min(a + size, count)) for a in range(0, count, size)]

    def write(self, done: Done) -> None:
        """Add a block."""
        try:
            self._write(done)
        except OSError as error:
            why = f"{self.path} could not be written: {reason(self.path, error)}"
            raise PolhodeError(f"{why}; what is done stays, and the same run goes on from it") from error

    def _write(self, done: Done) -> None:
        group = self._zarr.open_group(self.path, mode="r+")
        header, part = dict(group.attrs[HEADER]), slice(done.numbers.start, done.numbers.stop)
        group[STATE][part], group[START][part] = done.states, done.initial
        for name, values in done.reductions.items():
            if REDUCTION + name not in group:
                shape = (header["members"], *values.shape[1:])
                self._array(group, REDUCTION + name, shape, header["block"], None)
            group[REDUCTION + name][part] = values
        common = header["common"]
        own = [{k: v for k, v in each.items() if common.get(k) != v} for each in done.parameters]
        note = {
            "failures": [[f.member, f.kind, f.message, f.t] for f in done.failures],
            "warnings": [[w.member, w.kind, w.message] for w in done.warnings],
            "own": own,
        }
        write_text(self._note(done.numbers.start // header["block"]), json.dumps(note))

    def _note(self, k: int) -> Path:
        return self.path / BLOCKS / f"{k:06d}.json"

    @property
    def complete(self) -> bool:
        """Whether all blocks are done."""
        return all(self._note(k).exists() for k in range(len(self.blocks())))

    def parts(self) -> Iterator[Ensemble]:
        """The blocks that are done as ensembles, one after another: for what is larger than the memory."""
        for k, numbers in enumerate(self.blocks()):
            if self._note(k).exists():
                yield self._ensemble([k], numbers)

    def load(self) -> Ensemble:
        """All of it, in memory; an error if blocks are missing."""
        blocks = self.blocks()
        missing = [k for k in range(len(blocks)) if not self._note(k).exists()]
        if missing:
            problem = f"{len(missing)} of {len(blocks)} blocks are missing: run the same command again"
            raise InvalidInputError("store", str(self.path), problem=problem)
        return self._ensemble(list(range(len(blocks))), range(blocks[-1].stop))

    def _ensemble(self, numbers_of_blocks: list[int], numbers: range) -> Ensemble:
        header = self.header
        group = self._zarr.open_group(self.path, mode="r")
        part = slice(numbers.start, numbers.stop)
        failures, told, own = [], [], []
        try:
            for k in numbers_of_blocks:
                note = json.loads(self._note(k).read_text(encoding="utf-8"))
                failures += [Failure(row[0] - numbers.start, *row[1:]) for row in note["failures"]]
                told += [MemberWarning(row[0] - numbers.start, *row[1:]) for row in note.get("warnings", ())]
                own += note["own"]
            names = (
                STATE,
                START,
                *(INPUT + name for name in header["inputs"]),
                *(REDUCTION + name for name in header["reductions"]),
            )
            arrays = {name: np.asarray(group[name][part]) for name in names}
        except (ValueError, KeyError, OSError, RuntimeError) as error:
            problem = f"this Zarr folder is damaged or incomplete: {error}"
            raise InvalidInputError("store", str(self.path), problem=problem) from error
        self._check_whole(arrays, {failure.member for failure in failures}, numbers.start)
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
            inputs=_named(arrays, INPUT),
            provenance=header["provenance"],
        )

    def _check_whole(self, arrays: Mapping[str, Array], failed: set[int], first: int) -> None:
        """Refuse members that did not fail and yet have no numbers: their file was lost, or never reached the disk."""
        there: Any = np.isfinite(arrays[STATE]).all(axis=(1, 2)) & np.isfinite(arrays[START]).all(axis=1)
        there[list(failed)] = True
        if not there.all():
            note = self._note((first + int(np.argmin(there))) // self.header["block"])
            problem = f"numbers are missing: delete {note.relative_to(self.path)} in it, and run the same command again"
            raise InvalidInputError("store", str(self.path), problem=problem)


def ensemble_store(path: str | PathLike[str]) -> EnsembleStore:
    """The store of this name, which need not exist yet."""
    return EnsembleStore(path)


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
        "inputs": list(task.inputs),
        "block": len(blocks[0]),
        "provenance": dict(provenance),
    }
    try:
        return json.loads(json.dumps(header))  # type: ignore[no-any-return]
    except (TypeError, ValueError):
        raise PolhodeError("a store can hold only text, numbers, lists and mappings") from None
