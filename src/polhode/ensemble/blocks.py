"""A block of members, from their initial states to their samples: in lanes, or one by one, with the same bits.

Lanes go as far as all of them can. Where one of them fails, and where a method does not run on lanes, members go through
`simulate`, one by one: a member's samples and its error are those of its single run in every case.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import raise_noted, watch_callbacks
from ..core.method import Method, Run, Start
from ..core.system import State, System
from ..errors import PolhodeError
from ..methods.member_loops import Rows, serves
from ..scalars import double, lanes, width
from ..simulation.arguments import check_start, may_have_no_energy
from ..simulation.driver import run_without_warnings
from ..simulation.trajectory import Trajectory
from .lane_groups import lane_key
from .members import Members, flat_rows, mismatch

Array = NDArray[np.float64]

FEWEST_IN_LANES = 3  # fewer members are faster one by one
WORK_AT_ONCE = 1_000_000  # steps of members between two looks at whether the run is to stop


@dataclass(frozen=True)
class Schedule:
    """When samples are kept: after every `every`-th of `total` steps, first and last included, or the last alone."""

    t0: float
    step: float
    total: int
    every: int
    final: bool

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers of the steps after which samples are kept."""
        if self.final:
            return np.array([self.total])
        inner = np.arange(0, self.total, self.every)
        return np.append(inner, self.total)

    @property
    def times(self) -> Array:
        """The times of the samples."""
        return np.asarray(self.t0 + self.numbers * self.step, dtype=np.float64)


@dataclass(frozen=True)
class Failure:
    """A member that did not reach the end: its number, the kind of the error, its message, and the last valid time."""

    member: int
    kind: str
    message: str
    t: float

    def __str__(self) -> str:
        return f"member {self.member}: {self.kind}: {self.message}"


@dataclass(frozen=True)
class MemberWarning:
    """What gives reason to look at a member again: its number, the kind of the warning, and its message."""

    member: int
    kind: str
    message: str

    def __str__(self) -> str:
        return f"member {self.member}: {self.message}"


def never_stop() -> bool:
    """Do not stop."""
    return False


@dataclass(frozen=True)
class Job:
    """What is done with every member. Without a `schedule` each goes through `simulate` with the `options`."""

    members: Members
    method: Method | None
    form: str
    times: Array
    schedule: Schedule | None
    options: Mapping[str, Any] = field(default_factory=dict)
    lane_width: int = 0
    stop: Callable[[], bool] = never_stop

    @property
    def size(self) -> int:
        """How many numbers a state has."""
        return self.members.first.system.representations[self.form].layout.size

    @property
    def step(self) -> float | None:
        """The step that all members share, if they do."""
        return self.schedule.step if self.schedule is not None else self.options.get("step")

    @property
    def named_method(self) -> Method | None:
        """The method; None where each member chooses its own step, to a tolerance."""
        return None if "tolerance" in self.options else self.method

    def single(self, state: State) -> Trajectory:
        """The run of one member, as a user would do it."""
        if self.schedule is None:
            return run_without_warnings(state, method=self.method, **self.options)
        schedule = self.schedule
        every = max(schedule.total, 1) if schedule.final else schedule.every
        return run_without_warnings(
            state, step=schedule.step, steps=schedule.total, save_every=every, method=self.method
        )


@dataclass
class Block:
    """The samples (member, time, size) of the members `numbers`, their initial rows, who failed, what runs to a tolerance
    warn of, and the systems of members that have their own, by place."""

    numbers: range
    states: Array
    initial: Array
    failures: list[Failure]
    warnings: list[MemberWarning] = field(default_factory=list)
    systems: dict[int, System] = field(default_factory=dict)


class Stopped(Exception):
    """The ensemble is to stop: what a block has computed is thrown away."""


def run_block(job: Job, numbers: range) -> Block:
    """Compute these members."""
    states = np.full((len(numbers), len(job.times), job.size), np.nan)
    block = Block(numbers, states, np.full((len(numbers), job.size), np.nan), [])
    groups, alone = _grouped(job, block)
    for group in groups:
        alone += group.run(job, block)
    for k in sorted(alone):
        if job.stop():
            raise Stopped
        _run_alone(job, block, k)
    block.failures.sort(key=lambda failure: failure.member)
    return block


