"""The driver of every run: it checks the input, runs the compiled loop, and returns a trajectory.

The loop runs in chunks of about a fifth of a second. Between chunks the driver stores samples, shows progress and detects
events. A failed step or an interruption becomes an error that holds what was computed. Time is `t0 + n·step` with an
integer n. Everything that the method carries from step to step is stored with the result, so that `resume` continues the
run bit for bit.
"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.callbacks import defer_signals, raise_noted, watch_callbacks
from ..core.method import Run
from ..core.scalar_packing import block_kind, blocks, tangent_columns
from ..core.system import State, System
from ..errors import InvalidInputError, RunInterruptedError
from ..methods import LGVI, Method
from ..scalars import double
from .accuracy import check_tolerance, run_to_tolerance, warn_if_missed
from .arguments import check_arguments, check_end, check_events, check_step, check_times, count_steps, whole
from .dense_output import after
from .events import Event, events_in_order
from .parts import join_runs, run_stats, without_start
from .recovery import advance_to_last_valid, failure, with_trajectory
from .sampling import ChosenTimes, Grid
from .trajectory import Occurrence, Trajectory

Array = NDArray[np.float64]

CHUNK_SECONDS = 0.2
FIRST_CHUNK = 1000
WATCHED_NUMBERS = 30_000  # in a chunk of which every step is examined: this much stays in the processor's cache


def simulate(
    state: State,
    *,
    step: float | None = None,
    t_end: float | None = None,
    steps: int | None = None,
    tolerance: float | None = None,
    t_eval: ArrayLike | None = None,
    method: Method | None = None,
    save_every: int = 1,
    events: Sequence[Event] = (),
    progress: bool = False,
    tangent: bool = False,
    provenance: Mapping[str, Any] | None = None,
) -> Trajectory:
    """Integrate the system of `state`, starting there, to `t_end` (which may lie before it).

    Without a `step`, method and step are chosen so that the error at the end is at most `tolerance` (default 1e-9): in rad
    for attitudes and angles, relative to its size for any other variable. `traj.accuracy` says what was chosen and
    estimates the error by a second run. A tolerance that rounding does not allow is answered by an `AccuracyWarning`.

    With a fixed `step` (negative: backwards in time) give either `t_end` or the number of `steps`; `method` then defaults to
    `LGVI(order=2)`. Every `save_every`-th step is saved, and always the first and the last. `events` are detected in every step, saved or not (see
    `polhode.simulation.events`); they are listed in `traj.events`. An event that stops the run is its last sample.

    With `t_eval` the samples are at these times instead, in the direction of the step, and `t_end` is by default the last of
    them. They need not be on the grid of the steps. A method with a dense output of its own (`DOP853`) reads them off
    that, and needs no `step` unless there are events. Every other method goes on in whole steps, and to each time takes
    one shorter step from the last whole one before it: as accurate as the method, on the manifold, and no sample changes
    another. Such a run cannot be resumed.

    With `tangent=True` the result also has `traj.tangent`, the derivative of each sample with respect to the first, exact
    for the discrete map. Rows and columns follow the variables of the state. A change of a rotation is the vector ξ in
    `R exp(S(ξ))`, a change of a momentum is the difference: for one body (ξ, δΠ).

    Ctrl-C raises `RunInterruptedError`, whose `.trajectory` holds what was computed; `resume` continues from there.

    >>> import polhode as ph
    >>> traj = ph.simulate(ph.Pendulum3D.example(), t_end=10.0, tolerance=1e-10)
    >>> traj.method, traj.accuracy.estimated_error < 1e-10
    (GaussLegendre(order=16), True)
    >>> body = ph.FreeRigidBody(inertia=[1, 2, 3])
    >>> traj = ph.simulate(body.state(omega=[0.7, -0.6, 0.5]), step=0.1, t_end=10.0)
    >>> len(traj), traj.R.shape
    (101, (101, 3, 3))
    >>> traj.drift()["energy"] < 1e-14
    True
    >>> ph.simulate(traj.final, step=0.1, t_eval=[10.05, 11.3, 20.0]).t
    array([10.05, 11.3 , 20.  ])
    """
    if step is None and not (method is not None and method.adaptive and t_eval is not None):
        if steps is not None:
            raise InvalidInputError("steps", steps, problem="steps need a step: give step too, or t_end alone")
        options = {"save_every": save_every, "events": events, "progress": progress, "tangent": tangent}
        return _to_tolerance(state, t_end, tolerance, t_eval, method, dict(provenance or {}), options)
    if tolerance is not None:
        raise InvalidInputError(
            "tolerance", tolerance, problem="step and tolerance exclude each other: give one of them"
        )
    method = LGVI() if method is None else method
    check_arguments(state, method)
    system = state.system
    method.check(system)
    watched = check_events(events, system, tangent)
    if not whole(save_every) or save_every < 1:
        raise InvalidInputError("save_every", save_every, "a positive whole number")
    schedule: Grid | ChosenTimes
    if t_eval is None:
        schedule = Grid(state.t, check_step(step), int(save_every))
        total = count_steps(state.t, schedule.step, t_end, steps)
    else:
        if steps is not None:
            raise InvalidInputError(
                "steps", steps, problem="steps and t_eval exclude each other: give t_eval, and t_end"
            )
        if save_every != 1:
            raise InvalidInputError("save_every", save_every, problem="save_every and t_eval exclude each other")
        times, end = check_times(t_eval, state.t, step, t_end)
        size = None if step is None and not watched else check_step(step)
        schedule = ChosenTimes(state.t, size, times, end, every_step=bool(watched))
        total = len(schedule.times) - 1
    job = _Job(system, method, state, schedule, watched, tangent, progress, dict(provenance or {}))
    return job.run(total)


def _to_tolerance(
    state: State,
    t_end: float | None,
    tolerance: float | None,
    t_eval: ArrayLike | None,
    method: Method | None,
    provenance: dict[str, Any],
    options: dict[str, Any],
) -> Trajectory:
    """The run of which only the tolerance is given."""
    check_arguments(state, LGVI() if method is None else method)
    wanted = check_tolerance(tolerance)
    if t_eval is not None:
        _, t_end = check_times(t_eval, state.t, None, t_end)
    end = check_end(state.t, t_end)
    if method is not None:
        method.check(state.system)
    plain = t_eval is None and not options["events"] and not options["tangent"]

    def run(chosen: Method, steps: int, **more: Any) -> Trajectory:
        return simulate(state, step=(end - state.t) / steps, steps=steps, method=chosen, **more)

    first = options if plain else {}
    trajectory, accuracy = run_to_tolerance(state, end, wanted, method, lambda chosen, n: run(chosen, n, **first))
    if t_eval is not None:
        step = trajectory.step
        trajectory = simulate(state, step=step, t_end=end, t_eval=t_eval, method=trajectory.method, **options)
    elif not plain:
        trajectory = run(trajectory.method, round((end - state.t) / trajectory.step), **options)
    warn_if_missed(accuracy)
    return replace(trajectory, accuracy=accuracy, provenance=dict(trajectory.provenance) | provenance)


def resume(
    trajectory: Trajectory,
    *,
    t_end: float | None = None,
    steps: int | None = None,
    events: Sequence[Event] = (),
    progress: bool = False,
) -> Trajectory:
    """Continue a run to `t_end`, or for a number of further `steps`. Returns the whole trajectory.

    The result is bit for bit that of one uninterrupted run; only `Exact` agrees to rounding.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> half = ph.simulate(start, step=0.1, steps=50)
    >>> bool((resume(half, steps=50).R == ph.simulate(start, step=0.1, steps=100).R).all())
    True
    """
    if not isinstance(trajectory, Trajectory):
        raise InvalidInputError("trajectory", trajectory, "the trajectory of an earlier run")
    if trajectory.carry is None:
        raise InvalidInputError(
            "trajectory",
            trajectory,
            problem="this run cannot be continued: it was ended by an event, was sampled at t_eval, or is a part or a combination of runs",
        )
    start, done = trajectory.state(0), trajectory.stats.steps
    if steps is None:
        total = count_steps(start.t, trajectory.step, t_end, None)
        if total < done:
            raise InvalidInputError("t_end", t_end, f"a time at or after the end of the run, t = {trajectory.t[-1]:g}")
    else:
        total = done + count_steps(start.t, trajectory.step, t_end, steps)
    system, tangent = trajectory.system, trajectory.tangent is not None
    watched = check_events(events, system, tangent)
    every, provenance = trajectory.save_every, dict(trajectory.provenance)
    schedule = Grid(start.t, trajectory.step, every)
    job = _Job(system, trajectory.method, start, schedule, watched, tangent, progress, provenance)
    return job.run(total, trajectory)


@dataclass
class _Job:
    """A run with its settings, and the events detected so far."""

    system: System
    method: Method
    state: State
    schedule: Grid | ChosenTimes
    events: list[Event]
    tangent: bool
    progress: bool
    provenance: dict[str, Any]
    occurrences: list[Occurrence] = field(default_factory=list)

    def run(self, total: int, earlier: Trajectory | None = None) -> Trajectory:
        """The trajectory of `total` steps, of which an `earlier` run has done some."""
        schedule, every = self.schedule, self.schedule.every
        first = 0 if earlier is None else earlier.stats.steps
        self.occurrences = list(earlier.events) if earlier else self._at_the_start()
        layout = self.system.representations[self.method.representation].layout
        passes = blocks(layout.dimension) if self.tangent else [slice(0, 0)]
        columns: list[Array] = []
        carry: list[Array] = []
        seconds, read = 0.0, 0
        for directions in passes:
            kind = block_kind(directions) if self.tangent else double
            with watch_callbacks():
                run = schedule.start(self.method, self.state, kind, directions)
                raise_noted()
            if earlier is not None and earlier.carry is not None:
                run.restore(earlier.carry[read : read + run.carried])
                read += run.carried
            rows = 1 + schedule.count(total) - schedule.count(first) + bool(total % every)
            samples = np.empty((rows, run.row_size))
            # compiles the loop, or finds it in the cache, before the clock starts
            run.advance(first, 0, every, samples[:0])
            samples[0] = run.row
            drift = _Drift(self.system, run, kind, directions) if self.progress else None
            started = clock.perf_counter()
            end = self._advance(run, samples, first, total, drift)
            seconds += clock.perf_counter() - started
            last = [end.done] if end.done % every and end.done > first else []
            numbers = np.concatenate([[first], schedule.saved(first, end.done), last]).astype(int)
            states = run.states(samples[: len(numbers)])
            if self.tangent:
                states, part = tangent_columns(run.layout, states, kind, directions)
                columns.append(part)
            carry.append(run.sample.copy())
            if end.failure or end.interrupted or end.error:
                break
        whole = len(carry) == len(passes)
        t: Array = np.asarray(schedule.time(numbers), dtype=np.float64)
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
            stats=run_stats(schedule.steps(end.done) - schedule.steps(first), seconds, run),
            tangent=np.concatenate(columns, axis=-1) if whole and self.tangent else None,
            events=tuple(self.occurrences),
            provenance=self.provenance | ({"ended": str(self.occurrences[-1])} if end.stopped is not None else {}),
            carry=np.concatenate(carry) if whole and end.stopped is None and isinstance(schedule, Grid) else None,
        )
        if isinstance(schedule, ChosenTimes) and not schedule.has_start and len(trajectory) > 1:
            trajectory = without_start(trajectory)
        if earlier is not None:
            trajectory = join_runs(earlier, trajectory)
        if end.error:
            raise with_trajectory(end.error, trajectory)
        if end.failure:
            error = failure(end.failure, trajectory, schedule.steps(end.done), run)
            error.trajectory = trajectory
            raise error
        if end.interrupted:
            raise RunInterruptedError(trajectory, schedule.steps(total))
        return trajectory

    def _advance(self, run: Run, samples: Array, first: int, total: int, drift: _Drift | None) -> _End:
        """Do the steps from `first` to `total`, with a row of `samples` for every `every`-th and the last."""
        schedule, every = self.schedule, self.schedule.every
        done, chunk, status, stopped = first, FIRST_CHUNK, 0, None
        if drift is not None:
            from .progress import Bar

            shown: Any = Bar(first, total, drift)
        else:
            shown = nullcontext()
        # an interruption, which may come anywhere, returns to this point
        safe = (done, run.sample.copy(), len(self.occurrences))
        interrupted, error = False, None
        try:
            with shown as bar, watch_callbacks():
                while done < total and not status and stopped is None:
                    count = min(chunk, total - done)
                    row = 1 + schedule.count(done) - schedule.count(first)
                    rows = samples[row : row + schedule.count(done + count) - schedule.count(done)]
                    if self.events:  # every step is examined; the samples are taken from these rows
                        count = min(count, 1 + WATCHED_NUMBERS // run.row_size)
                        rows = np.empty((count, run.row_size))
                    inner = 1 if self.events else every
                    before = run.row.copy()
                    began = clock.perf_counter()
                    with defer_signals():
                        status, good = advance_to_last_valid(run, done, count, inner, rows)
                    if self.events:
                        nodes = np.concatenate([before[None], rows[:good]])
                        good, stopped = self._look(run, nodes, done)
                        status = 0 if stopped else status
                        numbers = schedule.saved(done, done + good)
                        samples[row : row + len(numbers)] = nodes[numbers - done]
                    done += good
                    safe = (done, run.sample.copy(), len(self.occurrences))
                    elapsed = clock.perf_counter() - began
                    chunk = max(1, min(8 * chunk, int(count * CHUNK_SECONDS / max(elapsed, 1e-6))))
                    raise_noted()
                    if bar is not None:
                        bar.update(done)
        except (KeyboardInterrupt, Exception) as raised:  # Ctrl-C, or an error in a function that a user gave
            interrupted = isinstance(raised, KeyboardInterrupt)
            error = None if interrupted else raised
            done, sample, noted = safe
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
            self.occurrences.append(Occurrence(t, event.name, found.what, event.stop))
            if event.stop:
                run.restore_row(nodes[found.k])
                return found.k, within(found.k, found.fraction)
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
                noted.append(Occurrence(self.state.t, event.name, what, False))
        return noted


@dataclass(frozen=True)
class _End:
    """The number of steps done, and what ended the run: a failed step (its status), an interruption, or an event."""

    done: int
    failure: int
    interrupted: bool
    stopped: State | None
    error: BaseException | None


class _Drift:
    """The largest deviation of each conserved quantity so far, at the moments when it was evaluated."""

    def __init__(self, system: System, run: Run, kind: Any, directions: slice) -> None:
        self._system, self._run, self._kind, self._directions = system, run, kind, directions
        self._first = self._invariants()
        self._worst = dict.fromkeys(self._first, 0.0)

    def __call__(self) -> dict[str, float]:
        for name, value in self._invariants().items():
            self._worst[name] = max(self._worst[name], float(np.max(np.abs(value - self._first[name]))))
        return self._worst

    def _invariants(self) -> dict[str, Array]:
        row = self._run.states(self._run.row[None].copy())
        if self._kind != double:
            row = tangent_columns(self._run.layout, row, self._kind, self._directions)[0]
        return self._system.invariants({name: array[0] for name, array in self._run.layout.unpack(row).items()})
