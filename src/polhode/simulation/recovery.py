"""What becomes of a run in which a step fails: how far it is good, and an error that says why it goes no farther."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.method import Run
from ..errors import ConvergenceError
from ..scalars.protocol import NOT_FINITE, TOLERANCE_NOT_MET
from .step_limit import largest_step, rounded_down
from .trajectory import Trajectory

Array = NDArray[np.float64]


def advance_well(run: Run, first: int, count: int, every: int, rows: Array) -> tuple[int, int]:
    """Do up to `count` steps: why no more (0: all were done), and how many are good. The run is left at the last of them."""
    before = run.sample.copy()
    status, good = run.advance(first, count, every, rows)
    while True:
        kept = rows[: (first + good) // every - first // every]
        if status:
            # back to the start and up to the last good step: a run is a function of its sample
            run.restore(before)
            again, further = run.advance(first, good, every, kept)
            if again and good > 0:
                good = min(further, good - 1)
                continue
        if np.all(np.isfinite(kept)) and np.all(np.isfinite(run.sample)):
            return status, good
        status, good = NOT_FINITE, _last_finite(run, before, first, good)
        if good == 0:  # not even the force at the start may be finite
            run.restore(before)
            return status, good


def _last_finite(run: Run, before: Array, first: int, count: int) -> int:
    """How many of `count` steps from `before` stay finite, by bisection."""
    low, high = 0, count  # `low` steps are finite, `high` are not
    while high - low > 1:
        middle = (low + high) // 2
        run.restore(before)
        status, _ = run.advance(first, middle, first + count + 1, np.empty((0, run.row_size)))
        if status == 0 and np.all(np.isfinite(run.sample)):
            low = middle
        else:
            high = middle
    return low


def failure(status: int, trajectory: Trajectory, done: int, run: Run) -> ConvergenceError:
    """The error for a step that failed, in words."""
    t, residual = float(trajectory.t[-1]), run.report.worst_residual
    where = f"after {done} steps, at t = {t:.12g}"
    h = abs(trajectory.step)
    if status == NOT_FINITE:
        message = (
            f"{where}: a force or a rate is not finite: bodies that meet, a potential outside its domain, "
            f"or a step, {h:.12g}, that is too large"
        )
    elif status == TOLERANCE_NOT_MET:
        message = (
            f"{where}: {trajectory.method!r} cannot meet its tolerances, however short its inner steps: the motion is "
            "singular near here, or they are below rounding"
        )
    else:
        limit = largest_step(trajectory.final, trajectory.method, near=trajectory.step)
        message = (
            f"{where}: the discrete equations have no solution near the present state for a step of {h:.12g}; "
            f"the largest usable step from this state is {rounded_down(limit)}, and half of it is a good choice"
        )
    error = ConvergenceError(message, step=done, time=t, residual=residual)
    error.add_note("The trajectory up to there is in the error's .trajectory.")  # for a traceback, not for the command
    return error
