"""The flows of a body with any Lagrangian L(R, ω): its equations, and a variational step.

    Ṙ = R S(ω),   Π̇ = Π × ω + ∂ξ L                                              (propositions 6.1 and 6.2 of [LLM17])

The discrete Lagrangian takes for the rate twice the vector part of the unit quaternion of `F = R_kᵀ R_{k+1}`, over h, and
the trapezoidal rule for the attitude,

    L_d = (h/2) (L(R_k, w) + L(R_{k+1}, w)),   w = (2/h) sin(θ/2) n,   F = exp(θ S(n)).

For `½ ω·Jω − U(R)` it is that of `LGVI`, since `(h/2) w·Jw = tr((1 − F) Jd)/h`. It is symmetric in its two ends, and unchanged by
what leaves L unchanged: by turns of space, and by turns of the body. With the unit quaternion (v, s) of F, `w = 2v/h`, and
`ℓ = Π(R_k, w) + Π(R_{k+1}, w)`, `Π(R, ω) = ∂L/∂ω`, the discrete Euler–Lagrange equations are

    Π_k = ½ (s ℓ − ℓ × v) − (h/2) ∂ξ L(R_k, w),    Π_{k+1} = Fᵀ(Π_k + (h/2) ∂ξ L(R_k, w)) + (h/2) ∂ξ L(R_{k+1}, w).

The first is solved for the Cayley parameter c = v/s of F.
"""

from __future__ import annotations

from typing import Any

from ...geometry.stable_products import cayley_turn, compose, turned_back
from ...geometry.vectors import (
    Matrix,
    Vector,
    add,
    apply,
    apply_symmetric,
    apply_transposed,
    cross,
    dot,
    full,
    scale,
    solve,
    subtract,
    values3,
    values9,
)
from ...scalars import Flow, Rate, any_of, kernel, sqrt, where, worst
from ...scalars.protocol import NO_SOLUTION, SUCCESS, record
from ..inputs.user_flow import UserFlow, UserRate
from ..inputs.user_functions import remembered
from .base import attitude_and_momentum, put_attitude_and_momentum, put_rates
from .legendre import RESIDUAL_BOUND, Transform, damped_newton, with_partials


@kernel
def quaternion_and_rate(h: Any, c: Vector) -> tuple[Any, Vector, Vector]:
    """s, v and w of a Cayley parameter."""
    s = 1.0 / sqrt(1.0 + dot(c, c))
    v = scale(s, c)
    return s, v, scale(2.0 / h, v)


def pair_momentum(transform: Transform) -> Any:
    """The kernel `(h, R, c) -> Π_k`, the first of the discrete equations."""
    momentum = transform.momentum

    @kernel
    def before(h: Any, R: Matrix, c: Vector) -> Vector:
        s, v, w = quaternion_and_rate(h, c)
        here, there = momentum(R, w), momentum(compose(R[0:9], cayley_turn(c)) + R[9:], w)
        both = add(here[0:3], there[0:3])
        return subtract(scale(0.5, subtract(scale(s, both), cross(both, v))), scale(0.5 * h, here[3:6]))

    return before


@remembered
def general_flows(transform: Transform, read: Any, plain: Any, at: int) -> tuple[Flow, Rate]:
    """The variational step, and the right-hand side; named parameters are read from `at` on."""
    rate, momentum, slopes, before = *transform, pair_momentum(transform)

    @kernel
    def residual(terms: Any, c: Vector) -> Vector:
        h, R, Pi = terms
        return subtract(before(h, R, c), Pi)

    @kernel
    def column(h: Any, c: Vector, s: Any, both: Vector, mass: Any, mixed: Any, turn: Matrix, e: Vector) -> Vector:
        """The derivative of Π_k by c along e."""
        along = s * s * s * dot(c, e)
        change = subtract(scale(s, e), scale(along, c))  # of v; that of s is −along
        bent = scale(2.0 / h, change)
        xi = scale(2.0 * s * s, subtract(e, cross(c, e)))
        more = add(apply_symmetric(mass, bent), apply(turn, xi))
        v = scale(s, c)
        sides = add(cross(more, v), cross(both, change))
        return subtract(
            scale(0.5, subtract(subtract(scale(s, more), scale(along, both)), sides)),
            scale(0.5 * h, apply_transposed(mixed, bent)),
        )

    @kernel
    def jacobian(terms: Any, c: Vector) -> Matrix:
        h, R, _ = terms
        s, _, w = quaternion_and_rate(h, c)
        Q = compose(R[0:9], cayley_turn(c)) + R[9:]
        both = add(momentum(R, w)[0:3], momentum(Q, w)[0:3])
        here, there = slopes(R, w), slopes(Q, w)
        mass = add(here[0:3], there[0:3]) + add(here[3:6], there[3:6])
        mixed, turn = here[6:15], there[6:15]
        x = column(h, c, s, both, mass, mixed, turn, (1.0, 0.0, 0.0))
        y = column(h, c, s, both, mass, mixed, turn, (0.0, 1.0, 0.0))
        z = column(h, c, s, both, mass, mixed, turn, (0.0, 0.0, 1.0))
        return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]

    def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        R, Pi = attitude_and_momentum(S, y)
        k = read(S, p, at)
        R0, Pi0 = values9(R) + plain(k), values3(Pi)
        omega, slope, no_rate = rate(R0, Pi0)
        if any_of(no_rate):
            return NO_SOLUTION
        _, regular = solve(full(slopes(R0, omega)[0:6]), omega)
        at_rest = momentum(R0, scale(0.0, omega))[0:3]
        size = dot(Pi0, Pi0) + dot(at_rest, at_rest) + 0.25 * h * h * dot(slope, slope)
        c, square, determinant, iterations = damped_newton(
            residual, jacobian, (h, R0, Pi0), scale(0.5 * h, omega), size
        )  # fmt: skip
        record(report, iterations, worst(square / where(size > 0.0, size, 1.0)))
        # up to a fold the determinant has the sign that it has for short steps
        found = (square <= RESIDUAL_BOUND * size) & (h * determinant * regular > 0.0)
        if any_of(where(found, 0.0, 1.0) > 0.5):
            return NO_SOLUTION
        c = with_partials(c, Pi, jacobian, residual, (h, R0, Pi0), (h, R + k, Pi))
        turn = cayley_turn(c)
        _, _, w = quaternion_and_rate(h, c)
        Q = compose(R, turn)
        here, there = scale(0.5 * h, momentum(R + k, w)[3:6]), scale(0.5 * h, momentum(Q + k, w)[3:6])
        put_attitude_and_momentum(S, y, Q, add(turned_back(turn, add(Pi, here)), there))
        return SUCCESS

    def rhs(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
        R, Pi = attitude_and_momentum(S, y)
        omega, slope, failed = rate(R + read(S, p, at), Pi)
        put_rates(S, dy, R, omega, add(cross(Pi, omega), slope))
        return NO_SOLUTION if any_of(failed) else SUCCESS

    return UserFlow(drift), UserRate(rhs)
