"""Moser and Veselov's discrete rigid body on SO(n), and its symmetric representation on SO(n) × SO(n).

The discrete body solves `J_D(U) = U Λ − Λ Uᵀ = h M` and turns by U. It is the variational integrator of the free body, and
more: it is integrable, as the body itself is. Energy, all of Manakov's integrals, the Casimir functions and the spatial
momentum are conserved to rounding at any step; what is wrong at a large step is the clock, by O(h²). The step has a sharp upper
bound, the same all along a motion (`system.largest_step`).

In three dimensions the clock can be put right beforehand: with another inertia, which depends on the conserved quantities
only, the same step is of order 4, 6, 8 or 10 (`geometry.increments.preprocessing`), at the cost of some multiplications. In
more dimensions energy and momentum do not fix the clock; there symmetric compositions of the step are of order 4, 6 or 8, and
conserve all that the step conserves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from ..core.checks import one_of
from ..core.method import Array, Method, Start
from ..core.representation import DiscreteBodyRepresentation, Form
from ..core.system import System
from ..errors import InvalidInputError
from ..geometry.increments.preprocessing import ORDERS, REFERENCE
from ..scalars import compiled
from .composition import ORDERS as COMPOSED
from .composition import composition_references, composition_stages
from .loops import DriftKickRun


class _Discrete(Method):
    """What the two methods share: all traits, and a run of one drift per step."""

    order = 2
    symplectic = True
    symmetric = True
    preserves_momentum = True
    preserves_energy = True
    preserves_group = True
    implicit = True
    made_for: ClassVar[str] = "free bodies, in three or n dimensions"

    def why_not(self, system: System) -> str | None:
        if system.representations.get(self.representation) is None:
            return f"this method is for {self.made_for}"
        return None

    def run(self, start: Start) -> DriftKickRun:
        return DriftKickRun(start, composition_stages(2))


class MoserVeselov(_Discrete):
    """Moser and Veselov's map on T*SO(n).

    `algorithm=2` (4.5) carries the attitude and the momentum: `U = J_D⁻¹(h M)`, `Q ↦ Q U`, `M ↦ Uᵀ M U`. The momentum is
    stored by its constant, m = Q M Qᵀ, so that its spectrum cannot drift. `algorithm=1` (4.4) carries two successive
    attitudes, Q_k and Q_{k+1}, and knows the momentum only from them, as `h M_{k+1} = Λ U − Uᵀ Λ`, U = Q_kᵀ Q_{k+1}. In
    exact arithmetic they are the same map (MDRBn), written down for the pairing of Q_k and M_k that is symplectic. Since
    a state holds no pair, a run of algorithm 1 that is taken up again goes on to rounding, not bit for bit.

    `order` 4, 6, 8 or 10, for algorithm 2: for n = 3 it preprocesses the inertia. The motion of the momentum on its sphere is
    still symplectic; that on T*SO(3) is up to the order, since the preprocessing depends on the momentum. For n > 3 it
    composes steps (order 4, 6, 8), which are symplectic, and shorter than h or longer, to both sides in time.

    >>> MoserVeselov(algorithm=1)
    MoserVeselov(algorithm=1)
    >>> MoserVeselov(order=8)
    MoserVeselov(algorithm=2, order=8)
    """

    summary = "Moser–Veselov discrete body on SO(n)"
    reference = "J. Moser, A. P. Veselov, Comm. Math. Phys. 139 (1991) 217; equations 4.1–4.5 of [BCMR02]"

    def __init__(self, algorithm: int = 2, order: int = 2) -> None:
        self.algorithm, self.order = one_of("algorithm", algorithm, (1, 2)), one_of("order", order, ORDERS)
        if algorithm == 1 and order > 2:
            raise InvalidInputError("order", order, "2 with algorithm 1: the pair of attitudes fixes the inertia")
        self.representation = Form.PAIR if algorithm == 1 else Form.DISCRETE_BODY
        self.symplectic = order == 2

    def options(self) -> dict[str, Any]:
        return {"algorithm": self.algorithm} | ({} if self.order == 2 else {"order": self.order})

    @classmethod
    def variants(cls) -> list[Method]:
        return [cls(algorithm=1), *(cls(order=order) for order in ORDERS)]

    def why_not(self, system: System) -> str | None:
        body = system.representations.get(self.representation)
        if isinstance(body, DiscreteBodyRepresentation) and self.order not in (*COMPOSED, *body.preprocessed):
            return "order 10 exists for n = 3 only, where the error in time depends on energy and momentum alone"
        return super().why_not(system)

    def further_references(self, system: System) -> dict[str, str]:
        body = system.representations[self.representation]
        if isinstance(body, DiscreteBodyRepresentation) and self.order in body.preprocessed:
            return {f"preprocessing of order {self.order}": REFERENCE}
        return composition_references(self.order)

    def run(self, start: Start) -> DriftKickRun:
        if self.algorithm == 1:
            return PairRun(start, composition_stages(2))
        body = start.representation
        if isinstance(body, DiscreteBodyRepresentation) and self.order in body.preprocessed:
            start = replace(start, representation=replace(body, drift=body.preprocessed[self.order]))
            return super().run(start)
        return DriftKickRun(start, composition_stages(self.order))


class SymmetricMoserVeselov(_Discrete):
    """The symmetric representation of the discrete body (SDRBn): two rotations Q and P that both turn by U.

    >>> SymmetricMoserVeselov()
    SymmetricMoserVeselov()
    """

    summary = "discrete body on SO(n) × SO(n)"
    reference = "equations 4.7 and 4.16 of [BCMR02]"
    representation = Form.SYMMETRIC
    made_for = "the symmetric representation of a body in n dimensions, two rotations that turn as one"


class PairRun(DriftKickRun):
    """A run that also carries the increment of the coming interval, at the head of the workspace."""

    def __init__(self, start: Start, stages: Array) -> None:
        super().__init__(start, stages)
        representation: Any = start.representation
        self.carried += representation.memory * self.width
        begin = representation.start.on(start.kind)
        self._status = _call(
            self.kind, begin, self.y, self.p, self.clock.t0, stages[0, 0] * start.step, self.report.numbers
        )

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        if self._status:
            return self._status, 0
        return super().advance(first, count, every, samples)


@compiled
def _call(S: Any, flow: Any, y: Array, p: Array, t: float, h: float, report: Array) -> int:
    return flow(S, y, p, t, h, report)


__all__ = ["MoserVeselov", "SymmetricMoserVeselov"]
