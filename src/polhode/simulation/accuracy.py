"""Runs to a tolerance: method and step are chosen, and the error at the end is estimated by a second run.

A quick adaptive run shows the shortest time scale of the motion. From it follows a step, by the order of the method. The
motion is computed with this step and with one a quarter longer; how far apart they end says how large the error is. If
it is too large, the step is shortened and the run repeated. Where bodies attract each other, a look at the first orbits
shows whether steps should follow the motion; then it is their angle that is chosen.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.layout import Layout
from ..core.manifolds import Copies, Euclidean, Manifold
from ..core.system import State
from ..errors import AccuracyWarning, InvalidInputError, PolhodeError
from ..methods import DOP853, Exact, GaussLegendre, Method
from ..scalars.protocol import EVALUATIONS
from .dense_output import after
from .records import Accuracy
from .trajectory import Trajectory

Array = NDArray[np.float64]

DEFAULT_TOLERANCE = 1e-9
LOOSEST, TIGHTEST = 1e-2, 1e-13
PILOT_TOLERANCE = 1e-5
PIECES = 24  # of the span, in which the pilot's steps are counted
PILOT_STAGES = 12  # evaluations of a step of DOP853
COARSER = 1.25  # how much longer the steps of the second run are
CAUTION = 5.0  # the error is taken as this part of the difference; asymptotically it is a 35th for order 16
MOST_STEPS = 20_000_000
MOST_TRIES = 8
LEAST_ERROR = 1e-15  # no estimate is below it
UNEVEN = 4.0  # steps that follow the motion pay if on average they are this much longer than the shortest
LOOK_ANGLE, LOOK_STEPS = 1.0, 400  # the angle of a step, and how many, by which that is found out
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
    if method is None:
        method = choose_method(state, t_end, tangent=tangent)
        if isinstance(method, Exact):
            return _by_closed_form(state, t_end, tolerance, run)
    _check_order(method)
    pilot = _Pilot(state, t_end)
    if isinstance(method, GaussLegendre) and method.adaptive:
        n = math.ceil(ANGLE_PARTS / FIRST_ANGLE * (FIRST_TOLERANCE / tolerance) ** (1.0 / method.order))
        return _by_step(state, t_end, tolerance, method.order, n, _angles(method.order, pilot.count), run)
    if method.adaptive:
        return _by_tolerance(state, t_end, tolerance, pilot, run)
    fixed = method
    return _by_step(state, t_end, tolerance, fixed.order, pilot.steps(fixed, tolerance), lambda n: (fixed, n), run)


def _is_uneven(state: State, t_end: float) -> bool:
    """Whether steps that follow the motion are much longer on average than the shortest of them."""
    method = GaussLegendre(adaptive="reversible", angle_per_step=LOOK_ANGLE)
    if not state.system.canonical().attractions or method.why_not(state.system) is not None:
        return False
    run, times, status = method.start(state, t_end - state.t), [state.t], 0
    while not status and len(times) <= LOOK_STEPS and abs(times[-1] - state.t) < abs(t_end - state.t):
        status, t = run.walk(1)
        times.append(t)
    lengths = np.abs(np.diff(times))
    return not status and len(lengths) > 1 and bool(lengths.mean() > UNEVEN * lengths.min())


def _angles(order: int, samples: int) -> Callable[[int], tuple[Method, int]]:
    """Settings of steps that follow the motion, the finer the larger the number n, each with so many samples."""

    def setting(n: int) -> tuple[Method, int]:
        return GaussLegendre(order, adaptive="reversible", angle_per_step=ANGLE_PARTS / n), max(samples, 1)

    return setting


def choose_method(state: State, t_end: float, *, tangent: bool = False) -> Method:
    """The method of a run to a tolerance, if none is asked for."""
    system = state.system
    if system.has_exact:
        return Exact()
    if GaussLegendre().why_not(system) is not None:
        return DOP853()
    return GaussLegendre(adaptive="reversible" if not tangent and _is_uneven(state, t_end) else None)


def expected_steps(state: State, t_end: float, tolerance: float, method: Method) -> int:
    """How many steps a run to a tolerance is likely to take, from a quick look at the motion.

    >>> import polhode as ph
    >>> state = ph.Pendulum3D.example()
    >>> expected_steps(state, 10.0, 1e-6, ph.RK4()) < expected_steps(state, 10.0, 1e-10, ph.RK4())
    True
    """
    if isinstance(method, Exact):
        return PIECES
    _check_order(method)
    pilot = _Pilot(state, t_end)
    return max(pilot.count, 1) if method.adaptive else pilot.steps(method, tolerance)


def _check_order(method: Method) -> None:
    if not method.adaptive and not method.order:
        raise InvalidInputError("method", method, problem=f"{method!r} has no error that a step could control")


def _by_closed_form(
    state: State, t_end: float, tolerance: float, run: Callable[[Method, int], Trajectory]
) -> tuple[Trajectory, Accuracy]:
    """By the closed form, whose only error is rounding: going there in two halves shows how large that is."""
    method, half = Exact(), 0.5 * (t_end - state.t)
    trajectory, again = run(method, PIECES), after(after(state, method, half), method, half)
    layout = state.system.representations[method.representation].layout
    found, other = (state.system.enter(method.representation, each) for each in (trajectory.final, again))
    error = max(_apart(layout, found, other), LEAST_ERROR)
    return trajectory, Accuracy(tolerance, error, repr(method), 2.0 * half / PIECES)


def _by_step(
    state: State,
    t_end: float,
    tolerance: float,
    order: int,
    n: int,
    setting: Callable[[int], tuple[Method, int]],
    run: Callable[[Method, int], Trajectory],
) -> tuple[Trajectory, Accuracy]:
    """By shorter steps until the error is small enough: `setting(n)` is a method, and how many steps of the grid it takes,
    such that the method's own steps are as long as 1/n. The first n is given."""
    span, form = t_end - state.t, setting(n)[0].representation
    layout = state.system.representations[form].layout
    other: Array | None = None
    before, count, stalled = math.inf, 0, 0
    floor = 0.0  # what shorter steps do not get below: rounding, magnified by the motion
    for attempt in range(MOST_TRIES):
        method, steps = setting(n)
        if steps > MOST_STEPS:
            raise PolhodeError(
                f"{method!r} would need {steps:.2g} steps for a tolerance of {tolerance:g}: take a method of higher order, "
                "such as GaussLegendre(), or a larger tolerance"
            )
        if other is None or n > 2 * count:
            other = _end(state, *setting(max(1, math.floor(n / COARSER))), span)
        trajectory = run(method, steps)
        found = state.system.enter(form, trajectory.final)
        difference = _apart(layout, found, other) if other is not None else math.inf
        error = difference / CAUTION
        expected = (count / n) ** order  # how far the difference should have fallen
        if 0.5 * (1.0 + expected) * before < difference < math.inf:
            stalled, floor = stalled + 1, max(floor, before, difference)
        if error <= tolerance or stalled == 2 or attempt == MOST_TRIES - 1:
            error = max(error, floor)
            return trajectory, Accuracy(tolerance, max(error, LEAST_ERROR), repr(method), span / steps)
        before, other, count = difference, found, n
        shorter = 1.05 * (error / tolerance) ** (1.0 / order) if math.isfinite(error) else 2.0
        n = math.ceil(n * min(max(shorter, COARSER), 2.0))
    raise AssertionError("unreachable")


