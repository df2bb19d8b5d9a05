"""External moments on coupled bodies: on each body one of the time, its attitude and its rate.

At the end of a step a moment acts with the rate at the node, `ω = J⁻¹(Π + (h/2)(M + τ(ω)) − a)` (`inputs.implicit_rate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...geometry.vectors import Matrix, Vector, add, scale, subtract
from ...scalars import get3, get9, kernel, par3, par6, put3
from ...scalars.protocol import NO_NODE_RATE, SUCCESS
from ..inputs.external_moment import ExternalMoment, profile, pulse_moment
from ..inputs.implicit_rate import put_node_rate
from ..inputs.user_flow import UserFlow
from .flows import INVERSE_INERTIA, ROTOR, attitude_at, body_at, moment_at, momentum_at


def function_of(moment: ExternalMoment) -> Any:
    """The kernel `(S, p, t, R, omega)` of a moment in body components."""
    if moment.function is not None:
        return moment.function
    numbers: Any = [float(x) for x in moment.pulse]
    body: Any = tuple(numbers[0:3])
    space: Any = tuple(numbers[3:6])
    centre, half = numbers[6], numbers[7]

    @kernel
    def of_pulse(S: Any, p: Any, t: Any, R: Matrix, omega: Vector) -> Vector:
        return add(pulse_moment(profile(t, centre, half), body, space, R), scale(0.0, omega))

    return of_pulse


@kernel
def law(S: Any, p: Any, t: Any, R: Matrix, omega: Vector, moment: Any) -> Vector:
    """The moment, as `put_node_rate` asks for it."""
    return moment(S, p, t, R, omega)  # type: ignore[no-any-return]


@kernel
def add_moment(S: Any, y: Any, p: Any, t: Any, h: Any, n: int, i: int, moment: Any) -> int:
    """Add the moment on body i of n to that of the potential, in its slots."""
    at, k = moment_at(n, i), body_at(i)
    R, M = get9(y, attitude_at(i), S), get3(y, at, S)
    start = add(subtract(get3(y, momentum_at(n, i), S), par3(p, k + ROTOR, S)), scale(0.5 * h, M))
    failed = put_node_rate(S, y, at, p, t, h, R, start, par6(p, k + INVERSE_INERTIA, S), law, moment)
    put3(y, at, S, add(M, moment(S, p, t, R, get3(y, at, S))))
    return NO_NODE_RATE if failed else SUCCESS


def with_moments(force: Any, moments: Sequence[ExternalMoment]) -> UserFlow:
    """The flow `force` of a potential, and the moments on the bodies."""
    n, potential = len(moments), kernel(force.function)

    def first(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any) -> int:
        return potential(S, y, p, t, h, report)

    combined: Any = first
    for i, moment in enumerate(moments):
        if moment.acts:
            combined = _then(kernel(combined), n, i, function_of(moment))
    given = {f"moments[{i}]": moment.user for i, moment in enumerate(moments)}
    return UserFlow(combined, **given)


def _then(before: Any, n: int, i: int, moment: Any) -> Any:
    """What `before` does, and then the moment on body i."""

    def both(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any) -> int:
        status = before(S, y, p, t, h, report)
        here = add_moment(S, y, p, t, h, n, i, moment)
        return here if status == SUCCESS else status

    return both
