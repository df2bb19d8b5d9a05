"""The closed form of the motion, where there is one: a reference to compare with.

A column of its tangent map is the derivative at ε = 0 of the motion that starts from `y ⊕ ε ξ`; where the column is that of a
parameter, in the system whose parameter is moved too. The closed form costs the same at any time and is right to rounding, so
that central differences of order 8 have ten digits and more: they are taken at smaller and smaller ε, and of each sample
those that agree best with the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.finite_differences import OFFSETS, WEIGHTS
from ..core.method import Array, Method, Report, Run, Start
from ..core.scalar_packing import column_count
from ..core.system import ClosedForm, State, System
from ..core.varied_parameters import VariedParameters
from ..errors import IncompatibleMethodError
from ..scalars import Dual, double

if TYPE_CHECKING:
    from numba import types


LEVELS = 0.25 ** np.arange(2, 14)  # of ε, relative to the size of what is moved


def _no_lanes(method: Method, kind: types.Type) -> None:
    if kind != double and not isinstance(kind, Dual):
        raise IncompatibleMethodError(f"{method!r} runs on plain doubles and duals only, not on {kind}")


class Exact(Method):
    """The closed form of the motion, for systems that have one: every trait to rounding, at any step.

    Tangent maps are the derivatives of the closed form, to about ten digits.
    """

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
        _no_lanes(self, start.kind)
        return _ExactRun(start) if start.kind == double else _ExactTangents(start)


class _ExactRun(Run):
    dense = True

    def __init__(self, start: Start) -> None:
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
        return self._flat(self._motion, times)

    def _flat(self, motion: ClosedForm, times: Array) -> Array:
        values = motion(times)
        return np.concatenate([values[v.name].reshape(len(times), -1) for v in self.layout.variables], axis=1)


class _ExactTangents(_ExactRun):
    """The closed form on duals: values from itself, partials from its neighbours.

    Carried are the entries with their partials, and the time: from any sample a run goes on with its partials as directions.
    """

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self._system, self._directions = start.state.system, start.directions
        self.y = np.append(start.y, start.state.t)
        self.carried = self.y.size
        self._set_out()

    @property
    def differentiated(self) -> int:
        return self.carried - 1

    def states(self, samples: Array) -> Array:
        return samples[:, :-1].copy()

    def restore(self, sample: Array) -> None:
        super().restore(sample)
        self._set_out()

    def _set_out(self) -> None:
        """The motions from here, and for each column from near here: (level, offset)."""
        entries, t = self.y[:-1].reshape(self.layout.size, -1), float(self.y[-1])
        y = entries[:, 0].copy()
        self._motion = self._from(self._system, y, t)
        self._columns = [
            self._neighbours(y, self.layout.coordinates(y, entries[:, 1 + j]), t, j)
            for j in range(column_count(self._directions))
        ]

    def _from(self, system: System, y: Array, t: float) -> ClosedForm:
        return system.closed_form(State(system, self.layout.unpack(y), t))

    def _neighbours(self, y: Array, xi: Array, t: float, j: int) -> tuple[float, list[list[ClosedForm]]]:
        """The unit of ε for a column, and the motions at each level and offset."""
        directions = self._directions
        varied = directions.part(slice(j, j + 1)) if isinstance(directions, VariedParameters) else None
        unit = self._unit(y, xi) if varied is None else varied.parameters[0].scale

        def near(epsilon: float) -> ClosedForm:
            system = self._system if varied is None else varied.system_with(varied.values + epsilon)
            return self._from(system, self.layout.retract(y, epsilon * xi), t)

        return unit, [[near(level * unit * offset) for offset in OFFSETS] for level in LEVELS]

    def _unit(self, y: Array, xi: Array) -> float:
        """How far along ξ a variable changes by its own size; that of a rotation, or of what is zero, is one."""
        units, j = [1e300], 0
        for v in self.layout.variables:
            length = float(np.linalg.norm(xi[j : j + v.manifold.dimension]))
            flat = v.manifold.dimension == v.manifold.size
            size = (float(np.linalg.norm(y[self.layout.slices[v.name]])) if flat else 0.0) or 1.0
            units += [size / length] if length > 0.0 else []
            j += v.manifold.dimension
        return min(units) if len(units) > 1 else 1.0

    def _rows(self, times: Array) -> Array:
        """Entries with their partials at these times, and the times."""
        entries = np.zeros((len(times), self.layout.size, len(self.y[:-1]) // self.layout.size))
        entries[:, :, 0] = super()._rows(times)
        for j, (unit, levels) in enumerate(self._columns):
            entries[:, :, 1 + j] = self._slopes(times, unit, levels)
        return np.concatenate([entries.reshape(len(times), -1), times[:, None]], axis=1)

    def _slopes(self, times: Array, unit: float, levels: list[list[ClosedForm]]) -> Array:
        """The derivatives at these times: of each, the one that agrees best with that of the next smaller ε."""
        best, least, last = np.zeros((len(times), self.layout.size)), np.full(len(times), np.inf), None
        for level, motions in zip(LEVELS, levels, strict=True):
            rows = np.stack([self._flat(motion, times) for motion in motions])
            slopes = np.tensordot(np.array(WEIGHTS), rows, 1) / (level * unit)
            if last is not None:
                change = np.abs(slopes - last).max(axis=1)
                better = change < least
                best[better], least[better] = last[better], change[better]
            last = slopes
        return best
