"""Splittings: the exact motion without force, kicked by the force, in turns.

A step is `exp(b₀hU) exp(a₁hT) exp(b₁hU) … exp(aₛhT) exp(bₛhU)`, symmetric in its coefficients, with the exact flows of the
kinetic energy T (rotation and translation without force) and of the potential U. Each is symplectic and conserves the
momenta, hence so is the step. T is quadratic in the momenta, so that `[U, [U, [U, T]]] = 0` and fewer conditions are left
than for any splitting: the sets of orders 4 and 6 are of this type (Runge–Kutta–Nyström), with more stages than needed and
the smallest errors. What is left of the error is due to the force alone: without one, any step is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.checks import one_of
from ..core.method import Array, MethodOfOrders, Start
from ..core.system import System
from ..scalars import tail
from ..scalars.protocol import EVALUATIONS
from .composition import fractions
from .loops import Clock, LoopRun, Slots, Span, aligned, forget_remainders, kick, put_force, put_sample
from .uncounted import uncounted_loop

# The first kicks and drifts of each set; symmetry and their sums give the rest. A set that begins with a drift has a first
# kick of zero.
_NYSTROM: dict[int, tuple[list[float], list[float]]] = {
    4: (
        [0.0829844064174052, 0.396309801498368, -0.0390563049223486],
        [0.245298957184271, 0.604872665711080],
    ),
    6: (
        [
            0.0,
            0.09171915262446165,
            0.183983170005006,
            -0.05653436583288827,
            0.004914688774712854,
            0.143761127168358,
            0.328567693746804,
        ],
        [
            0.0378593198406116,
            0.102635633102435,
            -0.0258678882665587,
            0.314241403071447,
            -0.130144459517415,
            0.106417700369543,
            -0.00879424312851058,
        ],
    ),
}
REFERENCES = {
    2: "G. Strang, SIAM J. Numer. Anal. 5 (1968) 506",
    4: "S. Blanes, P. C. Moan, J. Comput. Appl. Math. 142 (2002) 313, SRKN of order 4 with 6 stages",
    6: "S. Blanes, P. C. Moan, J. Comput. Appl. Math. 142 (2002) 313, SRKN of order 6 with 14 stages",
    8: "W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089, 17 stages",
}
ORDERS = tuple(REFERENCES)


def kicks_and_drifts(order: int) -> tuple[Array, Array]:
    """The fractions of the step of the kicks b (s + 1 of them) and of the drifts a (s).

    >>> b, a = kicks_and_drifts(6)
    >>> b.size, a.size, float(b.sum().round(15)), float(a.sum().round(15))
    (16, 15, 1.0, 1.0)
    """
    if order not in _NYSTROM:
        a = fractions(order)
        return 0.5 * (np.append(a, 0.0) + np.append(0.0, a)), a
    kicks, drifts = (np.array(x) for x in _NYSTROM[order])
    if kicks.size == drifts.size:  # a drift stands in the middle
        b, a = np.append(kicks, 0.5 - kicks.sum()), np.append(drifts, 1.0 - 2.0 * drifts.sum())
        return np.concatenate([b, b[::-1]]), np.concatenate([a, a[-2::-1]])
    b, a = np.append(kicks, 1.0 - 2.0 * kicks.sum()), np.append(drifts, 0.5 - drifts.sum())
    return np.concatenate([b, b[-2::-1]]), np.concatenate([a, a[::-1]])


class KicksAndDrifts(NamedTuple):
    """The fractions of the step, and where in the parameters those of the free motion begin."""

    kicks: Array
    drifts: Array
    free: int


@uncounted_loop
def splitting_loop(
    S: Any,
    drift: Any,
    force: Any,
    y: Array,
    p: Array,
    slots: Slots,
    kicks_drifts: KicksAndDrifts,
    clock: Clock,
    span: Span,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """Kick, drift, kick, …. The slots hold the force at the last place that asked for it: where a step begins with a kick,
    that of the end of the step before."""
    row, kicks, drifts, free = 0, kicks_drifts.kicks, kicks_drifts.drifts, tail(p, kicks_drifts.free)
    step = clock.step
    for k in range(span.first, span.first + span.steps):
        at = 0.0
        forget_remainders(S, y, slots)
        kick(S, y, slots, kicks[0] * step)
        for s in range(drifts.shape[0]):
            status = drift(S, y, free, clock.t0 + (k + at) * step, drifts[s] * step, report)
            at += drifts[s]
            if status == 0 and slots.has_force and kicks[s + 1] != 0.0:
                status = force(S, y, p, clock.t0 + (k + at) * step, 0.0, report)
            if status != 0:
                return status, k - span.first
            kick(S, y, slots, kicks[s + 1] * step)
        if (k + 1) % span.every == 0:
            put_sample(samples, row, y)
            row += 1
    report[EVALUATIONS] += span.steps * drifts.shape[0]
    return 0, span.steps


class SplittingRun(LoopRun):
    """Exact drifts and kicks."""

    loop = splitting_loop

    def __init__(self, start: Start, order: int) -> None:
        super().__init__(start, start.representation.exact_drift)
        self.scheme = KicksAndDrifts(*kicks_and_drifts(order), self.p.size)
        p = np.concatenate([self.p, start.numbers(self.further_parameters)])
        self.p = aligned(p.size, p)
        if self.has_force:
            put_force.on(self.kind, self.force, self.y, self.p, self.clock.t0, self.report.numbers)

    @staticmethod
    def further_parameters(system: System) -> Array:
        return system.free_parameters()


class Splitting(MethodOfOrders):
    """Exact free rotation and translation, kicked by the potential.

    `order` 2, 4, 6 or 8. `drift="exact"`, the one there is: the rotation of the free body in closed form. For cheap forces,
    and wherever the free motion is the fast one: a step need not resolve it. Without force any step is exact to rounding:
    `Splitting(order=2)` is the fastest way to the attitudes of many free bodies at one time.

    >>> Splitting(order=6)
    Splitting(order=6)
    """

    summary = "exact free motion, kicked by the force"
    reference = (
        "S. Blanes, P. C. Moan, J. Comput. Appl. Math. 142 (2002) 313; W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089"
    )
    turns_exactly = True
    orders = ORDERS
    symplectic = True
    symmetric = True
    preserves_momentum = True
    preserves_group = True

    def __init__(self, order: int = 4, drift: str = "exact") -> None:
        self.order = one_of("order", order, ORDERS)
        self.drift = one_of("drift", drift, ("exact",))

    def why_not(self, system: System) -> str | None:
        representation = system.representations.get(self.representation)
        if representation is None or representation.exact_drift is None:
            return system.no_variational_step or "its motion without force is not known in closed form here"
        return None

    def run(self, start: Start) -> SplittingRun:
        return SplittingRun(start, self.order)


__all__ = ["Splitting"]
