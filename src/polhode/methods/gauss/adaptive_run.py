"""A Gauss–Legendre method at work with steps that follow the motion."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...core.method import Start, sampled_steps
from ...core.system import State
from ...scalars import double
from ...scalars.protocol import NO_SOLUTION, TOLERANCE_NOT_MET
from ..loops import no_force
from .density import Rates
from .loops import Carried
from .picture import (
    ANGLE,
    AT,
    CONFIGURATION,
    CONSTANTS,
    KIND,
    MOMENTUM,
    OTHER,
    PLACE,
    ROTATION,
    ROTATION_CONSTANTS,
    SIZE,
)
from .reversible import ENERGY, LENGTH, PARTS, TIME, Curve, Motion, energy_at, follow
from .run import GaussRun, aligned, velocity
from .tables import gauss_table

Array = NDArray[np.float64]
CONSTANT_COUNT = {ROTATION: ROTATION_CONSTANTS, OTHER: 0}  # of a part; a place or an angle has one for each number
MOST_STEPS_AT_ONCE = 1024.0  # of the grid within one step: a force that sets in later is not passed over


class AdaptiveRun(GaussRun):
    """What is carried: the last node before the sample, and the sample. From these the step in which the sample lies can be
    done again, so that a run goes on bit for bit."""

    dense = True

    def __init__(self, start: Start, stages: int, angle: float, *, symplectic: bool) -> None:
        assert start.kind == double  # which the method has checked
        self._before_sample = PARTS + stages
        super().__init__(start, stages)
        self.left, self._angle = self.carried_state, math.copysign(angle, self.clock.step)
        self.left.memory[TIME] = self.clock.t0
        self.row[:] = self.left.w
        self.right, self._part = (Carried(*(aligned(numbers.size) for numbers in self.left)) for _ in range(2))
        self._ready = False
        table = gauss_table(stages)
        room = aligned(stages), aligned(stages * stages), aligned(stages * stages), np.zeros(2 * self.left.w.size)
        longest = min(MOST_STEPS_AT_ONCE * abs(self.clock.step), 1e60)
        attractions, rows = self.canonical.attractions, self.parts.rows
        places = np.array([[first, second] for first, second, _ in attractions], dtype=np.int64).reshape(-1, 2)
        momenta = {int(row[CONFIGURATION]): int(row[AT] + row[SIZE]) for row in rows if row[KIND] == PLACE}
        constants = self.frame.constants
        b = np.array([constants[row[CONSTANTS]] if row[KIND] == ROTATION else 0.0 for row in rows])
        rates = Rates(
            places=places,
            momenta=np.array([momenta.get(int(at), -1) for at in places.ravel()], dtype=np.int64).reshape(-1, 2),
            squares=np.array([mu * mu for _, _, mu in attractions], dtype=np.float64),
            turning=b**4,
            least=(angle / longest) ** 4,
            canonical=symplectic,
        )
        self.left.memory[LENGTH] = self._angle / self._rate(rates, self.canonical.enter(start.y[None])[0])
        curve = Curve(table.following, table.legendre, *room)
        energy = (self.canonical.energy if symplectic else None) or no_force
        bound = energy.on(self.kind, self.kind)
        self._motion = Motion(self.system, self.frame, self.table, curve, self.scratch, rates, bound)
        if symplectic:
            for row in rows[: self.parts.active_rows]:  # the variables of the step are those of the state
                constants[row[CONSTANTS] : row[CONSTANTS] + CONSTANT_COUNT.get(row[KIND], row[SIZE])] = 0.0
            self.left.memory[ENERGY] = self._energy(bound, self.canonical.enter(start.y[None])[0])

    def _memory(self, size: int) -> int:
        return self._before_sample + size

    @property
    def row(self) -> Array:
        return self.carried_state.memory[self._before_sample :]

    def set_out(self, start: Start) -> bool:
        return False

    def restarted(self, state: State, step: float) -> GaussRun | None:
        return None

    def restore(self, sample: Array) -> None:
        super().restore(sample)
        self._ready = False

    def restore_row(self, row: Array) -> None:
        self.row[:] = row

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        t0, step = self.clock
        numbers = sampled_steps(first, count, every)
        status, reached = self.follow(np.asarray(t0 + numbers * step, dtype=np.float64), samples)
        if not status:
            return 0, count
        return status, int(numbers[reached - 1]) - first if reached else 0

    def follow(self, times: Array, samples: Array) -> tuple[int, int]:
        return self._go(0, times, samples)

    def walk(self, steps: int) -> tuple[int, float]:
        status, _ = self._go(steps, np.empty(0), np.empty((0, self.row_size)))
        return status, float((self.right if self._ready else self.left).memory[TIME])

    def _go(self, whole: int, times: Array, samples: Array) -> tuple[int, int]:
        """Whole steps, and then on to each of the times."""
        nodes, control, loop = (self.left, self.right, self._part), (self._angle, whole, self._ready), cast(Any, follow)
        status, reached = loop(self.kind, self._motion, *nodes, *control, times, samples, self.report.numbers)
        self._ready = status == 0 and (self._ready or whole > 0 or len(times) > 0)
        return TOLERANCE_NOT_MET if status == NO_SOLUTION else status, reached

    def _energy(self, energy: Any, y: Array) -> float:
        """The energy of a state."""
        self.scratch.y[: y.size * self.width].reshape(-1, self.width)[:] = y[:, None]
        p, t, report = self.system.p, self.clock.t0, self.report.numbers
        return energy_at(self.kind, energy, self.scratch.y, p, t, y.size, report)

    def _rate(self, rates: Rates, y: Array) -> float:
        """σ at a state: the same as `density` has it, for the guess of the first step."""
        dy, total = self._rates(y[None])[0], rates.least
        for (first, second), square in zip(rates.places, rates.squares, strict=True):
            r = y[first : first + 3] - (y[second : second + 3] if second >= 0 else 0.0)
            total += square / float(r @ r) ** 3
        for row in self.parts.rows[: self.parts.active_rows]:
            if row[KIND] in (ROTATION, ANGLE):
                omega, m = velocity(row, y, dy), row[MOMENTUM]
                push = dy[m : m + row[SIZE]]
                if row[KIND] == ROTATION:
                    push = push - np.cross(y[m : m + 3], omega)
                b = self.frame.constants[row[CONSTANTS]]
                total += float(omega @ omega) ** 2 + b * b * float(push @ push)
        return float(total**0.25)
