"""A system's equations in variables that a general solver likes: attitudes as unit quaternions, places in space.

The variables z are those of the system's canonical representation, with four numbers for each attitude instead of nine.
Quaternions turn at half the rate of the body: steps are longer, and there are fewer numbers to combine. The system's own
equations say `Ṙ = R S(ω)`, from which `q̇ = ½ q ω`; R is that of q/|q|, a rotation to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.layout import Layout
from ..core.manifolds import Rotations
from ..core.method import Start
from ..core.representation import Canonical, Form
from ..core.system import System
from ..geometry import unchecked
from ..geometry.quaternion import rotation_of_
from ..scalars import get, get3, get4, get9, put, put4, put9, width
from .converted_rows import with_partials
from .gauss.parts import pieces
from .loops import Slots, no_force, slope
from .uncounted import uncounted_kernel

Array = NDArray[np.float64]

# a row of the table: whether it is an attitude, where it begins in z and in the system's array, how many numbers it has
# in z
ATTITUDE, AT, PLACE, COUNT = range(4)


class Equations(NamedTuple):
    """The flows of a system, its parameters, where the forces lie, room for its array and for its derivative, and the
    table of the variables."""

    rhs: Any
    force: Any
    p: Array
    slots: Slots
    y: Array
    dy: Array
    table: NDArray[np.int64]


@uncounted_kernel
def put_rates(S: Any, equations: Equations, z: Array, t: float, dz: Array, report: Array) -> int:
    """dz/dt at z."""
    rhs, force, p, slots, y, dy, table = equations
    for k in range(table.shape[0]):
        i, j = table[k, AT], table[k, PLACE]
        if table[k, ATTITUDE] == 1:
            q = get4(z, i, S)
            put9(y, j, S, rotation_of_(q, 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])))
        else:
            for m in range(table[k, COUNT]):
                put(y, j + m, S, get(z, i + m, S))
    status = slope(S, rhs, force, y, p, slots, t, dy, report)
    for k in range(table.shape[0]):
        i, j = table[k, AT], table[k, PLACE]
        if table[k, ATTITUDE] == 1:
            R, q = get9(y, j, S), get4(z, i, S)
            r, s, v = get3(dy, j, S), get3(dy, j + 3, S), get3(dy, j + 6, S)
            a = 0.5 * (R[2] * r[1] + R[5] * s[1] + R[8] * v[1])  # ½ω, of RᵀṘ = S(ω)
            b = 0.5 * (R[0] * r[2] + R[3] * s[2] + R[6] * v[2])
            c = 0.5 * (R[1] * r[0] + R[4] * s[0] + R[7] * v[0])
            rates = (
                q[3] * a + q[1] * c - q[2] * b,
                q[3] * b + q[2] * a - q[0] * c,
                q[3] * c + q[0] * b - q[1] * a,
                -(q[0] * a + q[1] * b + q[2] * c),
            )
            put4(dz, i, S, rates)
        else:
            for m in range(table[k, COUNT]):
                put(dz, i + m, S, get(dy, j + m, S))
    return status


@lru_cache(64)
def table_of(layout: Layout) -> NDArray[np.int64]:
    """The rows of the variables of a layout."""
    rows, at = [], 0
    for variable in layout.variables:
        place = int(layout.slices[variable.name].start)
        parts = pieces(variable.manifold)
        for piece in parts if parts is not None else [variable.manifold]:
            turns = isinstance(piece, Rotations)
            count = 4 if turns else piece.size
            if count:
                rows.append((int(turns), at, place, count))
            at, place = at + count, place + piece.size
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


@dataclass(frozen=True)
class QuaternionVariables:
    """From rows of the representation that a run starts in to rows of z, and back."""

    start: Start

    @cached_property
    def _own(self) -> Canonical:
        return self._canonical_of(self.start.state.system)

    def canonical(self, system: System) -> Canonical:
        """The variables of a system that z is made of."""
        return self._own if system is self.start.state.system else self._canonical_of(system)

    def _canonical_of(self, system: System) -> Canonical:
        if self.start.representation is self.start.state.system.representations[Form.DEFAULT]:
            return system.canonical()
        return Canonical(self.start.representation, system.parameters())

    def equations(self) -> Equations:
        """The system's equations on the scalar of the run."""
        kind, canonical = self.start.kind, self.canonical(self.start.state.system)
        representation = canonical.representation
        assert representation.rhs is not None  # which the method has checked
        slots, each = Slots.of(representation, width(kind)), width(kind)
        y = np.zeros(slots.forces + slots.size + representation.workspace * each)
        p = np.ascontiguousarray(self.start.numbers(lambda system: self.canonical(system).parameters))
        rhs, force = representation.rhs.on(kind), (representation.force or no_force).on(kind)
        return Equations(rhs, force, p, slots, y, np.zeros(slots.forces), table_of(representation.layout))

    def enter(self, rows: Array) -> Array:
        """Rows of z."""
        return self._converted(lambda system, y: to_quaternions(self.canonical(system), y), rows)

    def leave(self, rows: Array) -> Array:
        """Rows of the representation."""
        return self._converted(lambda system, z: from_quaternions(self.canonical(system), z), rows)

    def _converted(self, change: Callable[[System, Array], Array], rows: Array) -> Array:
        """Rows of other variables; of duals, with their partial derivatives."""
        start = self.start
        return with_partials(width(start.kind), start.state.system, start.directions, change, rows)


def to_quaternions(canonical: Canonical, rows: Array) -> Array:
    """z of rows of the default layout."""
    y, table = canonical.enter(rows), table_of(canonical.representation.layout)
    parts = [
        unchecked.from_matrix(y[..., place : place + 9].reshape(*y.shape[:-1], 3, 3))
        if turns
        else y[..., place : place + count]
        for turns, _, place, count in table
    ]
    return np.concatenate(parts, axis=-1)


def from_quaternions(canonical: Canonical, rows: Array) -> Array:
    """Rows of the default layout; the inverse of `to_quaternions`."""
    layout = canonical.representation.layout
    y = np.zeros((*rows.shape[:-1], layout.size), dtype=rows.dtype)
    for turns, at, place, count in table_of(layout):
        part = rows[..., at : at + count]
        if turns:
            R = unchecked.to_matrix(part / np.sqrt(np.sum(part * part, axis=-1, keepdims=True)))
            y[..., place : place + 9] = R.reshape(*rows.shape[:-1], 9)
        else:
            y[..., place : place + count] = part
    return canonical.leave(y)
