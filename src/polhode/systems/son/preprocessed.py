"""The discrete body on SO(3) with a preprocessed inertia, of order 4 to 10, in the variables (Q, m) of `flows`.

For n = 3 the momentum is a vector, `M = hat(Π)`, and `J_D(U) = h M` is the equation of `geometry.increments.rigid` with the
inertia `J = tr(Λ) 1 − Λ`. The right-invariant body is the transposed one.
"""

from __future__ import annotations

from typing import Any

from ...core.layout import Layout, Variable
from ...core.manifolds import Skew, SpecialOrthogonal
from ...geometry.increments.preprocessing import ORDERS, preprocessed_inertia
from ...geometry.increments.rigid import solve_increment_
from ...geometry.stable_products import cayley_turn, compose
from ...geometry.vectors import Symmetric, apply_transposed, scale, transpose, values6
from ...scalars import Flow, flow, get9, kernel, par, par9, put9
from ...scalars.protocol import NO_SOLUTION, SUCCESS, record
from .flows import LAMBDA, axes_at, header

AXES = axes_at(3)
ATTITUDE, MOMENTUM = Layout(Variable("Q", SpecialOrthogonal(3)), Variable("m", Skew(3))).offsets("Q", "m")


@kernel
def inverse_inertia(S: Any, p: Any, rotated: Any) -> Symmetric:
    """`J⁻¹ = V diag(1/(Λⱼ + Λₖ)) Vᵀ`, where V are the axes of Λ, or the identity."""
    a, b, c = par(p, LAMBDA, S), par(p, LAMBDA + 1, S), par(p, LAMBDA + 2, S)
    x, y, z = 1.0 / (b + c), 1.0 / (c + a), 1.0 / (a + b)
    zero = 0.0 * x
    J_inverse = (x, y, z, zero, zero, zero)
    if rotated:
        V = par9(p, AXES, S)
        J_inverse = (
            V[0] * V[0] * x + V[1] * V[1] * y + V[2] * V[2] * z,
            V[3] * V[3] * x + V[4] * V[4] * y + V[5] * V[5] * z,
            V[6] * V[6] * x + V[7] * V[7] * y + V[8] * V[8] * z,
            V[3] * V[6] * x + V[4] * V[7] * y + V[5] * V[8] * z,
            V[0] * V[6] * x + V[1] * V[7] * y + V[2] * V[8] * z,
            V[0] * V[3] * x + V[1] * V[4] * y + V[2] * V[5] * z,
        )
    return J_inverse


def preprocessed_drift(order: int) -> Flow:
    """The step of this order: `Q ↦ Q U`; m stays as it is."""

    @flow
    def drift_preprocessed(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        _, right, rotated = header(p, S)
        Q, m = get9(y, ATTITUDE, S), get9(y, MOMENTUM, S)
        space = (m[7], m[2], m[3])
        if right:
            Q, space = transpose(Q), scale(-1.0, space)
        g = scale(h, apply_transposed(Q, space))
        inertia = preprocessed_inertia(order, inverse_inertia(S, p, rotated), g)
        c, iterations, defect, failed = solve_increment_(inertia[0], values6(inertia[1]), g)
        record(report, iterations, defect)
        if failed:
            return NO_SOLUTION
        Q = compose(Q, cayley_turn(c))
        if right:
            Q = transpose(Q)
        put9(y, ATTITUDE, S, Q)
        return SUCCESS

    return drift_preprocessed


PREPROCESSED = {order: preprocessed_drift(order) for order in ORDERS if order > 2}
