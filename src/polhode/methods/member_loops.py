"""Many members by one call: the compiled loops of `loops`, `splitting` and `runge_kutta`, over the rows of two arrays.

A row holds one member on doubles or W of them on lanes. Entering a compiled loop from Python takes longer than a hundred
steps of a small body; here it is done once for a whole block.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.method import Run
from ..scalars import compiled
from .loops import Clock, DriftKickRun, Slots, Span, drift_kick_loop
from .runge_kutta import RungeKuttaRun, Tableau, runge_kutta_loop
from .splitting import SplittingRun, splitting_loop

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def put_forces(S: Any, force: Any, Y: Array, P: Array, t: float, report: Array) -> None:
    """Evaluate the force of each row into its slots."""
    for g in range(Y.shape[0]):
        force(S, Y[g], P[g], t, 0.0, report)


@compiled
def drift_kick_rows(
    S: Any,
    drift: Any,
    force: Any,
    Y: Array,
    P: Array,
    slots: Slots,
    stages: Array,
    staggered: bool,
    clock: Clock,
    span: Span,
    samples: Array,
    statuses: Integers,
    report: Array,
) -> None:
    """`drift_kick_loop` on each row that has not failed."""
    for g in range(Y.shape[0]):
        if statuses[g] == 0:
            status, _ = drift_kick_loop(
                S, drift, force, Y[g], P[g], slots, stages, staggered, clock, span, samples[g], report
            )
            statuses[g] = status


@compiled
def splitting_rows(
    S: Any,
    drift: Any,
    force: Any,
    Y: Array,
    P: Array,
    free: Array,
    slots: Slots,
    kicks: Array,
    drifts: Array,
    clock: Clock,
    span: Span,
    samples: Array,
    statuses: Integers,
    report: Array,
) -> None:
    """`splitting_loop` on each row that has not failed."""
    for g in range(Y.shape[0]):
        if statuses[g] == 0:
            status, _ = splitting_loop(
                S, drift, force, Y[g], P[g], free[g], slots, kicks, drifts, clock, span, samples[g], report
            )
            statuses[g] = status


@compiled
def runge_kutta_rows(
    S: Any,
    rhs: Any,
    force: Any,
    Y: Array,
    P: Array,
    slots: Slots,
    tableau: Tableau,
    work: Array,
    clock: Clock,
    span: Span,
    samples: Array,
    statuses: Integers,
    report: Array,
) -> None:
    """`runge_kutta_loop` on each row that has not failed."""
    for g in range(Y.shape[0]):
        if statuses[g] == 0:
            status, _ = runge_kutta_loop(
                S, rhs, force, Y[g], P[g], slots, tableau, work, clock, span, samples[g], report
            )
            statuses[g] = status


class Rows:
    """Runs like `run`, one per row: each from its own state and parameters, with the same clock.

    `starts` and `parameters` are rows as the flows on the scalar of `run` read them; `free` those of exact drifts.
    """

    def __init__(self, run: Any, starts: Array, parameters: Array, free: Array | None = None) -> None:
        assert serves(run)
        self.run = run
        self.Y = np.zeros((len(starts), run.y.size))
        self.Y[:, : starts.shape[1]] = starts
        self.P = np.ascontiguousarray(parameters)
        self.free = parameters if free is None else free
        self.statuses = np.zeros(len(starts), dtype=np.int64)
        if run.has_force and not isinstance(run, RungeKuttaRun):  # which carries no force
            put_forces(run.kind, run.force, self.Y, self.P, run.clock.t0, run.report.numbers)
        if isinstance(run, DriftKickRun):
            run.enter_stagger(self.Y)

    @property
    def carried(self) -> Array:
        """What each run carries now."""
        return self.Y[:, : self.run.carried]

    def advance(self, first: int, count: int, every: int, samples: Array) -> None:
        """As `Run.advance`, for all rows; `statuses` says which failed, in this call or earlier."""
        run, span, report = self.run, Span(first, count, every), self.run.report.numbers
        common = run.kind, run.main, run.force, self.Y, self.P
        last = run.clock, span, samples, self.statuses, report
        if isinstance(run, DriftKickRun):
            drift_kick_rows(*common, run.slots, run.stages, run.staggered, *last)
        elif isinstance(run, SplittingRun):
            splitting_rows(*common, self.free, run.slots, run.kicks, run.drifts, *last)
        else:
            runge_kutta_rows(*common, run.slots, run.tableau, run.work, *last)


def serves(run: Run) -> bool:
    """Whether `Rows` can advance runs like this one; a class derived from one of these may do more."""
    return type(run) in (DriftKickRun, SplittingRun, RungeKuttaRun)
