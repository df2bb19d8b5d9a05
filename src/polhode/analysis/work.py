"""Work and precision: the accuracy that each method reaches, and its cost, for one motion.

Every method runs over the same time span with several steps. The cost is the processor time of the fastest of a few runs
and the number of substeps or right-hand sides; the error is that of the state at the end, and the worst deviation of what
plays the energy's part on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.system import State
from ..errors import InvalidInputError, PolhodeError
from ..methods import Method
from ..simulation.driver import run_without_warnings
from .convergence import distance, reference_final

REPETITIONS = 3
SAMPLES = 200


@dataclass(frozen=True)
class Work:
    """One run: its method and step, the error at the end, the worst relative deviation of the energy, and the cost."""

    method: Method
    step: float
    error: float
    energy: float
    seconds: float
    evaluations: int


@dataclass(frozen=True)
class WorkPrecision:
    """The runs of a comparison, method after method, with the largest step first."""

    state: State
    duration: float
    runs: tuple[Work, ...]

    def by_method(self) -> Iterator[tuple[Method, list[Work]]]:
        """The runs of each method."""
        for method in dict.fromkeys(run.method for run in self.runs):
            yield method, [run for run in self.runs if run.method is method]

    def plain(self) -> list[dict[str, Any]]:
        """The rows of a table."""
        return [
            {
                "method": repr(run.method),
                "step": f"{run.step:.6g}",
                "error": f"{run.error:.2e}",
                "energy": f"{run.energy:.2e}",
                "seconds": f"{run.seconds:.2e}",
                "evaluations": run.evaluations,
            }
            for run in self.runs
        ]


def work_precision(
    state: State, methods: Sequence[Method], duration: float, counts: Sequence[int] = (50, 100, 200, 400, 800)
) -> WorkPrecision:
    """Run every method over `duration` with each of these numbers of steps. A step too large for a method is left out.

    `polhode.tables.Table("Work and precision", result.plain())` shows it as a table, `polhode.view.figures.work_precision.plot_work_precision`
    draws it.

    >>> import polhode as ph
    >>> found = work_precision(ph.FreeRigidBody.example(), [ph.LGVI(order=4), ph.RK4()], 5.0, [50, 100])
    >>> [(repr(run.method), run.step, run.error < 1e-3) for run in found.runs][0]
    ('LGVI(order=4)', 0.1, True)
    """
    if not (np.isfinite(duration) and duration != 0.0):
        raise InvalidInputError("duration", duration, "a nonzero number")
    if not methods or not counts:
        raise InvalidInputError("methods" if not methods else "counts", [], "a list of at least one")
    system, truth = state.system, reference_final(state, duration)
    energies = [name for name, invariant in system.conserved.items() if invariant.kind == "energy"]
    runs: list[Work] = []
    for method in methods:
        method.check(system)
        with suppress(PolhodeError):
            run_without_warnings(state, step=duration / max(counts), steps=1, method=method)  # compiles what it needs
        for n in counts:
            step, every = duration / n, max(1, n // SAMPLES)
            try:
                whole = run_without_warnings(state, step=step, steps=n, save_every=every, method=method)
                seconds = [
                    run_without_warnings(state, step=step, steps=n, save_every=n, method=method).stats.seconds
                    for _ in range(REPETITIONS)
                ]
            except PolhodeError:
                continue
            drift = {k.name: k.relative for k in whole.conservation()}
            energy = max((drift[name] for name in energies), default=float("nan"))
            cost = whole.stats.evaluations
            runs.append(Work(method, step, distance(whole.final, truth), energy, min(seconds), cost))
    if not runs:
        raise PolhodeError("no method can take any of these steps: give larger counts")
    return WorkPrecision(state, float(duration), tuple(runs))
