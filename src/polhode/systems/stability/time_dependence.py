"""Whether the motion near a state changes with time: what a linearisation with constant coefficients must exclude."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.representation import Representation
from ...core.system import State
from ...errors import InvalidInputError
from .tangent_dynamics import STEADY, TangentDynamics, rate_and_matrix

Array = NDArray[np.float64]
LATER = (0.31, 1.7, 5.3, 17.9, 101.3)  # when to look again, in units of the motion's own time
CLOCK = "clock"  # the variable in which a state carries its time, where it does
CHANGED = 1e-6  # how much of itself the matrix may change by rounding


def check_autonomous(state: State, representation: Representation, y: Array, p: Array, near: TangentDynamics) -> None:
    """Refuse a state near which the rates, or their derivatives, are others at later times."""
    layout = representation.layout
    unit = 1.0 / near.rate if near.rate else 1.0
    v0, A0 = rate_and_matrix(representation, y, p, state.t)
    units = near.scale / near.scale[:, None]
    allowed = CHANGED * max(near.rate, float(np.abs(A0 * units).max()))
    pulses = [corner - state.t for corner in state.system.corners if corner > state.t]  # one of them is their peak
    for late in [each * unit for each in LATER] + pulses:
        t = state.t + late
        values = layout.unpack(y)
        if CLOCK in values:
            values = {**values, CLOCK: values[CLOCK] + late}
        v, A = rate_and_matrix(representation, layout.pack(values), p, t)
        if not (near.vanishes((v - v0) / near.scale, STEADY) and np.all(np.abs(A - A0) * units <= allowed)):
            raise InvalidInputError(
                "state", state, f"a system whose equations do not depend on time; here those at t = {t:g} differ"
            )
