"""The expansion to order 2 in closed form: two masses and two inertias.

With `w = m₁ J₂ + m₂ R J₁ Rᵀ` and `T = m₁ tr J₂ + m₂ tr J₁` (MacCullagh's formula for both bodies),

    U = −G (m₁m₂/r + T/(2r³) − 3 X·wX/(2r⁵)),
    ∂U/∂X = G ((m₁m₂/r³ + 3T/(2r⁵) − 15 X·wX/(2r⁷)) X + 3 wX/r⁵),
    M = −3 G m₂/r⁵  X × R J₁ Rᵀ X.

Parameters: kind, m₁m₂, T, and six numbers each of `m₂ J₁` and `m₁ J₂`; all but the kind times G.
"""

from __future__ import annotations

from typing import Any

from ..core.parameters import ParameterLayout
from ..geometry.vectors import Matrix, Vector, add, apply, apply_symmetric, apply_transposed, cross, dot, scale
from ..scalars import kernel, par, par6, sqrt

NUMBERS = ParameterLayout(kind=1, masses=1, trace=1, first=6, second=6)
MASSES, TRACE, FIRST, SECOND = NUMBERS.offsets("masses", "trace", "first", "second")


@kernel
def second_order(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M of two bodies to the second degree; needs no workspace."""
    mass, trace = par(p, at + MASSES, S), par(p, at + TRACE, S)
    turned = apply(R, apply_symmetric(par6(p, at + FIRST, S), apply_transposed(R, X)))
    both = add(turned, apply_symmetric(par6(p, at + SECOND, S), X))
    q = 1.0 / dot(X, X)
    u = sqrt(q)
    u3 = u * q
    u5 = u3 * q
    s = 3.0 * dot(X, both) * u5
    U = 0.5 * (s - trace * u3) - mass * u
    F = add(scale(mass * u3 + 1.5 * trace * u5 - 2.5 * s * q, X), scale(3.0 * u5, both))
    M = scale(-3.0 * u5, cross(X, turned))
    return U, F, M
