"""The states at which observations were made, how they change with the unknowns of a fit, and with them what they show.

What is read of a state, a field that its system derives or a residual, is differentiated along the tangent basis by a
complex step. Where that does not agree with a rough difference, because a function of a user does not carry complex numbers
along, differences of order 8 are taken.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.exceptions import ComplexWarning
from numpy.typing import NDArray

from ..core.complex_step import derivative_along
from ..core.finite_differences import OFFSETS, WEIGHTS
from ..core.layout import Layout
from ..core.system import State, System
from ..core.varied_parameters import VariedParameters
from .observations import Observation
from .shown_fields import field_rows

Array = NDArray[np.float64]
Read = Callable[[State], Array]
SIZE = 1e-3  # of differences, relative to the sizes of the variables
ROUGH = 1e-6  # of the difference with which a complex step is compared, and how far the two may be apart


class StatesWithTangent(State):
    """States with a tangent vector in the imaginary part of their values."""

    def __init__(self, system: System, values: dict[str, Array]) -> None:
        self.system, self.t, self.values = system, 0.0, values


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
            slope = self.derivatives(seen.residuals)
        else:
            slope = np.zeros((*r.shape, self.Phi.shape[-1]))
            for name, by_field in slopes.items():
                slope += by_field[:, None, :] @ self.derivatives(partial(field_rows, name=name))
        return r.reshape(-1), slope.reshape(r.size, -1)

    def derivatives(self, read: Read) -> Array:
        """The derivatives (n, m, unknowns) of what is read of states (n, m)."""
        along = self._complex_step if self._carries_complex(read) else self._differences
        ways = np.moveaxis(self._basis * self.sizes, -1, 0)
        slope = (np.stack([along(read, way) for way in ways], axis=-1) / self.sizes) @ self.Phi
        if self.varied is not None:
            slope[..., -len(self.varied) :] += self.varied.derivatives(lambda other: read(self._states(self.y, other)))
        return np.asarray(slope)

    def _states(self, y: Array, system: System) -> State:
        return State(system, self.layout.unpack(y))

    @cached_property
    def _basis(self) -> Array:
        """The tangent basis at each state (n, size, dimension)."""
        return np.stack([self.layout.basis(row) for row in self.y])

    def _complex_step(self, read: Read, way: Array) -> Array:
        return derivative_along(lambda y: read(StatesWithTangent(self.system, self.layout.unpack(y))), self.y, way)

    def _differences(self, read: Read, way: Array) -> Array:
        rows = (read(self._states(self.y + o * SIZE * way, self.system)) for o in OFFSETS)
        return np.asarray(sum(w / SIZE * row for w, row in zip(WEIGHTS, rows, strict=True)))

    def _carries_complex(self, read: Read) -> bool:
        """Whether a complex step along a way across all coordinates is about what a difference gives, at every state."""
        way = (self._basis * self.sizes) @ np.cos(1.0 + np.arange(len(self.sizes)))
        here, ahead, behind = (read(self._states(self.y + s * ROUGH * way, self.system)) for s in (0.0, 1.0, -1.0))
        rough = (ahead - behind) / (2.0 * ROUGH)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", ComplexWarning)
                exact = self._complex_step(read, way)
        except Exception:  # whatever the function of a user raises when it meets complex numbers
            return False
        apart = ROUGH * np.abs(rough).max(axis=0) + 1e-2 * ROUGH * np.abs(here).max()
        return bool(np.all(np.abs(exact - rough) <= apart))
