"""What a run to a tolerance has found so far, kept on disk, so that one that is killed need not begin anew.

Such a run is a search: a quick run, runs with steps that may turn out too long, and runs that are only compared with these. Each
is the same whenever it is done. So it is enough to know how those ended that are done, and how far the present one has come:
the search is then gone through again, and ends with the same bits.
"""

from __future__ import annotations

import hashlib
import json
import re
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import raise_stop
from ..core.method import Run
from ..core.system import State
from ..errors import ConvergenceError
from ..methods import Exact
from .checkpoints import FIRST_LEG, Store, another_run, next_length, run_in_legs, written
from .events import Event
from .job import CHUNK_SECONDS, Job
from .trajectory import Trajectory

Array = NDArray[np.float64]


Kept = type[int] | type[float] | type[str] | int
"""What is noted: a whole number from 0 on, a number, a text, or so many numbers in a list."""


class NotingStore(Store, Protocol):
    """Where samples are kept, and notes beside them."""

    def notes(self) -> dict[str, Any]:
        """What is noted."""

    def note(self, notes: dict[str, Any]) -> None:
        """Note this instead of what was noted."""

    def remove_segments(self) -> None:
        """Delete all samples."""


class Findings:
    """What is known of the runs of one search, by their names; `asked` is all that the search depends on."""

    def __init__(self, store: NotingStore, seconds: float, asked: Any) -> None:
        self._store, self._seconds, self._written = store, seconds, clock.monotonic()
        self._notes = store.notes()
        text = json.dumps(asked, default=_plain, sort_keys=True)
        search = hashlib.sha256(text.encode()).hexdigest()
        known_search = self._notes.get("search")
        if known_search != search and (known_search is not None or store.load() is not None):
            damaged = ", or one whose notes are damaged" if known_search is None else ""
            raise another_run(store.path, damaged)
        self._notes["search"] = search
        known: Any = self._notes.get("known")
        usable = isinstance(known, dict) and all(isinstance(found, dict) for found in known.values())
        self._known: dict[str, dict[str, Any]] = known if usable else {}
        self._notes["known"] = self._known
        self._present: tuple[str, Trajectory | ConvergenceError] | None = None

    def find(self, name: str, forms: Mapping[str, Kept]) -> dict[str, Any] | None:
        """What is known by this name, if it has these forms; None if nothing is."""
        found = self._known.get(name)
        usable = found is not None and found.keys() == forms.keys()
        return found if usable and all(_has_form(found[key], form) for key, form in forms.items()) else None  # type: ignore[index]

    def keep(self, name: str, found: dict[str, Any]) -> None:
        """Note what was found. A disk that is full is no reason to end the run."""
        raise_stop()  # what Ctrl-C in a user's function has cut short is not found
        self._known[name] = {
            key: each.tolist() if isinstance(each, np.ndarray | np.generic) else each for key, each in found.items()
        }
        self._write()

    def _write(self) -> None:
        written(lambda: self._store.note(self._notes))
        self._written = clock.monotonic()

    @property
    def due(self) -> bool:
        """Whether it is time to note how far a run has come."""
        return clock.monotonic() - self._written >= self._seconds

    def run(self, job: Job, total: int) -> Trajectory:
        """The job up to number `total`, or where it ended if it was found to be of no use. Its samples are stored, in the place
        of those of the one before it."""
        if isinstance(job.method, Exact):  # whose samples are each computed by itself
            return job.run(total)
        kind = type(job.schedule).__name__, job.schedule.every, bool(job.events), job.tangent is not None
        name = f"{job.method!r} with {total} steps of {job.schedule.step!r}, {kind}"
        if self._present is not None and self._present[0] != name:
            self.keep(self._present[0], _end_of(self._present[1]))
            self._present = None
        if failed := self.find(name, {"message": str, "step": int, "time": float, "residual": float}):
            raise ConvergenceError(**failed)
        if name in self._known:
            start = job.run(0)
            size = sum(value.size for value in start.values.values())
            if known := self.find(name, {"t": float, "values": size, "evaluations": int}):
                return _with_end(start, total, known)
        if self._notes.get("present") != name:
            self._store.remove_segments()
            self._notes["present"] = name
            self._write()
        try:
            trajectory = run_in_legs(job, total, self._store, self._seconds)
        except ConvergenceError as error:
            self._present = name, error
            raise
        self._present = name, trajectory
        return trajectory


