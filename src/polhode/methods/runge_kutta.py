"""What others use: explicit Runge–Kutta methods of fixed step, for comparison. They keep nothing but their order."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.method import Array, Method, Start
from ..core.representation import Form
from ..core.system import System
from ..scalars import Flow, double, get, lanes, local, multiply_add, put, tail
from ..scalars.compile import Compiled
from ..scalars.protocol import EVALUATIONS
from .loops import MOST_FUSED, Clock, LoopRun, Slots, Span, aligned, no_force, slope
from .uncounted import uncounted_kernel, uncounted_loop

BLOCK = 8  # doubles that are taken at once: arrays are as long as whole blocks
V = lanes(BLOCK)


class Tableau(NamedTuple):
    """An explicit Runge–Kutta method each of whose stages is made of the slope before it: entry i of `a` leads from
    slope i to the next stage."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    c: tuple[float, ...]


class Coefficients(NamedTuple):
    """A tableau as loops read it."""

    a: Array
    b: Array
    c: Array


class Stages(NamedTuple):
    """The method, and room for a state with its slots and workspace after two states."""

    coefficients: Coefficients
    work: Array


@uncounted_kernel
def runge_kutta_steps(
    S: Any,
    B: Any,
    blocks: int,
    rhs: Any,
    force: Any,
    y: Array,
    p: Array,
    slots: Slots,
    coefficients: Coefficients,
    stage: Array,
    dy: Array,
    total: Array,
    kept: Array,
    clock: Clock,
    span: Span,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """An explicit Runge–Kutta method, for the sum of `rhs` and of the force on the momenta.

    States are added in `blocks` pieces of the scalar `B`. `stage` has room for a state with its slots and workspace. The
    blocks of `y` may reach over the end of the state, where slopes are zero. Samples go through `kept`: `y` stays in registers
    where nothing but constant places of it are asked for. The last stage stands alone, so that the loop over the others is
    short enough for the compiler to unroll.
    """
    row, step, last = 0, clock.step, coefficients.b.shape[0] - 1
    a, b, c = coefficients.a, coefficients.b, coefficients.c
    for k in range(span.first, span.first + span.steps):
        t = clock.t0 + k * step
        for m in range(blocks):
            put(stage, m, B, get(y, m, B))
            put(total, m, B, get(y, m, B))
        for i in range(last):
            status = slope(S, rhs, force, stage, p, slots, t + c[i] * step, dy, report)
            if status != 0:
                return status, k - span.first
            to_stage, to_total = step * a[i], step * b[i]
            for m in range(blocks):
                put(stage, m, B, multiply_add(to_stage, get(dy, m, B), get(y, m, B)))
                put(total, m, B, multiply_add(to_total, get(dy, m, B), get(total, m, B)))
        status = slope(S, rhs, force, stage, p, slots, t + c[last] * step, dy, report)
        if status != 0:
            return status, k - span.first
        to_total = step * b[last]
        for m in range(blocks):
            put(y, m, B, multiply_add(to_total, get(dy, m, B), get(total, m, B)))
        if (k + 1) % span.every == 0:
            for m in range(blocks):
                put(kept, m, B, get(y, m, B))
            for m in range(slots.forces):
                samples[row, m] = kept[m]
            row += 1
    report[EVALUATIONS] += span.steps * (last + 1)
    return 0, span.steps


@uncounted_loop
def runge_kutta_loop(
    S: Any,
    rhs: Any,
    force: Any,
    y: Array,
    p: Array,
    slots: Slots,
    stages: Stages,
    clock: Clock,
    span: Span,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """`runge_kutta_steps` for any system and scalar, in whole blocks."""
    size, work = y.shape[0], stages.work
    dy, total, stage = work, tail(work, size), tail(work, 2 * size)
    return runge_kutta_steps(
        S,
        V,
        size // BLOCK,
        rhs,
        force,
        y,
        p,
        slots,
        stages.coefficients,
        stage,
        dy,
        total,
        stage,
        clock,
        span,
        samples,
        report,
    )


@cache
def fused_loop(rhs: Flow, force: Flow, slots: Slots, size: int, tableau: Tableau) -> Compiled:
    """`runge_kutta_steps` for one system and method, on doubles, with the state in registers; `size` counts slots and
    workspace too.

    The coefficients go through arrays, as they do for the loop for all, and not as they are: so the steps are typed once for all
    methods. The compiler sees through it.
    """
    entries, stages = slots.forces, len(tableau.b)

    def fused_runge_kutta(
        S: Any, y: Array, p: Array, clock: Clock, span: Span, samples: Array, report: Array
    ) -> tuple[int, int]:
        a, b, c = local(stages), local(stages), local(stages)
        for i in range(stages):
            a[i], b[i], c[i] = tableau.a[i], tableau.b[i], tableau.c[i]
        now, stage = local(entries), local(size)
        dy, total, kept = local(entries), local(entries), local(entries)
        for m in range(entries):
            now[m] = y[m]
        done = runge_kutta_steps(
            S,
            S,
            entries,
            rhs,
            force,
            now,
            p,
            slots,
            Coefficients(a, b, c),
            stage,
            dy,
            total,
            kept,
            clock,
            span,
            samples,
            report,
        )
        for m in range(entries):
            y[m] = now[m]
        return done

    return uncounted_loop(fused_runge_kutta)


class RungeKuttaRun(LoopRun):
    """An explicit Runge–Kutta method."""

    loop = runge_kutta_loop

    def __init__(self, start: Start, tableau: Tableau) -> None:
        super().__init__(start, start.representation.rhs)
        self.carried = self.slots.forces  # forces are evaluated anew at every stage
        self._size = self.y.size
        padded = -(-self.carried // BLOCK) * BLOCK
        coefficients = Coefficients(*map(np.array, tableau))
        self.scheme = Stages(coefficients, aligned(2 * padded + max(padded, self._size)))
        self.y = aligned(start.y.size + padded - self.carried)
        self.y[: start.y.size] = start.y
        rhs, force = start.representation.rhs, start.representation.force or no_force
        self._fused: Compiled | None = None
        if rhs and rhs.fusible and force.fusible and self._size <= MOST_FUSED and self.kind is double:
            self._fused = fused_loop(rhs, force, self.slots, self._size, tableau)

    @property
    def entered(self) -> Compiled:
        return self._fused or self.loop

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        if self._fused is None:
            return super().advance(first, count, every, samples)
        clock, span = self.clock, Span(first, count, every)
        return self._fused.on(double, self.y, self.p, clock, span, samples, self.report.numbers)


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
    tableau = Tableau((0.5, 0.5, 1.0, 0.0), (1 / 6, 2 / 6, 2 / 6, 1 / 6), (0.0, 0.5, 0.5, 1.0))


class Midpoint(ExplicitRungeKutta):
    """The explicit midpoint rule, of order 2."""

    summary = "explicit midpoint rule"
    reference = "C. Runge, Math. Ann. 46 (1895) 167"
    order = 2
    tableau = Tableau((0.5, 0.0), (0.0, 1.0), (0.0, 0.5))


__all__ = ["RK4", "Midpoint"]
