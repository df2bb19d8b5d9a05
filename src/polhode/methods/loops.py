"""The compiled loops: one for methods made of drifts and kicks, one for explicit Runge–Kutta methods.

They move flat arrays of doubles about and call flows; the scalar matters to the flows alone. Adding h times a force to
a momentum, or a linear combination of stages, is the same loop over doubles for doubles, lanes and duals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..geometry.layout import Layout
from ..scalars import compiled, width
from ..scalars.compile import BoundFlow
from .base import Report, Representation, Run

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
    stages: Array,
    t0: float,
    step: float,
    first: int,
    count: int,
    every: int,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """Half kick, drift, half kick, for each stage of a composition.

    `y[forces : forces + kicks]` holds the force at the present configuration, so that a force is evaluated once a
    stage; `y[kicked : kicked + kicks]` are the momenta. A row of `stages` is a fraction of the step and where it starts.
    """
    row = 0
    for k in range(first, first + count):
        for s in range(stages.shape[0]):
            h = stages[s, 0] * step
            t = t0 + (k + stages[s, 1]) * step
            for i in range(kicks):
                y[kicked + i] += 0.5 * h * y[forces + i]
            status = drift(S, y, p, t, h, report)
            if status != 0:
                return status, k - first
            if has_force:
                force(S, y, p, t + h, h, report)
                for i in range(kicks):
                    y[kicked + i] += 0.5 * h * y[forces + i]
        if (k + 1) % every == 0:
            samples[row, :] = y
            row += 1
    report[3] += count * stages.shape[0]
    return 0, count


@compiled
def runge_kutta_loop(
    S: Any,
    rhs: Any,
    y: Array,
    p: Array,
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
    """An explicit Runge–Kutta method with tableau (A, b, c)."""
    row = 0
    for k in range(first, first + count):
        t = t0 + k * step
        for i in range(b.shape[0]):
            for m in range(y.shape[0]):
                total = 0.0
                for j in range(i):
                    total += A[i, j] * slopes[j, m]
                stage[m] = y[m] + step * total
            status = rhs(S, stage, p, t + c[i] * step, step, slopes[i])
            if status != 0:
                return status, k - first
        for m in range(y.shape[0]):
            total = 0.0
            for i in range(b.shape[0]):
                total += b[i] * slopes[i, m]
            y[m] += step * total
        if (k + 1) % every == 0:
            samples[row, :] = y
            row += 1
    report[3] += count * b.shape[0]
    return 0, count


class CompiledRun(Run):
    """State, parameters and flows of a compiled loop, for any scalar."""

    def __init__(self, representation: Representation, y: Array, p: Array, t0: float, step: float, kind: types.Type) -> None:
        self.layout: Layout = representation.layout
        self.kind, self.t0, self.step = kind, t0, step
        self.width = width(kind)
        self.y, self.p = np.ascontiguousarray(y), np.ascontiguousarray(p)
        self.report = Report()


class DriftKickRun(CompiledRun):
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
    ) -> None:
        slots = np.zeros(representation.forces * width(kind))
        super().__init__(representation, np.concatenate([y, slots]), p, t0, step, kind)
        self.stages = stages
        self.drift: BoundFlow = representation.drift.on(kind)
        # where there is no force the drift stands in as an argument that is never called
        self.force: BoundFlow = representation.force.on(kind) if representation.force else self.drift
        self.has_force = representation.force is not None
        self.kicked = representation.layout.kicked.start * self.width
        self.kicks = representation.forces * self.width
        self.forces = representation.layout.size * self.width
        if self.has_force:
            _evaluate(self.kind, self.force, self.y, self.p, t0, self.report.numbers)

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        return drift_kick_loop(
            self.kind,
            self.drift,
            self.force,
            self.has_force,
            self.y,
            self.p,
            self.kicked,
            self.kicks,
            self.forces,
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


class RungeKuttaRun(CompiledRun):
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
        super().__init__(representation, y, p, t0, step, kind)
        self.tableau = tableau
        self.rhs: BoundFlow = representation.rhs.on(kind)
        self.slopes = np.zeros((len(tableau[1]), self.y.size))
        self.stage = np.zeros(self.y.size)

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        return runge_kutta_loop(
            self.kind,
            self.rhs,
            self.y,
            self.p,
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


def derivative(representation: Representation, p: Array) -> Any:
    """The right-hand side as a Python function `(t, y) -> dy/dt`, for solvers that call back."""
    from ..scalars import double

    rhs = representation.rhs.on(double)
    out = np.zeros(representation.layout.size)

    def f(t: float, y: Array) -> Array:
        _evaluate(double, rhs, np.ascontiguousarray(y), p, t, out)
        return out.copy()

    return f