def advance(findings: Findings | None, name: str, run: Run, steps: int) -> int:
    """Do all steps of a run of which the end alone is wanted, from what is known of it on, in pieces between which Ctrl-C takes
    effect. Returns a status."""
    done = status = 0
    known = None if findings is None else findings.find(name, {"done": int, "status": int, "sample": run.carried})
    if known is not None and known["done"] <= steps:
        done, status = known["done"], known["status"]
        run.restore(np.array(known["sample"], dtype=np.float64))
        run.begin(done)
    length = FIRST_LEG
    while done < steps and not status:
        began = clock.monotonic()
        status, good = run.advance(done, min(length, steps - done), steps + 1, np.empty((0, run.row_size)))
        raise_stop()
        done += good
        length = next_length(length, good, clock.monotonic() - began, CHUNK_SECONDS)
        if findings is not None and (status or done == steps or findings.due):
            findings.keep(name, {"done": done, "status": status, "sample": run.sample})
    return status


def recalled(
    findings: Findings | None, name: str, forms: Mapping[str, Kept], compute: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """What is known by this name and has these forms, or else is computed, and known from now on."""
    known = None if findings is None else findings.find(name, forms)
    if known is None:
        known = compute()
        if findings is not None:
            findings.keep(name, known)
    return known


def digest(state: State) -> str:
    """What tells this state from others."""
    arrays = [np.asarray(value, dtype=np.float64) for value in state.values.values()]
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:16]


def asked_for(state: State, **others: Any) -> dict[str, Any]:
    """All that a search depends on, as plain data."""
    system = state.system
    start = {name: np.asarray(value).tolist() for name, value in state.values.items()}
    return {"system": type(system).__name__, "of": system.describe(), "t": state.t, "start": start, **others}


def _has_form(value: Any, form: Kept) -> bool:
    """Whether a value from a file is what is asked for."""
    if isinstance(form, int):
        return isinstance(value, list) and len(value) == form and all(_has_form(each, float) for each in value)
    if form is str:
        return isinstance(value, str)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and value >= 0 if form is int else whole or isinstance(value, float)


def _plain(value: Any) -> Any:
    """As plain data what JSON has no form for, such that it is the same in every process."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))  # where it lies in memory


def in_words(events: Sequence[Event]) -> list[str]:
    """What says of each event whether it is the same in another process."""
    return [str(_plain(event)) for event in events]


def _end_of(run: Trajectory | ConvergenceError) -> dict[str, Any]:
    """The end of a run, and what the search asks of its cost; or why it failed."""
    if isinstance(run, ConvergenceError):
        return {"message": str(run), "step": run.step, "time": run.time, "residual": run.residual}
    end = np.concatenate([value[-1].ravel() for value in run.values.values()])
    return {"t": float(run.t[-1]), "values": end, "evaluations": run.stats.evaluations}


def _with_end(start: Trajectory, total: int, known: dict[str, Any]) -> Trajectory:
    """The start of a run, and its end, which is known."""
    values, rest = {}, np.array(known["values"], dtype=np.float64)
    for name, value in start.values.items():
        values[name] = np.concatenate([value, rest[: value.size].reshape(value.shape)])
        rest = rest[value.size :]
    stats = replace(start.stats, steps=total, evaluations=known["evaluations"])
    return replace(start, t=np.append(start.t, known["t"]), values=values, stats=stats, carry=None)