class _Group:
    """Members of a block that share their flows: their places in the block, their states as rows, and their systems, one
    for each or one for all."""

    def __init__(
        self, state: Callable[[int], State], places: list[int], rows: Array, systems: list[System], parameters: Array
    ) -> None:
        self.state, self.places, self.systems = state, places, systems
        self.rows, self.parameters = rows, parameters

    def run(self, job: Job, block: Block) -> list[int]:
        """Compute all members, in lanes if there are enough; returns those that have to run alone."""
        assert job.method is not None
        kind: Any = lanes(job.lane_width or None)
        if not job.method.in_lanes or len(self.places) < FEWEST_IN_LANES or job.lane_width == 1:
            kind = double
        try:
            with watch_callbacks():
                states, failed = self._advance(job, kind)
                raise_noted()
        except Stopped:
            raise
        except Exception:  # of a user's function, or of a function that does not compile for lanes
            return self.places
        count = len(self.places)
        states = states[:count]
        good = np.isfinite(states).all(axis=(1, 2)) & ~failed[:count]
        if good.all() and count == len(block.states):  # its places are all there are, in their order
            block.states[:] = states
            return []
        places = np.array(self.places)
        block.states[places[good]] = states[good]
        return [int(place) for place in places[~good]]

    def _packed(self, rows: Array, kind: Any) -> Array:
        """One row per run: a member, or the members of its lanes side by side. Where there is one row for all members, there
        is one for all runs."""
        W, n = width(kind), len(self.places)
        if len(rows) == 1 and len(self.systems) == 1:
            return np.repeat(rows, W, axis=1)
        missing = -n % W
        if missing:  # a short block repeats the first member of its last lanes
            rows = np.concatenate([rows, np.repeat(rows[n + missing - W :][:1], missing, axis=0)])
        runs, numbers = len(rows) // W, rows.shape[1]  # which may be none
        return np.ascontiguousarray(rows.reshape(runs, W, numbers).transpose(0, 2, 1)).reshape(runs, W * numbers)

    def _advance(self, job: Job, kind: Any) -> tuple[Array, Any]:
        """Samples (member, time, size), and who failed; both may have more members than there are."""
        method, schedule = job.method, job.schedule
        assert method is not None
        assert schedule is not None
        starts, parameters = self._packed(self.rows, kind), self._packed(self.parameters, kind)
        representation = self.systems[0].representations[job.form]

        def start(g: int) -> Start:
            state = self.state(self.places[g * width(kind)])
            p = parameters[min(g, len(parameters) - 1)]
            return Start(state, schedule.step, kind, representation, starts[g].copy(), p.copy())

        run = method.run(start(0))
        if serves(run):
            further = np.stack([run.further_parameters(system) for system in self.systems])
            bench = Rows(run, starts, np.hstack([parameters, self._packed(further, kind)]))
            samples = _advance_rows(job, schedule, bench)
            failed = np.repeat(bench.statuses != 0, width(kind))
        else:
            pairs = [_advance_run(job, schedule, run)]
            for there in map(start, range(1, len(starts))):
                pairs.append(_advance_run(job, schedule, run if run.set_out(there) else method.run(there)))
            samples = np.stack([pair[0] for pair in pairs])
            failed = np.repeat([bool(pair[1]) for pair in pairs], width(kind))
        g, t, _ = samples.shape
        states = run.states(samples.reshape(g * t, -1)).reshape(g, t, -1, width(kind))
        return np.moveaxis(states, 3, 1).reshape(g * width(kind), t, -1), failed


