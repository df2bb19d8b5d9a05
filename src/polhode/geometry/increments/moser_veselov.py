"""Moser and Veselov's discrete momentum `J_D(U) = U Λ − Λ Uᵀ` on SO(n), and the rotation U that has a given one.

`Λ` is symmetric with Λᵢ + Λⱼ > 0 for any two of its eigenvalues; `J(Ω) = Λ Ω + Ω Λ` is the derivative of J_D at U = 1.
Of the solutions of `J_D(U) = M` the principal one is meant: it joins U = 1 as M shrinks, and the eigenvalues of U Λ have
positive real parts on it. For Λ > 0 these are equivalent (section 7 of [BCMR02], theorem 7.5 made sharp):

    it exists;      `ν² + iν M + Λ² > 0` for all real ν;      largest_factor(Λ, M) > 1,

and where it does not exist there is no special orthogonal solution at all (see `riccati` for how many there are where it
does). Two solvers, in microseconds a solve, measured side by side on one core:

    n                                  3     4     6    10    20     50
    newton, at 0.1 of the largest M    1     2     3     8    25    200     the contraction of `increments.son`
            at 0.9                     8    12    27    62   220   2500     Newton's method on the group
    riccati, at any                  250   250   320   370   930   9700     an ordered Schur decomposition of 2n × 2n

so that Newton's is taken for every n, and the Riccati equation is there to check it by and to count solutions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidInputError, PolhodeError
from ...scalars import compiled, double
from ..son import _skew
from .momentum_weight import Weight, no_solution
from .riccati import solve_riccati
from .son import RESIDUAL_BOUND, WORKSPACE, coefficients, newton, solve_rotation

Array = NDArray[np.float64]


def solve(Lambda: ArrayLike | Weight, M: ArrayLike, *, solver: str = "newton", start: ArrayLike | None = None) -> Array:
    """The principal rotation U with `U Λ − Λ Uᵀ = M` (7.13), for any leading axes of M.

    `solver`: "newton" (any Λ) or "riccati" (Λ > 0; lemma 7.3). `start`: a rotation near U, such as the last one of a
    sequence, from which Newton's method then sets out. Where there is no solution the error says so, and by how much
    M is too large.

    >>> from polhode.geometry.son import hat
    >>> U = solve([1.0, 1.5, 2.2], hat([0, 0, 1.25]))                   # sin θ = 1.25/2.5: a turn by 30°
    >>> round(float(np.degrees(np.arcsin(U[1, 0]))), 12)
    30.0
    """
    weight = Weight.of(Lambda)
    if solver == "riccati":
        return solve_riccati(weight, M)
    if solver != "newton":
        raise InvalidInputError("solver", solver, "one of 'newton', 'riccati'")
    return np.eye(weight.n) + increment(weight, M, start=start)


def increment(Lambda: ArrayLike | Weight, M: ArrayLike, *, start: ArrayLike | None = None) -> Array:
    """`E = U − 1` for the U of `solve`, with full relative precision where M is small."""
    weight = Weight.of(Lambda)
    n, G = weight.n, weight.to_axes(_skew(weight._checked("M", M)))
    flat = G.reshape(-1, n * n)
    near = None if start is None else weight.to_axes(weight._checked("start", start)) - np.eye(n)
    near = None if near is None else np.broadcast_to(near, G.shape).reshape(flat.shape)
    p = coefficients(weight.values)
    y = np.zeros((2 + WORKSPACE) * n * n)
    result = np.empty_like(flat)
    for i, matrix in enumerate(flat):
        y[: n * n] = matrix
        if near is not None:
            y[n * n : 2 * n * n] = near[i]
        if _solve_one(double, y, p, n, near is not None):
            raise PolhodeError(no_solution(weight, weight.from_axes(matrix.reshape(n, n))))
        result[i] = y[n * n : 2 * n * n]
    return weight.from_axes(result.reshape(G.shape))


@compiled
def _solve_one(S: Any, y: Any, p: Any, n: int, warm: bool) -> bool:
    """Whether the solve failed; G, E and the workspace follow one another in `y`."""
    m = n * n
    if warm:
        _, left = newton(S, y, p, 1, 0, m, 2 * m, n, True, p[0] < 0.5, True)
        return not left <= RESIDUAL_BOUND
    _, _, failed = solve_rotation(S, y, p, 0, 0, m, 2 * m, n)
    return failed
