"""When a step fails: the run returns to its last valid step, and an error says why it cannot continue."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import error_noted, nothing_after_an_error
from ..core.method import Run
from ..core.system import State
from ..errors import ConvergenceError, InvalidInputError
from ..scalars.protocol import NO_NODE_RATE, NOT_FINITE, TOLERANCE_NOT_MET
from .events import Contact
from .run_warnings import near_contact
from .step_limit import largest_step, rounded_down
from .trajectory import Trajectory

Array = NDArray[np.float64]
CONTINUOUS = (
    "A torque must be a continuous function of the rate: one that switches has no value at the switch; replace the switch "
    "by a steep slope, such as tanh(rate/width)."
)
AS_MUCH = 0.05  # of the largest usable step
USELESS = 1e-3  # the part of a step below which a usable one is of no use


def advance_to_last_valid(run: Run, first: int, count: int, every: int, rows: Array) -> tuple[int, int]:
    """Do up to `count` steps. Returns a status (0: all were done) and the number of valid steps; the run is at the last one."""
    before = run.sample.copy()
    with nothing_after_an_error():
        status, good = run.advance(first, count, every, rows)
    written = rows[: (first + good) // every - first // every]
    if not status and np.isfinite(written).all() and np.isfinite(run.sample).all():
        return status, good
    written = written.copy()
    status, good = _return_to_last_valid(run, before, status, first, good, every, rows)
    if error_noted():  # a user's function that has failed may fail from now on, in the same steps too
        valid = int(np.isfinite(written).all(axis=1).cumprod().sum())
        steps = (first // every + valid) * every - first
        if valid and steps > good:
            rows[:valid] = written[:valid]
            run.restore_row(written[valid - 1])
            good = steps
    return status, good


def _return_to_last_valid(
    run: Run, before: Array, status: int, first: int, good: int, every: int, rows: Array
) -> tuple[int, int]:
    """From the status after `good` steps, some of which may not be valid, to that and the number of those that are, by doing
    them again."""
    while True:
        saved = rows[: (first + good) // every - first // every]
        if status:
            # back to the start and up to the last valid step: a run is a function of its sample
            run.restore(before)
            again, further = run.advance(first, good, every, saved)
            if again and good > 0:
                good = min(further, good - 1)
                continue
        if np.isfinite(saved).all() and np.isfinite(run.sample).all():
            return status, good
        status, good = NOT_FINITE, _last_finite(run, before, first, good)
        if good == 0:  # not even the force at the start may be finite
            run.restore(before)
            return status, good


def _last_finite(run: Run, before: Array, first: int, count: int) -> int:
    """The number of steps, of `count` from `before`, after which the state is finite; by bisection."""
    low, high = 0, count  # `low` steps are finite, `high` are not
    while high - low > 1:
        middle = (low + high) // 2
        run.restore(before)
        status, _ = run.advance(first, middle, first + count + 1, np.empty((0, run.row_size)))
        if status == 0 and np.isfinite(run.sample).all():
            low = middle
        else:
            high = middle
    return low


def bodies_that_met(state: State) -> str:
    """Two bodies that touch at `state`, by their shapes; nothing where none do, or where a system has no such bodies."""
    contact = Contact()
    try:
        contact.check(state.system)
    except InvalidInputError:
        return ""
    return next(iter(contact.holds(state)), "")


def failure(status: int, trajectory: Trajectory, done: int, run: Run) -> ConvergenceError:
    """The error for a failed step: where it happened, why, and what to do."""
    t, residual = float(trajectory.t[-1]), run.report.worst_residual
    where = f"after {done} steps, at t = {t:.12g}"
    h = abs(trajectory.step)
    met, forced = bodies_that_met(trajectory.final), not trajectory.system.hamiltonian
    if met:
        message = (
            f"{where}: {met} touch; their gravity is not valid inside each other, and a step fails there sooner or later. "
            "To end the run at the contact, give events=[Contact()]"
        )
    elif near := next(near_contact(trajectory), None):
        message = f"{where}: a step of {h:.12g} fails; {near}"
    elif status == NO_NODE_RATE:
        limit = largest_step(trajectory.final, trajectory.method, near=trajectory.step)
        message = f"{where}: no rate at the end of a step of {h:.12g} agrees with the torque, which depends on it. {CONTINUOUS}"
        if limit > USELESS * h:
            message += f" If it is continuous, take a step below {rounded_down(limit)}"
    elif status == NOT_FINITE:
        message = (
            f"{where}: a force or a rate is not finite; possible causes: bodies that meet, a potential outside its "
            f"domain, or a step that is too large (here {h:.12g})"
        )
    elif status == TOLERANCE_NOT_MET:
        message = (
            f"{where}: {trajectory.method!r} finds no inner step that meets its tolerances; possible causes: the motion "
            "is singular near here, the tolerances are below rounding, or an angle per step is too large"
        )
        if forced:
            message += f", or a torque that switches. {CONTINUOUS}"
    else:
        limit = largest_step(trajectory.final, trajectory.method, near=trajectory.step)
        message = f"{where}: the discrete equations have no solution near the present state for a step of {h:.12g}"
        if forced and (limit < USELESS * h or _ends_there(trajectory, limit)):
            message += f", nor for shorter ones: a torque seems to switch here. {CONTINUOUS}"
        else:
            message += (
                f"; the largest usable step from this state is {rounded_down(limit)}, and half of it is a good choice"
            )
            if forced:
                message += f". If a torque switches here, no step will do. {CONTINUOUS}"
    error = ConvergenceError(message, step=done, time=t, residual=residual)
    error.add_note(
        "The trajectory up to this time is in the .trajectory of the error."
    )  # for a traceback, not for the command
    return error


def _ends_there(trajectory: Trajectory, limit: float) -> bool:
    """Whether the largest usable step leads to one time from everywhere: half of it leaves the other half, twice."""
    state, method = trajectory.final, trajectory.method
    for _ in range(2):
        step = float(np.copysign(0.5 * limit, trajectory.step))
        run = method.start(state, step)
        if run.advance(0, 1, 2, np.empty((0, run.row_size)))[0]:
            return True
        values = run.layout.unpack(run.states(run.row[None])[0])
        state = State(state.system, values, state.t + step)
        left = largest_step(state, method, near=step)
        if abs(left / limit - 0.5) > AS_MUCH:
            return False
        limit = left
    return True


def with_trajectory(error: BaseException, trajectory: Trajectory) -> BaseException:
    """A user's own error that ended a run, with what was computed before it in `.trajectory`."""
    with suppress(AttributeError):  # of a class with slots
        error.trajectory = trajectory  # type: ignore[attr-defined]
    error.add_note(f"in a run of polhode, at t = {trajectory.t[-1]:g}; what it computed is in the error's .trajectory")
    return error
