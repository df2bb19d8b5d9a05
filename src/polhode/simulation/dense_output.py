"""States between samples: the method continues from the last sample before the wanted time, with a shorter last step.

A shorter step stays on the manifold and is as accurate as a full step. At its full length it reaches the next node, so the
result is continuous. (The only exception are the velocities of `EnergyMomentum`: each of its steps, however short, changes
the sign of their component outside the tangent space, which is of the size of the error of the method.)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.system import State
from ..errors import PolhodeError

if TYPE_CHECKING:
    from ..core.method import Method
    from ..core.system import System
    from .trajectory import Trajectory

Array = NDArray[np.float64]

ROUNDING = 8.0 * np.finfo(float).eps  # relative to the times: a smaller remainder is rounding, not a step


def after(state: State, method: Method, step: float, count: int = 1) -> State:
    """The state `count` steps later."""
    system = state.system
    run = method.start(state, step)
    status, _ = run.advance(0, count, count + 1, np.empty((0, run.row_size)))
    if status:
        raise PolhodeError(
            f"the state at t = {state.t + count * step:g} cannot be computed: the step from t = {state.t:g} failed"
        )
    row = run.states(run.row[None])
    values = system.representations[method.representation].layout.unpack(row)
    return State(system, {name: array[0] for name, array in values.items()}, state.t + count * step)


def states_at(trajectory: Trajectory, times: Array) -> Array:
    """Rows of flat states at `times` (n,), each within the run; each part of the run is computed once, in order of time."""
    system, method, step = trajectory.system, trajectory.method, trajectory.step
    sign = math.copysign(1.0, step)
    nodes, wanted = sign * trajectory.t, sign * times
    rows = np.empty((len(times), system.representations[method.representation].layout.size))
    state, at = trajectory.state(0), -1
    for k in np.argsort(wanted, kind="stable"):
        node = int(np.searchsorted(nodes, wanted[k], side="right")) - 1
        if node != at:
            state, at = trajectory.state(node), node
        count, rest = whole_steps(state.t, float(times[k]), step)
        if count:
            state = after(state, method, step, count)
        rows[k] = _flat(system, method, after(state, method, rest) if rest else state)
    return rows


def whole_steps(start: float, end: float, step: float) -> tuple[int, float]:
    """The number of whole steps between two times, and the remainder: 0 where it is only rounding of the times."""
    span = end - start
    count = round(span / step)
    if abs(span - count * step) <= ROUNDING * max(abs(start), abs(end)):
        return count, 0.0
    count = math.floor(span / step)
    return count, span - count * step


def _flat(system: System, method: Method, state: State) -> Array:
    return system.enter(method.representation, state)
