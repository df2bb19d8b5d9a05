"""`simulate` of which only the tolerance is given: the search for method and step, and the run that has all that is wanted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.method import Method, Run
from ..core.system import State
from ..errors import RunInterruptedError
from .accuracy import check_tolerance, run_to_tolerance
from .arguments import check_end, check_every, check_times
from .events import Event
from .findings import Findings, NotingStore, asked_for
from .first_contact import contact_at_the_end
from .fixed_step import job_of
from .job import Job
from .sampling import Grid
from .trajectory import Trajectory

Stored = tuple[NotingStore, float] | None
"""Where a run stores what it finds, and how often; None if nowhere."""


def simulate_to_tolerance(
    state: State,
    t_end: float | None,
    tolerance: float | None,
    t_eval: ArrayLike | None,
    method: Method | None,
    options: dict[str, Any],
    stored: Stored = None,
) -> Trajectory:
    """The run to this tolerance; `options` are those of `job_of`."""
    wanted = check_tolerance(tolerance)
    if t_eval is not None:
        _, t_end = check_times(t_eval, state.t, None, t_end)
    end = check_end(state.t, t_end)
    if method is not None:
        method.check(state.system)
    findings = None
    if stored is not None:
        others = {name: value for name, value in options.items() if name not in ("progress", "provenance")}
        times = None if t_eval is None else np.asarray(t_eval, dtype=np.float64).tolist()
        asked = asked_for(state, end=end, tolerance=tolerance, times=times, method=repr(method), **others)
        findings = Findings(*stored, asked)
    events: list[Event] = options["events"]
    touch = contact_at_the_end(state, end, events)
    last = end if touch is None else touch.before
    plain = t_eval is None and not events and not options["tangent"]
    every, progress = (options["save_every"], options["progress"]) if plain else (1, False)
    check_every(every)
    computed: list[Trajectory] = []

    def run(chosen: Method, steps: int, started: Run | None) -> Trajectory:
        grid = Grid(state.t, (last - state.t) / steps, int(every))
        job = Job(state.system, chosen, state, grid, [], None, progress, options["provenance"])
        computed[:] = [job.run(steps, None, started) if findings is None else findings.run(job, steps)]
        return computed[0]

    try:
        trajectory, accuracy = run_to_tolerance(
            state,
            last,
            wanted,
            method,
            run,
            fastest=tolerance is not None,
            tangent=options["tangent"],
            findings=findings,
        )
    except KeyboardInterrupt as stop:
        if isinstance(stop, RunInterruptedError) or not computed:
            raise
        raise RunInterruptedError(computed[0], computed[0].stats.steps) from None  # in a run that it is compared with
    if not plain:
        for goal in (end,) if touch is None else (touch.after, end):  # unless a contact ends it there, the run goes on
            trajectory = _run_again(state, trajectory, goal, end, t_eval, options, findings)
            if trajectory.events and trajectory.events[-1].stopped:
                break
    return replace(trajectory, accuracy=accuracy)


def _run_again(
    state: State,
    found: Trajectory,
    goal: float,
    end: float,
    t_eval: ArrayLike | None,
    options: dict[str, Any],
    findings: Findings | None,
) -> Trajectory:
    """A run by the method and the step that were found, with all that is wanted, to `end` or a step beyond a goal before it."""
    step, extent = found.step, dict[str, Any]()
    if t_eval is not None:
        chosen = np.asarray(t_eval, dtype=np.float64)
        chosen = chosen[np.sign(step) * (chosen - goal) <= 0.0]
        extent["t_eval"], extent["t_end"] = (chosen, goal) if len(chosen) else (t_eval, end)
    else:
        steps = math.ceil((goal - state.t) / step - 1e-6)
        if goal == end:
            step = (end - state.t) / steps
        else:
            steps += 1
        extent["steps"] = steps
    job, total = job_of(state, found.method, step=step, **extent, **options)
    run: Callable[[int], Trajectory] | None = None if findings is None else lambda total: findings.run(job, total)
    return job.complete(total, run)
