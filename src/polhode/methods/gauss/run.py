"""A Gauss–Legendre method at work on one system: the arrays that its loops need, and rows of samples as states."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.method import Report, Run, Start
from ...core.representation import Canonical, Form
from ...core.system import State
from ...scalars import double, lanes, width
from ..converted_rows import with_partials
from ..loops import Clock, Slots, Span, aligned, no_force
from .loops import (
    CONVERGED,
    MEMORY,
    Carried,
    Frame,
    Scratch,
    System,
    Table,
    Work,
    rates_at,
    save_node,
    steps_in_lanes,
    steps_in_turn,
)
from .parts import Parts, from_canonical, parts_of, to_canonical
from .picture import ANGLE, CONFIGURATION, CONSTANTS, KIND, MOMENTUM, PLACE, ROTATION, SIZE
from .tables import gauss_table

Array = NDArray[np.float64]
UNDECIDED = 1e-9  # relative: a smaller excess may be rounding
# by which the axis of the top may be off: up to where the square is as large as rounding
TILTS = np.append(0.0, np.geomspace(1e-14, 2e-8, 127))[:, None] * [1.0, 0.6]
ENOUGH = 2e-18  # is what its length may be off by
CLEARLY = 2.1  # an inverse moment is apart from the two others if the larger gap is so many times the smaller


class GaussRun(Run):
    """Steps of s stages: on doubles all of them in lanes, on duals one after another.

    Samples are w at the nodes; what a run carries is longer: `Carried`, and the constants of the free motion.
    """

    def __init__(self, start: Start, stages: int) -> None:
        self.layout = start.representation.layout
        self.canonical = start.state.system.canonical()
        self._start = start
        representation = self.canonical.representation
        layout = representation.layout
        parts = parts_of(layout, self.canonical.free)
        assert parts is not None  # which the method has checked
        assert representation.rhs is not None
        self.parts: Parts = parts
        self.scalar = start.kind  # of the state; in lanes stages work on another one
        self.in_lanes = start.kind == double
        self.kind = lanes(stages) if self.in_lanes else start.kind
        time = self.kind if self.in_lanes else double
        rhs, force = representation.rhs.on(self.kind, time), (representation.force or no_force).on(self.kind, time)
        self.clock = Clock(float(start.state.t), float(start.step))
        self.width, each = width(self.kind), width(self.scalar)
        slots = Slots.of(representation, self.width)
        self.table = Table(*(getattr(gauss_table(stages), name) for name in Table._fields))
        own = start.state.system
        parameters = start.numbers(lambda each: (self.canonical if each is own else each.canonical()).parameters)
        repeats = self.width if self.in_lanes else 1
        p = aligned(parameters.size * repeats)
        p[:] = np.repeat(parameters, repeats)
        self.system = System(rhs, force, p, slots)
        n, active = parts.size * each, parts.active * each
        memory = self._memory(n)
        self.y = aligned(2 * n + active * stages + memory + max(parts.constants, 1))
        *carried, constants = np.split(self.y, np.cumsum([n, n, active * stages, memory]))
        self.carried_state = Carried(*carried)
        self.carried, self.report = self.y.size, Report()
        room = layout.size + representation.forces + representation.workspace
        self.scratch = Scratch(
            y=aligned(room * self.width),
            dy=aligned(layout.size * self.width),
            room=aligned(parts.work * self.width),
            Z=aligned(active * stages),
            F=aligned(parts.active * self.width),
            move=np.zeros(n),
            before=np.zeros(2 * n),
            sizes=np.zeros(2 * parts.groups.max() + 2),
        )
        groups = np.repeat(2 * parts.groups, each)
        groups.reshape(-1, each)[:, 1:] += 1  # partial derivatives are compared with each other
        self.frame = Frame(parts.rows, parts.active_rows, parts.active, constants, groups)
        self._enter(start)

    def _memory(self, size: int) -> int:
        """How many numbers are carried beside w, e and L; w has this size."""
        return MEMORY

    def _converted(self, change: Callable[[Canonical, Array], Array], rows: Array) -> Array:
        """Rows of other variables, by `change(canonical, rows)`."""
        start, own = self._start, self._start.state.system

        def of(system: Any, rows: Array) -> Array:
            return change(self.canonical if system is own else system.canonical(), rows)

        return with_partials(width(self.scalar), own, start.directions, of, rows)

    def _entered(self, y: Array) -> Array:
        """w of a state."""
        return self._converted(lambda canonical, rows: to_canonical(self.parts, canonical.enter(rows)), y[None])[0]

    def _enter(self, start: Start) -> None:
        """Begin at this start: a body turns as the top that its momentum there is nearest to."""
        each, self._converged = width(self.scalar), CONVERGED
        self.frame.constants[:] = self._constants(self.canonical.enter(start.y[None, ::each])[0])
        self._first = self._entered(start.y)
        self.carried_state.w[:] = self._first

    def set_out(self, start: Start) -> bool:
        if start.state.system is not self._start.state.system or start.kind != double or self.scalar != double:
            return False
        self._start, self.clock, self.report = start, Clock(float(start.state.t), float(start.step)), Report()
        self.y[:] = 0.0
        self._enter(start)
        return True

    def restarted(self, state: State, step: float) -> GaussRun | None:
        if not self.in_lanes:
            return None
        first = state is self._start.state
        self.restore_row(self._first if first else self._entered(state.system.enter(Form.DEFAULT, state)))
        self.clock, self.report, self._converged = Clock(float(state.t), float(step)), Report(), CONVERGED
        return self

    def solve_roughly(self, change: float) -> None:
        self._converged = max(change, CONVERGED)

    def _rates(self, states: Array) -> Array:
        """dy/dt of the system at some states (n, size): as many at once as there are lanes, on duals one by one."""
        count, size = states.shape
        entries, found = self.scratch.y[: size * self.width].reshape(size, self.width), np.empty(states.shape)
        at_once = self.width if self.in_lanes else 1
        rhs, force, p, slots = self.system
        dy, report = self.scratch.dy, self.report.numbers
        for first in range(0, count, at_once):
            some = states[first : first + at_once].T
            entries[:] = some[:, :1] if self.in_lanes else 0.0
            entries[:, : some.shape[1]] = some
            rates_at.on(self.kind, rhs, force, self.scratch.y, p, slots, self.clock.t0, dy, report)
            found[first : first + at_once] = dy.reshape(size, self.width)[:, : some.shape[1]].T
        return found

    def _constants(self, y: Array) -> Array:
        """b, κ and e of each attitude, 1/J of each angle and 1/m of each place, from how velocities follow momenta."""
        constants = np.zeros(max(self.parts.constants, 1))
        rows = [row for row in self.parts.rows.tolist() if row[KIND] in (ROTATION, ANGLE, PLACE)]
        ends = np.cumsum([1 + row[SIZE] for row in rows]).tolist()
        states, sizes = np.tile(y, (ends[-1] if ends else 0, 1)), []
        for row, end in zip(rows, ends, strict=True):  # at rest, and with each of the momenta alone
            m, count = row[MOMENTUM], row[SIZE]
            sizes.append(max(float(np.abs(y[m : m + count]).max()), 1.0))
            momenta = states[end - count - 1 : end, m : m + count]
            momenta[:] = 0.0
            np.fill_diagonal(momenta[1:], sizes[-1])
        rates = self._rates(states)
        for row, end, size in zip(rows, ends, sizes, strict=True):
            k, m, count = row[CONSTANTS], row[MOMENTUM], row[SIZE]
            velocities = velocity(row, states[end - count - 1 : end], rates[end - count - 1 : end])
            slope = (velocities[1:] - velocities[0]).T / size
            if row[KIND] == ROTATION:
                constants[k : k + 5] = nearby_top(slope, y[m : m + 3])
            else:
                constants[k : k + count] = np.diagonal(slope)
        return constants

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        steps = steps_in_lanes if self.in_lanes else steps_in_turn
        work = Work(self.system, self.carried_state, self.frame, self.table, self.scratch, self._converged)
        return steps.on(self.kind, work, self.clock, Span(first, count, every), samples, self.report.numbers)

    @property
    def differentiated(self) -> int:
        w, e, L, _ = self.carried_state
        return w.size + e.size + L.size

    @property
    def row_size(self) -> int:
        return self.carried_state.w.size

    @property
    def row(self) -> Array:
        row = np.empty(self.row_size)
        save_node.on(self.scalar, self.carried_state, self.frame, self.scratch.move, row)
        return row

    def restore_row(self, row: Array) -> None:
        for numbers in self.carried_state:
            numbers[:] = 0.0
        self.carried_state.w[:] = row

    def states(self, samples: Array) -> Array:
        size = self.canonical.representation.layout.size
        return self._converted(lambda canonical, w: canonical.leave(from_canonical(self.parts, w, size)), samples)


def velocity(row: Any, y: Array, dy: Array) -> Array:
    """The body rate of an attitude, the rate of an angle, or the velocity of a place, at states (..., size)."""
    c, count = row[CONFIGURATION], row[SIZE]
    if row[KIND] == ROTATION:
        R, rate = (x[..., c : c + 9].reshape(*x.shape[:-1], 3, 3) for x in (y, dy))
        A = R.swapaxes(-1, -2) @ rate
        return np.stack([A[..., 2, 1], A[..., 0, 2], A[..., 1, 0]], axis=-1)
    if row[KIND] == ANGLE:
        return (y[..., c] * dy[..., c + 1] - y[..., c + 1] * dy[..., c])[..., None]
    return dy[..., c : c + count]


def nearby_top(inverse: Array, momentum: Array) -> Array:
    """b, κ and the axis e of the symmetric top `b + κ e eᵀ` that takes the place of a body with this inverse inertia, whose
    momentum along its axes is the one at the start.

    The free momentum circles the axis of the largest or of the smallest moment. That is e, and b the middle of the three
    inverse moments: the rest `D = J⁻¹ − b − κ e eᵀ` then has one entry, and its rate is hardly felt by itself while the body
    turns about e, so that the iteration converges fast. If two values are much closer to each other than to the third, or
    nothing turns, e is the axis of the third. If the momentum does not circle this axis, b is their mean.
    """
    inverse = 0.5 * (inverse + inverse.T)
    values, axes = principal_axes(inverse.tobytes())
    below, above = values[1] - values[0], values[2] - values[1]
    P = momentum @ axes
    excess = below * P[0] ** 2 - above * P[2] ** 2  # b |Π|² − 2T, conserved by the free motion
    undecided = abs(excess) <= UNDECIDED * (above + below) * (P @ P)
    circled = None if undecided else 0 if excess > 0.0 else 2
    apart = 0 if below >= above else 2
    alone = apart if circled is None or max(below, above) > CLEARLY * min(below, above) else circled
    b = values[1] if circled == alone else 0.5 * (values.sum() - values[alone])
    return np.array([b, values[alone] - b, *of_unit_length(inverse.tobytes(), alone)])


@lru_cache(256)
def principal_axes(inverse: bytes) -> tuple[Array, Array]:
    """The inverse moments of a body and its axes as columns, which are the same at all its starts."""
    values, axes = np.linalg.eigh(np.frombuffer(inverse).reshape(3, 3))
    return values, axes


@lru_cache(256)
def of_unit_length(inverse: bytes, alone: int) -> tuple[float, ...]:
    """One of the principal axes, or the first of some unit vectors beside it, whose length, once corrected, is near enough to
    1, or else the nearest.

    What the length of e has too much, every step gives to q and p: the momenta then grow steadily. Among some hundred vectors
    one has a length that is right to a hundredth of the usual rounding.
    """
    axes = principal_axes(inverse)[1]
    across = axes[:, [alone - 1, alone - 2]].T
    for tilts in (TILTS[:1], TILTS):  # often the first of them will do
        vectors = axes[:, alone] + tilts @ across
        unit = vectors - 0.5 * excess(vectors)[:, None] * vectors
        errors = np.maximum(np.abs(excess(unit)), ENOUGH)
        nearest = np.argmin(errors)
        if errors[nearest] == ENOUGH:
            break
    return tuple(unit[nearest].tolist())


def excess(vectors: Array) -> Array:
    """`|v|² − 1` of vectors of length near 1, in which nothing is lost to rounding."""
    front = (
        np.round(vectors * 2.0**26) * 2.0**-26
    )  # of so few digits that their squares and the sums of these are exact
    rest = vectors - front
    total: Array = ((front * front).sum(axis=1) - 1.0) + (rest * (2.0 * front + rest)).sum(axis=1)
    return total
