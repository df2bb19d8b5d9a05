"""When samples are taken: at every so many steps, or at chosen times.

Either way a run does numbered steps. On a grid, number n is the time `t0 + n·step`. With chosen times it is the n-th of
these, and one such step is as many steps of the method as it takes; where samples lie far apart there are numbers between
them, at which the run can pause.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.method import Method, Run, Start
from ..core.scalar_packing import Directions
from ..core.system import State
from ..errors import InvalidInputError
from .dense_output import ROUNDING, whole_steps
from .trajectory import Trajectory

if TYPE_CHECKING:
    from numba import types

Array = NDArray[np.float64]

PAUSES = 1000  # at most, in a run through chosen times, and as many steps apart at least


@dataclass(frozen=True)
class Grid:
    """Every `every`-th of the times `t0 + n·step`."""

    t0: float
    step: float
    every: int
    has_pauses = False

    def time(self, n: Any) -> Any:
        """The time of number n."""
        return self.t0 + n * self.step

    def length(self, n: int) -> float:
        """The time from number n to the next."""
        return self.step

    @property
    def longest(self) -> float:
        """The longest time from one number to the next."""
        return self.step

    def saved(self, first: int, last: int) -> NDArray[np.int64]:
        """Which of the numbers after `first` up to `last` are saved."""
        return np.arange((first // self.every + 1) * self.every, last + 1, self.every)

    def sampled(self, first: int, last: int) -> NDArray[np.int64]:
        """The numbers that a run from `first` to `last` has samples of: both, and those that are saved between them."""
        before = first // self.every
        count = -(-last // self.every) - before + 1 if last > first else 1
        numbers = np.arange(before, before + count) * self.every
        numbers[0], numbers[-1] = first, last
        return numbers

    def count(self, n: int) -> int:
        """How many of the numbers 1 … n are saved."""
        return n // self.every

    def steps(self, n: int) -> int:
        """The whole steps up to number n."""
        return n

    def reached(self, trajectory: Trajectory) -> int:
        """The number at which a run ends that has done a part."""
        return trajectory.stats.steps

    def settled(self, trajectory: Trajectory) -> int:
        """How many samples of a part stay as they are when the run goes on: all but a last one between two regular ones."""
        return 1 + trajectory.stats.steps // self.every

    def within(self, first: int, steps: int) -> int:
        """How many numbers from this one on take so many steps."""
        return steps

    def start(self, method: Method, state: State, kind: types.Type, directions: Directions) -> Run:
        """The run of a method that goes through these times."""
        return method.start(state, self.step, kind, directions)


class ChosenTimes:
    """The start, chosen times, and between them some of a grid: all, where something is looked for in `every_step`.

    `step` is None for a method that needs none.
    """

    every = 1

    def __init__(self, t0: float, step: float | None, chosen: Array, t_end: float, *, every_step: bool) -> None:
        self._without_step = step is None
        self.step = step = (t_end - t0 or 1.0) if step is None else step
        self.has_start = bool(chosen[0] == t0)
        wanted = chosen[1:] if self.has_start else chosen
        grid = self._apart(t0, self._grid(t0, t_end if every_step else float(chosen[-1]), every_step), wanted)
        together = np.concatenate([wanted, grid])
        order = np.argsort(np.sign(step) * together, kind="stable")
        self.times: Array = np.concatenate([[t0], together[order]])
        self._saved = np.concatenate([[False], (np.arange(len(together)) < len(wanted))[order]])
        self._counts = np.cumsum(self._saved)
        self.has_pauses = len(grid) > 0

    def _grid(self, t0: float, end: float, every_step: bool) -> Array:
        """Times of whole steps up to the end: all of them, and the end, or at most so many that are far apart."""
        if self._without_step:
            return np.empty(0)
        count, _ = whole_steps(t0, end, self.step)
        if every_step:
            return np.append(t0 + np.arange(1, count + 1) * self.step, end)
        apart = max(PAUSES, -(-count // PAUSES))
        return np.asarray(t0 + np.arange(apart, count, apart) * self.step)

    def _apart(self, t0: float, grid: Array, wanted: Array) -> Array:
        """Those of the grid that are none of the wanted times, nor each other, but for rounding."""
        sign = np.sign(self.step)
        near = np.searchsorted(sign * wanted, sign * grid)
        gaps = [np.abs(grid - np.append(wanted, np.inf)[near]), np.abs(grid - np.append(-np.inf, wanted)[near])]
        grid = grid[np.minimum(*gaps) > ROUNDING * np.maximum(abs(t0), np.abs(grid))]
        return grid[np.append(True, np.diff(sign * grid) > ROUNDING * np.abs(grid[1:]))] if len(grid) else grid

    def time(self, n: Any) -> Any:
        """The time of number n."""
        return self.times[n]

    def length(self, n: int) -> float:
        """The time from number n to the next."""
        return float(self.times[n + 1] - self.times[n])

    @property
    def longest(self) -> float:
        """The longest time from one number to the next."""
        lengths = np.diff(self.times)
        return float(lengths[np.argmax(np.abs(lengths))]) if len(lengths) else self.step

    def saved(self, first: int, last: int) -> NDArray[np.int64]:
        """Which of the numbers after `first` up to `last` are saved."""
        return first + 1 + np.flatnonzero(self._saved[first + 1 : last + 1])

    def sampled(self, first: int, last: int) -> NDArray[np.int64]:
        """The numbers that a run from `first` to `last` has samples of: the first, and those that are saved after it."""
        return np.append(first, self.saved(first, last))

    def count(self, n: int) -> int:
        """How many of the numbers 1 … n are saved."""
        return int(self._counts[n])

    def steps(self, n: int) -> int:
        """The whole steps up to number n."""
        return whole_steps(float(self.times[0]), float(self.times[n]), self.step)[0]

    def reached(self, trajectory: Trajectory) -> int:
        """The number at which a run ends that has done a part; a `ValueError` if its times are not among these."""
        found = np.flatnonzero(self.times == trajectory.reached)
        if not len(found) or not np.array_equal(trajectory.t[1:], self.times[self.saved(0, found[0])]):
            raise ValueError("its times are others")
        return int(found[0])

    def settled(self, trajectory: Trajectory) -> int:
        """How many samples of a part stay as they are when the run goes on: all."""
        return len(trajectory)

    def within(self, first: int, steps: int) -> int:
        """How many numbers from this one on take no more than so many steps; one in any case, and each at least one."""
        sign, end = np.sign(self.step), self.times[first] + steps * self.step
        return max(1, min(int(np.searchsorted(sign * self.times, sign * end, side="right")) - 1 - first, steps))

    def start(self, method: Method, state: State, kind: types.Type, directions: Directions) -> Run:
        """The run of a method that goes through these times."""
        start = Start.of(state, self.step, method.representation, kind, directions)
        run = method.run(start)
        if self._without_step and not run.dense:
            raise InvalidInputError("step", None, f"a nonzero finite number, which {method!r} needs")
        return _DenseRun(run, self.times) if run.dense else _PartStepRun(method, start, run, self.times)


class _DenseRun(Run):
    """A run through the times of a list by the method's own dense output."""

    def __init__(self, run: Run, times: Array) -> None:
        self._run, self._times = run, times
        self.layout, self.report, self.carried = run.layout, run.report, run.carried

    @property
    def sample(self) -> Array:
        return self._run.sample

    @property
    def row(self) -> Array:
        return self._run.row

    @property
    def row_size(self) -> int:
        return self._run.row_size

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        return self._run.follow(self._times[first + 1 : first + count + 1], samples)

    def states(self, samples: Array) -> Array:
        return self._run.states(samples)

    def restore(self, sample: Array) -> None:
        self._run.restore(sample)

    def restore_row(self, row: Array) -> None:
        self._run.restore_row(row)


