"""Runs to a tolerance: method and step are chosen, and the error at the end is estimated by rougher runs.

A quick run (`pilot`) shows the shortest time scale of the motion. From it follows a first step, by the order of the method,
and `step_search` finds the one that the tolerance needs. Where bodies attract each other and the quick run shows close
encounters, steps follow the motion; then it is their angle that is chosen. `DOP853` takes what is not smooth, and systems
that `GaussLegendre` does not fit; a closed form is taken where it is found sooner than the steps are done. Who names a
tolerance gets the fastest method, which for short motions is `DOP853` too, and where the first steps of `GaussLegendre` take
many iterations; who does not gets one that conserves what nature conserves.

The error of `DOP853` is in proportion to what is allowed to a step, from the tolerance of the quick run to the finest. So the quick run
and a rougher run tell beforehand what to allow, and afterwards how large the error is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.callbacks import watch_callbacks
from ..core.system import State
from ..errors import InvalidInputError
from ..methods import DOP853, Exact, GaussLegendre, Method
from .dense_output import after
from .events import Event
from .findings import Findings
from .first_contact import contact_at_the_end
from .pilot import MANY, Pilot, state_distance
from .records import Accuracy
from .step_search import COARSER, LEAST_ERROR, MOST_TRIES, RunOf, Setting, Trials, by_step
from .trajectory import Trajectory

DEFAULT_TOLERANCE = 1e-9
LOOSEST, TIGHTEST = 1e-2, 1e-13
CLOSED_FORM_SAMPLES = 24
FIRST_ANGLE, FIRST_TOLERANCE = 0.8, 1e-9  # the angle of a step that is likely to do for a tolerance, at order 16
ANGLE_PARTS = 256.0  # angles are this over a whole number
FINEST, LEAST_GROWTH = 3e-14, 0.3  # the least that is allowed to a step of DOP853, and to which errors die out
# At another tolerance the error of DOP853, for each part of it that is allowed to a step, is at most so many times what it
# is at that of the quick run; and what two rough runs show of this beforehand is at most so many times less
IN_PROPORTION, FORESEEN = 5.0, 8.0
SAFE = IN_PROPORTION * FORESEEN
NEARLY = 6.0  # by so much more than is safe the finest may be: a run of ten times its tolerance tells whether it does
MOST_TRUSTED = 100.0  # by so much at most the error of a run is taken to be smaller than that of a rough one
AS_EXPECTED = 2.0  # by so much at most evaluations are more or fewer than expected where errors are in proportion
ROUGHER = 10.0  # by so much more a run allows with which one is compared whose errors may not be
# evaluations of a run of DOP853 that is done before GaussLegendre is set up, and of one whose evaluations are long, as
# those that read or write so many numbers are: lanes do eight of them in little more time than one
SHORT, SHORT_OF_LONG, LONG = 15_000.0, 2000.0, 250
# so many evaluations of DOP853 take the time of one in lanes; so many steps show how many of these GaussLegendre takes
LANES, LANES_OF_LONG, FIRST_STEPS = 3.0, 2.0, 8
# by so much longer may steps be, 5 instead of 8, if there are so many, all alike to this, and errors of the first stay so far
# below the tolerance
LONGER, MANY_STEPS, EVEN, MARGIN = 1.6, 150, 1.25, 100.0


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
    findings: Findings | None = None,
) -> tuple[Trajectory, Accuracy]:
    """The trajectory to `t_end` of `run(method, steps, started)`, with as many steps as the tolerance needs. `fastest`: by
    whatever method is fastest, even if it conserves nothing; `tangent`: its tangent map is wanted too. What is known already
    is among the `findings`, and what is found is added to them."""
    chosen = method is None
    trials = Trials(state, t_end - state.t, findings)
    method, pilot = _choose(trials, tolerance, method, fastest=fastest, tangent=tangent)
    if pilot is None:
        return _by_closed_form(state, t_end, tolerance, run)
    if isinstance(method, DOP853):
        return _by_tolerance(tolerance, pilot, run)
    if isinstance(method, GaussLegendre) and method.adaptive:
        n = math.ceil(ANGLE_PARTS / FIRST_ANGLE * (FIRST_TOLERANCE / tolerance) ** (1.0 / method.order))
        setting = _angles(method.order, pilot.count)
    else:
        fixed, n = method, _steps(method, pilot, trials, tolerance)
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
    events: Sequence[Event] = (),
) -> tuple[Method, int]:
    """The method of a run to a tolerance, if none is given, and how many steps it is likely to take, from a quick run of the
    motion. Where a contact ends it, as the events say, these are as long as those up to there.

    >>> import polhode as ph
    >>> state = ph.Pendulum3D.example()
    >>> likely_run(state, 100.0, 1e-6)[0]
    GaussLegendre(order=16)
    >>> likely_run(state, 10.0, 1e-6, ph.RK4())[1] < likely_run(state, 10.0, 1e-10, ph.RK4())[1]
    True
    """
    touch = contact_at_the_end(state, t_end, events)
    trials = Trials(state, (t_end if touch is None else touch.before) - state.t)
    method, pilot = _choose(trials, tolerance, method, fastest=fastest, tangent=tangent)
    if pilot is None:
        return method, CLOSED_FORM_SAMPLES
    steps = max(pilot.count, 1) if method.adaptive else _steps(method, pilot, trials, tolerance)
    return method, math.ceil(steps * ((t_end - state.t) / trials.span))


def _choose(
    trials: Trials, tolerance: float, method: Method | None, *, fastest: bool, tangent: bool
) -> tuple[Method, Pilot | None]:
    """The method that is given, or the best, and a quick run of the motion, which the closed form does not need."""
    state, t_end = trials.state, trials.state.t + trials.span
    system = state.system
    exact = method is None and system.has_exact
    if isinstance(method, Exact) or (exact and not system.closed_form_steps):
        return Exact(), None
    if method is not None:
        _check_order(method)
        return method, Pilot(state, t_end, trials.findings)
    pilot, fixed = Pilot(state, t_end, trials.findings), GaussLegendre()
    if exact and pilot.steps(fixed, tolerance) > system.closed_form_steps:
        return Exact(), None
    # whether there is nothing to conserve, or it does not matter
    anything = (fastest or not system.hamiltonian) and not tangent
    if anything and ((not system.hamiltonian and pilot.stiff) or _is_short(pilot, tolerance)):
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
    again = after(after(state, method, 0.5 * span), method, 0.5 * span)
    layout = state.system.representations[method.representation].layout
    found, other = (state.system.enter(method.representation, each) for each in (trajectory.final, again))
    error = max(state_distance(layout, found, other), LEAST_ERROR)
    return trajectory, Accuracy(tolerance, error, repr(method), span / CLOSED_FORM_SAMPLES)


def _is_short(pilot: Pilot, tolerance: float) -> bool:
    """Whether `DOP853` is likely to be done before `GaussLegendre` is."""
    most = SHORT_OF_LONG if pilot.numbers > LONG else SHORT
    if pilot.evaluations(tolerance / SAFE) > most:  # even if errors do not grow
        return False
    rtol = _allowed(pilot, tolerance)
    return rtol > 0.0 and pilot.evaluations(rtol) <= most


def _is_slower(method: GaussLegendre, pilot: Pilot, trials: Trials, tolerance: float) -> bool:
    """Whether steps of `GaussLegendre`, the first of which are done, take so many iterations that `DOP853` is likely to be done
    before it and the run that it is compared with."""
    n, together = pilot.steps(method, tolerance), LANES_OF_LONG if pilot.numbers > LONG else LANES
    count = min(n, FIRST_STEPS)
    in_lanes = (1.0 + 1.0 / COARSER) * together * trials.first(method, n, count).evaluations / count * n
    if in_lanes <= pilot.evaluations(tolerance / SAFE):  # even if errors do not grow
        return False
    rtol = _allowed(pilot, tolerance)
    return rtol > 0.0 and in_lanes > pilot.evaluations(rtol)


def _steps(method: Method, pilot: Pilot, trials: Trials, tolerance: float) -> int:
    """How many steps of a method of fixed step are likely to do."""
    n = pilot.steps(method, tolerance)
    if not isinstance(method, GaussLegendre):
        return n
    return math.ceil(n / LONGER if _may_be_longer(method, pilot, trials, n, tolerance) else n * pilot.more(method))


def _may_be_longer(method: GaussLegendre, pilot: Pilot, trials: Trials, n: int, tolerance: float) -> bool:
    """Whether steps of `GaussLegendre`, which takes the free motion out, are likely to do that are longer than 1/n: the first
    ones lead to the same place."""
    if n < MANY_STEPS or pilot.densest > EVEN * pilot.count:
        return False
    first, longer = trials.first(method, n, FIRST_STEPS), trials.first(method, n / LONGER, round(FIRST_STEPS / LONGER))
    return state_distance(pilot.layout, *trials.states(first.row, longer.row)) * (n / FIRST_STEPS) * MARGIN < tolerance


def _allowed(pilot: Pilot, tolerance: float) -> float:
    """What is allowed to a step of `DOP853`: as much less than the tolerance as errors of steps grow, and may grow more than
    rough runs show. Zero where the method cannot tell so little, or rough runs end anywhere."""
    rtol = tolerance / (SAFE * max(pilot.growth, LEAST_GROWTH))
    return 0.0 if pilot.unpredictable or rtol < FINEST / NEARLY else max(rtol, FINEST)


def _by_tolerance(tolerance: float, pilot: Pilot, run: RunOf, *, smooth: bool = True) -> tuple[Trajectory, Accuracy]:
    """By tighter tolerances of the adaptive method until the error at the end is small enough.

    The error of this method is in proportion to what is allowed to a step. So the quick run and a rougher run show it, which end
    so much farther away. Where forces are not smooth, or the number of steps is not what follows from that of the quick run, this
    is not to be relied on: then the run is compared with one of nearly its tolerance.
    """
    state, span, steps = pilot.state, pilot.span, max(pilot.count, 1)
    rtol = max(_allowed(pilot, tolerance) if smooth else 0.01 * tolerance, FINEST)
    rough, other = math.inf, pilot.final
    for _ in range(MOST_TRIES):
        method = pilot.method(rtol)
        trajectory = run(method, steps, pilot.run_of(method, span / steps))
        found = state.system.enter(method.representation, trajectory.final)
        error = IN_PROPORTION * rtol * max(pilot.growth_to(found), 1.0)  # few steps may not show all of it
        expected = trajectory.stats.evaluations / pilot.evaluations(rtol)
        # of few steps the first ones, which are short, are a good part, also of the quick run
        least = 1.0 / AS_EXPECTED if pilot.count > MANY else 0.0
        regular = smooth and least < expected < AS_EXPECTED
        if error > tolerance or not regular:
            if rough > 1e3 * rtol:
                rough, other = ROUGHER * rtol, pilot.rough_run(ROUGHER * rtol).end
            error = state_distance(pilot.layout, found, other) / _gain(rough / rtol, smooth=smooth)
        if error <= tolerance or rtol <= FINEST:
            break
        rough, other = rtol, found
        rtol = max(rtol * min(0.3 * tolerance / error, 1.0 / ROUGHER), FINEST)
    return trajectory, Accuracy(tolerance, max(error, LEAST_ERROR), repr(method), span / steps)


def _gain(ratio: float, *, smooth: bool) -> float:
    """By how much the error of a run is taken to be smaller than that of one with so many times its tolerance."""
    return min(max(0.5 * ratio if smooth else 0.5 * math.sqrt(ratio), 1.0), MOST_TRUSTED)
