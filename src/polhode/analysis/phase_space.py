"""Vector fields and conserved quantities in the coordinates of a layout's tangent basis: what the search for steady and
periodic motions is made of.

A momentum map μ generates a symmetry of the motion: the vector field X with `Ω X = dμ`, Ω the symplectic form. Derivatives
are central differences of order 8 along the tangent basis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import raise_noted, watch_callbacks
from ..core.finite_differences import OFFSETS, WEIGHTS
from ..core.manifolds import Euclidean
from ..core.representation import Form
from ..core.system import State
from ..errors import InvalidInputError
from ..systems.stability.tangent_dynamics import slope_and_derivative, tangent_dynamics

Array = NDArray[np.float64]
SIZE = 2e-3  # of the differences, relative to the variables


class PhaseSpace:
    """The phase space of a system near a state, in its default representation. `scale` are the units of the coordinates in
    which the motion near that state is of one size, `reach` the sizes of the variables themselves."""

    def __init__(self, state: State) -> None:
        self.system, self.t = state.system, state.t
        self.representation = self.system.representations[Form.DEFAULT]
        self.layout = self.representation.layout
        self.p = self.system.parameters()
        self.y = self.system.enter(Form.DEFAULT, state)
        near = tangent_dynamics(self.representation, self.y, self.p, self.t)
        self.scale, self.rate = near.scale, near.rate
        sizes = self.layout.unpack(self.y)
        self.reach = np.concatenate(
            [
                np.full(
                    v.manifold.dimension,
                    float(np.abs(sizes[v.name]).max()) if isinstance(v.manifold, Euclidean) else 1.0,
                )
                for v in self.layout.variables
            ]
        )
        self.reach = np.where(self.reach > 1e-3 * self.scale, self.reach, self.scale)
        conserved = self.system.conserved if self.system.hamiltonian else {}
        self.momenta = [name for name, each in conserved.items() if each.kind == "momentum"]

    def state(self, y: Array) -> State:
        """The state at y."""
        return State(self.system, self.layout.unpack(y), self.t)

    def moved(self, y: Array, scaled: Array) -> Array:
        """The point reached from y by a displacement in units of `scale`."""
        return self.layout.retract(y, np.asarray(scaled * self.scale, dtype=np.float64))

    def field(self, y: Array) -> Array:
        """dy/dt at y, in units of `scale`."""
        with watch_callbacks():
            seeds = np.zeros((self.layout.size, 0))
            slope, _ = slope_and_derivative(self.representation, y, seeds, self.p, self.t)
            raise_noted()
        return np.asarray(self.layout.coordinates(y, slope) / self.scale)

    def values(self, y: Array, names: Sequence[str]) -> Array:
        """Conserved quantities at y (..., size), one after another along the last axis."""
        found = self.system.invariants(self.layout.unpack(y))
        lead = y.shape[:-1]
        return np.concatenate(
            [np.zeros((*lead, 0)), *(np.reshape(found[name], (*lead, -1)) for name in names)], axis=-1
        )

    def slopes(self, y: Array, names: Sequence[str]) -> Array:
        """The derivatives of conserved quantities by the coordinates at y, in units of `scale`: (count, dimension)."""
        along = SIZE * (self.layout.basis(y) * self.reach).T  # straight lines do: only the direction at y matters
        moved = y + np.array(OFFSETS)[:, None, None] * along
        found = np.tensordot(np.array(WEIGHTS), self.values(moved, names), 1).T
        return np.asarray(found / SIZE * (self.scale / self.reach))

    def check_names(self, field: str, names: Sequence[str]) -> list[str]:
        """Names of conserved quantities."""
        for name in names:
            if name not in self.system.conserved:
                raise InvalidInputError(field, name, f"some of {', '.join(self.system.conserved)}")
        return list(names)

    def derivative(self, function: Callable[[Array], Array], y: Array) -> Array:
        """The derivative of `function` by the coordinates at y, in units of `scale`: (…, dimension)."""
        columns = []
        for e in np.diag(self.reach):
            terms = (w * function(self.layout.retract(y, o * SIZE * e)) for o, w in zip(OFFSETS, WEIGHTS, strict=True))
            columns.append(np.asarray(sum(terms)) / SIZE)
        return np.stack(columns, axis=-1) * (self.scale / self.reach)

    def generators(self, y: Array) -> Array:
        """The symmetries that the momentum maps generate, as columns (dimension, count), in units of `scale`."""
        if not self.momenta:
            return np.zeros((self.layout.dimension, 0))
        slopes = self.slopes(y, self.momenta)
        form = self.system.symplectic_form(Form.DEFAULT, y) * self.scale[:, None] * self.scale
        return np.asarray(np.linalg.solve(form, slopes.T))

    def acted(self, y: Array, amounts: Array) -> Array:
        """y after the symmetries with these amounts, all at once. A displacement along a symmetry is exact in one step for
        attitudes; places need several."""
        if not np.any(amounts):
            return y
        pieces = 1 if set(self.layout.slices) <= {"R", "Pi"} else 256
        for _ in range(pieces):
            half = self.moved(y, self.generators(y) @ amounts * (0.5 / pieces))
            y = self.moved(y, self.generators(half) @ amounts / pieces)
        return y