class _PartStepRun(Run):
    """A run through the times of a list by whole steps of the method, and from the last of these by a shorter one.

    The shorter step leads to the sample alone: the whole steps go on from where it began, so that a sample more or less
    changes none of the others. Carried are the sample's state, what the run carries at the last whole step, and the
    number of this.
    """

    def __init__(self, method: Method, start: Start, run: Run, times: Array) -> None:
        self._method, self._start, self._run, self._times = method, start, run, times
        self.layout, self.report = run.layout, run.report
        state = run.states(run.row[None])[0]
        self._size = len(state)
        self.y = np.concatenate([state, run.sample, [0.0]])
        self.carried = len(self.y)

    @property
    def row(self) -> Array:
        return self.y[: self._size]

    @property
    def row_size(self) -> int:
        return self._size

    def restore(self, sample: Array) -> None:
        super().restore(sample)
        self._run.restore(sample[self._size : -1])

    def restore_row(self, row: Array) -> None:
        self.y[: self._size] = row

    def begin(self, first: int) -> None:
        self._run.begin(int(self.y[-1]))

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        for k in range(first, first + count):
            status = self._go_to(float(self._times[k + 1]))
            if status:
                return status, k - first
            if k - first < len(samples):
                samples[k - first] = self.row
        return 0, count

    def _go_to(self, t: float) -> int:
        """The sample at time t."""
        t0, step, node = self._start.state.t, self._start.step, int(self.y[-1])
        number, rest = whole_steps(t0, t, step)
        nothing = np.empty((0, self._run.row_size))
        if number > node:
            status, _ = self._run.advance(node, number - node, number + 1, nothing)
            if status:
                return status
        run = self._run
        if rest:
            run = self._method.run(self._from_here(t0 + number * step, rest))
            run.report = self.report
            status, _ = run.advance(0, 1, 2, np.empty((0, run.row_size)))
            if status:
                return status
        self.y[: self._size] = run.states(run.row[None])[0]
        self.y[self._size : -1], self.y[-1] = self._run.sample, number
        return 0

    def _from_here(self, t: float, step: float) -> Start:
        """A start of a shorter step from the last whole one."""
        y = self._run.states(self._run.row[None])[0]
        width = len(y) // self.layout.size
        values = self.layout.unpack(np.ascontiguousarray(y.reshape(-1, width)[:, 0]))
        state = State(self._start.state.system, values, t)
        return replace(self._start, state=state, step=step, y=y)
