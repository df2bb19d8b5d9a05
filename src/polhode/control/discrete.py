"""The optimal rotation in N steps:  max Σ tr(Λ U_k),  Q_{k+1} = Q_k U_k,  from Q₀ to Q_N   (6.8)–(6.10) of [BCMR02].

With a time step h it is `min C_N = 1/(2h) Σ tr Λ(1 − U_k)`, which tends to the continuous ¼∫⟨U, J(U)⟩ with an error of O(h²).
(The paper asks for a minimum of Σ tr(Λ U_k); extremals for moderate steps are maxima.) The extremals are the discrete rigid
body, SDRBn (6.11), (6.12): J_D(U_k) = h(Q_kᵀP_k − P_kᵀQ_k). Along one every term is the same, so that
`C_N = N/(2h) tr Λ(1 − U₀)`. Only steps U on the principal branch are considered, those that join U = 1 as h shrinks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_integer, check_positive
from ..geometry.increments.momentum_weight import largest_factor
from ..geometry.increments.moser_veselov import increment
from ..methods import LGVI, MoserVeselov
from ..simulation.driver import simulate
from ..simulation.trajectory import Trajectory
from ..systems.son.maps import costate
from ..systems.son.rigid_body import RigidBodySOn
from .shooting import Arrival, Shooter, Shot, check_problem, extremals, guesses, with_progress_bar

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DiscreteSteering(Arrival):
    """An extremal of the discrete problem: attitudes `Q` (N + 1, n, n), controls `U` (N, n, n), momentum `M0` of MDRBn.

    `cost` is C_N; `miss` how far Q_N is from the end point; `others`, `starts` and `arrived` as in `Steering`.
    """

    step: float
    Q: Array
    U: Array
    M: Array

    @property
    def M0(self) -> Array:
        """The momentum at the start."""
        return self.M[0]

    @property
    def P(self) -> Array:
        """The costates P_k ∈ SO(n) of (6.11), where ‖M‖ < 2."""
        return costate(self.Q, self.M)

    @property
    def value(self) -> float:
        """`Σ tr(Λ U_k)` (6.8)."""
        return float(np.sum(self.body.weight.matrix * np.swapaxes(self.U, -1, -2)))


def steer_discrete(
    Lambda: ArrayLike,
    Q0: ArrayLike,
    QN: ArrayLike,
    steps: int,
    *,
    duration: float = 1.0,
    starts: int = 16,
    seed: int = 0,
    progress: bool = False,
) -> DiscreteSteering:
    """The cheapest extremal of the discrete problem from `Q0` to `QN` in `steps` steps that `starts` starts lead to.

    >>> from polhode.geometry import son
    >>> turn = steer_discrete([1, 1, 1], np.eye(3), son.exp(son.hat([0, 0, 1.0])), 4, duration=2.0, starts=2)
    >>> round(turn.cost, 9), round(float(4 / (2 * 0.5) * 2 * (1 - np.cos(0.25))), 9)        # N/2h · tr Λ(1 − U)
    (0.248700626, 0.248700626)
    """
    body, start, end = check_problem(Lambda, Q0, QN, starts)
    step = check_positive("duration", duration) / check_integer("steps", steps, 1)
    shooter = Shooter(body, start, end, step, int(steps), LGVI())
    shots: list[Shot] = []
    for M0 in with_progress_bar(guesses(body, start, end, shooter.duration, starts, seed), starts, progress):
        # a momentum for which the step has no solution is brought back into the domain, where shooting can begin
        limit = float(largest_factor(body.weight, M0))
        shots.append(shooter.shoot(M0 * min(1.0, 0.9 * limit / step) if np.isfinite(limit) else M0))
    found = extremals(shots, lambda M0: _cost(body, step * M0, step, steps), f" in {steps} steps", "more steps")
    motion = _motion(body, start, found.M0, step, int(steps))
    return DiscreteSteering(
        body=body,
        step=step,
        Q=motion.Q,
        U=np.swapaxes(motion.Q[:-1], -1, -2) @ motion.Q[1:],
        M=motion.M,
        cost=found.cost,
        miss=float(np.linalg.norm(shooter.miss(motion.Q[-1]))),
        others=found.others,
        starts=starts,
        arrived=found.arrived,
    )


def _motion(body: RigidBodySOn, Q0: Array, M0: Array, step: float, steps: int) -> Trajectory:
    return simulate(body.state(Q=Q0, M=M0), step=step, steps=steps, method=MoserVeselov())


def _cost(body: RigidBodySOn, G: Array, step: float, steps: int) -> float:
    """`N/(2h) tr Λ(1 − U₀)` with `J_D(U₀) = G`."""
    return -0.5 * steps / step * float(np.sum(body.weight.matrix * increment(body.weight, G).T))
