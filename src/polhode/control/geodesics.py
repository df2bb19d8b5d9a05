"""The optimal rotation from Q₀ to Q_T in a given time:  min ¼∫₀ᵀ⟨U, J(U)⟩ dt,  Q̇ = Q U   (5.1), (5.2) of [BCMR02].

The extremals are the motions of the free rigid body: U = J⁻¹(M), Ṁ = [M, U]. In the symmetric representation the costate of
the maximum principle is P, with U = J⁻¹(QᵀP − PᵀQ) (5.3) and Ṗ = P U; that P is a rotation for ‖M‖ < 2 only, while the costate
½ B = ½ Q M of McLachlan and Scovel (5.5) always serves. Since energy is constant the cost is T/4 ⟨M₀, J⁻¹M₀⟩.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_positive
from ..core.system import State
from ..geometry import son
from ..methods import DOP853, LGVI
from ..simulation.driver import simulate
from ..simulation.trajectory import Trajectory
from ..systems.son.maps import costate, norm
from ..systems.son.rigid_body import RigidBodySOn
from .shooting import Arrival, MissedEndPointError, Shooter, Shot, check_problem, extremals, guesses, with_progress_bar

Array = NDArray[np.float64]

# The angle that a step of the method of order 8 turns by, at most; the end is then right to about 1e-12.
ANGLE = 0.12


@dataclass(frozen=True, kw_only=True)
class Steering(Arrival):
    """An extremal of (5.1): the turn from `Q0` to `QT` in time `duration` with initial momentum `M0`.

    `cost` is ¼∫⟨U, J(U)⟩; `miss` how far from QT the continuous motion ends, by an independent integration. `others` are the
    momenta and costs of further extremals that were found, all of them more expensive; `starts` how many starts were made,
    and `arrived` how many led to an extremal.
    """

    Q0: Array
    QT: Array
    duration: float
    M0: Array

    @property
    def state(self) -> State:
        """The body at the start."""
        return self.body.state(Q=self.Q0, M=self.M0)

    def trajectory(self, samples: int = 100) -> Trajectory:
        """The motion at `samples` equal intervals: its Q, M, and the control as its Omega."""
        return simulate(self.state, step=self.duration / samples, steps=samples, method=DOP853(1e-13, 1e-15))

    def control(self, t: ArrayLike) -> Array:
        """The optimal U(t) = J⁻¹(M(t)) at times 0 ≤ t ≤ duration."""
        return self.body.weight.J_inverse(self._at(t)[1])

    def costate(self, t: ArrayLike) -> Array:
        """The costate P(t) ∈ SO(n) with U = J⁻¹(QᵀP − PᵀQ) (5.3), where ‖M‖ < 2; otherwise use a longer duration."""
        return costate(*self._at(t))

    def costate_B(self, t: ArrayLike) -> Array:
        """McLachlan and Scovel's B = Q M (5.5), which is twice the costate."""
        Q, M = self._at(t)
        return Q @ M

    def _at(self, t: ArrayLike) -> tuple[Array, Array]:
        times = np.asarray(t, dtype=np.float64)
        found = np.empty((2, times.size, self.body.n, self.body.n))
        here = self.state
        for i in np.argsort(times, axis=None):
            gap = float(times.reshape(-1)[i]) - here.t
            if gap > 0.0:
                here = simulate(here, step=gap, steps=1, method=DOP853(1e-13, 1e-15)).final
            found[:, i] = here.Q, here.M
        shape = (*times.shape, self.body.n, self.body.n)
        return found[0].reshape(shape), found[1].reshape(shape)

    def __str__(self) -> str:
        many = len(self.others)
        ways = f"{many} more expensive extremal{'s' if many > 1 else ''}" if many else "no other extremal"
        costs = ", ".join(f"{cost:.6g}" for _, cost in self.others[:5])
        return (
            f"cost {self.cost:.12g}, end point met to {self.miss:.1e}; {ways} found from {self.starts} starts"
            + (f" (cost {costs}{', …' if len(self.others) > 5 else ''})" if costs else "")
            + (f"; ‖M‖ = {float(norm(self.M0)):.3g}")
        )


def steer(
    Lambda: ArrayLike,
    Q0: ArrayLike,
    QT: ArrayLike,
    duration: float,
    *,
    starts: int = 16,
    seed: int = 0,
    progress: bool = False,
) -> Steering:
    """The cheapest extremal of (5.1) from `Q0` to `QT` that `starts` starts lead to.

    The starts are the shortest rotation and random ones, drawn with `seed`. It is not proved that there is no cheaper one.

    >>> from polhode.geometry import son
    >>> turn = steer([1, 1, 1], np.eye(3), son.exp(son.hat([0, 0, 1.0])), 2.0, starts=2)
    >>> round(turn.cost, 12)                                          # ¼ · 2 · (½)² · (Λ₁ + Λ₂)
    0.25
    """
    body, start, end = check_problem(Lambda, Q0, QT, starts)
    duration = check_positive("duration", duration)
    shots: list[Shot] = []
    for M0 in with_progress_bar(guesses(body, start, end, duration, starts, seed), starts, progress):
        shots.append(_shooter(body, start, end, duration, M0).shoot(M0))
    found = extremals(shots, lambda M0: _cost(body, M0, duration), "", "a longer duration")
    M0, miss = _polished(body, start, end, duration, found.M0)
    if miss > 1e-10:
        raise MissedEndPointError(f"the end point is met only to {miss:.3g} rad", miss)
    return Steering(
        body=body,
        Q0=start,
        QT=end,
        duration=duration,
        M0=M0,
        cost=_cost(body, M0, duration),
        miss=miss,
        others=found.others,
        starts=starts,
        arrived=found.arrived,
    )


def _cost(body: RigidBodySOn, M0: Array, duration: float) -> float:
    return 0.25 * duration * 0.5 * float(np.sum(M0 * body.weight.J_inverse(M0)))


def _shooter(body: RigidBodySOn, Q0: Array, QT: Array, duration: float, M0: Array) -> Shooter:
    angle = float(norm(body.weight.J_inverse(M0))) * duration
    steps = max(8, int(np.ceil(1.5 * angle / ANGLE)))
    return Shooter(body, Q0, QT, duration / steps, steps, LGVI(order=8))


def _polished(body: RigidBodySOn, Q0: Array, QT: Array, duration: float, M0: Array) -> tuple[Array, float]:
    """M₀ corrected, and the miss, for the continuous motion itself, by an integrator that shooting does not use."""
    shooter = _shooter(body, Q0, QT, duration, M0)
    best, least = M0, np.inf
    for _ in range(4):
        state = State(body, {"Q": Q0, "M": M0})
        end = simulate(state, step=duration, steps=1, method=DOP853(3e-14, 1e-15)).final
        r = shooter.miss(son.project(end.Q))
        size = float(np.linalg.norm(r))
        if size >= least:
            break
        best, least = M0, size
        response = shooter.end(M0)
        if response is None or size < 1e-14:
            break
        M0 = M0 + son.hat(np.linalg.lstsq(response[1], r, rcond=1e-10)[0])
    return best, least
