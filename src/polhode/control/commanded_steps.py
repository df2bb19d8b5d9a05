"""One step of a variational method from each of many states, each with commands of its own, and its derivatives.

The step is the very one that `simulate` takes while a controller holds its commands: half a kick by the force, with the
commands in it, the discrete motion, and half a kick. Derivatives by the state and by the commands are exact: those of the
tangent map, on dual numbers whose parameters carry derivatives too. The length of a step, which flows take as a plain number,
has a central difference of order 8, exact to about 1e-13; second derivatives, which only decide how fast an optimiser
converges, are plain differences.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..core.finite_differences import OFFSETS, WEIGHTS
from ..core.layout import Layout
from ..core.system import State
from ..methods import LGVI
from ..methods.loops import Clock, Composition, DriftKickRun, Span, drift_kick_loop
from ..scalars import double, loop, parameter_duals, tail, width

Array = NDArray[np.float64]
SPACING = 1e-2  # of differences of order 8, relative to the unit
SECOND_SPACING = 1e-4  # of second differences


@loop
def step_each(
    S: Any,
    drift: Any,
    force: Any,
    rows: Array,
    room: int,
    commands: Array,
    places: NDArray[np.int64],
    p: Array,
    slots: Any,
    composition: Composition,
    clocks: Array,
    samples: Array,
    report: Array,
) -> int:
    """A step from every row, at its time and of its length (`clocks`), with its `commands` at their `places` among the
    numbers of the parameters. Returns the first status that is not success; a row that fails is NaN."""
    worst = 0
    for i in range(rows.shape[0]):
        y = tail(rows[i], room)
        for j in range(places.shape[0]):
            p[places[j, 0]] = commands[i, places[j, 1]]
        status = force(S, y, p, clocks[i, 0], 0.0, report) if slots.has_force else 0
        if status == 0:
            clock = Clock(clocks[i, 0], clocks[i, 1])
            status, _ = drift_kick_loop(
                S, drift, force, y, p, slots, composition, clock, Span(0, 1, 2), samples, report
            )
        if status != 0:
            rows[i, :] = np.nan
            worst = status
    return worst


class CommandedSteps:
    """Steps of a method from states of one system, with commands at these `places` (rows of place and command) among its
    parameters.

    `units`: the size of a change of each tangent coordinate; `command_units` likewise of each command; `time_unit` of the
    length of a step. All derivatives are by multiples of these.
    """

    def __init__(self, state: State, method: LGVI, places: NDArray[np.int64]) -> None:
        system = state.system
        self.layout: Layout = system.representations[method.representation].layout
        self.size, self.dimension = self.layout.size, self.layout.dimension
        self.places, self.count = places, int(places[:, 1].max()) + 1
        self.kind = parameter_duals(4 * -(-(self.dimension + self.count) // 4))  # so that few of them are ever compiled
        self._runs: dict[Any, DriftKickRun] = {
            k: cast(DriftKickRun, method.start(state, 1.0, k)) for k in (double, self.kind)
        }
        numbers = self._runs[self.kind].p.reshape(-1, width(self.kind))
        numbers[places[:, 0], 1 + self.dimension + places[:, 1]] = 1.0  # each is its command
        self.t0 = state.t
        self.units, self.command_units = np.ones(self.dimension), np.ones(self.count)
        self.time_unit = 1.0

    def ends(self, Y: Array, U: Array, k: Array, h: Array | float) -> Array:
        """The states (n, size) one step of length h after the states Y (n, size), with the commands U (n, m); the steps
        start at the times `t0 + k h`."""
        return self._step(double, Y, U, k, h)

    def tangents(self, Y: Array, U: Array, k: Array, h: Array | float) -> tuple[Array, Array, Array]:
        """The same, with the derivatives, in units, by the states (n, d, d) and by the commands (n, d, m)."""
        entries = np.zeros((len(Y), self.size, width(self.kind)))
        entries[:, :, 0] = Y
        for i, y in enumerate(Y):
            entries[i, :, 1 : 1 + self.dimension] = self.layout.basis(y)
        entries = self._step(self.kind, entries.reshape(len(Y), -1), U, k, h).reshape(entries.shape)
        there = entries[:, :, 0]
        columns = self.layout.coordinates(there[:, None, :], np.swapaxes(entries[:, :, 1:], 1, 2))
        slopes = np.swapaxes(columns, 1, 2) / self.units[:, None]
        by_state, by_command, _ = np.split(slopes, [self.dimension, self.dimension + self.count], axis=2)
        return there.copy(), by_state * self.units, by_command * self.command_units

    def by_length(self, Y: Array, U: Array, k: Array, h: float, there: Array) -> Array:
        """The derivatives (n, d) of the ends `there` by the length of the step, in units."""
        dh = SPACING * self.time_unit * np.array(OFFSETS)
        still = np.zeros((len(dh), self.dimension)), np.zeros((len(dh), self.count))
        moved = self._shifted(Y, U, k, h, *still, dh, there)  # (n, offsets, d)
        return np.tensordot(moved, np.array(WEIGHTS) / SPACING, axes=(1, 0))

    def curvature(self, Y: Array, U: Array, k: Array, h: float, there: Array, weights: Array) -> Array:
        """The second derivatives (n, d + m + 1, d + m + 1), by state, commands and step, of the ends' coordinates at
        `there`, in units, weighted by `weights` (n, d)."""
        n, m, d = len(U), U.shape[1], self.dimension
        size = d + m + 1
        pairs = [(i, j) for i in range(size) for j in range(i)]
        basis = SECOND_SPACING * np.eye(size)
        shifts = [s * basis[i] for i in range(size) for s in (1.0, -1.0)] + [np.zeros(size)]
        shifts += [a * basis[i] + b * basis[j] for i, j in pairs for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
        z = np.array(shifts)
        dU, dh = z[:, d : d + m] * self.command_units, z[:, d + m] * self.time_unit
        moved = np.einsum("nsd,nd->ns", self._shifted(Y, U, k, h, z[:, :d] * self.units, dU, dh, there), weights)
        alone, middle, crossed = moved[:, : 2 * size], moved[:, 2 * size], moved[:, 2 * size + 1 :]
        H = np.empty((n, size, size))
        square = SECOND_SPACING**2
        diagonal = np.arange(size)
        H[:, diagonal, diagonal] = (alone[:, 0::2] + alone[:, 1::2] - 2.0 * middle[:, None]) / square
        mixed = crossed.reshape(n, len(pairs), 4) @ np.array([1.0, -1.0, -1.0, 1.0]) / (4.0 * square)
        rows, columns = np.array(pairs).T
        H[:, rows, columns] = H[:, columns, rows] = mixed
        return H

    def _shifted(self, Y: Array, U: Array, k: Array, h: float, dy: Array, dU: Array, dh: Array, there: Array) -> Array:
        """The coordinates (n, s, d) at `there`, in units, of the ends from states, commands and steps that s shifts
        change."""
        n, s = len(Y), len(dy)
        Z = self.layout.retract(np.repeat(Y, s, axis=0), np.tile(dy, (n, 1)))
        V = np.repeat(U, s, axis=0) + np.tile(dU, (n, 1))
        ends = self.ends(Z, V, np.repeat(k, s), h + np.tile(dh, n))
        found = self.layout.difference(np.repeat(there, s, axis=0), ends) / self.units
        return found.reshape(n, s, self.dimension)

    def _step(self, kind: Any, Y: Array, U: Array, k: Array, h: Array | float) -> Array:
        run = self._runs[kind]
        places = self.places * (width(kind), 1)
        rows = np.zeros((len(Y), run.room + len(run.y)))
        states = rows[:, run.room : run.room + Y.shape[1]]
        states[...] = Y
        clocks = np.stack([self.t0 + k * h, np.broadcast_to(h, k.shape)], axis=1)
        step_each.on(
            kind,
            run.main,
            run.force,
            rows,
            run.room,
            np.ascontiguousarray(U),
            places,
            run.p,
            run.slots,
            run.scheme,
            clocks,
            np.empty((0, run.carried)),
            run.report.numbers,
        )
        return states
