"""Shooting on SO(n): the initial momenta M₀ for which a motion from Q₀ arrives at Q_T.

The motion is a map of the discrete rigid body, run on dual numbers, so that the derivative of its end with respect to M₀ is
exact. The miss is `vee log(Q(T)ᵀ Q_T)`; Newton's steps are shortened until it falls. From several starts several extremals are
found: each is a way to turn from Q₀ to Q_T that no small change makes shorter or longer to first order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_integer
from ..core.scalar_packing import block_kind, blocks, tangent_columns
from ..core.system import State
from ..errors import PolhodeError
from ..geometry import son, unchecked
from ..methods import LGVI
from ..systems.son.rigid_body import RigidBodySOn

Array = NDArray[np.float64]

MAX_ITERATIONS, HALVINGS = 40, 8
# An extremal arrives to rounding; what is farther than this after all iterations is none.
ARRIVED, ROUNDING = 1e-11, 1e-15
# Momenta closer than this, relative, are one extremal found twice.
SAME = 1e-6


class MissedEndPointError(PolhodeError, ArithmeticError):
    """No start led to the end point; `miss` is how far from it the best one ended, in radians or the units of x."""

    def __init__(self, message: str, miss: float) -> None:
        self.miss = miss
        super().__init__(message)


@dataclass(frozen=True)
class Shot:
    """A motion that arrives: its initial momentum, and the rotation that is left to the end point."""

    M0: Array
    miss: float


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A motion of `body` that meets the end point to `miss`, and what it costs. `others` are the momenta and costs of further
    extremals that were found, all of them more expensive; `starts` how many starts were made, and `arrived` how many led to
    an extremal."""

    body: RigidBodySOn
    cost: float
    miss: float
    others: tuple[tuple[Array, float], ...]
    starts: int
    arrived: int


@dataclass(frozen=True)
class Shooter:
    """Shoots from Q₀ at Q_T with `steps` steps of size `step` of a method on T*SO(n)."""

    body: RigidBodySOn
    Q0: Array
    QT: Array
    step: float
    steps: int
    method: LGVI

    @property
    def duration(self) -> float:
        """The time that the motion takes."""
        return self.step * self.steps

    def end(self, M0: Array) -> tuple[Array, Array] | None:
        """Q at the end and its derivative (d, d) with respect to vee(M₀), left-trivialised; None where a step fails."""
        d = self.body.n * (self.body.n - 1) // 2
        state = State(self.body, {"Q": self.Q0, "M": M0})
        columns = []
        Q = self.Q0
        for part in blocks(d):
            directions = slice(d + part.start, d + part.stop)
            kind = block_kind(part)
            run = self.method.start(state, self.step, kind, directions)
            status, _ = run.advance(0, self.steps, self.steps + 1, np.empty((0, run.row_size)))
            if status or not np.isfinite(run.sample).all():
                return None
            y, tangent = tangent_columns(run.layout, run.states(run.row[None]), kind, directions)
            Q = run.layout.unpack(y)["Q"][0]
            columns.append(tangent[0, :d])
        return Q, np.concatenate(columns, axis=1)

    def miss(self, Q: Array) -> Array:
        """The rotation from Q to the end point, as a vector."""
        return unchecked.son_vee(unchecked.son_log(Q.T @ self.QT))

    def shoot(self, M0: Array) -> Shot:
        """Newton's method from M₀, with steps shortened until the miss falls; the best that it reaches."""
        x, here = unchecked.son_vee(M0), self.end(M0)
        if here is None:
            return Shot(M0, np.inf)
        r = self.miss(here[0])
        for _ in range(MAX_ITERATIONS):
            ahead = self._nearer(x, here[1], r)
            if ahead is None:
                break  # rounding, or a place where the end does not respond
            x, here, r = ahead
        return Shot(son.hat(x), float(np.linalg.norm(r)))

    def _nearer(self, x: Array, response: Array, r: Array) -> tuple[Array, tuple[Array, Array], Array] | None:
        """A momentum whose motion ends nearer to the end point, with what belongs to it."""
        size, step = np.linalg.norm(r), np.linalg.lstsq(response, r, rcond=1e-10)[0]
        angle = float(np.linalg.norm(self.body.weight.J_inverse(son.hat(step)))) * self.duration
        factor = min(1.0, 1.0 / max(angle, 1e-300))  # a change by about a radian at most
        for _ in range(HALVINGS):
            there = self.end(son.hat(x + factor * step)) if size > ROUNDING else None
            if there is not None:
                ahead = self.miss(there[0])
                if np.linalg.norm(ahead) < size:
                    return x + factor * step, there, ahead
            factor *= 0.5
        return None


def first_guess(body: RigidBodySOn, Q0: Array, QT: Array, duration: float) -> Array:
    """The momentum of a steady rotation from Q₀ to Q_T by the smallest angles."""
    return body.weight.J(unchecked.son_log(Q0.T @ QT) / duration)


def guesses(body: RigidBodySOn, Q0: Array, QT: Array, duration: float, starts: int, seed: int) -> Iterator[Array]:
    """`starts` momenta to shoot with: that of the shortest rotation, then random ones of up to two turns."""
    yield first_guess(body, Q0, QT, duration)
    rng = np.random.default_rng(seed)
    d = body.n * (body.n - 1) // 2
    for i in range(1, starts):
        direction = rng.standard_normal(d)
        angle = 4.0 * np.pi * (i / starts)
        yield body.weight.J(son.hat(angle / duration * direction / np.linalg.norm(direction)))


class Extremals(NamedTuple):
    """The momentum of the cheapest extremal found and its cost, those of the others, and how many shots arrived."""

    M0: Array
    cost: float
    others: tuple[tuple[Array, float], ...]
    arrived: int


def extremals(shots: list[Shot], cost: Callable[[Array], float], within: str, more: str) -> Extremals:
    """What the shots found; `cost` is that of a momentum. The error if none arrived says `within` how many steps, and what
    there should be `more` of."""
    hits = [(shot.M0, cost(shot.M0)) for shot in shots if shot.miss < ARRIVED]
    if not hits:
        nearest = min(shot.miss for shot in shots)
        raise MissedEndPointError(
            f"none of {len(shots)} starts met the end point{within}: the nearest ended {nearest:.3g} rad from it; "
            f"give more starts, or {more}",
            nearest,
        )
    distinct: list[tuple[Array, float]] = []
    for M0, value in sorted(hits, key=lambda hit: hit[1]):
        scale = float(np.linalg.norm(M0))
        if all(np.linalg.norm(M0 - other) > SAME * scale for other, _ in distinct):
            distinct.append((M0, value))
    return Extremals(*distinct[0], tuple(distinct[1:]), len(hits))


def check_problem(Lambda: ArrayLike, Q0: ArrayLike, QT: ArrayLike, starts: int) -> tuple[RigidBodySOn, Array, Array]:
    """The body and the two attitudes of a steering problem."""
    body = RigidBodySOn(Lambda)
    start, end = (body._rotation(name, Q) for name, Q in (("Q0", Q0), ("QT", QT)))
    check_integer("starts", starts, 1)
    return body, start, end


def with_progress_bar(items: Iterable[Array], total: int, progress: bool) -> Iterable[Array]:
    """The same iterable, with a progress bar if `progress` is true and the output is a terminal."""
    if not progress:
        return items
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(items, "shooting", total, console=console, disable=not console.is_terminal)
