"""The momentum with which one step of a system takes an attitude R₀ to R₁, both given: the data of the Lagrangian form.

It is the inverse of the system's own order-2 step, with all that acts in it (kicks, rotors, A(R), damping, a turning
frame). For the free body `h S(Π) = F Jd − Jd Fᵀ`, `F = R₀ᵀR₁` (94 of [LLM07]) is that inverse, and with it F is a measure
of how far a trial misses R₁. The three equations are solved by Broyden's method, for which the slope is nearly 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.callbacks import raise_noted, watch_callbacks
from ...core.representation import Form
from ...core.system import State
from ...errors import InvalidInputError, PolhodeError
from ...geometry import so3
from ...scalars import compiled, double
from ...scalars.protocol import REPORT_SIZE

if TYPE_CHECKING:
    from .base import AttitudeSystem

Array = NDArray[np.float64]
MOST_ITERATIONS = 60
ROUNDING = 1e-15  # what is left of the equations relative to J/h, where no more can be gained
SOLVED = 1e-12  # and what may be left at most
SAME = 1e-6  # how far R₁ may be missed then: turns by θ and by π − θ about an axis solve the same equations


@compiled
def kick_and_drift(
    S: Any,
    drift: Any,
    force: Any,
    has_force: bool,
    y: Array,
    p: Array,
    momenta: int,
    slots: int,
    size: int,
    t: float,
    h: float,
    report: Array,
) -> int:
    """The half kick that begins a step, and its drift: all of a step that moves the attitude."""
    if has_force:
        status = force(S, y, p, t, 0.0, report)
        if status != 0:
            return status
        for i in range(size):
            y[momenta + i] += 0.5 * h * y[slots + i]
    return drift(S, y, p, t, h, report)  # type: ignore[no-any-return]


def next_attitude(state: State, h: float) -> Array | None:
    """R after one step of length h, or None where the step has no solution."""
    system = state.system
    representation = system.representations.get(Form.DEFAULT)
    if representation is None or representation.drift is None:
        raise PolhodeError(f"{type(system).__name__} has no variational step on rotation matrices")
    layout, drift = representation.layout, representation.drift.on(double)
    force = drift if representation.force is None else representation.force.on(double)
    rest, more = np.zeros(layout.size), np.zeros(representation.forces + representation.workspace)
    y = np.concatenate([rest, system.enter(Form.DEFAULT, state), more])[layout.size :]
    momenta, slots, size = layout.kicked.start, layout.size, representation.forces
    p, report = np.ascontiguousarray(system.parameters()), np.zeros(REPORT_SIZE)
    has_force = representation.force is not None
    with watch_callbacks():
        status = kick_and_drift(double, drift, force, has_force, y, p, momenta, slots, size, float(state.t), h, report)
        raise_noted()
    return None if status else layout.unpack(y[: layout.size])["R"]


def state_of_pair(system: AttitudeSystem, make: Callable[[Array], State], R0: Array, R1: Array, h: float) -> State:
    """The state `make(Pi)` at R₀ from which one step of length h ends at R₁."""
    Jd = system.inertia.nonstandard
    size = np.abs(system.inertia.matrix).max() / abs(h)
    Pi = so3.vee2(R0.T @ R1 @ Jd) / h + system.linear_term(R0)
    inverse, change, left = np.eye(3), np.zeros(3), np.full(3, np.inf)
    for _ in range(MOST_ITERATIONS):
        state = make(Pi + change)
        reached = next_attitude(state, h)
        if reached is None:
            change = 0.5 * change
            if not np.abs(change).max() > ROUNDING * size:
                break
            continue
        here = so3.vee2(R0.T @ (R1 - reached) @ Jd) / h
        if np.abs(here).max() <= ROUNDING * size or (
            np.abs(here).max() <= SOLVED * size and np.abs(here).max() >= np.abs(left).max()
        ):
            if np.abs(R1 - reached).max() < SAME:
                return state
            break
        if np.isfinite(left).all():  # Broyden's update: the change of the equations was `here − left`
            slope = inverse @ (here - left)
            inverse += np.outer(-change - slope, change @ inverse) / (change @ slope)
        Pi, left = Pi + change, here
        change = inverse @ here
    raise InvalidInputError("R1", R1.tolist(), f"an attitude that one step of {h:g} from R0 can reach")
