"""External moments on coupled bodies: on each body one of the time, its attitude and its rate.

At the end of a step a moment acts with the rate at the node, `ω = J⁻¹(Π + (h/2)(M + τ(ω)) − a)` (`inputs.implicit_rate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...geometry.vectors import Matrix, Vector, add, scale, subtract
from ...scalars import get3, get9, kernel, par3, par6, put3
from ...scalars.protocol import NO_NODE_RATE, SUCCESS
from ..inputs.external_moment import IN_BODY, IN_SPACE, PULSE_NUMBERS, ExternalMoment, pulse_moment, pulse_profile
from ..inputs.implicit_rate import put_node_rate
from ..inputs.user_flow import UserFlow
from ..inputs.user_functions import remembered
from .flows import INVERSE_INERTIA, ROTOR, attitude_at, body_at, moment_at, momentum_at


@remembered
def pulse_at(at: int) -> Any:
    """The kernel `(S, p, t, R, omega)` of the pulse whose numbers begin at `at` of the parameters."""

    @kernel
    def of_pulse(S: Any, p: Any, t: Any, R: Matrix, omega: Vector) -> Vector:
        body, space = par3(p, at + IN_BODY, S), par3(p, at + IN_SPACE, S)
        return add(pulse_moment(pulse_profile(S, p, at, t), body, space, R), scale(0.0, omega))

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


def with_moments(force: Any, moments: Sequence[ExternalMoment], at: int) -> UserFlow:
    """The flow `force` of a potential, and the moments on the bodies; the numbers of pulses begin at `at`."""
    laws = [pulse_at(at + PULSE_NUMBERS.size * i) if m.function is None else m.function for i, m in enumerate(moments)]
    acting = tuple(law if moment.acts else None for law, moment in zip(laws, moments, strict=True))
    return _combined(force, acting, tuple(moment.user for moment in moments))


@remembered
def _combined(force: Any, laws: tuple[Any, ...], users: tuple[Any, ...]) -> UserFlow:
    n, potential = len(laws), kernel(force.function)

    def first(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any) -> int:
        return potential(S, y, p, t, h, report)

    combined: Any = first
    for i, each in enumerate(laws):
        if each is not None:
            combined = _then(kernel(combined), n, i, each)
    return UserFlow(combined, **{f"moments[{i}]": user for i, user in enumerate(users)})


def _then(before: Any, n: int, i: int, moment: Any) -> Any:
    """What `before` does, and then the moment on body i."""

    def both(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any) -> int:
        status = before(S, y, p, t, h, report)
        here = add_moment(S, y, p, t, h, n, i, moment)
        return here if status == SUCCESS else status

    return both
