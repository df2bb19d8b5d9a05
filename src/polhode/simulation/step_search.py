"""The step that a tolerance needs, of a method with fixed steps or with steps of a given angle.

The motion is computed with a first step, and with one half as long again; how far apart the two end says how large the error
is. If it is too large, the step is shortened and the run repeated. The longer steps start from a state that is changed by
rounding, so that the difference has what the motion makes of that.

Errors that fall much more slowly than the order says are due to rounding, which the motion magnifies, or to forces that are
not smooth. A run from a changed state tells these apart: in the first case nothing helps, in the second `DOP853` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import raise_stop
from ..core.method import Run
from ..core.system import State
from ..errors import ConvergenceError, PolhodeError
from ..methods import GaussLegendre, Method
from .findings import Findings, advance, digest
from .pilot import PILOT_TOLERANCE, Pilot, jolted, state_distance
from .records import Accuracy
from .trajectory import Trajectory

Array = NDArray[np.float64]
Setting = Callable[[int], tuple[Method, int]]
RunOf = Callable[[Method, int, Run | None], Trajectory]

COARSER = 1.5  # how much longer the steps of the second run are
# the difference is so many times the error, at least and at most, and between them this part of what
# very short steps make it: 656 times for order 16
LEAST_GAIN, LARGEST_GAIN, TRUSTED = 5.0, 150.0, 0.25
SHORTER = 1.25  # steps of a further run are shorter by this at least
RESOLVED = 1e-2  # differences that are larger say only that steps are too long
SLOW, APART = 0.25, 1.5  # part of the order with which differences fall if something is wrong, and over how many steps
ROUNDING, MAGNIFIED = 1e-15, 30.0  # the change of a state that stands for rounding; so many of its effects are rounding
OTHERWISE, VARIES = 1.03, 4.0  # steps that are as accurate, and by how much the effect of rounding varies
MOST_STEPS = 20_000_000
FOLLOWING = 6.0  # so much shorter may steps have to be that follow the motion
MOST_TRIES, PATIENCE = 12, 3  # and so many may end far apart
LEAST_ERROR = 1e-15  # no estimate is below it


class FirstSteps(NamedTuple):
    """Where some steps lead, as a row of the method's own variables, and how many evaluations they take."""

    row: Array
    evaluations: int


class Trials:
    """Runs of a method over the same time with different steps. What depends on the system alone is set up once."""

    def __init__(self, state: State, span: float, findings: Findings | None = None) -> None:
        self.state, self.span, self.findings = state, span, findings
        self._method: Method | None = None
        self._run: Run | None = None
        self._first: dict[float, FirstSteps] = {}

    def start(self, method: Method, n: float, state: State) -> Run:
        """A run with steps of 1/n from a state that is the first one, or beside it."""
        raise_stop()
        again = self._run.restarted(state, self.span / n) if self._run and self._method is method else None
        self._method, self._run = method, again or method.start(state, self.span / n)
        return self._run

    def first(self, method: Method, n: float, count: int) -> FirstSteps:
        """The first steps of 1/n of this method, which are done once; if one fails, up to there."""
        if n not in self._first:
            run = self.start(method, n, self.state)
            run.advance(0, count, count + 1, np.empty((0, run.row_size)))
            self._first[n] = FirstSteps(run.row.copy(), run.report.evaluations)
        return self._first[n]

    def states(self, *rows: Array) -> Array:
        """Rows of the last method's own variables as states."""
        assert self._run is not None
        return self._run.states(np.stack(rows))

    def end(self, method: Method, n: int, state: State, change: float = 0.0) -> Array | None:
        """The state after n steps, as a row of its layout; None if a step fails. Implicit steps are left as soon as a further
        iteration would make no more than this `change`."""
        run = self.start(method, n, state)
        run.solve_roughly(change)
        beside = "" if state is self.state else f" from {digest(state)}"
        status = advance(self.findings, f"the end of {method!r} with {n} steps{beside}, {change!r}", run, n)
        row = run.states(run.row[None])[0]
        return None if status or not np.all(np.isfinite(row)) else row


