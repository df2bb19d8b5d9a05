"""Runs to a tolerance: method and step are chosen, and the error at the end is estimated by a second run.

A quick look (`pilot`) shows the shortest time scale of the motion. From it follows a step, by the order of the method. The
motion is computed with this step and with one a quarter longer; how far apart they end says how large the error is. If
it is too large, the step is shortened and the run repeated. Where bodies attract each other and the look shows close
encounters, steps follow the motion; then it is their angle that is chosen. The longer steps start from a state that is
changed by rounding, so that the difference has what the motion makes of that.

Errors that fall much more slowly than the order says are due to rounding, which the motion magnifies, or to forces that are
not smooth. A run from a changed state tells these apart: in the first case nothing helps, in the second `DOP853` does.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import watch_callbacks
from ..core.system import State
from ..errors import AccuracyWarning, ConvergenceError, InvalidInputError, PolhodeError
from ..methods import DOP853, Exact, GaussLegendre, Method
from .dense_output import after
from .pilot import Pilot, apart, jolted
from .records import Accuracy
from .trajectory import Trajectory

Array = NDArray[np.float64]
Setting = Callable[[int], tuple[Method, int]]

DEFAULT_TOLERANCE = 1e-9
LOOSEST, TIGHTEST = 1e-2, 1e-13
CLOSED_FORM_SAMPLES = 24
COARSER = 1.25  # how much longer the steps of the second run are
# the difference is so many times the error, at least and at most, and between them this part of what
# very short steps make it: 35 times for order 16
LEAST_GAIN, LARGEST_GAIN, TRUSTED = 5.0, 50.0, 0.1
RESOLVED = 1e-2  # differences that are larger say only that steps are too long
SLOW, APART = 0.25, 1.5  # part of the order with which differences fall if something is wrong, and over how many steps
ROUNDING, MAGNIFIED = 1e-15, 30.0  # the change of a state that stands for rounding; so many of its effects are rounding
MOST_STEPS = 20_000_000
MOST_TRIES, PATIENCE = 12, 3  # and so many may end far apart
LEAST_ERROR = 1e-15  # no estimate is below it
FIRST_ANGLE, FIRST_TOLERANCE = 0.8, 1e-9  # the angle of a step that is likely to do for a tolerance, at order 16
ANGLE_PARTS = 256.0  # angles are this over a whole number


def check_tolerance(tolerance: Any) -> float:
    """`tolerance` as a number that a run can be asked for."""
    if tolerance is None:
        return DEFAULT_TOLERANCE
    number = isinstance(tolerance, (int, float, np.number)) and not isinstance(tolerance, bool)
    if not number or not TIGHTEST <= tolerance <= LOOSEST:
        raise InvalidInputError("tolerance", tolerance, f"a number from {TIGHTEST:g} to {LOOSEST:g}")
    return float(tolerance)


@watch_callbacks()  # in a trial a user's error means that it failed; the run itself raises it
def run_to_tolerance(
    state: State,
    t_end: float,
    tolerance: float,
    method: Method | None,
    run: Callable[[Method, int], Trajectory],
    *,
    tangent: bool = False,
) -> tuple[Trajectory, Accuracy]:
    """The trajectory to `t_end` of `run(method, steps)`, with as many steps as the tolerance needs; `tangent` says that its
    tangent map is wanted too."""
    chosen = method is None
    if chosen and state.system.has_exact:
        return _by_closed_form(state, t_end, tolerance, run)
    if method is not None:
        _check_order(method)
    pilot = Pilot(state, t_end)
    method = _choose(pilot, tangent=tangent) if method is None else method
    if isinstance(method, DOP853):
        return _by_tolerance(state, t_end, tolerance, pilot, run)
    if isinstance(method, GaussLegendre) and method.adaptive:
        n = math.ceil(ANGLE_PARTS / FIRST_ANGLE * (FIRST_TOLERANCE / tolerance) ** (1.0 / method.order))
        setting = _angles(method.order, pilot.count)
    else:
        fixed, n = method, pilot.steps(method, tolerance)
        setting = lambda n: (fixed, n)  # noqa: E731
    found = _by_step(pilot, t_end, tolerance, method.order, n, setting, run, smooth=not chosen)
    return found or _by_tolerance(state, t_end, tolerance, pilot, run, smooth=False)


def _angles(order: int, samples: int) -> Setting:
    """Settings of steps that follow the motion, the finer the larger the number n, each with so many samples."""

    def setting(n: int) -> tuple[Method, int]:
        return GaussLegendre(order, adaptive="reversible", angle_per_step=ANGLE_PARTS / n), max(samples, 1)

    return setting


@watch_callbacks()
def choose_method(state: State, t_end: float, *, tangent: bool = False) -> Method:
    """The method of a run to a tolerance, if none is asked for."""
    return Exact() if state.system.has_exact else _choose(Pilot(state, t_end), tangent=tangent)


def _choose(pilot: Pilot, *, tangent: bool) -> Method:
    system, following = pilot.state.system, GaussLegendre(adaptive="reversible")
    between = sorted((pilot.state.t, pilot.state.t + pilot.span))
    if GaussLegendre().why_not(system) is not None or any(between[0] < t < between[1] for t in system.corners):
        return DOP853()
    attracted = bool(system.canonical().attractions) and following.why_not(system) is None
    return following if attracted and pilot.uneven and not tangent else GaussLegendre()


def expected_steps(state: State, t_end: float, tolerance: float, method: Method) -> int:
    """How many steps a run to a tolerance is likely to take, from a quick look at the motion.

    >>> import polhode as ph
    >>> state = ph.Pendulum3D.example()
    >>> expected_steps(state, 10.0, 1e-6, ph.RK4()) < expected_steps(state, 10.0, 1e-10, ph.RK4())
    True
    """
    if isinstance(method, Exact):
        return CLOSED_FORM_SAMPLES
    _check_order(method)
    pilot = Pilot(state, t_end)
    return max(pilot.count, 1) if method.adaptive else pilot.steps(method, tolerance)


def _check_order(method: Method) -> None:
    if not method.adaptive and not method.order:
        raise InvalidInputError("method", method, problem=f"{method!r} has no error that a step could control")


def _by_closed_form(
    state: State, t_end: float, tolerance: float, run: Callable[[Method, int], Trajectory]
) -> tuple[Trajectory, Accuracy]:
    """By the closed form, whose only error is rounding: going there in two halves shows how large that is."""
    method, half = Exact(), 0.5 * (t_end - state.t)
    trajectory, again = run(method, CLOSED_FORM_SAMPLES), after(after(state, method, half), method, half)
    layout = state.system.representations[method.representation].layout
    found, other = (state.system.enter(method.representation, each) for each in (trajectory.final, again))
    error = max(apart(layout, found, other), LEAST_ERROR)
    return trajectory, Accuracy(tolerance, error, repr(method), 2.0 * half / CLOSED_FORM_SAMPLES)


def _by_step(
    pilot: Pilot,
    t_end: float,
    tolerance: float,
    order: int,
    n: int,
    setting: Setting,
    run: Callable[[Method, int], Trajectory],
    *,
    smooth: bool,
) -> tuple[Trajectory, Accuracy] | None:
    """By shorter steps until the error is small enough: `setting(n)` is a method, and how many steps of the grid it takes,
    such that the method's own steps are as long as 1/n. The first n is given. None if the forces turn out not to be
    smooth, unless they have to be taken as `smooth`."""
    state, form = pilot.state, setting(n)[0].representation
    span = t_end - state.t
    layout = state.system.representations[form].layout
    other, coarse = None, 0
    errors: list[tuple[int, float]] = []  # of the runs so far
    noise = 0.0
    for attempt in range(MOST_TRIES):
        method, steps = setting(n)
        last = attempt == MOST_TRIES - 1 or setting(2 * n)[1] > MOST_STEPS
        if steps > MOST_STEPS:
            raise PolhodeError(
                f"{method!r} would need {steps:.2g} steps for a tolerance of {tolerance:g}: take a method of higher order, "
                "such as GaussLegendre(), or a larger tolerance"
            )
        if other is None:
            coarse = max(1, math.floor(n / COARSER))
            other = _end(jolted(state, ROUNDING), *setting(coarse), span)
        try:
            trajectory = run(method, steps)
        except ConvergenceError:
            if last:
                raise
            other, n = None, 2 * n
            continue
        found = state.system.enter(form, trajectory.final)
        difference = apart(layout, found, other) if other is not None else math.inf
        gain = (n / coarse) ** order - 1.0  # by which the error should be smaller than the difference
        if difference < RESOLVED:
            error = difference / min(gain, max(TRUSTED * gain, LEAST_GAIN), LARGEST_GAIN)
        else:
            error = difference / min(gain, LEAST_GAIN)
        if attempt == 0 and error <= tolerance and not pilot.agrees(found, form):
            error = math.inf  # both may have passed over the same
        slow = _is_slow(errors, coarse, difference, order)
        hidden = error <= tolerance < difference and pilot.magnifies(
            found, form
        )  # rounding may be all of the difference
        if hidden or (tolerance < error and (slow or (difference >= RESOLVED and attempt >= PATIENCE))):
            changed = _end(jolted(state, ROUNDING), method, steps, span)
            noise = apart(layout, found, changed) if changed is not None else noise
            if hidden:
                last, error = noise > tolerance, max(error, noise)
            elif difference <= MAGNIFIED * noise:
                last, error = True, max(difference, noise)
            elif slow and not smooth:
                return None
        if error <= tolerance or last:
            return trajectory, Accuracy(tolerance, max(error, LEAST_ERROR), repr(method), span / steps)
        shorter = 1.05 * (error / tolerance) ** (1.0 / order) if math.isfinite(error) else 2.0
        errors.append((coarse, difference))
        other, coarse = found, n
        n = math.ceil(n * min(max(shorter, COARSER), 2.0 ** (16.0 / order)))
    raise AssertionError("unreachable")


def _is_slow(errors: list[tuple[int, float]], n: int, error: float, order: int) -> bool:
    """Whether errors have fallen much more slowly than the order says, over a good part of an octave."""
    earlier = [(m, e) for m, e in errors if e < RESOLVED and n >= APART * m]
    return bool(earlier) and error > earlier[-1][1] * (earlier[-1][0] / n) ** (SLOW * order)


def _by_tolerance(
    state: State,
    t_end: float,
    tolerance: float,
    pilot: Pilot,
    run: Callable[[Method, int], Trajectory],
    *,
    smooth: bool = True,
) -> tuple[Trajectory, Accuracy]:
    """By tighter tolerances of the adaptive method until the error at the end is small enough. Where forces are not smooth,
    its errors do not fall regularly either: then more is asked for."""
    layout, span, gain = pilot.layout, t_end - state.t, LEAST_GAIN if smooth else 1.0
    rtol, other = max((0.1 if smooth else 0.01) * tolerance, 1e-14), pilot.final
    steps = max(pilot.count, 1)
    for _ in range(MOST_TRIES):
        method = DOP853(rtol=rtol, atol=rtol * pilot.smallest)
        trajectory = run(method, steps)
        found = state.system.enter(method.representation, trajectory.final)
        check = _end(state, DOP853(rtol=10.0 * rtol, atol=10.0 * rtol * pilot.smallest), 1, span)
        error = apart(layout, found, other if check is None else check) / gain
        if error <= tolerance or rtol <= 3e-14:
            return trajectory, Accuracy(tolerance, max(error, LEAST_ERROR), repr(method), span / steps)
        rtol = max(rtol * min(0.3 * tolerance / error, 0.3), 2e-14)
    return trajectory, Accuracy(tolerance, error, repr(method), span / steps)


def _end(state: State, method: Method, n: int, span: float) -> Array | None:
    """The state after n steps over the span, as a row of its layout; None if a step fails."""
    run = method.start(state, span / n)
    status, _ = run.advance(0, n, n + 1, np.empty((0, run.row_size)))
    row = run.states(run.row[None])[0]
    return None if status or not np.all(np.isfinite(row)) else row


def warn_if_missed(accuracy: Accuracy) -> None:
    """Say so if the tolerance could not be met."""
    if accuracy.estimated_error > accuracy.tolerance:
        warnings.warn(str(accuracy), AccuracyWarning, stacklevel=5)  # the caller of simulate
