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
from .records import Stats
from .run_warnings import run_warnings
from .trajectory import Trajectory

FIRST_LEG = 1000  # steps
GROWTH = 8  # of one leg to the next, at most
LEG_BYTES = 8_000_000  # of the samples of a leg that is not kept in memory; saving them takes several times as much

Leg = Callable[[int, Trajectory | None], Trajectory]
"""The trajectory of so many steps, of which an earlier one has done some."""


class Store(Protocol):
    """Where checkpoints are kept."""

    path: Path

    def load(self) -> Trajectory | None:
        """What is stored; None if nothing is."""

    def ends(self) -> tuple[Trajectory, Trajectory] | None:
        """What was stored first and what was stored last, with what was carried then; None if nothing is stored."""

    def append(self, part: Trajectory, rows: int) -> None:
        """Add samples, which follow the first `rows` that are stored, and what is carried at the last of them."""


def run_in_legs(leg: Leg, total: int, store: Store, seconds: float) -> Trajectory:
    """All `total` steps, from what the store holds on."""
    stored = store.load()
    start = leg(0, None)
    if stored is not None:
        _check_same_run(start, stored, stored.stats.steps, total, store.path)
    whole = start if stored is None else stored
    rows = 0 if stored is None else _regular_rows(stored)
    length, saved = FIRST_LEG, clock.monotonic()
    while whole.stats.steps < total and whole.carry is not None:
        before = whole.stats
        try:
            whole = leg(min(before.steps + length, total), whole)
            length = _next_length(length, before, whole.stats, seconds)
            if clock.monotonic() - saved >= seconds and whole.carry is not None:
                rows = _append(store, whole, rows)
                saved = clock.monotonic()
        except KeyboardInterrupt as stop:  # in a leg, with what the leg has computed, or between two
            reached = stop.trajectory if isinstance(stop, RunInterruptedError) else whole
            with suppress(KeyboardInterrupt):  # a second one, which waits until the file is written
                _append(store, reached, rows)
            raise RunInterruptedError(reached, total) from None
    return whole


def run_to_disk(leg: Leg, total: int, store: Store, seconds: float) -> Trajectory:
    """All `total` steps, from what the store holds on. Each leg is stored and then forgotten; returns the last sample, with the
    first warning of each kind that a leg deserves."""
    start = leg(0, None)
    ends = store.ends()
    if ends is None:
        store.append(start, 0)
    else:
        _check_same_run(start, ends[0], ends[1].stats.steps, total, store.path)
    last = start if ends is None else _beyond(ends[1], len(ends[1]) - 1)
    noted: dict[str, RunWarning] = {}
    longest = max(1, LEG_BYTES // _size(start)) * start.save_every
    length = min(FIRST_LEG, longest)
    while last.stats.steps < total and last.carry is not None:
        before, rows = last.stats, _regular_rows(last)
        known = int(before.steps % last.save_every == 0)  # whether the last sample stays, and need not be stored again
        try:
            part = leg(min(before.steps + length, total), last)
        except RunInterruptedError as error:
            if error.trajectory.stats.steps > before.steps:
                store.append(_beyond(error.trajectory, known), rows)
            raise RunInterruptedError(error.trajectory, total) from None
        store.append(_beyond(part, known), rows)
        noted = run_warnings(part) | noted
        last = _beyond(part, len(part) - 1)
        length = min(_next_length(length, before, part.stats, seconds), longest)
    return replace(last, carry=None, noted=noted)  # without its beginning it is not a run that could be continued


def _next_length(length: int, before: Stats, after: Stats, seconds: float) -> int:
    """The steps of the leg that follows one of this `length`: as many as take so many `seconds`, though not many more than before.
    With no seconds every leg is stored, and all have the same length."""
    if not seconds:
        return FIRST_LEG
    taken = max(after.seconds - before.seconds, 1e-9)
    return int(max(1, min(GROWTH * length, (after.steps - before.steps) * seconds / taken)))


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


def _append(store: Store, whole: Trajectory, rows: int) -> int:
    """Store what is new; a store that cannot be written, as on a full disk, is no reason to end the run."""
    if whole.carry is None or whole.stats.steps == 0:
        return rows
    try:
        store.append(_beyond(whole, rows), rows)
    except (OSError, PolhodeError) as error:
        warnings.warn(f"the checkpoint could not be written, and the run goes on without it: {error}", stacklevel=2)
        return rows
    return _regular_rows(whole)


def _regular_rows(whole: Trajectory) -> int:
    """How many samples stay as they are when the run goes on: all but a last one between two regular ones."""
    return 1 + whole.stats.steps // whole.save_every


def _check_same_run(start: Trajectory, stored: Trajectory, done: int, total: int, path: Path) -> None:
    """Refuse to go on with what is stored of another run, or of a longer one."""
    compared = {
        "system": (start.system.describe(), stored.system.describe()),
        "method": (repr(start.method), repr(stored.method)),
        "step": (start.step, stored.step),
        "save_every": (start.save_every, stored.save_every),
        "start": (float(start.t[0]), float(stored.t[0])),
        "tangent map": ((start.tangent is None, start.tangent_of), (stored.tangent is None, stored.tangent_of)),
    }
    different = [name for name, (here, there) in compared.items() if here != there]
    if not different and any(not np.array_equal(v[0], stored.values[name][0]) for name, v in start.values.items()):
        different = ["state"]
    if done > total:
        different.append("number of steps")
    if different:
        problem = f"the checkpoint of another run is there, with another {' and '.join(different)}; delete it first"
        raise InvalidInputError("checkpoint", str(path), problem=problem)
