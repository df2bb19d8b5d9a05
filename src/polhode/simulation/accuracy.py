"""Runs to a tolerance: method and step are chosen, and the error at the end is estimated by a second run.

A quick look (`pilot`) shows the shortest time scale of the motion. From it follows a first step, by the order of the method,
and `step_search` finds the one that the tolerance needs. Where bodies attract each other and the look shows close
encounters, steps follow the motion; then it is their angle that is chosen. `DOP853` takes what is not smooth, and systems
that `GaussLegendre` does not fit; a closed form is taken where it is found sooner than the steps are done. Who names a
tolerance gets the fastest method, which for short motions is `DOP853` too, and where the first steps of `GaussLegendre` take
many iterations; who does not gets one that conserves what nature conserves.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..core.callbacks import watch_callbacks
from ..core.system import State
from ..errors import AccuracyWarning, InvalidInputError
from ..methods import DOP853, Exact, GaussLegendre, Method
from .dense_output import after
from .pilot import CHAOS, PILOT_TOLERANCE, Pilot, apart
from .records import Accuracy
from .step_search import LEAST_ERROR, MOST_TRIES, RunOf, Setting, Trials, by_step
from .trajectory import Trajectory

DEFAULT_TOLERANCE = 1e-9
LOOSEST, TIGHTEST = 1e-2, 1e-13
CLOSED_FORM_SAMPLES = 24  # an even number: one is half-way
FIRST_ANGLE, FIRST_TOLERANCE = 0.8, 1e-9  # the angle of a step that is likely to do for a tolerance, at order 16
ANGLE_PARTS = 256.0  # angles are this over a whole number
ROUGHER, FINEST = 10.0, 3e-14  # by so much more a rough run of DOP853 allows; the least that any does
MOST_TRUSTED = 100.0  # by so much at most the error of a run is taken to be smaller than that of a rough one
ALLOWED = 1.5  # so much may errors of its steps add up to before less of each is allowed
# evaluations of a run of DOP853 that is done before GaussLegendre is set up, and of one whose evaluations are long, as
# those that read or write so many numbers are: lanes do eight of them in little more time than one
SHORT, SHORT_OF_LONG, LONG = 10_000.0, 1500.0, 250
# so many evaluations of DOP853 take the time of one in lanes; so many steps show how many of these GaussLegendre takes
LANES, LANES_OF_LONG, FIRST_STEPS = 3.0, 2.0, 8
LOOSE = 20.0  # so much less than that of the look is a tolerance for which it does as a rough run
FEW, CAUTIOUS = 40, 0.3  # so few steps tell little of how errors add up: so much less is allowed to them


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
    run: RunOf,
    *,
    fastest: bool,
    tangent: bool = False,
) -> tuple[Trajectory, Accuracy]:
    """The trajectory to `t_end` of `run(method, steps, started)`, with as many steps as the tolerance needs. `fastest`: by
    whatever method is fastest, even if it conserves nothing; `tangent`: its tangent map is wanted too."""
    chosen = method is None
    trials = Trials(state, t_end - state.t)
    method, pilot = _choose(trials, tolerance, method, fastest=fastest, tangent=tangent)
    if pilot is None:
        return _by_closed_form(state, t_end, tolerance, run)
    if isinstance(method, DOP853):
        return _by_tolerance(tolerance, pilot, run)
    if isinstance(method, GaussLegendre) and method.adaptive:
        n = math.ceil(ANGLE_PARTS / FIRST_ANGLE * (FIRST_TOLERANCE / tolerance) ** (1.0 / method.order))
        setting = _angles(method.order, pilot.count)
    else:
        fixed, n = method, pilot.steps(method, tolerance)
        setting = lambda n: (fixed, n)  # noqa: E731
    found = by_step(pilot, trials, tolerance, method.order, n, setting, run, smooth=not chosen)
    return found or _by_tolerance(tolerance, pilot, run, smooth=False)


def _angles(order: int, samples: int) -> Setting:
    """Settings of steps that follow the motion, the finer the larger the number n, each with so many samples."""

    def setting(n: int) -> tuple[Method, int]:
        return GaussLegendre(order, adaptive="reversible", angle_per_step=ANGLE_PARTS / n), max(samples, 1)

    return setting


@watch_callbacks()
def likely_run(
    state: State,
    t_end: float,
    tolerance: float,
    method: Method | None = None,
    *,
    fastest: bool = True,
    tangent: bool = False,
) -> tuple[Method, int]:
    """The method of a run to a tolerance, if none is given, and how many steps it is likely to take, from a quick look at the
    motion.

    >>> import polhode as ph
    >>> state = ph.Pendulum3D.example()
    >>> likely_run(state, 100.0, 1e-6)[0]
    GaussLegendre(order=16)
    >>> likely_run(state, 10.0, 1e-6, ph.RK4())[1] < likely_run(state, 10.0, 1e-10, ph.RK4())[1]
    True
    """
    trials = Trials(state, t_end - state.t)
    method, pilot = _choose(trials, tolerance, method, fastest=fastest, tangent=tangent)
    if pilot is None:
        return method, CLOSED_FORM_SAMPLES
    return method, max(pilot.count, 1) if method.adaptive else pilot.steps(method, tolerance)


def _choose(
    trials: Trials, tolerance: float, method: Method | None, *, fastest: bool, tangent: bool
) -> tuple[Method, Pilot | None]:
    """The method that is given, or the best, and a look at the motion, which the closed form does not need."""
    state, t_end = trials.state, trials.state.t + trials.span
    system = state.system
    if isinstance(method, Exact) or (method is None and system.has_exact and not system.closed_form_steps):
        return Exact(), None
    if method is not None:
        _check_order(method)
        return method, Pilot(state, t_end)
    pilot, fixed = Pilot(state, t_end), GaussLegendre()
    if system.has_exact and pilot.steps(fixed, tolerance) > system.closed_form_steps:
        return Exact(), None
    # whether there is nothing to conserve, or it does not matter
    anything = (fastest or not system.hamiltonian) and not tangent
    if not tangent and (pilot.stiff or (anything and _is_short(pilot, tolerance))):
        return DOP853(), pilot
    following, between = GaussLegendre(adaptive="reversible"), sorted((state.t, t_end))
    if fixed.why_not(system) is not None or any(between[0] < t < between[1] for t in system.corners):
        return DOP853(), pilot
    if pilot.uneven and not tangent and system.canonical().attractions and following.why_not(system) is None:
        return following, pilot
    return DOP853() if anything and _is_slower(fixed, pilot, trials, tolerance) else fixed, pilot


def _check_order(method: Method) -> None:
    if not method.adaptive and not method.order:
        raise InvalidInputError("method", method, problem=f"{method!r} has no error that a step could control")


def _by_closed_form(state: State, t_end: float, tolerance: float, run: RunOf) -> tuple[Trajectory, Accuracy]:
    """By the closed form, whose only error is rounding: starting again half-way shows how large that is."""
    method, span = Exact(), t_end - state.t
    trajectory = run(method, CLOSED_FORM_SAMPLES, None)
    again = after(trajectory.state(CLOSED_FORM_SAMPLES // 2), method, 0.5 * span)
    layout = state.system.representations[method.representation].layout
    found, other = (state.system.enter(method.representation, each) for each in (trajectory.final, again))
    error = max(apart(layout, found, other), LEAST_ERROR)
    return trajectory, Accuracy(tolerance, error, repr(method), span / CLOSED_FORM_SAMPLES)


def _is_short(pilot: Pilot, tolerance: float) -> bool:
    """Whether `DOP853` is likely to be done before `GaussLegendre` is."""
    most = SHORT_OF_LONG if pilot.numbers > LONG else SHORT
    rtol = _allowed(tolerance, pilot.growth if pilot.count > FEW else 1.0)
    if pilot.evaluations(rtol) > most:
        return False
    if _look_does(pilot, tolerance):
        return True
    if pilot.rough_run(tolerance).far > CHAOS:
        return False
    rtol = _first_rtol(pilot, tolerance)
    return rtol > FINEST and pilot.evaluations(rtol) <= most


def _is_slower(method: GaussLegendre, pilot: Pilot, trials: Trials, tolerance: float) -> bool:
    """Whether steps of `GaussLegendre`, the first of which are done, take so many iterations that `DOP853` is likely to be done
    before it."""
    rtol, n = _allowed(tolerance, pilot.growth), pilot.steps(method, tolerance)
    if rtol <= FINEST or PILOT_TOLERANCE * pilot.growth > CHAOS:
        return False
    run, count = trials.start(method, n, pilot.state), min(n, FIRST_STEPS)
    run.advance(0, count, count + 1, np.empty((0, run.row_size)))
    together = LANES_OF_LONG if pilot.numbers > LONG else LANES
    return together * run.report.evaluations / count * n > pilot.evaluations(rtol)


def _allowed(tolerance: float, growth: float) -> float:
    """The tolerance of a step of `DOP853`, if errors of steps grow so much on the way to the end."""
    return tolerance / ROUGHER * min(1.0, ALLOWED / max(growth, LEAST_ERROR))


def _look_does(pilot: Pilot, tolerance: float) -> bool:
    """Whether a run of `DOP853` may be compared with the look: a few short steps, which are cheap, to a loose tolerance."""
    return pilot.count <= FEW and tolerance >= PILOT_TOLERANCE / LOOSE


def _first_rtol(pilot: Pilot, rough: float) -> float:
    """The tolerance of `DOP853` that is likely to do; rough runs show how errors of steps add up."""
    if _look_does(pilot, rough):
        return rough / MOST_TRUSTED
    growth = pilot.rough_run(rough).far / max(rough, PILOT_TOLERANCE)
    if pilot.count > FEW:
        return max(_allowed(rough, max(growth, pilot.growth)), FINEST)
    return max(CAUTIOUS * _allowed(rough, growth), FINEST)


def _by_tolerance(tolerance: float, pilot: Pilot, run: RunOf, *, smooth: bool = True) -> tuple[Trajectory, Accuracy]:
    """By tighter tolerances of the adaptive method until the error at the end is small enough; the first run is compared with a
    rough one. Where forces are not smooth, errors do not fall regularly: then more is asked for."""
    state, span, steps = pilot.state, pilot.span, max(pilot.count, 1)
    rough = max(tolerance if smooth else 0.1 * tolerance, FINEST)
    rtol = _first_rtol(pilot, rough)
    if smooth and _look_does(pilot, rough):
        rough, other = PILOT_TOLERANCE, pilot.final
    else:
        other = pilot.rough_run(rough).end
    for _ in range(MOST_TRIES):
        method = pilot.method(rtol)
        trajectory = run(method, steps, pilot.run_of(method, span / steps))
        found = state.system.enter(method.representation, trajectory.final)
        error = apart(pilot.layout, found, other) / _gain(rough / rtol, smooth=smooth)
        if error > tolerance and rough > MOST_TRUSTED * rtol:  # it may have been too rough to tell
            other = pilot.rough_run(ROUGHER * rtol).end
            error = apart(pilot.layout, found, other) / _gain(ROUGHER, smooth=smooth)
        if error <= tolerance or rtol <= FINEST:
            break
        rough, other = rtol, found
        rtol = max(rtol * min(0.3 * tolerance / error, 1.0 / ROUGHER), FINEST)
    return trajectory, Accuracy(tolerance, max(error, LEAST_ERROR), repr(method), span / steps)


def _gain(ratio: float, *, smooth: bool) -> float:
    """By how much the error of a run is taken to be smaller than that of one with so many times its tolerance."""
    return min(max(0.5 * ratio if smooth else 0.5 * math.sqrt(ratio), 1.0), MOST_TRUSTED)


def warn_if_missed(accuracy: Accuracy) -> None:
    """Say so if the tolerance could not be met."""
    if accuracy.estimated_error > accuracy.tolerance:
        warnings.warn(str(accuracy), AccuracyWarning, stacklevel=5)  # the caller of simulate