def _advance_rows(job: Job, schedule: Schedule, bench: Rows) -> Array:
    """Samples (row, time, carried) of all runs."""
    rows, carried = bench.carried.shape
    samples = np.zeros((rows, len(schedule.numbers), carried))
    every = schedule.total + 1 if schedule.final else schedule.every
    if not schedule.final:
        samples[:, 0] = bench.carried
    chunk = max(1, WORK_AT_ONCE // (rows * width(bench.run.kind)))
    for first in range(0, schedule.total, chunk):
        if job.stop():
            raise Stopped
        count = min(chunk, schedule.total - first)
        kept = samples[:, 1 + first // every : 1 + (first + count) // every]
        part = np.empty(kept.shape)
        bench.advance(first, count, every, part)
        kept[:] = part
    samples[:, -1] = bench.carried
    return samples


def _advance_run(job: Job, schedule: Schedule, run: Run) -> tuple[Array, int]:
    """Samples (time, row) of one run, and its status."""
    samples = np.zeros((len(schedule.numbers), run.row_size))
    every = schedule.total + 1 if schedule.final else schedule.every
    if not schedule.final or not schedule.total:
        run.begin(0)  # a closed form begins with its own value at the start
        samples[0] = run.row
    status, chunk = 0, max(1, WORK_AT_ONCE // width(run.kind))
    for first in range(0, schedule.total, chunk):
        if job.stop():
            raise Stopped
        count = min(chunk, schedule.total - first)
        status, _ = run.advance(first, count, every, samples[1 + first // every : 1 + (first + count) // every])
        if status:
            break
    samples[-1] = run.row
    return samples, status


def _grouped(job: Job, block: Block) -> tuple[list[_Group], list[int]]:
    """The members of a block in groups that can share lanes, and those that have to run alone."""
    stack = None if job.schedule is None else job.members.together(block.numbers)
    rows = None if stack is None or not _can_all_start(stack) else flat_rows(stack, job.form)
    if stack is not None and rows is not None:
        shared, places = stack.system, list(range(len(rows)))
        block.initial[:] = rows
        return [
            _Group(lambda k: job.members.state(block.numbers[k]), places, rows, [shared], shared.parameters()[None])
        ], []
    found: dict[Hashable, list[int]] = {}
    states: dict[int, State] = {}
    numbers: dict[int, Array] = {}
    known: dict[int, tuple[Array, Hashable]] = {}
    alone: list[int] = []
    for k, i in enumerate(block.numbers):
        state = _checked_state(job, block, i)
        if state is None:
            continue
        system = block.systems[k] = state.system
        block.initial[k] = system.enter(job.form, state)
        if job.schedule is None or not system.same_bits_in_lanes:
            alone.append(k)
            continue
        states[k] = state  # which keeps its system alive, so that no other has its id
        if id(system) not in known:
            p = system.parameters()
            known[id(system)] = p, lane_key(system, system.representations[job.form], p)
        numbers[k], key = known[id(system)]
        found.setdefault(key, []).append(k)
    groups = []
    for places in found.values():
        systems = [states[k].system for k in places]
        one = len({id(system) for system in systems}) == 1
        p = numbers[places[0]][None] if one else np.stack([numbers[k] for k in places])
        groups.append(_Group(states.__getitem__, places, block.initial[places], systems[:1] if one else systems, p))
    return groups, alone


def _can_all_start(stack: State) -> bool:
    """Whether all members of this state share lanes and none is refused, asked about all of them at once."""
    if not stack.system.same_bits_in_lanes:
        return False
    try:
        if may_have_no_energy(stack.system):
            check_start(stack)
    except Exception:  # one of them is refused, or a user's function takes one state at a time
        return False
    return True


def _checked_state(job: Job, block: Block, i: int) -> State | None:
    """The initial state of a member; None, and a failure in the block, if it cannot start."""
    first = job.members.first
    try:
        state = job.members.state(i)
        why = mismatch(first, state)
        if why:
            raise PolhodeError(why)
        check_start(state)
        return state
    except Exception as error:  # of the user's own function
        block.failures.append(Failure(i, type(error).__name__, str(error), first.t))
        return None


def _run_alone(job: Job, block: Block, k: int) -> None:
    """The single run of a member; its samples up to a failure are kept."""
    i = block.numbers[k]
    state = job.members.state(i)
    try:
        found = job.single(state)
    except Exception as error:
        partial: Trajectory | None = getattr(error, "trajectory", None)
        last = state.t
        if partial is not None:
            last = float(partial.t[-1])
            rows, place = _rows_of(partial), {t: n for n, t in enumerate(partial.t.tolist())}
            for n, t in enumerate(job.times.tolist()):
                if t in place:
                    block.states[k, n] = rows[place[t]]
        block.failures.append(Failure(i, type(error).__name__, str(error), last))
        return
    block.states[k] = _rows_of(found)[-len(job.times) :]
    if job.named_method is None:  # each has its own, which `warn_of_members` does not know
        block.warnings += [MemberWarning(i, type(w).__name__, str(w)) for w in found.warnings]


def _rows_of(trajectory: Trajectory) -> Array:
    """The samples of a trajectory as flat rows."""
    layout = trajectory.system.representations[trajectory.method.representation].layout
    parts = [trajectory.values[v.name].reshape(len(trajectory), -1) for v in layout.variables]
    return np.concatenate(parts, axis=1)


class StopFlag:
    """A flag that threads look at."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Stop."""
        self._event.set()

    def __call__(self) -> bool:
        return self._event.is_set()
