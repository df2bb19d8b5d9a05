"""Runs that write what they have computed as they go, so that a process that is killed loses at most the last interval.

A run is done in legs. Each continues the one before it as `resume` does, bit for bit, whatever their lengths. After a leg, if
`seconds` have passed since the last time, the samples since then are appended to a store on disk. A run that finds its own
beginning in the store goes on from there. `run_in_legs` keeps all samples in memory too, `run_to_disk` only those of a leg.
"""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from ..errors import InvalidInputError, PolhodeError, RunInterruptedError, RunWarning
from .job import Job
from .run_warnings import run_warnings
from .trajectory import Trajectory

FIRST_LEG = 2  # steps: they may take a second each
EVERY_LEG = 1000  # where each is stored
GROWTH = 8  # of one leg to the next, at most
LEG_BYTES = 8_000_000  # of the samples of a leg that is not kept in memory; saving them takes several times as much


class Store(Protocol):
    """Where checkpoints are kept."""

    path: Path

    def load(self) -> Trajectory | None:
        """What is stored; None if nothing is."""

    def ends(self) -> tuple[Trajectory, Trajectory] | None:
        """What was stored first and what was stored last, with what was carried then; None if nothing is stored."""

    def append(self, part: Trajectory, rows: int) -> None:
        """Add samples, which follow the first `rows` that are stored, and what is carried at the last of them."""


def run_in_legs(job: Job, total: int, store: Store, seconds: float) -> Trajectory:
    """The job up to number `total`, from what the store holds on."""
    schedule, whole = job.schedule, store.load()
    done = 0
    if whole is not None:
        done = _check_same_run(job, whole, total, store.path)
        whole = replace(whole, provenance=job.provenance)  # units and dates may have other names now
    rows = 0 if whole is None else schedule.settled(whole)
    length, saved = schedule.within(done, FIRST_LEG), clock.monotonic()
    while whole is None or done < total:
        before, spent = done, 0.0 if whole is None else whole.stats.seconds
        try:
            whole = job.run(min(done + length, total), whole)
            if whole.carry is None:  # an event has ended it
                break
            done = schedule.reached(whole)
            length = next_length(length, done - before, whole.stats.seconds - spent, seconds)
            if clock.monotonic() - saved >= seconds:
                rows = _append(store, whole, rows, schedule.settled(whole))
                saved = clock.monotonic()
        except KeyboardInterrupt as stop:  # in a leg, with what the leg has computed, or between two
            reached = stop.trajectory if isinstance(stop, RunInterruptedError) else whole or job.run(0)
            with suppress(KeyboardInterrupt):  # a second one, which waits until the file is written
                _append(store, reached, rows, schedule.settled(reached))
            raise RunInterruptedError(reached, schedule.steps(total)) from None
    return whole


def run_to_disk(job: Job, total: int, store: Store, seconds: float) -> Trajectory:
    """All `total` steps, from what the store holds on. Each leg is stored and then forgotten; returns the last sample, with the
    first warning of each kind that a leg deserves."""
    schedule, ends = job.schedule, store.ends()
    last, done = None, 0
    if ends is not None:
        done = _check_same_run(job, replace(ends[1], t=ends[0].t, values=ends[0].values), total, store.path)
        last = _beyond(ends[1], len(ends[1]) - 1)
    noted: dict[str, RunWarning] = {}
    longest = max(1, LEG_BYTES // _size(job.run(0))) * schedule.every
    length = min(schedule.within(done, FIRST_LEG), longest)
    while last is None or (done < total and last.carry is not None):
        before, spent, rows, known = done, 0.0, 0, 0
        if last is not None:
            spent, rows = last.stats.seconds, schedule.settled(last)
            known = int(before % schedule.every == 0)  # whether the last sample stays, and need not be stored again
        try:
            part = job.run(min(before + length, total), last)
        except RunInterruptedError as error:
            if schedule.reached(error.trajectory) > before:
                store.append(_beyond(error.trajectory, known), rows)
            raise RunInterruptedError(error.trajectory, total) from None
        store.append(_beyond(part, known), rows)
        noted = run_warnings(part) | noted
        last, done = _beyond(part, len(part) - 1), schedule.reached(part)
        length = min(next_length(length, done - before, part.stats.seconds - spent, seconds), longest)
    return replace(last, carry=None, noted=noted)  # without its beginning it is not a run that could be continued


def next_length(length: int, done: int, taken: float, seconds: float) -> int:
    """The length of the leg after one that has `done` so many numbers in the time `taken`: as many as take so many `seconds`,
    though not many more than before. With no seconds every leg is stored, and all have the same length."""
    return int(max(1, min(GROWTH * length, done * seconds / max(taken, 1e-9)))) if seconds else EVERY_LEG


def _size(trajectory: Trajectory) -> int:
    """Bytes of one sample."""
    arrays = [trajectory.t, *trajectory.values.values(), *([] if trajectory.tangent is None else [trajectory.tangent])]
    return int(sum(array[:1].nbytes for array in arrays))


def _beyond(trajectory: Trajectory, rows: int) -> Trajectory:
    """The trajectory without its first samples, and with all else that it holds."""
    return replace(
        trajectory,
        t=trajectory.t[rows:],
        values={name: array[rows:] for name, array in trajectory.values.items()},
        tangent=None if trajectory.tangent is None else trajectory.tangent[rows:],
    )


def _append(store: Store, whole: Trajectory, rows: int, settled: int) -> int:
    """Store what is new behind so many rows, and return how many are `settled` then; a store that cannot be written, as on a
    full disk, is no reason to end the run."""
    if whole.carry is None or (len(whole) == 1 and whole.reached in (None, float(whole.t[0]))):  # nothing is done yet
        return rows
    return settled if written(lambda: store.append(_beyond(whole, rows), rows)) else rows


def written(write: Callable[[], None]) -> bool:
    """Whether a checkpoint could be written; a warning says why not."""
    try:
        write()
    except (OSError, PolhodeError) as error:
        warnings.warn(f"the checkpoint could not be written, and the run goes on without it: {error}", stacklevel=3)
        return False
    return True


def another_run(path: Path, how: str = "") -> InvalidInputError:
    """The error where the checkpoint of another run is in the way; `how` it differs, or what else it may be."""
    return InvalidInputError(
        "checkpoint", str(path), problem=f"the checkpoint of another run is there{how}; delete it first"
    )


def _check_same_run(job: Job, stored: Trajectory, total: int, path: Path) -> int:
    """The number that is stored; refuses to go on with what is stored of another run, or of a longer one."""
    start = job.run(0)
    compared = {
        "system": (start.system.describe(), stored.system.describe()),
        "method": (repr(start.method), repr(stored.method)),
        "step": (start.step, stored.step),
        "save_every": (start.save_every, stored.save_every),
        "start": (float(start.t[0]), float(stored.t[0])),
        "choice of samples": (start.reached is None, stored.reached is None),
        "tangent map": ((start.tangent is None, start.tangent_of), (stored.tangent is None, stored.tangent_of)),
    }
    different = [name for name, (here, there) in compared.items() if here != there]
    if not different and any(not np.array_equal(v[0], stored.values[name][0]) for name, v in start.values.items()):
        different = ["state"]
    done = 0
    if not different:
        try:
            done = job.schedule.reached(stored)
        except ValueError:
            different = ["choice of samples"]
    if done > total:
        different.append("number of steps")
    if different:
        raise another_run(path, f", with another {' and '.join(different)}")
    return done
