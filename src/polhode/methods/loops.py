"""The compiled loop of methods made of drifts and kicks, and what all loops share.

They move flat arrays of doubles about and call flows; the scalar matters to the flows alone. Adding h times a force to
a momentum, or a linear combination of stages, is the same loop over doubles for doubles, lanes and duals.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.method import Report, Run, Start
from ..core.representation import Representation
from ..core.system import System
from ..scalars import Flow, accumulate, flow, get, loop, put, remainder_scalar, width
from ..scalars.calls import CACHE_LINE
from ..scalars.compile import BoundFlow, Compiled
from ..scalars.protocol import EVALUATIONS
from .uncounted import uncounted_kernel, uncounted_loop

Array = NDArray[np.float64]

MOST_FUSED = 24  # entries of a state, with slots and workspace, up to which a system gets a loop of its own


class Slots(NamedTuple):
    """Where, in doubles, the momenta and the force on them lie in the flat array, and how long each is; and the same in
    entries, each of which has as many doubles as the scalar takes."""

    momenta: int
    forces: int
    size: int
    has_force: bool
    momentum_entry: int
    force_entry: int
    entries: int

    @classmethod
    def of(cls, representation: Representation, width: int) -> Slots:
        """The slots of a representation on a scalar that takes `width` doubles."""
        layout = representation.layout
        entries = int(layout.kicked.start), layout.size, representation.forces
        momenta, forces, size = (number * width for number in entries)
        return cls(momenta, forces, size, representation.force is not None, *entries)


class Clock(NamedTuple):
    """Times are `t0 + n step`."""

    t0: float
    step: float


class Composition(NamedTuple):
    """The stages of a step, each a fraction of it and where that starts; whether the momenta are those of the intervals."""

    stages: Array
    staggered: bool


class Span(NamedTuple):
    """The number of the first step to do, how many, and after every how many to keep a sample."""

    first: int
    steps: int
    every: int


@uncounted_kernel
def put_sample(samples: Array, row: int, y: Array) -> None:
    """Write what is carried to a row. A slice would take three times as long to compile as a whole loop over steps."""
    for i in range(samples.shape[1]):
        samples[row, i] = y[i]


@uncounted_kernel
def forget_remainders(S: Any, y: Array, slots: Slots) -> None:
    """Begin a step with what the state says, and no more."""
    for i in range(1, slots.force_entry + 1):
        put(y, -i, remainder_scalar(S), 0.0)


@uncounted_kernel
def kick(S: Any, y: Array, slots: Slots, impulse: float) -> None:
    """Add the force times the `impulse` to the momenta."""
    for i in range(slots.entries):
        accumulate(y, slots.momentum_entry + i, S, impulse * get(y, slots.force_entry + i, S))


@uncounted_loop
def drift_kick_loop(
    S: Any,
    drift: Any,
    force: Any,
    y: Array,
    p: Array,
    slots: Slots,
    composition: Composition,
    clock: Clock,
    span: Span,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """Half kick, drift, half kick, for each stage of a composition; or, staggered, a whole kick and drift, the momenta
    being those of the last interval rather than of the node.

    The slots hold the force at the present configuration, so that a force is evaluated once per stage.
    """
    row, stages, staggered = 0, composition.stages, composition.staggered
    step = clock.step
    last = stages[stages.shape[0] - 1, 0] * step
    for k in range(span.first, span.first + span.steps):
        forget_remainders(S, y, slots)
        for s in range(stages.shape[0]):
            h = stages[s, 0] * step
            t = clock.t0 + (k + stages[s, 1]) * step
            impulse = 0.5 * (last + h) if staggered else 0.5 * h
            last = h
            kick(S, y, slots, impulse)
            status = drift(S, y, p, t, h, report)
            if status != 0:
                return status, k - span.first
            if slots.has_force:
                status = force(S, y, p, t + h, h, report)
                if status != 0:
                    return status, k - span.first
                if not staggered:
                    kick(S, y, slots, impulse)
        if (k + 1) % span.every == 0:
            put_sample(samples, row, y)
            row += 1
    report[EVALUATIONS] += span.steps * stages.shape[0]
    return 0, span.steps


@uncounted_kernel
def slope(S: Any, rhs: Any, force: Any, y: Array, p: Array, slots: Slots, t: float, dy: Array, report: Array) -> int:
    """dy/dt at y: the motion without force, plus the force on the momenta."""
    status = rhs(S, y, p, t, dy, report)
    if slots.has_force and status == 0:
        status = force(S, y, p, t, 0.0, report)
        for i in range(slots.entries):
            k = slots.momentum_entry + i
            put(dy, k, S, get(dy, k, S) + get(y, slots.force_entry + i, S))
    return status


@loop
def put_slope(
    S: Any, rhs: Any, force: Any, y: Array, p: Array, slots: Slots, t: float, dy: Array, report: Array
) -> int:
    """`slope`, for Python."""
    return slope(S, rhs, force, y, p, slots, t, dy, report)


@loop
def put_force(S: Any, force: Any, y: Array, p: Array, t: float, report: Array) -> int:
    """Evaluate the force at (t, y) into its slots."""
    return force(S, y, p, t, 0.0, report)


@flow
def no_force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """What stands in, where there is no force, as an argument that is never called."""
    return 0


def aligned(shape: int | tuple[int, ...], values: Any = 0.0) -> Array:
    """An array that begins at the start of a cache line, with these values: then no vector of eight doubles lies across two
    lines."""
    size = math.prod(shape) if isinstance(shape, tuple) else shape
    room = np.empty(size + CACHE_LINE // 8)
    start = -room.__array_interface__["data"][0] % CACHE_LINE // 8
    found = room[start : start + size].reshape(shape)
    found[...] = values
    return found


def on_cache_lines(numbers: int) -> int:
    """So many numbers, and as many more as fill the last cache line."""
    return -(-numbers * 8 // CACHE_LINE) * CACHE_LINE // 8


class Workbench:
    """State, parameters and flows as compiled loops want them, for any scalar: slots for forces and the workspace of the
    flows are added to the flat array of the state, and before it room for the remainder of each entry (`accumulate`)."""

    def __init__(self, start: Start, main: Flow | None) -> None:
        assert main is not None  # which the method has checked
        representation = start.representation
        self.representation, self.layout = representation, representation.layout
        self.kind, self.width = start.kind, width(start.kind)
        self.has_force = representation.force is not None
        self.slots = Slots.of(representation, self.width)
        self.flows = main, representation.force or no_force
        for each in self.flows:
            if not each.fusible:  # what does not compile of a user's function is said before the first step
                each.on(self.kind)
        self.room = on_cache_lines(start.y.size)
        size = start.y.size + self.slots.size + representation.workspace * self.width
        self.numbers = aligned(self.room + on_cache_lines(size) + start.p.size)
        self.y, self.p = self.numbers[self.room : self.room + size], self.numbers[self.room + on_cache_lines(size) :]
        self.carried = self.slots.forces + self.slots.size
        self.enter(start)

    def enter(self, start: Start) -> None:
        """Begin from there."""
        self.clock = Clock(float(start.state.t), float(start.step))
        self.y[: start.y.size], self.p[:] = start.y, start.p
        self.report = Report()

    @cached_property
    def main(self) -> BoundFlow:
        """The flow without force, compiled when a loop asks for it: some loops have it in themselves."""
        return self.flows[0].on(self.kind)

    @cached_property
    def force(self) -> BoundFlow:
        """The force, likewise."""
        return self.flows[1].on(self.kind)

    def states(self, samples: Array) -> Array:
        """The states that rows of samples stand for."""
        return samples[:, : self.slots.forces].copy()


class LoopRun(Workbench, Run):
    """A run whose steps are done by a compiled loop, called as
    `loop(S, main, force, y, p, slots, scheme, clock, span, samples, report)`."""

    loop: ClassVar[Compiled]
    scheme: Any
    """The coefficients of the method, as the loop reads them."""

    @staticmethod
    def further_parameters(system: System) -> Array:
        """What the loop reads behind the parameters of the system."""
        return np.empty(0)

    @property
    def entered(self) -> Compiled:
        """The function that `advance` calls."""
        return self.loop

    def begin(self, first: int) -> None:
        if not self.entered.entered_on(self.kind):
            super().begin(first)

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        motion = self.kind, self.main, self.force, self.y, self.p, self.slots
        span = Span(first, count, every)
        return self.loop.on(*motion, self.scheme, self.clock, span, samples, self.report.numbers)


class DriftKickRun(LoopRun):
    """A composition of drifts and kicks."""

    loop = drift_kick_loop
    scheme: Composition

    def __init__(self, start: Start, stages: Array, *, staggered: bool = False) -> None:
        super().__init__(start, start.representation.drift)
        self.scheme = Composition(stages, staggered)
        self._enter_force()

    def set_out(self, start: Start) -> bool:
        same = start.representation is self.representation and start.kind is self.kind
        if not same or start.p.size != self.p.size or type(self) is not DriftKickRun:
            return False
        self.numbers[:] = 0.0
        self.enter(start)
        self._enter_force()
        return True

    def _enter_force(self) -> None:
        """The force at the start, and the momenta that the run carries."""
        if self.has_force:
            put_force.on(self.kind, self.force, self.y, self.p, self.clock.t0, self.report.numbers)
        self.enter_stagger(self.y)

    def enter_stagger(self, y: Array) -> None:
        """Take the momenta in `y`, one row or several, from the node to the last interval, if the run is staggered."""
        if self.scheme.staggered:
            y[..., self._momenta] -= self._half_kick(y)

    @property
    def _momenta(self) -> slice:
        return slice(self.slots.momenta, self.slots.momenta + self.slots.size)

    def _half_kick(self, y: Array) -> Array:
        """What the force adds to the momenta between the end of an interval and its node."""
        forces = slice(self.slots.forces, self.slots.forces + self.slots.size)
        return 0.5 * self.scheme.stages[-1, 0] * self.clock.step * y[..., forces]

    def states(self, samples: Array) -> Array:
        y = super().states(samples)
        if self.scheme.staggered:
            y[:, self._momenta] += self._half_kick(samples)
        return y


class RightHandSide(Workbench):
    """dy/dt as a Python function `(t, y) -> dy/dt`, for solvers that call back."""

    def __init__(self, start: Start) -> None:
        super().__init__(start, start.representation.rhs)

    def __call__(self, t: float, y: Array) -> Array:
        self.y[: self.slots.forces] = y
        dy = np.empty(self.slots.forces)
        put_slope.on(self.kind, self.main, self.force, self.y, self.p, self.slots, t, dy, self.report.numbers)
        return dy
