"""The protocol between flows and loops: what a flow is given, what it returns, and where it counts its work.

A flow is a function `(S, y, p, t, h, report) -> status`, a rate a function `(S, y, p, t, dy, report) -> status`:

    S       the scalar's type: doubles, lanes or duals; `get`, `put` and `par` read and write entries of it
    y       the state as a flat array: the variables of a layout, then a slot for each force, then workspace; a flow that
            drifts may `accumulate`: there is a remainder for each entry of the state before the array, zero as a step begins
    p       the parameters of the system as a flat array
    t       the time, at the start of the step
    h       the step
    dy      where a rate writes the derivative of the state
    report  where implicit solves are counted, in the slots below

The status is one of those below. A loop stops at the first that is not `SUCCESS`, and the driver turns it into an error.
"""

from __future__ import annotations

from typing import Any

from .compile import kernel
from .functions import worst
from .memory import par

SUCCESS = 0
NO_SOLUTION = 1  # an implicit equation has no solution near the present state
TOLERANCE_NOT_MET = 2  # an adaptive method cannot meet its tolerances
NOT_FINITE = 3  # a force or a rate is not finite
NO_NODE_RATE = 4  # a torque that depends on the rate has no consistent value at the end of a step

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


@kernel
def par_int(p: Any, i: int, S: Any) -> int:
    """Parameter `i` as an integer: how many points, which body. The members of lanes must agree on it."""
    return int(worst(par(p, i, S)))
