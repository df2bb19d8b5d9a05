"""The compiled loops: one for methods made of drifts and kicks, one for explicit Runge–Kutta methods.

They move flat arrays of doubles about and call flows; the scalar matters to the flows alone. Adding h times a force to
a momentum, or a linear combination of stages, is the same loop over doubles for doubles, lanes and duals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.layout import Layout
from ..core.method import Report, Representation, Run
from ..scalars import Flow, compiled, double, kernel, width
from ..scalars.compile import BoundFlow

if TYPE_CHECKING:
    from numba import types

Array = NDArray[np.float64]


@compiled
def drift_kick_loop(
    S: Any,
    drift: Any,
    force: Any,
    has_force: bool,
    y: Array,
    p: Array,
    kicked: int,
    kicks: int,
    forces: int,
    staggered: bool,
    stages: Array,
    t0: float,
    step: float,
    first: int,
    count: int,
    every: int,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """Half kick, drift, half kick, for each stage of a composition; or, staggered, a whole kick and drift, the momenta
    being those of the last interval rather than of the node.

    `y[forces : forces + kicks]` holds the force at the present configuration, so that a force is evaluated once a
    stage; `y[kicked : kicked + kicks]` are the momenta. A row of `stages` is a fraction of the step and where it starts.
    """
    row = 0
    last = stages[stages.shape[0] - 1, 0] * step
    for k in range(first, first + count):
        for s in range(stages.shape[0]):
            h = stages[s, 0] * step
            t = t0 + (k + stages[s, 1]) * step
            impulse = 0.5 * (last + h) if staggered else 0.5 * h
            last = h
            for i in range(kicks):
                y[kicked + i] += impulse * y[forces + i]
            status = drift(S, y, p, t, h, report)
            if status != 0:
                return status, k - first
            if has_force:
                status = force(S, y, p, t + h, h, report)
                if status != 0:
                    return status, k - first
                if not staggered:
                    for i in range(kicks):
                        y[kicked + i] += impulse * y[forces + i]
        if (k + 1) % every == 0:
            samples[row, :] = y[: samples.shape[1]]
            row += 1
    report[3] += count * stages.shape[0]
    return 0, count


@compiled
def slope(
    S: Any,
    rhs: Any,
    force: Any,
    has_force: bool,
    y: Array,
    p: Array,
    kicked: int,
    kicks: int,
    forces: int,
    t: float,
    dy: Array,
) -> int:
    """dy/dt at y: the motion without force, plus the force on the momenta."""
    status = rhs(S, y, p, t, 0.0, dy)
    if has_force and status == 0:
        status = force(S, y, p, t, 0.0, dy)
        for i in range(kicks):
            dy[kicked + i] += y[forces + i]
    return status


@kernel
def combine(weights: Array, slopes: Array, total: Array) -> None:
    """The weighted sum of the first rows of `slopes`, one row after another: a loop that is done in whole registers."""
    for m in range(slopes.shape[1]):
        total[m] = 0.0
    for j in range(weights.shape[0]):
        if weights[j] != 0.0:
            for m in range(slopes.shape[1]):
                total[m] += weights[j] * slopes[j, m]


@compiled
def runge_kutta_loop(
    S: Any,
    rhs: Any,
    force: Any,
    has_force: bool,
    y: Array,
    p: Array,
    kicked: int,
    kicks: int,
    forces: int,
    A: Array,
    b: Array,
    c: Array,
    slopes: Array,
    stage: Array,
    t0: float,
    step: float,
    first: int,
    count: int,
    every: int,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """An explicit Runge–Kutta method with tableau (A, b, c), for the sum of `rhs` and of the force on the momenta."""
    row, size = 0, slopes.shape[1]
    for k in range(first, first + count):
        t = t0 + k * step
        for i in range(b.shape[0]):
            combine(A[i, :i], slopes, stage)
            for m in range(size):
                stage[m] = y[m] + step * stage[m]
            status = slope(S, rhs, force, has_force, stage, p, kicked, kicks, forces, t + c[i] * step, slopes[i])
            if status != 0:
                return status, k - first
        combine(b, slopes, stage)
        for m in range(size):
            y[m] += step * stage[m]
        if (k + 1) % every == 0:
            samples[row, :] = y[: samples.shape[1]]
            row += 1
    report[3] += count * b.shape[0]
    return 0, count


class Workbench:
    """State, parameters and flows as compiled loops want them, for any scalar.

    `y` is given for the variables of the layout; slots for forces and the workspace of the flows are added to it.
    """

    def __init__(
        self, representation: Representation, main: Flow, y: Array, p: Array, t0: float, step: float, kind: types.Type
    ) -> None:
        self.layout: Layout = representation.layout
        self.kind, self.t0, self.step, self.width = kind, t0, step, width(kind)
        self.main: BoundFlow = main.on(kind)
        self.has_force = representation.force is not None
        # where there is no force the main flow stands in as an argument that is never called
        self.force: BoundFlow = representation.force.on(kind) if self.has_force else self.main
        self.kicked = representation.layout.kicked.start * self.width
        self.kicks = representation.forces * self.width
        self.forces = representation.layout.size * self.width
        self.y = np.concatenate([y, np.zeros(self.kicks + representation.workspace * self.width)])
        self.carried = self.forces + self.kicks
        self.p = np.ascontiguousarray(p)
        self.report = Report()

    def states(self, samples: Array) -> Array:
        return samples[:, : self.forces].copy()


class DriftKickRun(Workbench, Run):
    """A composition of drifts and kicks."""

    def __init__(
        self,
        representation: Representation,
        y: Array,
        p: Array,
        t0: float,
        step: float,
        stages: Array,
        kind: types.Type,
        *,
        staggered: bool = False,
    ) -> None:
        super().__init__(representation, representation.drift, y, p, t0, step, kind)
        self.stages, self.staggered = stages, staggered
        if self.has_force:
            _evaluate(self.kind, self.force, self.y, self.p, t0, self.report.numbers)
        if staggered:
            self.y[self._momenta] -= self._half_kick(self.y)

    @property
    def _momenta(self) -> slice:
        return slice(self.kicked, self.kicked + self.kicks)

    def _half_kick(self, y: Array) -> Array:
        """What the force adds to the momenta between the end of an interval and its node."""
        return 0.5 * self.stages[-1, 0] * self.step * y[..., self.forces : self.forces + self.kicks]

    def states(self, samples: Array) -> Array:
        y = super().states(samples)
        if self.staggered:
            y[:, self._momenta] += self._half_kick(samples)
        return y

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        return drift_kick_loop(
            self.kind,
            self.main,
            self.force,
            self.has_force,
            self.y,
            self.p,
            self.kicked,
            self.kicks,
            self.forces,
            self.staggered,
            self.stages,
            self.t0,
            self.step,
            first,
            count,
            every,
            samples,
            self.report.numbers,
        )


@compiled
def _evaluate(S: Any, flow: Any, y: Array, p: Array, t: float, out: Array) -> int:
    return flow(S, y, p, t, 0.0, out)


class RungeKuttaRun(Workbench, Run):
    """An explicit Runge–Kutta method."""

    def __init__(
        self,
        representation: Representation,
        y: Array,
        p: Array,
        t0: float,
        step: float,
        tableau: tuple[Array, Array, Array],
        kind: types.Type,
    ) -> None:
        super().__init__(representation, representation.rhs, y, p, t0, step, kind)
        self.tableau = tableau
        self.carried = self.forces  # forces are evaluated anew at every stage
        self.slopes = np.zeros((len(tableau[1]), self.carried))
        self.stage = np.zeros(self.y.size)

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        return runge_kutta_loop(
            self.kind,
            self.main,
            self.force,
            self.has_force,
            self.y,
            self.p,
            self.kicked,
            self.kicks,
            self.forces,
            *self.tableau,
            self.slopes,
            self.stage,
            self.t0,
            self.step,
            first,
            count,
            every,
            samples,
            self.report.numbers,
        )


class RightHandSide(Workbench):
    """dy/dt as a Python function `(t, y) -> dy/dt`, for solvers that call back."""

    def __init__(self, representation: Representation, p: Array) -> None:
        super().__init__(representation, representation.rhs, np.zeros(representation.layout.size), p, 0.0, 0.0, double)

    def __call__(self, t: float, y: Array) -> Array:
        self.y[: self.forces] = y
        dy = np.empty(self.forces)
        slots = (self.kicked, self.kicks, self.forces)
        slope(self.kind, self.main, self.force, self.has_force, self.y, self.p, *slots, t, dy)
        return dy
