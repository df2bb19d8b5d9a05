"""Steps whose equation contains the attitude at the end of the step: solved for the increment again and again.

A term of the Lagrangian that is linear in the rate and depends on the attitude enters the discrete equations with its value
x at both ends. For a known x the increment F is found as ever; the new attitude R F gives a new x.
"""

from __future__ import annotations

from typing import Any

from ...geometry.stable_products import cayley_increment, compose
from ...geometry.vectors import Matrix, Vector, dot, scale, subtract
from ...scalars import any_of, kernel, value

MOST_ITERATIONS = 60
EXTRA_ITERATIONS = 3  # partial derivatives converge a little later than the values


@kernel
def solve_with_end(
    S: Any, p: Any, h: Any, R: Matrix, Pi: Vector, x: Vector, given: Any, report: Any, increment: Any, renewed: Any
) -> tuple[Matrix, Vector, Any]:
    """F − 1, x, and whether there is no solution, from a first guess of x.

    `increment(S, p, h, Pi, x, given, report)` is the Cayley parameter of F for this x, and whether there is none;
    `renewed(S, p, R, Q, Pi, given)` is the x of a step from R to Q.
    """
    zero = scale(0.0, R[0:3])
    E = zero + zero + zero
    left, rounds = EXTRA_ITERATIONS, 0
    while left > 0 and rounds < MOST_ITERATIONS:
        c, failed = increment(S, p, h, Pi, x, given, report)
        if failed:
            return E, x, True
        E = cayley_increment(c)
        new = renewed(S, p, R, compose(R, E), Pi, given)
        off = subtract(new, x)
        moving = value(dot(off, off)) > 1e-30 * (1.0 + value(dot(new, new)))
        left = EXTRA_ITERATIONS if any_of(moving) else left - 1
        x = new
        rounds += 1
    return E, x, left > 0
