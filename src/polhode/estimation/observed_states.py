"""The states at which observations were made, how they change with the unknowns of a fit, and with them what they show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.finite_differences import OFFSETS, WEIGHTS
from ..core.layout import Layout
from ..core.system import State, System
from ..core.varied_parameters import VariedParameters
from .observations import Observation
from .shown_fields import field_rows

Array = NDArray[np.float64]
SIZE = 1e-3  # of differences, relative to the sizes of the variables


@dataclass(frozen=True)
class ObservedStates:
    """States y (n, size) in a layout, and their derivatives Phi (n, dimension, unknowns) in its tangent coordinates. The last
    unknowns are the parameters `varied` of the system, if there are any. `sizes` are those of the coordinates."""

    layout: Layout
    system: System
    varied: VariedParameters | None
    y: Array
    Phi: Array
    sizes: Array

    def residuals(self, seen: Observation) -> tuple[Array, Array]:
        """The residuals of an observation (m,), and their derivatives by the unknowns (m, unknowns)."""
        states = self._states(self.y, self.system)
        r, slopes = seen.residuals(states), seen.slopes(states)
        if slopes is None:
            slope = self._differences(seen.residuals)
        else:
            slope = np.zeros((*r.shape, self.Phi.shape[-1]))
            for name, by_field in slopes.items():
                slope += by_field[:, None, :] @ self._of_field(name)
        return r.reshape(-1), slope.reshape(r.size, -1)

    def _states(self, y: Array, system: System) -> State:
        return State(system, self.layout.unpack(y))

    def _of_field(self, name: str) -> Array:
        """The derivatives of a field's entries (n, entries, unknowns): exact for a variable of the layout; for what the
        system derives from these, in Python, by differences."""
        if name in self.layout.slices:
            return np.asarray(self._basis[:, self.layout.slices[name], :] @ self.Phi)
        return self._differences(lambda states: field_rows(states, name))

    @property
    def _basis(self) -> Array:
        """The tangent basis at each state (n, size, dimension)."""
        return np.stack([self.layout.basis(row) for row in self.y])

    def _differences(self, read: Callable[[State], Array]) -> Array:
        """The derivatives of what is read of states (n, m), by differences of order 8 along the tangent basis."""
        basis = self._basis
        columns = []
        for j, size in enumerate(self.sizes):
            h = SIZE * size
            rows = (read(self._states(self.y + o * h * basis[:, :, j], self.system)) for o in OFFSETS)
            columns.append(sum(w / h * row for w, row in zip(WEIGHTS, rows, strict=True)))
        slope = np.stack(columns, axis=-1) @ self.Phi
        if self.varied is not None:
            slope[..., -len(self.varied) :] += self.varied.derivatives(lambda other: read(self._states(self.y, other)))
        return np.asarray(slope)
