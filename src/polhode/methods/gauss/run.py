"""A Gauss–Legendre method at work on one system: the arrays that its loops need, and rows of samples as states."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.method import Report, Run, Start
from ...scalars import Dual, Lanes, double, lanes, width
from ..loops import Clock, Slots, Span, no_force
from .loops import MEMORY, Carried, Frame, Scratch, Table, rates_at, save_node, stages_in_lanes
from .parts import Parts, from_canonical, parts_of, to_canonical
from .picture import ANGLE, CONFIGURATION, CONSTANTS, KIND, MOMENTUM, PLACE, ROTATION, SIZE
from .tables import gauss_table

Array = NDArray[np.float64]


def aligned(size: int) -> Array:
    """Zeros that begin at a cache line."""
    room = np.zeros(size + 8)
    first = (-room.ctypes.data // 8) % 8
    return room[first : first + size]


class GaussRun(Run):
    """Steps of s stages, in lanes. Samples are w at the nodes; what a run carries is longer (`Carried`)."""

    def __init__(self, start: Start, stages: int) -> None:
        self.layout = start.representation.layout
        self.canonical = start.state.system.canonical()
        representation = self.canonical.representation
        layout = representation.layout
        parts = parts_of(layout, self.canonical.free)
        assert parts is not None and representation.rhs is not None  # which the method has checked
        self.parts: Parts = parts
        self.kind = lanes(stages)
        self.clock = Clock(float(start.state.t), float(start.step))
        force = representation.force or no_force
        self.rhs, self.force = representation.rhs.on(self.kind, self.kind), force.on(self.kind, self.kind)
        self.slots = Slots(
            momenta=layout.kicked.start * stages,
            forces=layout.size * stages,
            size=representation.forces * stages,
            has_force=representation.force is not None,
        )
        self.table = Table(*(getattr(gauss_table(stages), name) for name in Table._fields))
        parameters = self.canonical.parameters
        self.p = aligned(parameters.size * stages)
        self.p[:] = np.repeat(parameters, stages)
        n, room = parts.size, layout.size + representation.forces + representation.workspace
        self.y = aligned(2 * n + n * stages + MEMORY)
        w, e, L = self.y[:n], self.y[n : 2 * n], self.y[2 * n : 2 * n + n * stages]
        self.carried_state = Carried(w, e, L, self.y[2 * n + n * stages :])
        self.carried = self.y.size
        self.report = Report()
        self.scratch = Scratch(
            y=aligned(room * stages),
            dy=aligned(layout.size * stages),
            work=aligned(parts.work * stages),
            Z=aligned(n * stages),
            F=aligned(n * stages),
            move=np.zeros(n),
            before=np.zeros(2 * n),
            sizes=np.zeros(parts.groups.max() + 1),
        )
        y = self.canonical.enter(start.y)
        self.frame = Frame(
            parts.rows, parts.active_rows, parts.active, self._constants(y, stages), parts.groups
        )
        w[:] = to_canonical(parts, y)

    def _rates(self, y: Array, stages: int) -> Array:
        """dy/dt of the system at a state."""
        self.scratch.y[: y.size * stages] = np.repeat(y, stages)
        rates_at(
            self.kind,
            self.rhs,
            self.force,
            self.scratch.y,
            self.p,
            self.slots,
            self.clock.t0,
            self.scratch.dy,
            self.report.numbers,
        )
        return self.scratch.dy[::stages].copy()

    def _constants(self, y: Array, stages: int) -> Array:
        """b, κ and e of each attitude, 1/J of each angle and 1/m of each place, from how velocities follow momenta."""
        constants = np.zeros(max(self.parts.constants, 1))
        for row in self.parts.rows:
            k, c, m, count = row[CONSTANTS], row[CONFIGURATION], row[MOMENTUM], row[SIZE]
            if row[KIND] not in (ROTATION, ANGLE, PLACE):
                continue
            size = max(float(np.abs(y[m : m + count]).max()), 1.0)
            at_rest = y.copy()
            at_rest[m : m + count] = 0.0
            before = velocity(row, at_rest, self._rates(at_rest, stages))
            slope = np.empty((count, count))
            for i in range(count):
                moving = at_rest.copy()
                moving[m + i] = size
                slope[:, i] = (velocity(row, moving, self._rates(moving, stages)) - before) / size
            if row[KIND] == ROTATION:
                constants[k : k + 5] = nearest_top(slope)
            else:
                constants[k : k + count] = np.diagonal(slope)
        return constants

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.rhs, self.force, self.carried_state, self.p, self.slots, self.frame, self.table, self.scratch

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        return stages_in_lanes(
            self.kind, *self._arguments, self.clock, Span(first, count, every), samples, self.report.numbers
        )

    @property
    def row_size(self) -> int:
        return self.parts.size

    @property
    def row(self) -> Array:
        row = np.empty(self.row_size)
        save_node(double, self.carried_state, self.frame, self.scratch.move, row)
        return row

    def states(self, samples: Array) -> Array:
        layout = self.canonical.representation.layout
        return self.canonical.leave(from_canonical(self.parts, samples, layout.size))


def velocity(row: Any, y: Array, dy: Array) -> Array:
    """The body rate of an attitude, the rate of an angle, or the velocity of a place."""
    c, count = row[CONFIGURATION], row[SIZE]
    if row[KIND] == ROTATION:
        A = y[c : c + 9].reshape(3, 3).T @ dy[c : c + 9].reshape(3, 3)
        return np.array([A[2, 1], A[0, 2], A[1, 0]])
    if row[KIND] == ANGLE:
        return np.array([y[c] * dy[c + 1] - y[c + 1] * dy[c]])
    return dy[c : c + count]


def nearest_top(inverse: Array) -> Array:
    """b, κ and the axis e of the symmetric top `b + κ e eᵀ` that is nearest to an inverse inertia: of its principal values
    the two closest to each other are taken as equal."""
    values, axes = np.linalg.eigh(0.5 * (inverse + inverse.T))
    alone = 0 if values[2] - values[1] <= values[1] - values[0] else 2
    b = 0.5 * (values.sum() - values[alone])
    return np.array([b, values[alone] - b, *axes[:, alone]])
