"""What is timed: some steps of a method from the same start each time, without output."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.method import Method
from ..core.scalar_packing import Directions
from ..core.system import State
from ..scalars import double

Array = NDArray[np.float64]


class Job:
    """Steps on a scalar; lanes hold one of `states` each, duals the derivatives in these `directions`."""

    def __init__(
        self,
        method: Method,
        *states: State,
        step: float,
        steps: int,
        kind: Any = double,
        directions: Directions = slice(None),
    ) -> None:
        self.run = method.start(states[0], step, kind, directions)
        self.steps = steps
        if len(states) > 1:
            members = [method.start(state, step).y for state in states]
            self.run.y[:] = np.stack(members, axis=1).ravel()
        self._start = self.run.y.copy()
        self._samples = np.empty((0, self._start.size))

    def __call__(self) -> Array:
        """The state at the end, as the scalar keeps it."""
        self.run.y[:] = self._start
        status, _ = self.run.advance(0, self.steps, self.steps + 1, self._samples)
        assert status == 0
        return self.run.y
