"""A quick run of a motion before it is computed to a tolerance: how short its time scales are, and how far apart.

The quick run is one of `DOP853` to a loose tolerance. Its steps follow the motion: how long they are says how long the
steps of other methods may be, and whether these should follow the motion too.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import raise_stop
from ..core.layout import Layout
from ..core.manifolds import Copies, Euclidean, Manifold, Rotations, Skew, SpecialOrthogonal
from ..core.method import Start
from ..core.representation import Form
from ..core.system import State
from ..methods import DOP853, GaussLegendre, Method
from ..methods.dop853 import DOP853Run
from ..methods.dop853_lengths import CARRIED, START
from ..scalars.protocol import EVALUATIONS
from .findings import Findings, Kept, recalled

Array = NDArray[np.float64]

PILOT_TOLERANCE, ROUGHER = 1e-5, 10.0  # of the quick run; and so many times that of a run that is rougher
STAGES, DENSE_STAGES = 12, 3  # evaluations of a step of DOP853, and those more for samples within it
SAMPLES = 256  # at which the size of a variable is looked at
NOISE = 1e-13  # of the largest momentum or place
AGREEMENT = 5.0  # so many times the error of the quick run is another run away from it at most
ADDED = 40.0  # so many times what is allowed to them errors of the quick run's steps may add up to
LARGE, LARGEST = 1e-2, 0.1  # errors of the quick run that are less regular, and that need another run to explain them
NONLINEAR = 1.5  # the power with which large errors of a rough run show how errors grow
SATURATED = 0.5  # an error of the quick run that grows no more
ROUNDING_OF_STEPS = 3e-9  # what rounding does, as a part of what the errors of the quick run's steps do
# by so little the number of many steps changes if they are short for stability; else by a quarter
MANY, STIFF = 40, 0.05
HANDFUL, GUESS = 7, 10.0  # so few steps show little of how errors grow: for them this is a guess
UNEVEN = 4.0  # steps that follow the motion pay if on average they are this much longer than the shortest


class RoughRun(NamedTuple):
    """Where a run ends, how many steps it takes, and how far it ends from the quick run."""

    end: Array
    steps: float
    distance: float


class Pilot:
    """A quick adaptive run from a state: its end, the number of its steps, and of such steps if all were as short as where
    they are shortest."""

    def __init__(self, state: State, t_end: float, findings: Findings | None = None) -> None:
        self.state, self.span, self._findings = state, t_end - state.t, findings
        DOP853().check(state.system)
        self.layout = state.system.representations[Form.DEFAULT].layout
        start = Start.of(state, self.span)
        beginning = sizes(self.layout, start.y)
        self.smallest = _smallest(beginning)
        self._run = self.method(PILOT_TOLERANCE).run(start)
        self._rough_runs: dict[float, RoughRun] = {}
        forms: dict[str, Kept] = {"count": int, "densest": float, "smallest": float, "end": len(start.y)}
        known = recalled(findings, "the quick run", forms, lambda: self._do_quick_run(beginning))
        self.count, self.densest = int(known["count"]), float(known["densest"])
        self.smallest, self.final = float(known["smallest"]), np.asarray(known["end"], dtype=np.float64)

    def _do_quick_run(self, beginning: list[float]) -> dict[str, Any]:
        """What the quick run shows; it is done once more if what was zero at the start has become small."""
        samples = self._run_quickly(1 if all(beginning) else SAMPLES)
        if len(samples) > 1:
            smallest = _smallest([max(pair) for pair in zip(beginning, _largest(self.layout, samples), strict=True)])
            if smallest < self.smallest:
                self.smallest = smallest
                samples = self._run_quickly(1)
        return {"count": self.count, "densest": self.densest, "smallest": self.smallest, "end": samples[-1]}

    def method(self, rtol: float) -> DOP853:
        """The method of the quick run with another tolerance, relative to each variable or to the smallest of them."""
        return DOP853(rtol=rtol, atol=rtol * self.smallest)

    def _run_quickly(self, count: int) -> Array:
        """States at so many times of a run, as far as it goes; of one that fails, at many. Notes the number of its steps, and
        how many there would be if all were as short as the shortest."""
        run = self.run_of(self.method(PILOT_TOLERANCE), self.span)
        samples, times = np.empty((count, run.row_size)), self.state.t + np.arange(1, count + 1) * (self.span / count)
        status, reached = run.follow(np.asarray(times, dtype=np.float64), samples)
        if not reached and count == 1:
            return self._run_quickly(SAMPLES)
        dense = 1 + np.count_nonzero(np.diff(samples[:reached, START - CARRIED]))  # steps that have a sample
        self.count = max(1, math.ceil((float(run.report.numbers[EVALUATIONS]) - DENSE_STAGES * dense) / STAGES))
        self.densest = float(self.count)
        if run.shortest and not status:  # what ends the motion makes steps as short as can be
            self.densest = max(abs(self.span) / run.shortest, self.densest)
        return run.states(samples[:reached] if reached else run.row[None])

    @property
    def uneven(self) -> bool:
        """Whether steps that follow the motion are much longer on average than the shortest of them."""
        return self.densest > UNEVEN * self.count

    def distance_to(self, end: Array, form: str) -> float:
        """How far the end of another run, in this representation, is from that of the quick run."""
        return state_distance(self.layout, end, self.final) if form == Form.DEFAULT else 0.0

    def explains(self, distance: float) -> bool:
        """Whether another run may end so far away because of the errors of the quick run: a rougher run is as far, or not much
        less."""
        of_steps = ADDED * max(self.count, AGREEMENT) * PILOT_TOLERANCE  # which they may add up to
        if distance <= min(of_steps, LARGEST):
            return True
        return distance <= AGREEMENT * self._rougher.distance

    @property
    def stiff(self) -> bool:
        """Whether it is not accuracy that keeps steps short: a rougher run has as many."""
        return self.count > MANY and abs(self._rougher.steps / self.count - 1.0) < STIFF

    def run_of(self, method: DOP853, step: float) -> DOP853Run:
        """A run of this method from the state, at its start: there is one for all of them."""
        raise_stop()
        self._run.begin_anew(method, step)
        return self._run

    def rough_run(self, rtol: float) -> RoughRun:
        """A run with this tolerance; if it fails, up to where it fails."""
        if rtol not in self._rough_runs:
            forms: dict[str, Kept] = {"end": len(self.final), "evaluations": float}
            known = recalled(self._findings, f"a rough run, {rtol!r}", forms, lambda: self._do_rough_run(rtol))
            end = np.asarray(known["end"], dtype=np.float64)
            steps = float(known["evaluations"]) / STAGES
            self._rough_runs[rtol] = RoughRun(end, steps, self.distance_to(end, Form.DEFAULT))
        return self._rough_runs[rtol]

    def _do_rough_run(self, rtol: float) -> dict[str, Any]:
        run = self.run_of(self.method(rtol), self.span)
        run.follow(np.array([self.state.t + self.span]), np.empty((0, run.row_size)))
        return {"end": run.states(run.row[None])[0], "evaluations": run.report.numbers[EVALUATIONS]}

    @cached_property
    def numbers(self) -> int:
        """How many numbers an evaluation reads or writes beside the state."""
        canonical = self.state.system.canonical()
        return canonical.parameters.size + canonical.representation.workspace

    @property
    def _rougher(self) -> RoughRun:
        """The run that is rougher than the quick run."""
        return self.rough_run(ROUGHER * PILOT_TOLERANCE)

    @property
    def growth(self) -> float:
        """How many times the error that is allowed to a step the error at the end is, as far as rough runs show it; a guess
        for a handful of steps, which show little."""
        return GUESS if self.count <= HANDFUL else _times(self._rougher.distance / ROUGHER)

    def growth_to(self, end: Array) -> float:
        """The same, as a run shows it that is much finer and ends here."""
        distance = self.distance_to(end, Form.DEFAULT)
        if self.count > HANDFUL:
            distance = max(distance, state_distance(self.layout, end, self._rougher.end) / ROUGHER)
        return _times(distance)

    @property
    def unpredictable(self) -> bool:
        """Whether a rough run ends anywhere, so that it does not show how errors grow."""
        return self.count > HANDFUL and self._rougher.distance > SATURATED

    def rounding(self, distance: float) -> float:
        """What rounding may have become at the end, if the errors of the quick run have become so large; infinite in chaos."""
        return ROUNDING_OF_STEPS * distance if distance <= SATURATED else math.inf

    def evaluations(self, rtol: float) -> float:
        """How many evaluations a run of `DOP853` with this tolerance is likely to take."""
        return STAGES * self.count * (PILOT_TOLERANCE / rtol) ** (1.0 / DOP853.order)

    def steps(self, method: Method, tolerance: float) -> int:
        """How many steps of a method of fixed step are likely to do where errors grow little."""
        if isinstance(method, GaussLegendre):
            factor = 0.88 * (1e-8 / tolerance) ** (1.0 / method.order)
        else:
            factor = (1e-2 / tolerance) ** (1.0 / method.order)
        return max(3, math.ceil(self.densest * factor))

    def more(self, method: Method) -> float:
        """So many times more steps are likely to be needed where errors grow much."""
        return float(max(self._rougher.distance / LARGE, 1.0) ** (NONLINEAR / method.order))


def _times(distance: float) -> float:
    """How many times what is allowed to a step of the quick run so large an error of it is; more where it is too large to be in
    proportion."""
    return distance / PILOT_TOLERANCE * math.sqrt(max(distance, LARGE) / LARGE)


class Part(NamedTuple):
    """Where a variable lies in a state, its manifold, of how many equal points it consists, whether it is linear, whether
    forces act on it, and how many of its numbers there are for one of a vector: every entry of a rotation or a skew matrix is
    there twice; None where the distance of two points is not that of their numbers."""

    numbers: slice
    manifold: Manifold
    points: int
    linear: bool
    kicked: bool
    times: float | None


@lru_cache(64)
def parts(layout: Layout) -> tuple[Part, ...]:
    """The variables of a layout."""
    found = []
    for variable in layout.variables:
        manifold = variable.manifold
        each, count = (manifold.of, manifold.count) if isinstance(manifold, Copies) else (manifold, 1)
        twice = isinstance(each, (Rotations, SpecialOrthogonal, Skew))
        times = 2.0 if twice else 1.0 if isinstance(each, Euclidean) else None
        linear = isinstance(each, (Euclidean, Skew))
        found.append(Part(layout.slices[variable.name], manifold, count, linear, variable.kicked, times))
    return tuple(found)


def sizes(layout: Layout, *states: Array) -> list[float]:
    """What errors of each variable are compared with: 1 for attitudes and angles, else its largest size in these states; 0
    where that is rounding."""
    return _without_noise(
        layout, [max(_length(y[part.numbers]) for y in states) if part.linear else 1.0 for part in parts(layout)]
    )


def _largest(layout: Layout, rows: Array) -> list[float]:
    """The same of many states, in one array."""
    squares = rows * rows
    lengths = [
        math.sqrt(float(squares[:, part.numbers].sum(axis=1).max())) if part.linear else 1.0 for part in parts(layout)
    ]
    return _without_noise(layout, lengths)


def _without_noise(layout: Layout, lengths: list[float]) -> list[float]:
    """These sizes, and zero for momenta, or places, that are nothing but rounding beside the largest of them: such is the spin
    of a ball that gravity does not turn."""
    linear = [(part.kicked, length) for part, length in zip(parts(layout), lengths, strict=True) if part.linear]
    least = [
        NOISE * max((length for kicked, length in linear if kicked is kind), default=0.0) for kind in (False, True)
    ]
    return [
        0.0 if part.linear and length < least[part.kicked] else length
        for part, length in zip(parts(layout), lengths, strict=True)
    ]


def _length(x: Array) -> float:
    return math.sqrt(float(x @ x))


def _smallest(lengths: list[float]) -> float:
    """The smallest of some sizes that is not zero."""
    return min((size for size in lengths if size > 0.0), default=1.0)


def state_distance(layout: Layout, a: Array, b: Array) -> float:
    """How far two states are apart, each variable in its own size. For the angle θ between two rotations stands the chord
    `2 sin(θ/2)`: of errors that matter it is the same, and it is found in a fifth of the time."""
    worst, difference = 0.0, a - b
    for part, size in zip(parts(layout), sizes(layout, a, b), strict=True):
        if part.times is None:
            some = part.manifold.dimension > 0
            distance = float(part.manifold.distance(a[part.numbers], b[part.numbers])) if some else 0.0
        elif part.points == 1:
            distance = _length(difference[part.numbers]) / math.sqrt(part.times)
        else:
            rows = difference[part.numbers].reshape(part.points, -1)
            distance = math.sqrt(float((rows * rows).sum(axis=1).max()) / part.times)
        worst = max(worst, distance / (size or 1.0))
    return worst


def jolted(state: State, size: float) -> State:
    """The state with every number of its variables changed by `size`, relative to the variable, up and down in turn."""
    system = state.system
    layout = system.representations[Form.DEFAULT].layout
    y = system.enter(Form.DEFAULT, state).copy()
    for part, length in zip(parts(layout), sizes(layout, y), strict=True):
        change = np.full(part.manifold.dimension, size * length)
        change[1::2] *= -1.0
        y[part.numbers] += part.manifold.basis(y[part.numbers]) @ change  # so short a way is straight
    return State(system, layout.unpack(y), state.t)
