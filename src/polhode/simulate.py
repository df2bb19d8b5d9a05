"""The one driver: brings a system and a method together, and runs them.

It checks the input, runs the compiled loop in chunks of about a fifth of a second, keeps the samples, shows progress,
and turns a failed step into an error that carries what was computed. Time is `t0 + n·step` with a whole number n.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ConvergenceError, InvalidInput
from .methods import LGVI, Method
from .methods.base import Run
from .methods.seeding import block_kind, blocks, tangent_columns
from .scalars import double
from .systems.base import State, System
from .trajectory import Stats, Trajectory

Array = NDArray[np.float64]

CHUNK_SECONDS = 0.2
FIRST_CHUNK = 1000
NOT_FINITE = 3


def simulate(
    system: System,
    state: State,
    *,
    step: float,
    t_end: float | None = None,
    steps: int | None = None,
    method: Method | None = None,
    save_every: int = 1,
    progress: bool = False,
    tangent: bool = False,
    provenance: Mapping[str, Any] | None = None,
) -> Trajectory:
    """Integrate `system` from `state` with a fixed `step` (negative: backwards in time).

    Give either `t_end` or the number of `steps`. `method` defaults to `LGVI(order=2)`. Every `save_every`-th step is
    kept, and always the first and the last. With `tangent=True` the result also has `traj.tangent`, the derivative of
    each sample with respect to the first, exact for the discrete map.

    >>> import polhode as ph
    >>> body = ph.FreeRigidBody(inertia=[1, 2, 3])
    >>> traj = ph.simulate(body, body.state(omega=[0.7, -0.6, 0.5]), step=0.1, t_end=10.0)
    >>> len(traj), traj.R.shape
    (101, (101, 3, 3))
    >>> traj.drift()["energy"] < 1e-14
    True
    """
    method = LGVI() if method is None else method
    _check_arguments(system, state, method)
    method.check(system)
    step = _check_step(step)
    total = _count_steps(state.t, step, t_end, steps)
    if not _whole(save_every) or save_every < 1:
        raise InvalidInput("save_every", save_every, "a positive whole number")
    every = int(save_every)

    seconds = 0.0
    passes = blocks(system.representations[method.representation].layout.dimension) if tangent else [slice(0, 0)]
    columns: list[Array] = []
    for directions in passes:
        kind = block_kind(directions) if tangent else double
        run = method.start(system, state, step, kind, directions)
        samples = np.empty((1 + total // every + bool(total % every), run.carried))
        run.advance(0, 0, every, samples[:0])  # compiles the loop, or finds it in the cache, before the clock starts
        started = clock.perf_counter()
        done, failure = _run(run, samples, total, every, progress)
        seconds += clock.perf_counter() - started
        numbers = np.append(np.arange(0, done + 1, every), [done] if done % every else []).astype(int)
        states = run.states(samples[: len(numbers)])
        if tangent:
            states, part = tangent_columns(run.layout, states, kind, directions)
            columns.append(part)
        if failure:
            break
    stats = Stats(
        steps=done,
        seconds=seconds,
        evaluations=run.report.evaluations,
        mean_iterations=run.report.mean_iterations,
        max_iterations=run.report.most_iterations,
        worst_residual=run.report.worst_residual,
    )
    trajectory = Trajectory.of(
        system,
        method,
        states,
        state.t + numbers * step,
        step=step,
        stats=stats,
        tangent=np.concatenate(columns, axis=-1) if len(columns) == len(passes) and tangent else None,
        provenance=dict(provenance or {}),
    )
    if failure:
        error = _error(failure, trajectory, done, run)
        error.trajectory = trajectory
        raise error
    return trajectory


def _run(run: Run, samples: Array, total: int, every: int, progress: bool) -> tuple[int, int]:
    """Do `total` steps, with a row of `samples` for the first, every `every`-th and the last; returns how many were done
    and the status of the one that failed."""
    samples[0] = run.sample
    done, chunk = 0, FIRST_CHUNK
    if progress:
        from .progress import Bar

        shown: Any = Bar(total)
    else:
        shown = nullcontext()
    status = 0
    with shown as bar:
        while done < total and not status:
            count = min(chunk, total - done)
            first_row = 1 + done // every
            rows = samples[first_row : 1 + (done + count) // every]
            before = run.sample.copy()
            began = clock.perf_counter()
            status, good = run.advance(done, count, every, rows)
            if not status and not (np.all(np.isfinite(rows)) and np.all(np.isfinite(run.sample))):
                status, good = NOT_FINITE, _last_finite(run, before, done, count)
            if status:
                # back to the start of the chunk and up to the last good step: a run is a function of its sample alone
                run.restore(before)
                run.advance(done, good, every, samples[first_row : 1 + (done + good) // every])
            done += good
            elapsed = clock.perf_counter() - began
            chunk = max(1, min(8 * chunk, int(count * CHUNK_SECONDS / max(elapsed, 1e-6))))
            if bar is not None:
                bar.update(done)
    if done % every:
        samples[1 + done // every] = run.sample
    return done, status


def _last_finite(run: Run, before: Array, first: int, count: int) -> int:
    """How many of `count` steps from `before` stay finite, by bisection."""
    low, high = 0, count  # `low` steps are finite, `high` are not
    while high - low > 1:
        middle = (low + high) // 2
        run.restore(before)
        status, _ = run.advance(first, middle, first + count + 1, np.empty((0, before.size)))
        if status == 0 and np.all(np.isfinite(run.sample)):
            low = middle
        else:
            high = middle
    return low


def _error(status: int, trajectory: Trajectory, done: int, run: Run) -> ConvergenceError:
    """The error for a step that failed, in words."""
    t, residual = float(trajectory.t[-1]), run.report.worst_residual
    where = f"step {done + 1}, from t = {t:g}"
    h = abs(trajectory.step)
    if status == NOT_FINITE:
        message = f"{where}: the numbers overflowed; take a smaller step than {h:g}"
    else:
        limit = trajectory.system.largest_step(trajectory.final)
        advice = (
            f"the largest usable step from this state is {limit:.6g}" if math.isfinite(limit) else "take a smaller step"
        )
        message = (
            f"{where}: the discrete equations have no solution near the present state for a step of {h:g} "
            f"(relative residual {residual:.1e}); {advice}, and half of it is a good choice"
        )
    return ConvergenceError(
        f"{message}. The trajectory up to there is in the error's .trajectory", step=done, time=t, residual=residual
    )


def _check_arguments(system: Any, state: Any, method: Any) -> None:
    if not isinstance(system, System):
        raise InvalidInput("system", system, "a system, such as FreeRigidBody(inertia=[1, 2, 3])")
    if not isinstance(state, State):
        raise InvalidInput("state", state, "a state made by system.state(...) or a trajectory's final state")
    if type(state.system) is not type(system):
        raise InvalidInput("state", state, f"a state of {type(system).__name__}, not of {type(state.system).__name__}")
    if not isinstance(method, Method):
        raise InvalidInput("method", method, "a method, such as LGVI(order=2)")


def _whole(n: Any) -> bool:
    return isinstance(n, (int, np.integer)) and not isinstance(n, bool)


def _check_step(step: Any) -> float:
    if isinstance(step, bool) or not isinstance(step, (int, float, np.floating, np.integer)):
        raise InvalidInput("step", step, "a nonzero finite number")
    if not math.isfinite(step) or step == 0:
        raise InvalidInput("step", step, "a nonzero finite number")
    return float(step)


def _count_steps(t0: float, step: float, t_end: Any, steps: Any) -> int:
    """The number of steps to do, from `steps` or from `t_end`."""
    if (t_end is None) == (steps is None):
        raise InvalidInput("t_end", t_end, "either t_end or steps, and not both")
    if steps is not None:
        if not _whole(steps) or steps < 0:
            raise InvalidInput("steps", steps, "a whole number that is not negative")
        return int(steps)
    if (
        isinstance(t_end, bool)
        or not isinstance(t_end, (int, float, np.floating, np.integer))
        or not math.isfinite(t_end)
    ):
        raise InvalidInput("t_end", t_end, "a finite number")
    exact = (float(t_end) - t0) / step
    if not math.isfinite(exact):
        raise InvalidInput("step", step, f"a step that leads to t_end = {t_end:g} in a countable number of steps")
    if exact < 0:
        side = "after" if step > 0 else "before"
        raise InvalidInput("t_end", t_end, f"a time {side} the start, t = {t0:g}, since step = {step:g}")
    n = round(exact)
    if abs(exact - n) > 1e-9 * max(1.0, exact):
        low, high = math.floor(exact), math.ceil(exact)
        span = float(t_end) - t0
        choices = f"t_end = {t0 + low * step:.12g} ({low} steps) or {t0 + high * step:.12g} ({high} steps)"
        sizes = [f"{span / k:.12g} ({k} steps)" for k in (low, high) if k]
        raise InvalidInput(
            "t_end",
            t_end,
            f"a whole number of steps of {step:g} from t = {t0:g}: {choices}, or step = {' or '.join(sizes)}",
        )
    return n