def _by_tolerance(
    state: State, t_end: float, tolerance: float, pilot: _Pilot, run: Callable[[Method, int], Trajectory]
) -> tuple[Trajectory, Accuracy]:
    """By tighter tolerances of the adaptive method until the error at the end is small enough."""
    layout, span = state.system.representations[DOP853().representation].layout, t_end - state.t
    rtol, other = max(0.1 * tolerance, 1e-14), pilot.final
    steps = max(pilot.count, 1)
    for _ in range(MOST_TRIES):
        method = DOP853(rtol=rtol, atol=rtol * pilot.smallest)
        trajectory = run(method, steps)
        found = state.system.enter(method.representation, trajectory.final)
        check = _end(state, DOP853(rtol=10.0 * rtol, atol=10.0 * rtol * pilot.smallest), 1, span)
        error = _apart(layout, found, other if check is None else check) / CAUTION
        if error <= tolerance or rtol <= 3e-14:
            return trajectory, Accuracy(tolerance, max(error, LEAST_ERROR), repr(method), span / steps)
        rtol = max(rtol * min(0.3 * tolerance / error, 0.3), 2e-14)
    return trajectory, Accuracy(tolerance, error, repr(method), span / steps)


class _Pilot:
    """A quick adaptive run: its end, the number of its steps, and the shortest of them."""

    def __init__(self, state: State, t_end: float) -> None:
        span = t_end - state.t
        method = DOP853(rtol=PILOT_TOLERANCE, atol=PILOT_TOLERANCE)
        method.check(state.system)
        layout = state.system.representations[method.representation].layout
        self.smallest = float(min(_sizes(layout, state.system.enter(method.representation, state))))
        method = DOP853(rtol=PILOT_TOLERANCE, atol=PILOT_TOLERANCE * self.smallest)
        run = method.start(state, span / PIECES)
        counts = []
        for piece in range(PIECES):
            before = run.report.numbers[EVALUATIONS]
            status, _ = run.advance(piece, 1, PIECES + 1, np.empty((0, run.row_size)))
            if status:
                break
            counts.append((run.report.numbers[EVALUATIONS] - before) / PILOT_STAGES)
        self.final = run.states(run.row[None])[0]
        self.count = max(1, math.ceil(sum(counts)))
        # as many steps as if all of them were as short as where they are shortest, in stretches of four steps or more
        stretches = np.array_split(np.array(counts or [1.0]), min(max(self.count // 4, 1), len(counts) or 1))
        self.densest = max(float(np.mean(each)) for each in stretches) * PIECES

    def steps(self, method: Method, tolerance: float) -> int:
        """How many steps of a method of fixed step are likely to do."""
        if isinstance(method, GaussLegendre):
            factor = 0.5 * (1e-8 / tolerance) ** (1.0 / method.order)
        else:
            factor = 1.5 * (PILOT_TOLERANCE / tolerance) ** (1.0 / method.order)
        return max(3, math.ceil(self.densest * factor))


def _end(state: State, method: Method, n: int, span: float) -> Array | None:
    """The state after n steps over the span, as a row of its layout; None if a step fails."""
    run = method.start(state, span / n)
    status, _ = run.advance(0, n, n + 1, np.empty((0, run.row_size)))
    row = run.states(run.row[None])[0]
    return None if status or not np.all(np.isfinite(row)) else row


def _plain(manifold: Manifold) -> bool:
    return isinstance(manifold.of if isinstance(manifold, Copies) else manifold, Euclidean)


def _sizes(layout: Layout, y: Array) -> list[float]:
    """What errors of each variable are compared with: 1 for attitudes and angles."""
    sizes = []
    for variable in layout.variables:
        size = float(np.linalg.norm(y[layout.slices[variable.name]])) if _plain(variable.manifold) else 1.0
        sizes.append(size if size > 0.0 else 1.0)
    return sizes


def _apart(layout: Layout, a: Array, b: Array) -> float:
    """How far two states are apart, each variable in its own size."""
    worst = 0.0
    for variable, s, t in zip(layout.variables, _sizes(layout, a), _sizes(layout, b), strict=True):
        part = layout.slices[variable.name]
        if variable.manifold.dimension:
            worst = max(worst, float(variable.manifold.distance(a[part], b[part])) / max(s, t))
    return worst


def warn_if_missed(accuracy: Accuracy) -> None:
    """Say so if the tolerance could not be met."""
    if accuracy.estimated_error > accuracy.tolerance:
        warnings.warn(str(accuracy), AccuracyWarning, stacklevel=5)  # the caller of simulate
