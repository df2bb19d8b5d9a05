"""One run: the compiled loop in chunks, samples, progress, events, and what becomes of an error on the way.

The loop runs in chunks of about a fifth of a second. Between chunks samples are stored, progress is shown and events are
detected. A failed step or an interruption becomes an error that holds what was computed.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import defer_signals, raise_noted, raise_stop, watch_callbacks
from ..core.method import Method, Run
from ..core.scalar_packing import Directions, block_kind, tangent_columns
from ..core.system import State, System
from ..errors import InvalidInputError, RunInterruptedError
from ..scalars import double
from .arguments import check_start
from .dense_output import after
from .events import Event, events_in_order
from .records import Occurrence, Stats
from .recovery import advance_to_last_valid, failure, with_trajectory
from .run_warnings import run_warnings
from .sampling import ChosenTimes, Grid
from .tangent_columns import TangentColumns, explain_missing_derivatives
from .trajectory import Trajectory, error_sizes

Array = NDArray[np.float64]

CHUNK_SECONDS = 0.2
FIRST_CHUNK = 2  # steps: they may take a second each
WATCHED_NUMBERS = 30_000  # in a chunk of which every step is examined: this much stays in the processor's cache


@dataclass
class Job:
    """A run with its settings, and the events detected so far."""

    system: System
    method: Method
    state: State
    schedule: Grid | ChosenTimes
    events: list[Event]
    tangent: TangentColumns | None
    progress: bool
    provenance: dict[str, Any]
    occurrences: list[Occurrence] = field(default_factory=list)

    def run(self, total: int, earlier: Trajectory | None = None, started: Run | None = None) -> Trajectory:
        """The trajectory of `total` steps, of which an `earlier` run has done some; `started` is at its start, if the method's
        run is there already."""
        schedule, every = self.schedule, self.schedule.every
        first = 0 if earlier is None else schedule.reached(earlier)
        check_start(self.state)
        self.occurrences = list(earlier.events) if earlier else self._at_the_start()
        layout = self.system.representations[self.method.representation].layout
        symmetric = self.tangent.symmetric(self.system, self.method) if self.tangent else ()
        passes: list[Directions] = self.tangent.blocks(layout, symmetric) if self.tangent else [slice(0, 0)]
        columns: list[Array] = []
        carry: list[Array] = []
        seconds, read = 0.0, 0
        for directions in passes:
            kind = block_kind(directions) if self.tangent else double
            with watch_callbacks(), explain_missing_derivatives(self.method, directions):
                run = started or schedule.start(self.method, self.state, kind, directions)
                raise_noted()
                if earlier is not None and earlier.carry is not None:
                    read = _restore(run, earlier, read, kind, directions, last=len(carry) == len(passes) - 1)
                run.begin(first)
            rows = 1 + schedule.count(total) - schedule.count(first) + bool(total % every)
            samples = np.empty((rows, run.row_size))
            samples[0] = run.row
            drift = _Drift(self.system, run, kind, directions) if self.progress else None
            began = clock.perf_counter()
            end = self._advance(run, samples, first, total, drift)
            seconds += clock.perf_counter() - began
            numbers = schedule.sampled(first, end.done)
            states = run.states(samples[: len(numbers)])
            del samples  # as large as the result
            if self.tangent:
                states, part = tangent_columns(run.layout, states, kind, directions)
                columns.append(part)
            carry.append(run.sample.copy())
            if end.failure or end.interrupted or end.error:
                break
        whole = len(carry) == len(passes)
        t: Array = np.asarray(schedule.time(numbers), dtype=np.float64)
        tangent = np.concatenate(columns, axis=-1) if whole and self.tangent else None
        if self.tangent and tangent is not None and symmetric:
            # the first sample, not what was given: the method may have rounded it, and a run that is continued knows no other
            start = states[0] if earlier is None else self.system.enter(self.method.representation, self.state)
            tangent = self.tangent.completed(tangent, self.system, layout, (start, states, t - self.state.t))
        if end.stopped is not None:
            states = np.concatenate([states, self.system.enter(self.method.representation, end.stopped)[None]])
            t = np.append(t, end.stopped.t)
        trajectory = Trajectory.of(
            self.system,
            self.method,
            states,
            t,
            step=schedule.step,
            save_every=every,
            stats=stats_of(schedule.steps(end.done) - schedule.steps(first), seconds, run),
            tangent=tangent,
            tangent_of=self.tangent.request if whole and self.tangent else (),
            events=tuple(self.occurrences),
            provenance=self.provenance | ({"ended": str(self.occurrences[-1])} if end.stopped is not None else {}),
            carry=(np.concatenate(carry) if len(carry) > 1 else carry[0]) if whole and end.stopped is None else None,
            reached=None if isinstance(schedule, Grid) else float(schedule.time(end.done)),
        )
        if earlier is not None:
            trajectory = _join(earlier, trajectory)
        if end.error:
            raise with_trajectory(end.error, trajectory)
        if end.failure:
            error = failure(end.failure, trajectory, schedule.steps(end.done), run)
            error.trajectory = trajectory
            raise error
        if end.interrupted:
            raise RunInterruptedError(trajectory, schedule.steps(total))
        return trajectory

    def complete(self, total: int, run: Callable[[int], Trajectory] | None = None) -> Trajectory:
        """The whole run, by `run` or at once, as it is given to the user; and so is what an error holds of it."""
        try:
            return self.finished((run or self.run)(total))
        except BaseException as error:
            if isinstance(part := getattr(error, "trajectory", None), Trajectory):
                error.trajectory = self.finished(part)  # type: ignore[attr-defined]
            raise

    def finished(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory as it is given to the user: at chosen times, it cannot be continued, and has the start only if that is
        one of them."""
        if isinstance(self.schedule, Grid):
            return trajectory
        whole = replace(trajectory, carry=None, reached=None)
        if self.schedule.has_start or len(whole) == 1:
            return whole
        # its warnings know of the start: the energy may have changed on the way to the next
        return replace(whole[1:], noted=run_warnings(trajectory))

    def _advance(self, run: Run, samples: Array, first: int, total: int, drift: _Drift | None) -> _End:
        """Do the steps from `first` to `total`, with a row of `samples` for every `every`-th and the last."""
        schedule, every = self.schedule, self.schedule.every
        done, chunk, status, stopped = first, schedule.within(first, FIRST_CHUNK), 0, None
        if drift is not None:
            from .progress import Bar

            shown: Any = Bar(first, total, drift)
        else:
            shown = nullcontext()
        single = bool(self.events) or schedule.has_pauses  # each step is examined, or not each number is a sample
        # an interruption, which may come anywhere, returns to this point
        safe = (done, run.sample.copy(), len(self.occurrences), run.report.numbers.copy())
        interrupted, error = False, None
        try:
            with shown as bar, watch_callbacks():
                while done < total and not status and stopped is None:
                    count = min(chunk, total - done)
                    row = 1 + schedule.count(done) - schedule.count(first)
                    rows = samples[row : row + schedule.count(done + count) - schedule.count(done)]
                    if single:  # the samples are taken from the rows of all numbers
                        count = min(count, 1 + WATCHED_NUMBERS // run.row_size)
                        rows, before = np.empty((count, run.row_size)), run.row.copy()
                    inner = 1 if single else every
                    began = clock.perf_counter()
                    with defer_signals():
                        status, good = advance_to_last_valid(run, done, count, inner, rows)
                    raise_stop()  # steps that Ctrl-C in a user's function has cut short are done again, and counted then
                    if single:
                        nodes = np.concatenate([before[None], rows[:good]])
                        good, stopped = self._look(run, nodes, done) if self.events else (good, None)
                        status = 0 if stopped else status
                        numbers = schedule.saved(done, done + good)
                        samples[row : row + len(numbers)] = nodes[numbers - done]
                    done += good
                    safe = (done, run.sample.copy(), len(self.occurrences), run.report.numbers.copy())
                    elapsed = clock.perf_counter() - began
                    chunk = max(1, min(8 * chunk, int(count * CHUNK_SECONDS / max(elapsed, 1e-6))))
                    raise_noted()
                    if bar is not None:
                        bar.update(done)
        except (KeyboardInterrupt, Exception) as raised:  # Ctrl-C, or an error in a function that a user gave
            interrupted = isinstance(raised, KeyboardInterrupt)
            error = None if interrupted else raised
            done, sample, noted, run.report.numbers[:] = safe
            run.restore(sample)
            del self.occurrences[noted:]
            status, stopped = 0, None
        if done % every and done > first:
            samples[1 + schedule.count(done) - schedule.count(first)] = run.row
        return _End(done, status, interrupted, stopped, error)

    def _look(self, run: Run, nodes: Array, done: int) -> tuple[int, State | None]:
        """Record the events between `nodes`, the first of which has number `done`. Returns the number of steps up to the
        event that ends the run, and the state there; or all steps, and None."""
        schedule, values = self.schedule, run.layout.unpack(run.states(nodes))

        def within(k: int, fraction: float) -> State:
            node = State(self.system, {name: array[k] for name, array in values.items()}, schedule.time(done + k))
            return after(node, self.method, fraction * schedule.length(done + k))

        states = State(self.system, values, schedule.time(done))
        for event, found in events_in_order(self.events, states, schedule.longest, within):
            t = float(schedule.time(done + found.k) + found.fraction * schedule.length(done + found.k))
            there = within(found.k, found.fraction)
            self.occurrences.append(Occurrence(t, event.name, found.what, event.stop, there))
            if event.stop:
                run.restore_row(nodes[found.k])
                return found.k, there
        return len(nodes) - 1, None

    def _at_the_start(self) -> list[Occurrence]:
        """Events that already hold at the first state. One that would end the run is an error."""
        noted = []
        for event in self.events:
            for what in event.holds(self.state):
                if event.stop:
                    raise InvalidInputError(
                        "state", self.state, problem=f"the {event.name} of {what} holds already at the start"
                    )
                noted.append(Occurrence(self.state.t, event.name, what, False, self.state))
        return noted


class _End(NamedTuple):
    """The number of steps done, and what ended the run: a failed step (its status), an interruption, or an event."""

    done: int
    failure: int
    interrupted: bool
    stopped: State | None
    error: BaseException | None


class _Drift:
    """The largest deviation of each conserved quantity so far, relative to its size, at the moments when it was evaluated."""

    def __init__(self, system: System, run: Run, kind: Any, directions: Directions) -> None:
        self._system, self._run, self._kind, self._directions = system, run, kind, directions
        start = self._now()
        self._first, self._sizes = start.invariants(), error_sizes(start)
        self._worst = dict.fromkeys(self._first, 0.0)

    def __call__(self) -> dict[str, float]:
        for name, value in self._now().invariants().items():
            deviation = float(np.max(np.abs(value - self._first[name]))) / (self._sizes[name] or 1.0)
            self._worst[name] = max(self._worst[name], deviation)
        return self._worst

    def _now(self) -> State:
        return State(self._system, _values(self._run, self._kind, self._directions), 0.0)


def stats_of(steps: int, seconds: float, run: Run) -> Stats:
    """The cost of so many steps of a run."""
    report = run.report
    return Stats(
        steps=steps,
        seconds=seconds,
        evaluations=report.evaluations,
        mean_iterations=report.mean_iterations,
        max_iterations=report.most_iterations,
        worst_residual=report.worst_residual,
        retries=report.retries,
    )


def _restore(run: Run, earlier: Trajectory, read: int, kind: Any, directions: Directions, *, last: bool) -> int:
    """Go on from what an earlier run carried, of which so many numbers are read already; how many are read then. What comes
    from a file may have another size, or may not be of the last sample."""
    carry, end = earlier.carry, read + run.carried
    problem = ""
    if carry is None or end > carry.size or (last and end < carry.size):
        problem = "what it carried has another size"
    else:
        run.restore(carry[read:end])
        name = run.layout.variables[0].name
        at_sample = earlier.method.carries_state and earlier.reached is None  # and not between chosen times
        if at_sample and not np.array_equal(_values(run, kind, directions)[name], earlier.values[name][-1]):
            problem = "what it carried is not the state of its last sample"
    if problem:
        raise InvalidInputError("trajectory", earlier, problem=f"this run cannot be continued: {problem}")
    return end


def _values(run: Run, kind: Any, directions: Directions) -> dict[str, Array]:
    """The variables of the state in which a run is now."""
    row = run.states(run.row[None].copy())
    if kind != double:
        row = tangent_columns(run.layout, row, kind, directions)[0]
    return {name: array[0] for name, array in run.layout.unpack(row).items()}


def _join(earlier: Trajectory, later: Trajectory) -> Trajectory:
    """Both runs as one. The first sample of `later` is the end of `earlier`; it stays only if it is a multiple of
    `save_every`."""
    last = earlier.stats.steps
    kept = len(earlier) - bool(last % earlier.save_every)
    a, b = earlier.stats, later.stats
    steps = a.steps + b.steps
    stats = Stats(
        steps=steps,
        seconds=a.seconds + b.seconds,
        evaluations=a.evaluations + b.evaluations,
        mean_iterations=(a.mean_iterations * a.steps + b.mean_iterations * b.steps) / max(steps, 1),
        max_iterations=max(a.max_iterations, b.max_iterations),
        worst_residual=max(a.worst_residual, b.worst_residual),
        retries=a.retries + b.retries,
    )
    start = 1 if len(later) > 1 or kept == len(earlier) else 0

    def both(x: Array, y: Array) -> Array:
        return np.concatenate([x[:kept], y[start:]])

    tangent = None
    if earlier.tangent is not None and later.tangent is not None:
        tangent = both(earlier.tangent, later.tangent)
    values = {name: both(array, later.values[name]) for name, array in earlier.values.items()}
    return replace(later, t=both(earlier.t, later.t), values=values, stats=stats, tangent=tangent)
