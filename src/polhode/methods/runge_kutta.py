"""What others use: explicit Runge–Kutta methods of fixed step, for comparison. They keep nothing but their order."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.method import Array, Method, Run, Start
from ..core.representation import Form
from ..core.system import System
from ..scalars import compiled, get, lanes, put
from ..scalars.protocol import EVALUATIONS
from .loops import Clock, Slots, Span, Workbench, slope

BLOCK = 8  # doubles that are taken at once: arrays are as long as whole blocks
V = lanes(BLOCK)


class Tableau(NamedTuple):
    """An explicit Runge–Kutta method each of whose stages is made of the slope before it: entry i of `a` leads from
    slope i to the next stage."""

    a: Array
    b: Array
    c: Array


@compiled
def runge_kutta_loop(
    S: Any,
    rhs: Any,
    force: Any,
    y: Array,
    p: Array,
    slots: Slots,
    tableau: Tableau,
    stage: Array,
    dy: Array,
    total: Array,
    clock: Clock,
    span: Span,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """An explicit Runge–Kutta method, for the sum of `rhs` and of the force on the momenta.

    `stage` has room for a state with its slots and workspace. The blocks of `y` reach over the end of the state, where
    slopes are zero.
    """
    row, step, stages, blocks = 0, clock.step, tableau.b.shape[0], dy.shape[0] // BLOCK
    a, b, c = tableau.a, tableau.b, tableau.c
    for k in range(span.first, span.first + span.steps):
        t = clock.t0 + k * step
        for m in range(blocks):
            put(stage, m, V, get(y, m, V))
        for i in range(stages):
            status = slope(S, rhs, force, stage, p, slots, t + c[i] * step, dy, report)
            if status != 0:
                return status, k - span.first
            for m in range(blocks):
                slopes = get(dy, m, V)
                put(stage, m, V, get(y, m, V) + (step * a[i]) * slopes)
                put(total, m, V, b[i] * slopes if i == 0 else get(total, m, V) + b[i] * slopes)
        for m in range(blocks):
            put(y, m, V, get(y, m, V) + step * get(total, m, V))
        if (k + 1) % span.every == 0:
            samples[row, :] = y[: samples.shape[1]]
            row += 1
    report[EVALUATIONS] += span.steps * stages
    return 0, span.steps


class RungeKuttaRun(Workbench, Run):
    """An explicit Runge–Kutta method."""

    def __init__(self, start: Start, tableau: Tableau) -> None:
        super().__init__(start, start.representation.rhs)
        self.tableau = tableau
        self.carried = self.slots.forces  # forces are evaluated anew at every stage
        padded = -(-self.carried // BLOCK) * BLOCK
        self.stage = np.zeros(max(padded, self.y.size))
        self.y = np.concatenate([start.y, np.zeros(padded - self.carried)])
        self.dy, self.total = np.zeros(padded), np.zeros(padded)

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        return runge_kutta_loop(
            self.kind,
            self.main,
            self.force,
            self.y,
            self.p,
            self.slots,
            self.tableau,
            self.stage,
            self.dy,
            self.total,
            self.clock,
            Span(first, count, every),
            samples,
            self.report.numbers,
        )


class ExplicitRungeKutta(Method):
    """An explicit Runge–Kutta method given by its tableau.

    `representation`: which of the system's forms of the equations to integrate, where it offers several.
    """

    tableau: ClassVar[Tableau]

    def __init__(self, representation: str = Form.DEFAULT) -> None:
        self.representation = str(representation)

    def options(self) -> dict[str, Any]:
        return {"representation": self.representation} if self.representation != Form.DEFAULT else {}

    def why_not(self, system: System) -> str | None:
        representation = system.representations.get(self.representation)
        if representation is None or representation.rhs is None:
            return f"it offers no right-hand side for the representation {self.representation!r}"
        return None

    def run(self, start: Start) -> RungeKuttaRun:
        return RungeKuttaRun(start, self.tableau)


class RK4(ExplicitRungeKutta):
    """The classical Runge–Kutta method of order 4."""

    summary = "classical Runge–Kutta"
    reference = "W. Kutta, Z. Math. Phys. 46 (1901) 435"
    order = 4
    tableau = Tableau(
        np.array([0.5, 0.5, 1.0, 0.0]), np.array([1.0, 2.0, 2.0, 1.0]) / 6.0, np.array([0.0, 0.5, 0.5, 1.0])
    )


class Midpoint(ExplicitRungeKutta):
    """The explicit midpoint rule, of order 2."""

    summary = "explicit midpoint rule"
    reference = "C. Runge, Math. Ann. 46 (1895) 167"
    order = 2
    tableau = Tableau(np.array([0.5, 0.0]), np.array([0.0, 1.0]), np.array([0.0, 0.5]))


__all__ = ["RK4", "Midpoint"]
