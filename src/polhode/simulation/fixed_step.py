"""The job of a run whose step and method are known, and how many numbers it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from ..core.method import Method
from ..core.system import State
from ..errors import InvalidInputError
from .arguments import check_events, check_every, check_step, check_times, count_steps
from .events import Event
from .job import Job
from .sampling import ChosenTimes, Grid
from .tangent_columns import TangentColumns


def job_of(
    state: State,
    method: Method,
    *,
    step: float | None,
    t_end: float | None = None,
    steps: int | None = None,
    t_eval: ArrayLike | None = None,
    save_every: int = 1,
    events: Sequence[Event] = (),
    tangent: bool | str | Sequence[str] = False,
    progress: bool = False,
    provenance: dict[str, Any],
) -> tuple[Job, int]:
    """The job of a run on a grid, or through chosen times, and the number at which it ends."""
    system = state.system
    method.check(system)
    columns = TangentColumns.of(system, tangent)
    watched = check_events(events, system, columns is not None)
    check_every(save_every)
    schedule: Grid | ChosenTimes
    if t_eval is None:
        schedule = Grid(state.t, check_step(step), int(save_every))
        total = count_steps(state.t, schedule.step, t_end, steps)
    else:
        if steps is not None:
            raise InvalidInputError("steps", steps, problem="steps and t_eval exclude each other: give t_end")
        if save_every != 1:
            raise InvalidInputError("save_every", save_every, problem="save_every and t_eval exclude each other")
        times, end = check_times(t_eval, state.t, step, t_end)
        size = None if step is None and not watched else check_step(step)
        schedule = ChosenTimes(state.t, size, times, end, every_step=bool(watched))
        total = len(schedule.times) - 1
    return Job(system, method, state, schedule, watched, columns, progress, provenance), total
