"""The largest step that an implicit method can take from a state, found by trying single steps."""

from __future__ import annotations

import math

import numpy as np

from ..core.system import State
from ..methods import LGVI, Method
from .arguments import check_arguments, check_step

GROWTH = 1.25  # ratio of trial steps, until one succeeds and the next fails
FARTHEST = 1e6  # relative to the first trial: a step this large counts as unbounded
FINE = 1e-10  # relative accuracy of the bound


def largest_step(state: State, method: Method | None = None, *, near: float | None = None) -> float:
    """The largest step that `method` (default: `LGVI()`) can take from `state`; infinite if there is no bound.

    The search begins at `near` (negative: backwards in time); by default at the bound of the motion without force,
    `system.largest_step(state)`. The bound holds for this state only, and later states have others, so half of it is a
    good choice.

    >>> import polhode as ph
    >>> body = ph.FreeRigidBody([1, 2, 3])
    >>> round(ph.largest_step(body.state(omega=[0, 2.0, 0])), 6)
    0.5
    """
    method = LGVI() if method is None else method
    check_arguments(state, method)
    system = state.system
    method.check(system)
    if not method.implicit:
        return math.inf
    if near is None:
        free = system.largest_step(state)
        near = free if 0.0 < free < math.inf else 1.0
    h, sign = abs(check_step(near)), math.copysign(1.0, near)

    def works(size: float) -> bool:
        run = method.start(state, sign * size)
        status, _ = run.advance(0, 1, 2, np.empty((0, run.row_size)))
        return status == 0 and bool(np.all(np.isfinite(run.sample)))

    if works(h):
        low, high = h, GROWTH * h
        while works(high):
            low, high = high, GROWTH * high
            if high > FARTHEST * h:
                return math.inf
    else:
        low, high = h / GROWTH, h
        while not works(low):
            low, high = low / GROWTH, low
            if low < h / FARTHEST**2:
                return 0.0
    while high - low > FINE * low:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if works(middle) else (low, middle)
    return low


def rounded_down(x: float, digits: int = 6) -> str:
    """A number rounded down to so many digits; up only where its own relative error `FINE` allows it.

    >>> rounded_down(0.9942339), rounded_down(1.05031548), rounded_down(0.49999999999)
    ('0.994233', '1.05031', '0.5')
    """
    if x <= 0.0 or not math.isfinite(x):
        return f"{x:g}"
    unit = 10.0 ** (math.floor(math.log10(x)) + 1 - digits)
    return f"{math.floor(x * (1.0 + FINE) / unit) * unit:.{digits}g}"
