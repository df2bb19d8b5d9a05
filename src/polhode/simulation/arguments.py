"""Checks of what a run is given: each says which argument is wrong, its value, and what is allowed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.method import Method
from ..core.system import State, System
from ..errors import InvalidInputError
from .events import Event

MOST_STEPS = 2**53  # up to here doubles count them


def check_arguments(state: Any, method: Any) -> None:
    """Check that these are a state and a method."""
    if not isinstance(state, State):
        raise InvalidInputError(
            "state", state, "a state made by system.state(...), such as FreeRigidBody([1, 2, 3]).state(omega=[1, 0, 0])"
        )
    if not isinstance(method, Method):
        raise InvalidInputError("method", method, "a method, such as LGVI(order=2)")


def check_events(events: Any, system: System, tangent: bool) -> list[Event]:
    """`events`, if they can be looked for."""
    if not isinstance(events, (list, tuple)) or not all(isinstance(event, Event) for event in events):
        raise InvalidInputError("events", events, "a list of events, such as [Contact()]")
    if events and tangent:
        raise InvalidInputError("events", events, "no events together with tangent=True")
    for event in events:
        event.check(system)
    return list(events)


def check_step(step: Any) -> float:
    """`step` as a nonzero finite number."""
    if not finite_number(step) or step == 0:
        raise InvalidInputError("step", step, "a nonzero finite number")
    return float(step)


def count_steps(t0: float, step: float, t_end: Any, steps: Any) -> int:
    """The number of steps to do, from `steps` or from `t_end`."""
    if (t_end is None) == (steps is None):
        raise InvalidInputError("t_end", t_end, "either t_end or steps, and not both")
    if steps is not None:
        if not whole(steps) or steps < 0:
            raise InvalidInputError("steps", steps, f"a whole number from 0 to {MOST_STEPS}")
        return _told_apart(t0, step, int(steps))
    if not finite_number(t_end):
        raise InvalidInputError("t_end", t_end, "a finite number")
    end = float(t_end)
    exact = (end - t0) / step
    if not abs(exact) <= MOST_STEPS:
        raise InvalidInputError("step", step, f"a step that leads to t_end = {end:g} in a countable number of steps")
    if exact < 0:
        side = "after" if step > 0 else "before"
        raise InvalidInputError("t_end", t_end, f"a time {side} the start, t = {t0:g}, since step = {step:g}")
    n = round(exact)
    # times and step are known up to their rounding, the step n times; but a visible part of a step is no rounding
    rounding = 4.0 * (math.ulp(t0) + math.ulp(end) + n * math.ulp(step)) / abs(step)
    if abs(exact - n) > min(rounding, 1e-3) or (n == 0 and end != t0):
        low, high, span = math.floor(exact), math.ceil(exact), end - t0
        choices = f"t_end = {_brief(t0 + low * step)} ({low} steps) or {_brief(t0 + high * step)} ({high} steps)"
        sizes = [f"{_brief(span / k)} ({k} steps)" for k in (low, high) if k]
        raise InvalidInputError(
            "t_end",
            t_end,
            f"a whole number of steps of {step:g} from t = {t0:g}: {choices}, or step = {' or '.join(sizes)}",
        )
    return _told_apart(t0, step, n)


def finite_number(x: Any) -> bool:
    """Whether `x` is a finite number, and no truth value."""
    x = x[()] if isinstance(x, np.ndarray) else x
    if isinstance(x, bool) or not isinstance(x, (int, float, np.floating, np.integer)):
        return False
    try:
        return math.isfinite(x)
    except OverflowError:  # an integer that no double holds
        return False


def whole(n: Any) -> bool:
    """Whether `n` is a whole number that can be counted to, and no truth value."""
    return isinstance(n, (int, np.integer)) and not isinstance(n, bool) and abs(int(n)) <= MOST_STEPS


def _told_apart(t0: float, step: float, n: int) -> int:
    """`n`, if the times t0 + k step up to it are different doubles."""
    far = max(abs(t0), abs(t0 + n * step))
    if n and not abs(step) >= math.ulp(far):
        allowed = f"a step that changes the time: at t = {far:g} doubles are {math.ulp(far):g} apart"
        raise InvalidInputError("step", step, allowed if math.isfinite(far) else "a step that leads to finite times")
    return n


def _brief(x: float) -> str:
    """A number in as few digits as can be read back as the same, up to rounding."""
    texts = (f"{x:.12g}", f"{x:.15g}", repr(x))
    return next(text for text in texts if abs(float(text) - x) <= math.ulp(x))