def by_step(
    pilot: Pilot,
    trials: Trials,
    tolerance: float,
    order: int,
    n: int,
    setting: Setting,
    run: RunOf,
    *,
    smooth: bool,
) -> tuple[Trajectory, Accuracy] | None:
    """By shorter steps until the error is small enough: `setting(n)` is a method, and how many steps of the grid it takes,
    such that the method's own steps are as long as 1/n. The first n is given. None if the forces turn out not to be
    smooth, or steps not to follow what is fast, unless they have to be taken as `smooth`."""
    state, span, form = pilot.state, pilot.span, setting(n)[0].representation
    layout = state.system.representations[form].layout
    other, coarse = None, 0
    earlier: list[tuple[int, float]] = []  # the steps and differences of the runs so far
    most = FOLLOWING * n if setting(n)[0].adaptive and not smooth else math.inf
    for attempt in range(MOST_TRIES):
        if n > most:
            return None
        method, steps = setting(n)
        last = attempt == MOST_TRIES - 1 or setting(2 * n)[1] > MOST_STEPS
        if steps > MOST_STEPS:
            raise PolhodeError(
                f"{method!r} would need {steps:.2g} steps for a tolerance of {tolerance:g}: take a method of higher order, "
                "such as GaussLegendre(), or a larger tolerance"
            )
        try:
            trajectory = run(method, steps, trials.start(method, steps, state))
        except ConvergenceError:
            if last:
                raise
            other, n = None, 2 * n
            continue
        found = state.system.enter(form, trajectory.final)
        distance = pilot.distance_to(found, form)
        if other is None:
            coarse = max(1, round(n / COARSER))
            # together about a tolerance
            change = tolerance / max(distance / PILOT_TOLERANCE, coarse) if isinstance(method, GaussLegendre) else 0.0
            other = trials.end(*setting(coarse), jolted(state, ROUNDING), change)
        difference = state_distance(layout, found, other) if other is not None else math.inf
        error = _error(difference, (n / coarse) ** order - 1.0)
        if attempt == 0 and error <= tolerance and not pilot.explains(distance):
            error = math.inf  # both may have passed over the same
        slow = _is_slow(earlier, coarse, difference, order)
        # rounding may be all of the difference, or hidden behind it
        hidden = error <= tolerance < VARIES * difference and pilot.rounding(distance) > tolerance
        if hidden:  # other steps round otherwise
            changed = trials.end(*setting(math.ceil(OTHERWISE * n)), jolted(state, ROUNDING))
            noise = state_distance(layout, found, changed) if changed is not None else 0.0
            # more than rounding can be says that the steps are too long after all
            last = last or tolerance < VARIES * noise <= VARIES * pilot.rounding(distance)
            error = max(error, VARIES * noise)
        elif tolerance < error and (slow or (difference >= RESOLVED and attempt >= PATIENCE)):
            changed = trials.end(method, steps, jolted(state, ROUNDING))
            noise = state_distance(layout, found, changed) if changed is not None else 0.0
            if difference <= MAGNIFIED * noise:
                last, error = True, max(difference, noise)
            elif slow and not smooth:
                return None
        if error <= tolerance or last:
            return trajectory, Accuracy(tolerance, max(error, LEAST_ERROR), repr(method), span / steps)
        shorter = 1.05 * (error / tolerance) ** (1.0 / order) if math.isfinite(error) else 2.0
        earlier.append((coarse, difference))
        other, coarse = found, n
        n = math.ceil(n * min(max(shorter, SHORTER), 2.0 ** (16.0 / order)))
    raise AssertionError("unreachable")


def _error(difference: float, gain: float) -> float:
    """The error of a run that ends so far from one with longer steps, whose error should be larger by `gain`. Of that a part is
    trusted where the steps of both resolve the motion, however much it magnifies errors: it does so with those of both runs."""
    trusted = min(TRUSTED * gain, LARGEST_GAIN) if difference < RESOLVED else 0.0
    return difference / min(gain, max(trusted, LEAST_GAIN))


def _is_slow(earlier: list[tuple[int, float]], n: int, difference: float, order: int) -> bool:
    """Whether differences have fallen much more slowly than the order says, over a good part of an octave."""
    known = [(m, d) for m, d in earlier if d < 0.1 * RESOLVED and n >= APART * m]
    return bool(known) and difference > known[-1][1] * (known[-1][0] / n) ** (SLOW * order)
