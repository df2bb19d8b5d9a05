"""Two bodies made of points: the exact sum over all pairs.

`U = −G Σ_a Σ_b m_a m_b/|d|` with `d = X + c_a − ρ_b`, `c_a = R ρ_a`; `∂U/∂X = Σ f_a` and `M = Σ c_a × f_a` with
`f_a = Σ_b G m_a m_b d/|d|³` (equations 14 and 53 of [LLM07]).

Parameters: kind, how many points body 1 and body 2 have, then for each point its mass (of body 1 times G) and its
position: those of body 1, then those of body 2.
"""

from __future__ import annotations

from typing import Any

from ..geometry.vectors import Matrix, Vector, add, apply, cross, dot, scale, subtract
from ..scalars import kernel, par, par3, sqrt
from ..scalars.protocol import par_int

HEADER = 3


@kernel
def points_points(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M of two sets of points; needs no workspace."""
    first = at + HEADER
    second = first + 4 * par_int(p, at + 1, S)
    end = second + 4 * par_int(p, at + 2, S)
    zero = 0.0 * X[0]
    U = zero
    F = (zero, zero, zero)
    M = (zero, zero, zero)
    for a in range(first, second, 4):
        arm = apply(R, par3(p, a + 1, S))
        here = add(X, arm)
        V = zero
        f = (zero, zero, zero)
        for b in range(second, end, 4):
            d = subtract(here, par3(p, b + 1, S))
            q = 1.0 / dot(d, d)
            g = par(p, b, S) * sqrt(q)
            V = V + g
            f = add(f, scale(g * q, d))
        m = par(p, a, S)
        U = U - m * V
        f = scale(m, f)
        F = add(F, f)
        M = add(M, cross(arm, f))
    return U, F, M
