"""Moser and Veselov's discrete rigid body on SO(n), and its symmetric representation on SO(n) × SO(n).

The discrete body solves `J_D(U) = U Λ − Λ Uᵀ = h M` and turns by U. It is the variational integrator of the free body, and
more: it is integrable, as the body itself is. Energy, all of Manakov's integrals, the Casimir functions and the spatial
momentum are conserved to rounding at any step; what is wrong at a large step is the clock, by O(h²). The step has a sharp upper
bound, the same all along a motion (`system.largest_step`).
"""

from __future__ import annotations

from typing import Any

from ..core.method import Array, Method, Start, one_of
from ..core.representation import Form
from ..core.system import System
from ..scalars import compiled
from .composition import composition_stages
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

    def why_not(self, system: System) -> str | None:
        if system.representations.get(self.representation) is None:
            return f"it offers no discrete body on the representation '{self.representation}'"
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

    >>> MoserVeselov(algorithm=1)
    MoserVeselov(algorithm=1)
    """

    summary = "Moser–Veselov discrete body on SO(n)"
    reference = "J. Moser, A. P. Veselov, Comm. Math. Phys. 139 (1991) 217; equations 4.1–4.5 of [BCMR02]"

    def __init__(self, algorithm: int = 2) -> None:
        self.algorithm = one_of("algorithm", algorithm, (1, 2))
        self.representation = Form.PAIR if algorithm == 1 else Form.SPATIAL

    def options(self) -> dict[str, Any]:
        return {"algorithm": self.algorithm}

    @classmethod
    def variants(cls) -> list[Method]:
        return [cls(algorithm=1), cls(algorithm=2)]

    def run(self, start: Start) -> DriftKickRun:
        return PairRun(start, composition_stages(2)) if self.algorithm == 1 else super().run(start)


class SymmetricMoserVeselov(_Discrete):
    """The symmetric representation of the discrete body (SDRBn): two rotations Q and P that both turn by U.

    >>> SymmetricMoserVeselov()
    SymmetricMoserVeselov()
    """

    summary = "discrete body on SO(n) × SO(n)"
    reference = "equations 4.7 and 4.16 of [BCMR02]"
    representation = Form.SYMMETRIC


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
