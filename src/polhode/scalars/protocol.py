"""The protocol between flows and loops: what a flow returns, and where it counts its work.

A flow is a function `(S, y, p, t, h, out) -> status` (see `compile`). The status is one of those below; a loop stops at
the first that is not `SUCCESS`, and the driver turns it into an error.
"""

from __future__ import annotations

from typing import Any

from .compile import kernel

SUCCESS = 0
NO_SOLUTION = 1  # an implicit equation has no solution near the present state
TOLERANCE_NOT_MET = 2  # an adaptive method cannot meet its tolerances
NOT_FINITE = 3  # a force or a rate is not finite

# the slots of a report: iterations in all, the most in one solve, the worst squared residual, calls of flows, solves,
# steps that were done again in pieces
ITERATIONS, MOST_ITERATIONS, WORST_RESIDUAL, EVALUATIONS, SOLVES, RETRIES = range(6)
REPORT_SIZE = 6


@kernel
def record(report: Any, iterations: Any, residual: Any) -> None:
    """Add one implicit solve to the report, with its squared residual."""
    report[SOLVES] += 1.0
    report[ITERATIONS] += iterations
    report[MOST_ITERATIONS] = max(report[MOST_ITERATIONS], iterations)
    report[WORST_RESIDUAL] = max(report[WORST_RESIDUAL], residual)
