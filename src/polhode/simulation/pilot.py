"""A quick look at a motion before it is computed to a tolerance: how short its time scales are, and how far apart.

The look is a run of `DOP853` to a loose tolerance. Its steps follow the motion: how long they are says how long the
steps of other methods may be, and whether these should follow the motion too. The first ones are looked at one by one, so
that short ones between long ones are not passed over.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..core.layout import Layout
from ..core.manifolds import Copies, Euclidean, Manifold, Skew
from ..core.system import State
from ..methods import DOP853, GaussLegendre, Method
from ..methods.dop853 import CARRIED, LENGTH, START
from ..scalars.protocol import EVALUATIONS

Array = NDArray[np.float64]

PILOT_TOLERANCE = 1e-5
STAGES, DENSE_STAGES = 12, 3  # evaluations of a step of DOP853, and those more for samples within it
SAMPLES = 256  # at which steps are looked at
CLOSE_STEPS = 128  # so many of the first steps are all seen
START_UP = 2.0  # by such factors steps grow at the start, where the method does not know their length yet
STRETCH = 4  # steps whose mean length counts: one may be short by chance
AGREEMENT = 5.0  # so many times the error of the look is another run away from it at most
LARGE = 1e-2  # an error of the look that calls for a second one
MAGNIFIED = 1e4 * PILOT_TOLERANCE  # an error of the look that is no longer that of its steps alone
UNEVEN = 4.0  # steps that follow the motion pay if on average they are this much longer than the shortest


class Pilot:
    """A quick adaptive run from a state: its end, the number of its steps, and of such steps if all were as short as where
    they are shortest."""

    def __init__(self, state: State, t_end: float) -> None:
        self.state, self.span = state, t_end - state.t
        span = self.span
        DOP853().check(state.system)
        self.layout = state.system.representations[DOP853().representation].layout
        start = state.system.enter(DOP853().representation, state)
        self.smallest = _smallest(self.layout, start)
        states, self.count, shortest = self._look(span)
        if _smallest(self.layout, start, *states) < self.smallest:  # of what was zero at the start
            self.smallest = _smallest(self.layout, start, *states)
            states, self.count, shortest = self._look(span)
        self.final: Array = states[-1]
        shortest = min(shortest, _shortest(self._first_steps()))
        self.densest = max(abs(span) / shortest, float(self.count))

    def _look(self, span: float) -> tuple[Array, int, float]:
        """States of a run over this time, the number of its steps, and the length of the shortest."""
        run = self._method.start(self.state, span / SAMPLES)
        samples = np.empty((SAMPLES, run.row_size))
        times = self.state.t + np.arange(1, SAMPLES + 1) * (span / SAMPLES)
        _, reached = run.follow(np.asarray(times), samples)
        states = run.states(samples[:reached] if reached else run.row[None])
        seen = samples[:reached, -CARRIED:]
        _, first = np.unique(seen[:, START], return_index=True)
        lengths = np.abs(seen[np.sort(first), LENGTH])
        evaluations = float(run.report.numbers[EVALUATIONS])
        count = max(1, math.ceil((evaluations - DENSE_STAGES * len(lengths)) / STAGES))
        if not len(lengths):
            return states, count, abs(span) / count
        return states, count, min(_shortest(lengths), abs(span))  # the last step goes beyond the end

    def _first_steps(self) -> Array:
        """The lengths of the first steps, all of them after the start-up: short ones may lie between two samples."""
        run, t = self._method.start(self.state, self.span), self.state.t
        sample = np.empty((1, run.row_size))
        lengths: list[float] = []
        while len(lengths) < CLOSE_STEPS and abs(t - self.state.t) < abs(self.span):
            just_behind = np.nextafter(t, t + self.span)
            if not run.follow(np.array([just_behind]), sample)[
                1
            ]:  # what ends the motion makes steps as short as can be
                return np.array([abs(self.span)])
            start, length = sample[0, -CARRIED:][[START, LENGTH]]
            lengths.append(abs(length))
            t = start + length
        rising = next((k for k in range(len(lengths) - 1) if lengths[k + 1] < START_UP * lengths[k]), 0)
        return np.array(lengths[rising:])

    @property
    def _method(self) -> DOP853:
        return DOP853(rtol=PILOT_TOLERANCE, atol=PILOT_TOLERANCE * self.smallest)

    @property
    def uneven(self) -> bool:
        """Whether steps that follow the motion are much longer on average than the shortest of them."""
        return self.densest > UNEVEN * self.count

    def agrees(self, end: Array, form: str) -> bool:
        """Whether the end of another run is as near to that of this one as a rougher run is, or not much farther."""
        if form != DOP853().representation:
            return True
        far, rough = apart(self.layout, end, self.final), 10.0 * PILOT_TOLERANCE
        if far <= min(max(self.count, AGREEMENT) * PILOT_TOLERANCE, LARGE):  # what its steps may add up to
            return True
        run = DOP853(rtol=rough, atol=rough * self.smallest).start(self.state, self.span)
        run.follow(np.array([self.state.t + self.span]), np.empty((0, run.row_size)))
        return far <= AGREEMENT * apart(self.layout, run.states(run.row[None])[0], self.final)

    def magnifies(self, end: Array, form: str) -> bool:
        """Whether the end of a finer run is so far away that the motion must magnify errors."""
        return form == DOP853().representation and apart(self.layout, end, self.final) > MAGNIFIED

    def steps(self, method: Method, tolerance: float) -> int:
        """How many steps of a method of fixed step are likely to do."""
        if isinstance(method, GaussLegendre):
            factor = 0.7 * (1e-8 / tolerance) ** (1.0 / method.order)
        else:
            factor = (1e-2 / tolerance) ** (1.0 / method.order)
        return max(3, math.ceil(self.densest * factor))


def _shortest(lengths: Array) -> float:
    """The length of the shortest steps, a few together."""
    stretch = min(STRETCH, len(lengths))
    return float(np.convolve(lengths, np.full(stretch, 1.0 / stretch), mode="valid").min())


def sizes(layout: Layout, *states: Array) -> list[float]:
    """What errors of each variable are compared with: 1 for attitudes and angles, else its largest size in these states."""
    return [
        float(np.linalg.norm([y[layout.slices[v.name]] for y in states], axis=1).max()) if _linear(v.manifold) else 1.0
        for v in layout.variables
    ]


def _linear(manifold: Manifold) -> bool:
    return isinstance(manifold.of if isinstance(manifold, Copies) else manifold, (Euclidean, Skew))


def _smallest(layout: Layout, *states: Array) -> float:
    """The smallest size of a variable that is not zero."""
    return min((size for size in sizes(layout, *states) if size > 0.0), default=1.0)


def apart(layout: Layout, a: Array, b: Array) -> float:
    """How far two states are apart, each variable in its own size."""
    worst = 0.0
    for variable, size in zip(layout.variables, sizes(layout, a, b), strict=True):
        part = layout.slices[variable.name]
        if variable.manifold.dimension:
            worst = max(worst, float(variable.manifold.distance(a[part], b[part])) / (size or 1.0))
    return worst


def jolted(state: State, size: float) -> State:
    """The state with every number of its variables changed by `size`, relative to the variable, up and down in turn."""
    system, form = state.system, DOP853().representation
    layout = system.representations[form].layout
    y = system.enter(form, state).copy()
    for variable, length in zip(layout.variables, sizes(layout, y), strict=True):
        part, manifold = layout.slices[variable.name], variable.manifold
        change = np.full(manifold.dimension, size * length)
        change[1::2] *= -1.0
        y[part] = manifold.retract(y[part], change)
    return State(system, layout.unpack(y), state.t)
