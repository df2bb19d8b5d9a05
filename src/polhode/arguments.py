"""Checks of what a run is given: each says which argument is wrong, its value, and what is allowed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .errors import InvalidInput
from .events import Event
from .methods.base import Method
from .systems.base import State, System


def check_arguments(system: Any, state: Any, method: Any) -> None:
    """Whether these are a system, one of its states, and a method."""
    if not isinstance(system, System):
        raise InvalidInput("system", system, "a system, such as FreeRigidBody(inertia=[1, 2, 3])")
    if not isinstance(state, State):
        raise InvalidInput("state", state, "a state made by system.state(...) or a trajectory's final state")
    if type(state.system) is not type(system):
        raise InvalidInput("state", state, f"a state of {type(system).__name__}, not of {type(state.system).__name__}")
    if not isinstance(method, Method):
        raise InvalidInput("method", method, "a method, such as LGVI(order=2)")


def check_events(events: Any, system: System, tangent: bool) -> list[Event]:
    """`events`, if they can be looked for."""
    if isinstance(events, Event) or not all(isinstance(event, Event) for event in events):
        raise InvalidInput("events", events, "a list of events, such as [Contact()]")
    if events and tangent:
        raise InvalidInput("events", events, "no events together with tangent=True")
    for event in events:
        event.check(system)
    return list(events)


def check_step(step: Any) -> float:
    """`step` as a nonzero finite number."""
    if isinstance(step, bool) or not isinstance(step, (int, float, np.floating, np.integer)):
        raise InvalidInput("step", step, "a nonzero finite number")
    if not math.isfinite(step) or step == 0:
        raise InvalidInput("step", step, "a nonzero finite number")
    return float(step)


def count_steps(t0: float, step: float, t_end: Any, steps: Any) -> int:
    """The number of steps to do, from `steps` or from `t_end`."""
    if (t_end is None) == (steps is None):
        raise InvalidInput("t_end", t_end, "either t_end or steps, and not both")
    if steps is not None:
        if not whole(steps) or steps < 0:
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


def whole(n: Any) -> bool:
    """Whether `n` is a whole number, and no truth value."""
    return isinstance(n, (int, np.integer)) and not isinstance(n, bool)
