"""Steps whose equation contains the attitude at the end of the step: solved for the increment again and again.

A term of the Lagrangian that is linear in the rate and depends on the attitude enters the discrete equations with its value
x at both ends. For a known x the increment F is found as ever; the new attitude R F gives a new x.
"""

from __future__ import annotations

from typing import Any

from ...geometry.stable_products import Turn, cayley_turn, compose
from ...geometry.vectors import Matrix, Vector, dot, scale, subtract
from ...scalars import any_of, kernel, value

MOST_ITERATIONS = 60
EXTRA_ITERATIONS = 3  # partial derivatives converge a little later than the values


@kernel
def solve_with_end(
    S: Any, p: Any, h: Any, R: Matrix, Pi: Vector, x: Vector, given: Any, report: Any, increment: Any, renewed: Any
) -> tuple[Turn, Vector, Any]:
    """The turn F, x, and whether there is no solution, from a first guess of x.

    `increment(S, p, h, Pi, x, given, report)` is the Cayley parameter of F for this x, and whether there is none;
    `renewed(S, p, R, Q, Pi, given)` is the x of a step from R to Q.
    """
    turn = cayley_turn(scale(0.0, R[0:3]))
    left, rounds = EXTRA_ITERATIONS, 0
    while left > 0 and rounds < MOST_ITERATIONS:
        c, failed = increment(S, p, h, Pi, x, given, report)
        if failed:
            return turn, x, True
        turn = cayley_turn(c)
        new = renewed(S, p, R, compose(R, turn), Pi, given)
        off = subtract(new, x)
        moving = value(dot(off, off)) > 1e-30 * (1.0 + value(dot(new, new)))
        left = EXTRA_ITERATIONS if any_of(moving) else left - 1
        x = new
        rounds += 1
    return turn, x, left > 0
