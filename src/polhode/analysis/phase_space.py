"""Vector fields and conserved quantities in the coordinates of a layout's tangent basis: what the search for steady and
periodic motions is made of.

A momentum map μ generates a symmetry of the motion: the vector field X with `Ω(X, ·) = dμ`, Ω the symplectic form, where dμ
comes from central differences of order 8; an angular momentum generates turns about its axis. Turns and shifts act on the
numbers of a state by affine maps, `X(y) = L y + b`: these are fitted once, and then symmetries and their derivatives are exact,
`y ↦ exp(L) y + …`.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import raise_noted, watch_callbacks
from ..core.finite_differences import OFFSETS, WEIGHTS
from ..core.manifolds import Euclidean
from ..core.representation import Form
from ..core.system import State, System
from ..errors import InvalidInputError, PolhodeError
from ..systems.stability.tangent_dynamics import rate_and_matrix, slope_and_derivative, tangent_dynamics

Array = NDArray[np.float64]
SIZE = 2e-3  # of the differences, relative to the variables
AFFINE = 1e-7  # by how much a symmetry may depart from an affine map, relative to the state
NULL = 1e-8  # of the largest: slopes along what is left out that are none


class PhaseSpace:
    """The phase space of a system near a state, in its default representation. `scale` are the units of the coordinates in
    which the motion near that state is of one size, `reach` the sizes of the variables themselves.

    With `relative`, motions are seen up to the symmetries of the system. Where it has `ignorable` variables these are left out
    (`kept` marks the coordinates of the others), and of conserved vectors only the length matters; otherwise the momentum
    maps in `momenta` generate them."""

    def __init__(self, state: State, relative: bool = True) -> None:
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
        self.momenta = [name for name, each in conserved.items() if each.kind == "momentum"] if relative else []
        self.reduced = bool(relative and self.system.ignorable)
        left = [v.name not in self.system.ignorable or not relative for v in self.layout.variables]
        self.kept = np.repeat(left, [v.manifold.dimension for v in self.layout.variables])
        self.acting = [] if self.reduced else self.momenta
        self.bounding = [name for name in self.momenta if not self.reduced or self._is_relative(name)]

    def _is_relative(self, name: str) -> bool:
        """Whether a conserved quantity does not depend on what is left out, at a state in general position."""
        shift = 0.1 * self.reach * np.random.default_rng(1).uniform(-1.0, 1.0, self.layout.dimension)
        slopes = self.slopes(self.layout.retract(self.y, shift), [name]) * (self.reach / self.scale)
        return bool(np.abs(slopes[:, ~self.kept]).max() <= NULL * np.abs(slopes).max())

    def state(self, y: Array) -> State:
        """The state at y."""
        values = self.layout.unpack(y)
        return self.system.relative_state(values, self.t) if self.reduced else State(self.system, values, self.t)

    def moved(self, y: Array, scaled: Array) -> Array:
        """The point reached from y by a displacement in units of `scale`. Variables that are left out are set anew: the
        derivatives of conserved quantities by the others depend on them."""
        there = self.layout.retract(y, np.asarray(scaled * self.scale, dtype=np.float64))
        return self.system.enter(Form.DEFAULT, self.state(there)) if self.reduced else there

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
        if self.reduced:
            found = {n: np.linalg.norm(v, axis=-1) if np.ndim(v) > len(lead) else v for n, v in found.items()}
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

    def of(self, system: System) -> PhaseSpace:
        """The same phase space for another system of the same kind, with other numbers."""
        if system is self.system:
            return self
        other = copy(self)
        other.system, other.p = system, system.parameters()
        other.representation = system.representations[Form.DEFAULT]
        if self.acting and np.abs(other._from_momentum_maps(self.y) - self._from_maps(self.y)).max() > AFFINE:
            other._maps = None
        return other

    def matrix(self, y: Array, amounts: Array) -> Array:
        """The matrix of the linearised motion seen from a frame that moves with the symmetries at these rates, in units of
        `scale`."""
        _, A = rate_and_matrix(self.representation, y, self.p, self.t)
        if np.any(amounts):
            L = np.tensordot(amounts, self.maps, 1)
            v = self.layout.coordinates(y, L[:, :-1] @ y + L[:, -1])
            turned = self.layout.coordinates(y, (L[:, :-1] @ self.layout.basis(y)).T).T
            bracket = np.stack([self.layout.bracket(v, e) for e in np.eye(self.layout.dimension)], axis=1)
            A = A - (turned - 0.5 * bracket)
        return np.asarray(A * self.scale / self.scale[:, None])

    @property
    def maps(self) -> Array:
        """The symmetries as affine maps of the numbers of a state, (count, size, size + 1): `X = L y + b`, b last."""
        if self._maps is None:
            self._maps = self._fit()
        return self._maps

    _maps: Array | None = None

    def _fit(self) -> Array:
        """The affine maps, from states in general position."""
        size, random = self.layout.size, np.random.default_rng(1)
        spread = np.array([isinstance(v.manifold, Euclidean) for v in self.layout.variables])
        kind = np.repeat(spread, [v.manifold.dimension for v in self.layout.variables])
        turns = self.reach * np.where(kind, 0.4, 1.5)
        states = [
            self.layout.retract(self.y, turns * random.uniform(-1.0, 1.0, self.layout.dimension))
            for _ in range(size + 9)
        ]
        rows = np.array([np.append(y, 1.0) for y in states])
        unit = np.append(np.maximum(np.abs(rows[:, :-1]).max(axis=0), 1e-300), 1.0)
        found = np.array([self._from_momentum_maps(y) for y in states])  # (states, size, count)
        flat, *_ = np.linalg.lstsq(rows / unit, found.reshape(len(states), -1), rcond=1e-11)
        off = np.abs(rows / unit @ flat - found.reshape(len(states), -1)).max()
        if not off <= AFFINE * max(np.abs(found).max(), 1e-300):
            raise PolhodeError(
                f"the symmetries of {type(self.system).__name__} are not turns and shifts of its variables"
            )
        return np.asarray(np.moveaxis((flat / unit[:, None]).reshape(size + 1, size, -1), (0, 1, 2), (2, 1, 0)))

    def generators_at(self, y: Array) -> Array:
        """The symmetries at y as columns, in units of `scale`, from the momentum maps."""
        slopes = self.slopes(y, self.acting)
        form = self.system.symplectic_form(Form.DEFAULT, y) * self.scale[:, None] * self.scale
        return np.asarray(np.linalg.solve(form.T, slopes.T))

    def _from_momentum_maps(self, y: Array) -> Array:
        """dy/ds along each symmetry (size, count), from the momentum maps."""
        return np.asarray(self.layout.basis(y) @ (self.generators_at(y) * self.scale[:, None]))

    def _from_maps(self, y: Array) -> Array:
        """dy/ds along each symmetry (size, count), from the affine maps."""
        return np.asarray((self.maps[:, :, :-1] @ y + self.maps[:, :, -1]).T)

    def generators(self, y: Array) -> Array:
        """The symmetries that the momentum maps generate, as columns (dimension, count), in units of `scale`."""
        if not self.acting:
            return np.zeros((self.layout.dimension, 0))
        return np.asarray(self.layout.coordinates(y, self._from_maps(y).T).T / self.scale[:, None])

    def acted(self, y: Array, amounts: Array) -> tuple[Array, Array]:
        """y after the symmetries with these amounts, all at once, and the matrix of that map (size, size)."""
        from scipy.linalg import expm

        n = self.layout.size
        if not np.any(amounts):
            return y, np.eye(n)
        moved = expm(_squared(np.tensordot(amounts, self.maps, 1)))
        return np.asarray(moved[:n, :n] @ y + moved[:n, n]), np.asarray(moved[:n, :n])

    def acted_by_amounts(self, y: Array, amounts: Array) -> Array:
        """The derivative of y after the symmetries, by their amounts: (dimension, count), in units of `scale`."""
        from scipy.linalg import expm_frechet

        n, whole = self.layout.size, _squared(np.tensordot(amounts, self.maps, 1))
        slopes = [expm_frechet(whole, _squared(L), compute_expm=False)[:n] @ np.append(y, 1.0) for L in self.maps]
        goal, _ = self.acted(y, amounts)
        return np.asarray(self.layout.coordinates(goal, np.array(slopes)).T / self.scale[:, None])


def _squared(affine: Array) -> Array:
    """An affine map (size, size + 1) as a square matrix, which acts on (y, 1)."""
    return np.vstack([affine, np.zeros(affine.shape[1])])
