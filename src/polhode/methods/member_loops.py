"""Many members by one call: the compiled loop of a run, over the rows of two arrays.

A row holds one member on doubles or W of them on lanes. Entering a compiled loop from Python takes longer than a hundred
steps of a small body; here it is done once for a whole block.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..core.method import Run
from ..scalars import Flow, Lanes, compiled, get, local, put, remainder_scalar, tail
from ..scalars.compile import Compiled
from ..scalars.protocol import EVALUATIONS
from .loops import MOST_FUSED, Clock, DriftKickRun, LoopRun, Slots, Span, aligned, on_cache_lines, put_sample
from .runge_kutta import RungeKuttaRun
from .splitting import SplittingRun
from .uncounted import uncounted_loop

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def put_forces(S: Any, force: Any, Y: Array, room: int, P: Array, t: float, report: Array) -> None:
    """Evaluate the force of each row into its slots."""
    for g in range(Y.shape[0]):
        force(S, tail(Y[g], room), P[min(g, P.shape[0] - 1)], t, 0.0, report)


@cache
def over_rows(loop: Compiled) -> Compiled:
    """The loop on each row that has not failed; `statuses` says how each ended."""

    def rows(
        S: Any, main: Any, force: Any, Y: Array, P: Array, slots: Slots, scheme: Any, clock: Clock, span: Span,
        samples: Array, report: Array, room: int, statuses: Integers,
    ) -> None:  # fmt: skip
        for g in range(Y.shape[0]):
            if statuses[g] == 0:
                p = P[min(g, P.shape[0] - 1)]
                y = tail(Y[g], room)
                status, _ = loop(S, main, force, y, p, slots, scheme, clock, span, samples[g], report)
                statuses[g] = status

    return uncounted_loop(rows)


@cache
def fused_rows(drift: Flow, entries: int, size: int, width: int) -> Compiled:
    """`over_rows(drift_kick_loop)` for steps that are one drift without force, with the states in registers; `entries` are
    those of a state, `size` counts workspace too, `width` are the doubles that each takes.

    Calling the drift costs a fifth of the time on lanes: each step stores the state and its remainders, and clears the
    remainders. Here nothing reads them, and the compiler leaves them out.
    """
    body, before, numbers = drift.inlined, entries * width, (entries + size) * width

    def fused_members(
        S: Any, Y: Array, P: Array, clock: Clock, span: Span, samples: Array, report: Array, room: int,
        statuses: Integers,
    ) -> None:  # fmt: skip
        kept = local(before)
        now = tail(local(numbers), before)
        step = clock.step
        for g in range(Y.shape[0]):
            if statuses[g] == 0:
                p, y = P[min(g, P.shape[0] - 1)], tail(Y[g], room)
                row, status = 0, 0
                for i in range(size):
                    put(now, i, S, get(y, i, S))
                for k in range(span.first, span.first + span.steps):
                    for i in range(entries):
                        put(now, -1 - i, remainder_scalar(S), 0.0)
                    status = body(S, now, p, clock.t0 + k * step, step, report)
                    if status != 0:
                        break
                    if (k + 1) % span.every == 0:
                        for i in range(entries):
                            put(kept, i, S, get(now, i, S))
                        put_sample(samples[g], row, kept)
                        row += 1
                for i in range(size):
                    put(y, i, S, get(now, i, S))
                if status == 0:
                    report[EVALUATIONS] += span.steps
                statuses[g] = status

    return uncounted_loop(fused_members)


class Rows:
    """Runs like `run`, one per row: each from its own state and parameters, with the same clock.

    `starts` and `parameters` are rows as the loop of `run` reads them on its scalar; one row of parameters may serve all.
    """

    def __init__(self, run: LoopRun, starts: Array, parameters: Array) -> None:
        assert serves(run)
        self.run = run
        self._rows = aligned((len(starts), on_cache_lines(run.room + run.y.size)))
        self.Y = self._rows[:, run.room :]
        self.Y[:, : starts.shape[1]] = starts
        self.P = aligned(parameters.shape, parameters)
        self.statuses = np.zeros(len(starts), dtype=np.int64)
        if run.has_force and not isinstance(run, RungeKuttaRun):  # which carries no force
            put_forces(run.kind, run.force, self._rows, run.room, self.P, run.clock.t0, run.report.numbers)
        if isinstance(run, DriftKickRun):
            run.enter_stagger(self.Y)

    @property
    def carried(self) -> Array:
        """What each run carries now."""
        return self.Y[:, : self.run.carried]

    def advance(self, first: int, count: int, every: int, samples: Array) -> None:
        """As `Run.advance`, for all rows; `statuses` says which failed, in this call or earlier."""
        run, span = self.run, Span(first, count, every)
        rest = run.clock, span, samples, run.report.numbers, run.room, self.statuses
        if drifts_alone(run):
            fused = fused_rows(run.flows[0], run.layout.size, run.y.size // run.width, run.width)
            fused.on(run.kind, self._rows, self.P, *rest)
        else:
            motion = run.kind, run.main, run.force, self._rows, self.P, run.slots, run.scheme
            over_rows(run.loop).on(*motion, *rest)


def drifts_alone(run: LoopRun) -> bool:
    """Whether a step on lanes is a single drift, short enough for a loop that has it in itself."""
    short = run.y.size <= MOST_FUSED * run.width and run.flows[0].fusible
    once = isinstance(run, DriftKickRun) and len(run.scheme.stages) == 1 and not run.has_force
    return isinstance(run.kind, Lanes) and short and once


def serves(run: Run) -> TypeGuard[LoopRun]:
    """Whether `Rows` can advance runs like this one; a class derived from one of these may do more."""
    return type(run) in (DriftKickRun, SplittingRun, RungeKuttaRun)
