"""How fast neighbouring motions part: Lyapunov exponents, the fast Lyapunov indicator, and MEGNO.

Each follows tangent vectors along a motion by the exact tangent map of the steps (`tangent_run`), and stores none of
them. Lengths are measured in units in which the motion near the start is of one size: a rotation of one radian is as
long as the momentum that turns into one in the time that is natural to the system.

    λᵢ      the mean rate at which the i-th vector of an orthogonalised frame grows
    FLI     the largest ln ‖Φ‖ so far: grows like ln t where motion is regular, like λt where it is chaotic
    MEGNO   Y(t) = (2/t) ∫ s d ln ‖Φ(s)‖ and its mean over time: 2 where motion is regular, λt/2 where it is chaotic

Φ is the tangent map from the start, ‖Φ‖ the root mean square growth of a vector over all directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.facade import above
from ..core.system import State
from ..errors import InvalidInputError
from ..methods import Method
from ..simulation.arguments import count_steps
from ..simulation.default_step import method_and_step
from .tangent_run import TangentRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

SPREAD = 5.0  # by how much, in logarithms, the vectors may grow apart before they are made orthogonal again
LONGEST = 1024  # steps from one orthogonalisation to the next
RESOLUTION = 0.3  # of the samples of ‖Φ‖, in units of the natural time
SAMPLES = 64  # of ‖Φ‖ in a chunk, after which the vectors are scaled
SHOWN = 500  # times at which the convergence is recorded


@dataclass(frozen=True)
class LyapunovSpectrum:
    """Lyapunov exponents in falling order, and how they converged.

    `exponents` are the slopes of the straight lines through the logarithms of the lengths over the second half of the run: the
    first half is left out as transient. Lengths that swing and do not grow, as those along the motion, change a slope much
    less than they change a difference of two ends. `running` (n, dimension) are the mean rates from the start to each of the
    times `t`. `uncertainty` is by how much the slope over the last quarter differs from that over the quarter before it.
    """

    state: State
    method: Method
    step: float
    exponents: Array
    uncertainty: Array
    t: Array
    running: Array

    @property
    def pairing_defect(self) -> float:
        """The largest `|λᵢ + λ_{n+1−i}|`: zero in the limit for a symplectic motion, whose exponents come in pairs ±λ."""
        return float(np.abs(self.exponents + self.exponents[::-1]).max())

    @property
    def largest(self) -> float:
        """The largest exponent."""
        return float(self.exponents[0])

    def plot(self) -> Figure:
        """The running means over time."""
        return above("plot_lyapunov")(self)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        values = ", ".join(f"{x:.6g}" for x in self.exponents)
        return f"LyapunovSpectrum([{values}], t = {self.t[-1]:g})"


@dataclass(frozen=True)
class Indicator:
    """A chaos indicator over time. `value` is the one at the end."""

    name: str
    state: State
    method: Method
    step: float
    t: Array
    values: Array

    @property
    def value(self) -> float:
        """The indicator at the end of the run."""
        return float(self.values[-1])

    def plot(self) -> Figure:
        """The indicator over time."""
        return above("plot_indicator")(self)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"Indicator({self.name} = {self.value:.6g}, t = {self.t[-1]:g})"


def lyapunov(
    state: State,
    *,
    step: float | None = None,
    t_end: float | None = None,
    steps: int | None = None,
    method: Method | None = None,
) -> LyapunovSpectrum:
    """All Lyapunov exponents of the motion from `state`, by the tangent map of `method` (default `LGVI(order=2)`).
    Without a `step`, one is chosen that resolves the motion, by default for `LGVI(order=4)`.

    The frame of tangent vectors is made orthogonal again (QR) as soon as they have grown apart.

    >>> import polhode as ph
    >>> regular = lyapunov(ph.FreeRigidBody.example(), step=0.05, t_end=500.0)
    >>> bool(abs(regular.exponents).max() < 10 / 500)
    True
    """
    run, total = _begin(state, step, t_end, steps, method)
    scale, grown = run.scale[:, None], np.zeros(run.dimension)
    times, sums, interval = [state.t], [grown], 1
    while run.done < total:
        y, vectors = run.advance(min(interval, total - run.done))
        frame, upper = np.linalg.qr(vectors[0] / scale)
        growth = np.log(np.abs(np.diagonal(upper)))
        run.restart(y[0], frame * scale)
        grown = grown + growth
        times.append(run.t)
        sums.append(grown)
        spread = float(np.ptp(growth))
        if spread > SPREAD:
            interval = max(1, interval // 2)
        elif spread < 0.25 * SPREAD:
            interval = min(2 * interval, LONGEST)
    return _spectrum(run, state, np.array(times), np.array(sums))


def fast_lyapunov_indicator(
    state: State,
    *,
    step: float | None = None,
    t_end: float | None = None,
    steps: int | None = None,
    method: Method | None = None,
) -> Indicator:
    """The fast Lyapunov indicator of Froeschlé, Lega and Gonczi over time: the largest `ln ‖Φ‖` so far.

    >>> import polhode as ph
    >>> fast_lyapunov_indicator(ph.FreeRigidBody.example(), step=0.05, t_end=100.0).value < 6
    True
    """
    run, total = _begin(state, step, t_end, steps, method)
    t, sizes = _sizes(run, total)
    return Indicator("FLI", state, run.method, run.step, t, np.maximum.accumulate(sizes))


def megno(
    state: State,
    *,
    step: float | None = None,
    t_end: float | None = None,
    steps: int | None = None,
    method: Method | None = None,
) -> Indicator:
    """MEGNO of Cincotta and Simó over time, its mean from the start: 2 where motion is regular, λt/2 where it is chaotic.

    >>> import polhode as ph
    >>> round(megno(ph.FreeRigidBody.example(), step=0.05, t_end=1000.0).value, 1)
    2.0
    """
    run, total = _begin(state, step, t_end, steps, method)
    t, sizes = _sizes(run, total)
    s = t - t[0]
    moments = np.cumsum(0.5 * (s[1:] + s[:-1]) * np.diff(sizes))
    Y = np.concatenate([[0.0], 2.0 * moments / s[1:]])
    areas = np.cumsum(0.5 * (Y[1:] + Y[:-1]) * np.diff(s))
    return Indicator("MEGNO", state, run.method, run.step, t, np.concatenate([[0.0], areas / s[1:]]))


def _begin(state: State, step: Any, t_end: Any, steps: Any, method: Method | None) -> tuple[TangentRun, int]:
    """The run and the number of its steps."""
    if step is None and steps is not None:
        raise InvalidInputError("steps", steps, problem="steps need a step: give step too, or t_end alone")
    method, h = method_and_step(state, method, step, t_end)
    run = TangentRun(state, method, h)
    total = count_steps(state.t, run.step, t_end, steps)
    if total < 8:
        raise InvalidInputError("steps" if t_end is None else "t_end", t_end or steps, "a run of at least 8 steps")
    return run, total


def _spectrum(run: TangentRun, state: State, t: Array, sums: Array) -> LyapunovSpectrum:
    """The exponents from the sums of logarithms at times `t`."""

    passed = np.abs(t - t[0])

    def slope(first: float, last: float) -> Array:
        """The rate of growth over a part of the run, given by the fractions at which it begins and ends."""
        i, j = (int(np.argmin(np.abs(passed - f * passed[-1]))) for f in (first, last))
        part = slice(min(i, j - 1), j + 1)
        away = passed[part] - passed[part].mean()
        rates: Array = away @ sums[part] / (away @ away)
        return rates

    shown = np.unique(np.linspace(1, len(t) - 1, SHOWN).round().astype(int))
    exponents = slope(0.5, 1.0)
    order = np.argsort(-exponents, kind="stable")
    uncertainty = np.abs(slope(0.75, 1.0) - slope(0.5, 0.75))[order]
    running = sums[shown][:, order] / passed[shown][:, None]
    return LyapunovSpectrum(state, run.method, run.step, exponents[order], uncertainty, t[shown], running)


def _sizes(run: TangentRun, total: int) -> tuple[Array, Array]:
    """Times and `ln ‖Φ‖` there, from the start to the end."""
    coarsest = max(1, min(int(RESOLUTION / (run.rate * abs(run.step))), total // SAMPLES)) if run.rate else 1
    every = max(n for n in range(1, coarsest + 1) if total % n == 0)
    logarithms = np.concatenate([[0.0], *_chunks(run, total, every)])
    t: Array = run.t0 + every * run.step * np.arange(len(logarithms), dtype=np.float64)
    return t, logarithms


def _chunks(run: TangentRun, total: int, every: int) -> Iterator[Array]:
    """`ln ‖Φ‖` after every so many steps, chunk by chunk."""
    base, unit = 0.0, np.sqrt(run.dimension)
    while run.done < total:
        _, vectors = run.advance(min(SAMPLES * every, total - run.done), every)
        norms = np.linalg.norm(vectors / run.scale[:, None], axis=(-2, -1)) / unit
        yield base + np.log(norms)
        base += float(np.log(norms[-1]))
        run.scale_vectors(1.0 / float(norms[-1]))
