"""Checks of the arguments of a run: each error names the argument, its value, and what is allowed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.method import Method
from ..core.system import State, System
from ..errors import InvalidInputError
from .events import Event

LARGE = 1e150  # the squares of larger numbers may be too large for a double
MOST_STEPS = 2**53  # up to this number a double holds every integer exactly


def check_arguments(state: Any, method: Any) -> None:
    """Check that these are a state and a method."""
    if isinstance(state, list | tuple) and state and all(isinstance(each, State) for each in state):
        problem = "these are several states: run them with ensemble(states, ...), or one of them with simulate"
        raise InvalidInputError("state", f"{len(state)} states", problem=problem)
    if not isinstance(state, State):
        raise InvalidInputError(
            "state", state, "a state made by system.state(...), such as FreeRigidBody([1, 2, 3]).state(omega=[1, 0, 0])"
        )
    if not isinstance(method, Method):
        raise InvalidInputError("method", method, "a method, such as LGVI(order=2)")


def may_have_no_energy(system: System) -> bool:
    """Whether a start of this system may have no energy."""
    return system.offers("energies") or not system.starts_anywhere


def check_start(state: State) -> None:
    """Refuse a start at which the energy is not a number, outside the domain of a potential, or too large for a double."""
    if any(abs(number) > LARGE for value in state.values.values() for number in value.ravel().tolist()):
        for name, quantity in (*state.values.items(), *state.invariants().items()):
            if np.any(np.isinf(quantity)):
                problem = f"its {name} is too large for a double; smaller rates or other units are needed"
                raise InvalidInputError("state", state, problem=problem)
    system = state.system
    if not may_have_no_energy(system):
        return
    with np.errstate(all="ignore"):
        parts = system.energies(state.values, state.t) if system.offers("energies") else state.invariants()
    if any(np.any(np.isnan(part)) for part in parts.values()):
        problem = "its energy is not a number: the start is outside the domain of the potential"
        raise InvalidInputError("state", state, problem=problem)


def check_events(events: Any, system: System, tangent: bool) -> list[Event]:
    """`events` as a list, if all of them can be detected in runs of `system`."""
    if not isinstance(events, (list, tuple)) or not all(isinstance(event, Event) for event in events):
        raise InvalidInputError("events", events, "a list of events, such as [Contact()] or [Crossing(name, function)]")
    if events and tangent:
        raise InvalidInputError(
            "events", events, problem="events and tangent=True exclude each other: give one of them"
        )
    for event in events:
        event.check(system)
    return list(events)


def check_times(t_eval: Any, t0: float, step: Any, t_end: Any) -> tuple[NDArray[np.float64], float]:
    """`t_eval` as an array of times that run from `t0` in the direction of the step, and the end of the run."""
    try:
        times = np.array(t_eval, dtype=np.float64)
    except (TypeError, ValueError):
        times = np.empty(0)
    if times.ndim != 1 or not times.size or not np.all(np.isfinite(times)):
        raise InvalidInputError("t_eval", t_eval, "a list of finite times")
    if t_end is not None and not finite_number(t_end):
        raise InvalidInputError("t_end", t_end, "a finite number")
    end = float(times[-1] if t_end is None else t_end)
    sign = math.copysign(1.0, end - t0 if step is None else step)
    if np.any(np.diff(sign * times) <= 0.0):
        raise InvalidInputError("t_eval", t_eval, f"times in {'rising' if sign > 0 else 'falling'} order, each once")
    if sign * times[0] < sign * t0 or sign * times[-1] > sign * end:
        low, high = sorted((t0, end))
        raise InvalidInputError("t_eval", t_eval, f"times from {low:g} to {high:g}, which the run goes through")
    return times, end


def check_step(step: Any) -> float:
    """`step` as a nonzero finite number."""
    if not finite_number(step) or step == 0:
        raise InvalidInputError("step", step, "a nonzero finite number")
    return float(step)


def check_end(t0: float, t_end: Any) -> float:
    """`t_end` as a finite time other than the start."""
    if t_end is None:
        raise InvalidInputError("t_end", None, problem="t_end is missing: say when the run ends")
    if not finite_number(t_end) or float(t_end) == t0:
        raise InvalidInputError("t_end", t_end, f"a finite time other than the start, t = {t0:g}")
    return float(t_end)


def count_steps(t0: float, step: float, t_end: Any, steps: Any) -> int:
    """The number of steps to do, from `steps` or from `t_end`."""
    if (t_end is None) == (steps is None):
        problem = (
            "say when the run ends: give t_end or steps" if steps is None else "give either t_end or steps, not both"
        )
        raise InvalidInputError("t_end", t_end, problem=problem)
    if steps is not None:
        if not is_whole(steps) or steps < 0:
            raise InvalidInputError("steps", steps, f"a whole number from 0 to {MOST_STEPS}")
        return _check_times_distinct(t0, step, int(steps))
    if not finite_number(t_end):
        raise InvalidInputError("t_end", t_end, "a finite number")
    end = float(t_end)
    exact = (end - t0) / step
    if not abs(exact) <= MOST_STEPS:
        raise InvalidInputError("step", step, f"a step that reaches t_end = {end:g} in at most {MOST_STEPS} steps")
    if exact < 0:
        side = "after" if step > 0 else "before"
        raise InvalidInputError("t_end", t_end, f"a time {side} the start, t = {t0:g}, since step = {step:g}")
    n = round(exact)
    # times and step are known up to rounding, the step n times; a visible fraction of a step is not a rounding error
    rounding = 4.0 * (math.ulp(t0) + math.ulp(end) + n * math.ulp(step)) / abs(step)
    if abs(exact - n) > min(rounding, 1e-3) or (n == 0 and end != t0):
        low, high, span = math.floor(exact), math.ceil(exact), end - t0
        choices = f"t_end = {_brief(t0 + low * step)} ({low} steps) or {_brief(t0 + high * step)} ({high} steps)"
        sizes = [f"{_brief(span / k)} ({k} steps)" for k in (low, high) if k]
        raise InvalidInputError(
            "t_end",
            t_end,
            f"a whole number of steps of {step:g} from t = {t0:g}: use {choices}, or step = {' or '.join(sizes)}",
        )
    return _check_times_distinct(t0, step, n)


def finite_number(x: Any) -> bool:
    """Whether `x` is a finite number (True and False do not count as numbers)."""
    x = x[()] if isinstance(x, np.ndarray) else x
    if isinstance(x, bool) or not isinstance(x, (int, float, np.floating, np.integer)):
        return False
    try:
        return math.isfinite(x)
    except OverflowError:  # an integer that no double holds
        return False


def check_every(save_every: Any) -> None:
    """Check after how many steps there is a sample."""
    if not is_whole(save_every) or save_every < 1:
        raise InvalidInputError("save_every", save_every, "a positive whole number")


def is_whole(n: Any) -> bool:
    """Whether `n` is an integer of at most `MOST_STEPS` (True and False do not count as integers)."""
    return isinstance(n, (int, np.integer)) and not isinstance(n, bool) and abs(int(n)) <= MOST_STEPS


def _check_times_distinct(t0: float, step: float, n: int) -> int:
    """`n`, if all times t0 + k·step up to k = n are different doubles."""
    far = max(abs(t0), abs(t0 + n * step))
    if n and not abs(step) >= math.ulp(far):
        allowed = f"a step that changes the time: at t = {far:g} doubles are {math.ulp(far):g} apart"
        raise InvalidInputError(
            "step", step, allowed if math.isfinite(far) else "a step for which all times are finite"
        )
    return n


def _brief(x: float) -> str:
    """A number in as few digits as are needed to read back the same number, up to rounding."""
    texts = (f"{x:.12g}", f"{x:.15g}", repr(x))
    return next(text for text in texts if abs(float(text) - x) <= math.ulp(x))
