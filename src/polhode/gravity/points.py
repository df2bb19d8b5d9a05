"""Two bodies made of points: the exact sum over all pairs.

`U = −G Σ_a Σ_b m_a m_b/|d|` with `d = X + c_a − ρ_b`, `c_a = R ρ_a`; `∂U/∂X = Σ f_a` and `M = Σ c_a × f_a` with
`f_a = Σ_b G m_a m_b d/|d|³` (equations 14 and 53 of [LLM07]).

Parameters: kind, how many points body 1 and body 2 have, then for each point its mass (of body 1 times G) and its
position: those of body 1, then those of body 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.parameters import ParameterLayout
from ..geometry.vectors import Matrix, Vector, add, apply, cross, dot, scale, subtract
from ..scalars import kernel, par, par3, sqrt
from ..scalars.protocol import par_int

Array = NDArray[np.float64]
HEADER = ParameterLayout(kind=1, first=1, second=1)  # how many points each body has; then come theirs
POINT = ParameterLayout(mass=1, place=3)
COUNT1, COUNT2 = HEADER.offsets("first", "second")
MASS, PLACE = POINT.offsets("mass", "place")
FIRST, POINT_SIZE = HEADER.end, POINT.size


@kernel
def points_points(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M of two sets of points; needs no workspace."""
    first = at + FIRST
    second = first + POINT_SIZE * par_int(p, at + COUNT1, S)
    end = second + POINT_SIZE * par_int(p, at + COUNT2, S)
    zero = 0.0 * X[0]
    U = zero
    F = (zero, zero, zero)
    M = (zero, zero, zero)
    for a in range(first, second, POINT_SIZE):
        arm = apply(R, par3(p, a + PLACE, S))
        here = add(X, arm)
        V = zero
        f = (zero, zero, zero)
        for b in range(second, end, POINT_SIZE):
            d = subtract(here, par3(p, b + PLACE, S))
            q = 1.0 / dot(d, d)
            g = par(p, b + MASS, S) * sqrt(q)
            V = V + g
            f = add(f, scale(g * q, d))
        m = par(p, a + MASS, S)
        U = U - m * V
        f = scale(m, f)
        F = add(F, f)
        M = add(M, cross(arm, f))
    return U, F, M


def points_numbers(kind: int, G: float, first: Array, second: Array) -> Array:
    """The parameters, of points that are rows of mass and position."""
    header = HEADER.pack(kind=kind, first=len(first), second=len(second))
    return np.concatenate([header, (first * [G, 1.0, 1.0, 1.0]).ravel(), second.ravel()])
