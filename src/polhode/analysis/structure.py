"""Whether a map is symplectic, symmetric, and stays on the group: measured for any method and system."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.finite_differences import OFFSETS, WEIGHTS
from ..core.system import State
from ..errors import IncompatibleMethodError, PolhodeError
from ..methods import Method
from ..scalars import double
from ..simulation.driver import run_without_warnings
from ..simulation.trajectory import Trajectory
from .convergence import distance

Array = NDArray[np.float64]


def tangent_map(state: State, method: Method, step: float, steps: int = 1) -> Array:
    """The derivative of `steps` steps, in the tangent basis of the method's representation.

    Exact, from dual numbers, where the method is compiled; otherwise by differences.
    """
    try:
        run = run_without_warnings(state, step=step, steps=steps, save_every=max(steps, 1), method=method, tangent=True)
    except IncompatibleMethodError:
        return difference_map(state, method, step, steps)
    assert run.tangent is not None
    return run.tangent[-1]


def difference_map(state: State, method: Method, step: float, steps: int, size: float = 0.02) -> Array:
    """The derivative of `steps` steps by central differences of order 8, with the spacing `size`."""
    system, layout = state.system, state.system.representations[method.representation].layout

    def end(start: Array) -> Array:
        moved = State(system, layout.unpack(start), state.t)
        run = method.start(moved, step, double)
        run.advance(0, steps, steps + 1, np.empty((0, run.row_size)))
        return run.states(run.row[None])[0]

    y0 = system.enter(method.representation, state)
    y1 = end(y0)
    columns = []
    for direction in np.eye(layout.dimension):
        dy = np.zeros(layout.size)
        for k, w in zip(OFFSETS[::2], WEIGHTS[::2], strict=True):  # those ahead
            ahead, behind = (end(layout.retract(y0, s * k * size * direction)) for s in (1.0, -1.0))
            dy += w * (ahead - behind) / size
        columns.append(layout.coordinates(y1, dy))
    return np.stack(columns, axis=1)


def symplectic_defect(state: State, method: Method, step: float, steps: int = 10) -> float:
    """`‖Φᵀ Ω(y₁) Φ − Ω(y₀)‖ / ‖Ω‖`: how far `steps` steps are from pulling the symplectic form back to itself.

    >>> import polhode as ph
    >>> state = ph.FreeRigidBody.example()
    >>> symplectic_defect(state, ph.LGVI(), 0.1) < 1e-13
    True
    >>> symplectic_defect(state, ph.RK4(), 0.1) > 1e-6
    True
    """
    system, name = state.system, method.representation
    Phi = tangent_map(state, method, step, steps)
    final = run_without_warnings(state, step=step, steps=steps, save_every=steps, method=method).final
    before, after = (system.symplectic_form(name, system.enter(name, s)) for s in (state, final))
    return float(np.linalg.norm(Phi.T @ after @ Phi - before) / np.linalg.norm(before))


def symmetry_defect(state: State, method: Method, step: float, steps: int = 200) -> float:
    """The distance from the start after `steps` steps forward and as many back; of an adaptive method, after as many of
    its own as lie in this time."""
    if method.adaptive:
        return _walking_defect(state, method, step, steps)
    there = run_without_warnings(state, step=step, steps=steps, save_every=steps, method=method).final
    back = run_without_warnings(there, step=-step, steps=steps, save_every=steps, method=method).final
    return distance(state, back)


def _walking_defect(state: State, method: Method, step: float, steps: int) -> float:
    """The distance from the start after steps of the method's own length forward and back."""
    there, count, t = method.start(state, step), 0, state.t
    while abs(t - state.t) < abs(step) * steps:
        status, t = there.walk(1)
        count += 1
        if status:
            raise PolhodeError(f"{method!r} does not get from t = {state.t:g} to {state.t + steps * step:g}")
    layout = there.layout
    back = method.start(State(state.system, layout.unpack(there.states(there.row[None])[0]), t), -step)
    _, t = back.walk(count)
    return distance(state, State(state.system, layout.unpack(back.states(back.row[None])[0]), t))


def group_defect(trajectory: Trajectory) -> float:
    """The distance of the variables from their manifolds at the end of a run.

    >>> import polhode as ph
    >>> state = ph.FreeRigidBody.example()
    >>> group_defect(ph.simulate(state, step=0.1, steps=1000)) < 1e-14
    True
    >>> group_defect(ph.simulate(state, step=0.1, steps=1000, method=ph.RK4())) > 1e-10
    True
    """
    layout = trajectory.system.representations[trajectory.method.representation].layout
    return float(layout.defect(layout.pack(trajectory.final.values)))
