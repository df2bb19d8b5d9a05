"""The closed form of the motion, where there is one: a reference to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.method import Array, Method, Report, Run, Start
from ..core.system import System
from ..errors import IncompatibleMethodError
from ..scalars import double

if TYPE_CHECKING:
    from numba import types


def _only_doubles(method: Method, kind: types.Type) -> None:
    if kind != double:
        raise IncompatibleMethodError(f"{method!r} runs on plain doubles only, not on {kind}")


class Exact(Method):
    """The closed form of the motion, for systems that have one: every trait to rounding, at any step."""

    summary = "closed form"
    reference = "the system's own"
    order = 0
    symplectic = True
    symmetric = True
    preserves_momentum = True
    preserves_energy = True
    preserves_group = True
    in_lanes = False

    def why_not(self, system: System) -> str | None:
        return None if system.has_exact else "no closed form of its motion is known here"

    def run(self, start: Start) -> Run:
        _only_doubles(self, start.kind)
        return _ExactRun(self, start)


class _ExactRun(Run):
    dense = True

    def __init__(self, method: Exact, start: Start) -> None:
        self.layout = start.representation.layout
        self.report = Report()
        self.y = start.y
        self.carried = self.y.size
        self._motion = start.state.system.closed_form(start.state)  # once, for all chunks
        self._t0, self._step = start.state.t, start.step

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        last = first + count
        numbers = np.arange((first // every + 1) * every, last + 1, every)
        wanted = numbers if numbers.size and numbers[-1] == last else np.append(numbers, last)
        rows = self._rows(np.asarray(self._t0 + wanted * self._step, dtype=np.float64))
        samples[: len(numbers)] = rows[: len(numbers)]
        self.y = rows[-1]
        return 0, count

    def follow(self, times: Array, samples: Array) -> tuple[int, int]:
        if len(times):
            rows = self._rows(times)
            samples[:] = rows[: len(samples)]
            self.y = rows[-1]
        return 0, len(times)

    def _rows(self, times: Array) -> Array:
        """Flat states at these times."""
        values = self._motion(times)
        return np.concatenate([values[v.name].reshape(len(times), -1) for v in self.layout.variables], axis=1)
