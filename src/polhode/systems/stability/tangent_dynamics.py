"""First-order dynamics about a state, in balanced units, from dual numbers.

A motion is followed in the coordinates of the layout's tangent basis: for a rotation, `R = R_e(t) exp(S(ξ))`. With
`v = vee(RᵀṘ)` this gives `ξ̇ = δv − [v, ξ]`: about a steady rotation the frame turns with the body, and the coefficients
are constant. The derivative of the right-hand side is the exact one of the compiled flows.

Each variable is measured in a scale of its own, in which no block of the matrix is larger than the rate of the motion
(`unit_balancing`), and a block that is no larger than its own rounding is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...core.callbacks import raise_noted, watch_callbacks
from ...core.layout import Layout
from ...core.manifolds import Euclidean
from ...core.representation import Representation
from ...errors import PolhodeError
from ...scalars import compiled, double, duals
from ...scalars.protocol import REPORT_SIZE
from .unit_balancing import natural_scales

Array = NDArray[np.float64]
STEADY = 1e-8  # how steady a state must be, relative to the rate of the motion near it
ULPS = 4.0  # by how much a state is disturbed, to see what is rounding
ROUNDING = 32.0  # times the change that this makes: what may be rounding


@dataclass(frozen=True)
class TangentDynamics:
    """The motion near a state: its rate v and the matrix A of `ẋ = A x` in the coordinates x of the tangent basis.

    `scale` are units of the coordinates in which no block of A is larger than `rate`; `rounding` is what in v may be
    rounding, in these units.
    """

    v: Array
    A: Array
    rate: float
    scale: Array
    rounding: Array

    @property
    def scaled_v(self) -> Array:
        """v in balanced units."""
        return self.v / self.scale

    @property
    def scaled_A(self) -> Array:
        """A in balanced units."""
        return self.A * self.scale / self.scale[:, None]

    def vanishes(self, scaled: Array, tolerance: float) -> bool:
        """Whether a rate in these units is small beside that of the motion, or rounding."""
        return bool(np.all(np.abs(scaled) <= np.maximum(tolerance * self.rate, self.rounding)))

    @property
    def at_rest(self) -> bool:
        """Whether the state does not move."""
        return self.vanishes(self.scaled_v, STEADY)


@compiled
def _put_force(S, force, y, p, t, report):  # type: ignore[no-untyped-def]
    return force(S, y, p, t, 0.0, report)


@compiled
def _put_rate(S, rhs, y, p, t, dy, report):  # type: ignore[no-untyped-def]
    return rhs(S, y, p, t, dy, report)


def slope_and_derivative(
    representation: Representation, y: Array, seeds: Array, p: Array, t: float, *, force_only: bool = False
) -> tuple[Array, Array]:
    """dy/dt at y, or the part of it that the force makes, and its derivatives along the columns of `seeds`."""
    layout, rhs, force = representation.layout, representation.rhs, representation.force
    if rhs is None:
        raise PolhodeError("this system offers no right-hand side to linearise")
    columns = seeds.shape[1]
    kind = duals(columns) if columns else double
    entries = np.zeros((layout.size + representation.forces + representation.workspace, 1 + columns))
    entries[: layout.size, 0], entries[: layout.size, 1:] = y, seeds
    flat, dy, report = entries.reshape(-1), np.zeros(layout.size * (1 + columns)), np.zeros(REPORT_SIZE)
    if not force_only:
        _put_rate(kind, rhs.on(kind), flat, p, t, dy, report)
    slope = dy.reshape(layout.size, 1 + columns)
    if force is not None:
        with watch_callbacks():
            _put_force(kind, force.on(kind), flat, p, t, report)
            raise_noted()
        slope[layout.kicked] += flat.reshape(entries.shape)[layout.size : layout.size + representation.forces]
    return slope[:, 0], slope[:, 1:]


def tangent_dynamics(representation: Representation, y: Array, p: Array, t: float) -> TangentDynamics:
    """The motion near y."""
    layout = representation.layout
    v, A = rate_and_matrix(representation, y, p, t)
    blocks = coordinate_blocks(layout)
    # what changes where the last digits of the state change is rounding
    random = np.random.default_rng(0)
    noise_v, noise_A = np.zeros_like(v), np.zeros_like(A)
    for _ in range(3):
        shaken = y + ULPS * np.finfo(float).eps * _sizes(layout, y) * random.uniform(-1.0, 1.0, y.size)
        other_v, other_A = rate_and_matrix(representation, shaken, p, t)
        noise_v, noise_A = np.maximum(noise_v, np.abs(other_v - v)), np.maximum(noise_A, np.abs(other_A - A))
    for i in blocks:
        for j in blocks:
            if _size(A[i, j]) <= ROUNDING * _size(noise_A[i, j]):
                A[i, j] = 0.0
    angles = [k for k, x in enumerate(layout.variables) if not (x.kicked or isinstance(x.manifold, Euclidean))]
    rate, scales = natural_scales(np.array([[_size(A[i, j]) for j in blocks] for i in blocks]), (angles or [0])[0])
    scale, rounding = np.ones_like(v), np.zeros_like(v)
    for i, size in zip(blocks, scales, strict=True):
        scale[i], rounding[i] = size, ROUNDING * _size(noise_v[i]) / size
    return TangentDynamics(v, A, rate, scale, rounding)


def coordinate_blocks(layout: Layout) -> list[slice]:
    """The coordinates of each variable."""
    ends = np.cumsum([0, *(v.manifold.dimension for v in layout.variables)])
    return [slice(int(a), int(b)) for a, b in pairwise(ends)]


def _size(x: Array) -> float:
    """The largest entry; a variable may have none that can change."""
    return float(np.abs(x).max(initial=0.0))


def _sizes(layout: Layout, y: Array) -> Array:
    """For each entry of y the largest of its variable."""
    parts = layout.unpack(y)
    return np.concatenate([np.full(parts[v.name].size, _size(parts[v.name])) for v in layout.variables])


def rate_and_matrix(representation: Representation, y: Array, p: Array, t: float) -> tuple[Array, Array]:
    """The rate v in the coordinates of the tangent basis at y, and the matrix A of `ẋ = A x`."""
    layout = representation.layout
    basis, width = layout.basis(y), min(layout.dimension, 6)
    columns: list[Array] = []
    slope = np.zeros(layout.size)
    for first in range(0, layout.dimension, width):
        seeds = np.zeros((layout.size, width))  # the last block may be short: zeros fill it up
        block = basis[:, first : first + width]
        seeds[:, : block.shape[1]] = block
        slope, changes = slope_and_derivative(representation, y, seeds, p, t)
        columns += [layout.coordinates(y, changes[:, j]) for j in range(block.shape[1])]
    v = layout.coordinates(y, slope)
    # reading δ(RS(v)) in coordinates gives δv + ½ ξ × v; what is wanted is δv − v × ξ
    return v, np.stack(columns, axis=1) - 0.5 * np.stack(
        [layout.bracket(v, e) for e in np.eye(layout.dimension)], axis=1
    )
