"""Dormand and Prince's adaptive method of order 8(5,3), compiled, with its dense output of order 7.

The step follows the motion and knows nothing of the samples, which are read off the dense output of the step that they
lie in. So they are the same numbers however many of them are kept.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.checks import check_positive, one_of
from ..core.method import Array, Method, Report, Run, Start, sampled_steps
from ..core.representation import Form
from ..core.system import System
from ..errors import IncompatibleMethodError
from ..scalars import Lanes, double, get, kernel, lanes, put, tail, width
from ..scalars.protocol import EVALUATIONS, NOT_FINITE, TOLERANCE_NOT_MET
from .dop853_coefficients import COLUMNS, STARTS, TIMES, WEIGHTS
from .dop853_lengths import (
    CARRIED,
    CONTROLS,
    DENSE,
    ERROR,
    LENGTH,
    MOST_SHORT_STEPS,
    REFUSED,
    SHORT_STEPS,
    SHORTEST,
    START,
    note_length,
    up_to_corner,
)
from .loops import Clock
from .quaternion_variables import Equations, QuaternionVariables, put_rates
from .uncounted import uncounted_kernel, uncounted_loop

BLOCK = 8  # doubles that are taken at once: every vector is as long as whole blocks
V = lanes(BLOCK)

# the vectors of the workspace: sixteen slopes, the step's two ends, two estimates of its error, seven dense terms
RESULT, STAGES = 12, 16
LEFT, RIGHT, ERRORS, TERMS, VECTORS = STAGES, STAGES + 1, STAGES + 2, STAGES + 4, STAGES + 11

# the rows of the coefficients after those of the stages
ERROR_ROWS, DENSE_ROWS = STAGES, STAGES + 2

SAFETY, LEAST_FACTOR, LARGEST_FACTOR, EXPONENT = 0.9, 0.2, 10.0, -0.125
MOST_STEPS_AT_ONCE = 1024.0  # of the grid within one step: a force that sets in later is not passed over
FINEST_RTOL = 3e-14  # below it the estimate of the error is rounding


class Tolerances(NamedTuple):
    """How far the error of a step may go, and the longest step."""

    rtol: float
    atol: float
    longest: float


class Sizes(NamedTuple):
    """How many doubles a state has, how many of them belong to one entry, and how many blocks hold it."""

    doubles: int
    entry: int
    blocks: int


class Step(NamedTuple):
    """Room for the state of a stage, all vectors of a step, their sizes, what is asked for, what is known of the step, and
    the times at which a step has to end."""

    stage: Array
    work: Array
    sizes: Sizes
    tolerances: Tolerances
    control: Array
    corners: Array


@kernel
def combination(row: int, work: Array, blocks: int, m: int) -> Any:
    """Block m of a row of the coefficients times the slopes."""
    first = STARTS[row]
    total = WEIGHTS[first] * get(work, COLUMNS[first] * blocks + m, V)
    for q in range(first + 1, STARTS[row + 1]):
        total = total + WEIGHTS[q] * get(work, COLUMNS[q] * blocks + m, V)
    return total


@uncounted_kernel
def put_stage(S: Any, equations: Equations, step: Step, row: int, report: Array) -> int:
    """The state of a stage, and its slope."""
    stage, work, control = step.stage, step.work, step.control
    blocks = work.shape[0] // (VECTORS * BLOCK)
    t, h = control[START], control[LENGTH]
    for m in range(blocks):
        put(stage, m, V, get(work, LEFT * blocks + m, V) + h * combination(row, work, blocks, m))
    if row == RESULT:
        for m in range(blocks):
            put(work, RIGHT * blocks + m, V, get(stage, m, V))
    return put_rates(S, equations, stage, t + TIMES[row] * h, tail(work, row * blocks * BLOCK), report)


@uncounted_kernel
def first_length(S: Any, equations: Equations, step: Step, direction: float, report: Array) -> float:
    """A first step from the sizes of y, y' and y'' (Hairer, Nørsett and Wanner, section II.4)."""
    stage, work, sizes, tolerances, control, _ = step
    n, width, far = sizes.doubles, sizes.entry, sizes.blocks * BLOCK
    left, slopes = tail(work, LEFT * far), tail(work, 0)
    entries = n // width
    size = speed = 0.0
    for i in range(0, n, width):
        scale = tolerances.atol + tolerances.rtol * abs(left[i])
        size += (left[i] / scale) ** 2
        speed += (slopes[i] / scale) ** 2
    size, speed = math.sqrt(size / entries), math.sqrt(speed / entries)
    if not math.isfinite(speed):
        return 0.0
    h = 0.01 * size / speed if size > 1e-5 and speed > 1e-5 else 1e-6
    h = min(h, tolerances.longest)
    for i in range(n):
        stage[i] = left[i] + direction * h * slopes[i]
    other = tail(work, far)
    put_rates(S, equations, stage, control[START] + direction * h, other, report)
    bend = 0.0
    for i in range(0, n, width):
        scale = tolerances.atol + tolerances.rtol * abs(left[i])
        bend += ((other[i] - slopes[i]) / scale) ** 2
    bend = math.sqrt(bend / entries) / h
    most = max(speed, bend)
    if not math.isfinite(bend):
        longer = 1e-3 * h
    elif most > 1e-15:
        longer = (0.01 / most) ** 0.125
    else:
        longer = max(1e-6, 1e-3 * h)
    return direction * min(100.0 * h, longer, tolerances.longest)


@kernel
def relative_error(work: Array, sizes: Sizes, tolerances: Tolerances, h: float) -> float:
    """The estimate of the step's error, 1 where it is as large as the tolerance allows; partials do not count."""
    n, blocks, far = sizes.doubles, sizes.blocks, sizes.blocks * BLOCK
    for m in range(blocks):
        put(work, ERRORS * blocks + m, V, combination(ERROR_ROWS, work, blocks, m))
        put(work, (ERRORS + 1) * blocks + m, V, combination(ERROR_ROWS + 1, work, blocks, m))
    left, right = tail(work, LEFT * far), tail(work, RIGHT * far)
    fifth, third = tail(work, ERRORS * far), tail(work, (ERRORS + 1) * far)
    five = three = 0.0
    for i in range(0, n, sizes.entry):
        scale = 1.0 / (tolerances.atol + tolerances.rtol * max(abs(left[i]), abs(right[i])))
        a, b = scale * fifth[i], scale * third[i]
        five += a * a
        three += b * b
    below = five + 0.01 * three
    return abs(h) * five / math.sqrt(below * (n // sizes.entry)) if below != 0.0 else 0.0


@kernel
def put_terms(work: Array, blocks: int, h: float) -> None:
    """The terms of the dense output, from the slopes of all stages."""
    for m in range(blocks):
        left, right = get(work, LEFT * blocks + m, V), get(work, RIGHT * blocks + m, V)
        first, last = get(work, m, V), get(work, RESULT * blocks + m, V)
        change = right - left
        put(work, TERMS * blocks + m, V, change)
        put(work, (TERMS + 1) * blocks + m, V, h * first - change)
        put(work, (TERMS + 2) * blocks + m, V, 2.0 * change - h * (last + first))
        for k in range(4):
            put(work, (TERMS + 3 + k) * blocks + m, V, h * combination(DENSE_ROWS + k, work, blocks, m))


@kernel
def put_between(work: Array, sizes: Sizes, x: float, y: Array) -> None:
    """The state a fraction x of the step after its start."""
    far = sizes.blocks * BLOCK
    for i in range(sizes.doubles):
        total = 0.0
        for k in range(6, -1, -1):
            total = (total + work[(TERMS + k) * far + i]) * (x if k % 2 == 0 else 1.0 - x)
        y[i] = work[LEFT * far + i] + total


@uncounted_loop
def follow(
    S: Any,
    equations: Equations,
    y: Array,
    step: Step,
    ready: bool,
    direction: float,
    times: Array,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """Write what is carried at each of `times` to `samples`, as far as these have rows; `y` is left at the last.

    `ready`: whether the workspace holds the present step; else it is done again, from what `y` carries. Returns a status
    and the number of times reached.
    """
    stage, work, sizes, tolerances, control, corners = step
    n, blocks, far = sizes.doubles, sizes.blocks, sizes.blocks * BLOCK
    left, calls = tail(work, LEFT * far), 0
    counts = ready or y[2 * n + LENGTH] == 0.0  # whether calls do: those of a step that is done again did before
    for k in range(times.shape[0]):
        target = times[k]
        while not ready or direction * (control[START] + control[LENGTH] - target) < 0.0:
            if ready:  # go on from the end of the step
                control[START] += control[LENGTH]
                factor = LARGEST_FACTOR
                if control[ERROR] > 0.0:
                    factor = min(factor, SAFETY * control[ERROR] ** EXPONENT)
                if control[REFUSED] != 0.0:
                    factor = min(1.0, factor)
                control[REFUSED] = 0.0
                counts = True
                control[LENGTH] = direction * min(abs(factor * control[LENGTH]), tolerances.longest)
                for m in range(blocks):
                    put(work, LEFT * blocks + m, V, get(work, RIGHT * blocks + m, V))
                    put(work, m, V, get(work, RESULT * blocks + m, V))
            else:  # the present step, again or for the first time
                for i in range(n):
                    left[i] = y[n + i]
                for i in range(CARRIED):
                    control[i] = y[2 * n + i]
                for m in range(blocks):
                    put(stage, m, V, get(work, LEFT * blocks + m, V))
                status = put_rates(S, equations, stage, control[START], tail(work, 0), report)
                if status == 0 and control[LENGTH] == 0.0:
                    control[LENGTH] = first_length(S, equations, step, direction, report)
                    calls += 1
                    status = NOT_FINITE if control[LENGTH] == 0.0 else 0
                calls += counts
                if status != 0:
                    return status, k
                ready = True
            control[DENSE] = 0.0
            control[LENGTH] = up_to_corner(control[START], control[LENGTH], corners)
            while True:
                end = control[START] + control[LENGTH]
                h = end - control[START]  # so that times add up without rounding
                if abs(h) <= 4e-15 * abs(end) or abs(h) < 1e-300 or control[SHORT_STEPS] > MOST_SHORT_STEPS:
                    for i in range(CARRIED):
                        control[i] = y[2 * n + i]
                    report[EVALUATIONS] += calls
                    return TOLERANCE_NOT_MET, k
                control[LENGTH] = h
                status = 0
                for row in range(1, RESULT + 1):
                    status = put_stage(S, equations, step, row, report)
                    if status != 0:
                        break
                calls += RESULT * counts
                error = relative_error(work, sizes, tolerances, h) if status == 0 else math.nan
                if error < 1.0:
                    break
                factor = SAFETY * error**EXPONENT
                control[LENGTH] = h * (factor if factor > LEAST_FACTOR else LEAST_FACTOR)
                control[REFUSED] = 1.0
            control[ERROR] = error
            note_length(control, abs(h))
            for i in range(n):
                y[n + i] = left[i]
            for i in range(CARRIED):
                y[2 * n + i] = control[i]
        if control[DENSE] == 0.0:
            for row in range(RESULT + 1, STAGES):
                status = put_stage(S, equations, step, row, report)
                if status != 0:
                    return status, k
            calls += (STAGES - RESULT - 1) * counts
            put_terms(work, blocks, control[LENGTH])
            control[DENSE] = 1.0
        put_between(work, sizes, (target - control[START]) / control[LENGTH], y)
        if k < samples.shape[0]:
            for i in range(y.shape[0]):
                samples[k, i] = y[i]
    report[EVALUATIONS] += calls
    return 0, times.shape[0]


class DOP853(Method):
    """Dormand and Prince's adaptive Runge–Kutta method of order 8, with dense output of order 7.

    `rtol`, `atol`: relative and absolute tolerance of a step, for each number of the state: unit quaternions for attitudes,
    places in space where bodies are seen from each other, momenta. The method's own steps follow the motion; `step` only
    says where samples may be taken, and the samples are the same whichever of them are kept.
    `form="lagrangian"` integrates the equations in velocities instead of momenta, for systems that offer both.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> exact, found = (ph.simulate(start, step=10.0, steps=10, method=m).final for m in (ph.Exact(), DOP853()))
    >>> bool(abs(found.R - exact.R).max() < 1e-10)
    True
    """

    summary = "adaptive Runge–Kutta"
    reference = "E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993)"
    order = 8
    adaptive = True
    carries_state = False  # but quaternions
    in_lanes = False  # each member takes steps of its own

    def __init__(self, rtol: float = 1e-12, atol: float = 1e-14, form: str = "hamiltonian") -> None:
        self.rtol, self.atol = check_positive("rtol", rtol), check_positive("atol", atol)
        self.form = one_of("form", form, ("hamiltonian", "lagrangian"))
        self.representation = Form.LAGRANGIAN if form == "lagrangian" else Form.DEFAULT

    def options(self) -> dict[str, Any]:
        tolerances = {"rtol": self.rtol, "atol": self.atol}
        return tolerances if self.form == "hamiltonian" else tolerances | {"form": self.form}

    def why_not(self, system: System) -> str | None:
        representation = system.representations.get(self.representation)
        return None if representation is not None and representation.rhs is not None else "it offers no right-hand side"

    def tolerances(self, step: float) -> Tolerances:
        """What a step of the method has to satisfy, if samples may be taken at multiples of `step`."""
        return Tolerances(max(self.rtol, FINEST_RTOL), self.atol, min(MOST_STEPS_AT_ONCE * abs(step), 1e300))

    def run(self, start: Start) -> DOP853Run:
        if isinstance(start.kind, Lanes):
            raise IncompatibleMethodError(f"{self!r} takes steps of its own for each member: it does not run on lanes")
        return DOP853Run(self, start)


class DOP853Run(Run):
    """What is carried, in quaternion variables: the state at the sample, the state at the start of the method's step in which that lies, and what
    is known of this step. From these the step can be done again, so that a run goes on bit for bit."""

    dense = True

    def __init__(self, method: DOP853, start: Start) -> None:
        self.layout, self.kind, self._method = start.representation.layout, start.kind, method
        self.clock, self.report = Clock(float(start.state.t), float(start.step)), Report()
        self.variables = QuaternionVariables(start)
        self._equations = self.variables.equations()
        z = self.variables.enter(start.y[None])[0]
        n, blocks = z.size, -(-z.size // BLOCK)
        self.y = np.concatenate([z, z, [self.clock.t0, 0.0, 0.0]])
        self.carried, self._first = self.y.size, self.y.copy()
        stage, work = np.zeros(blocks * BLOCK), np.zeros(VECTORS * blocks * BLOCK)
        sizes = Sizes(n, width(self.kind), blocks)
        corners = np.array(start.state.system.corners, dtype=np.float64)
        self._step = Step(stage, work, sizes, method.tolerances(self.clock.step), np.zeros(CONTROLS), corners)
        self._direction = math.copysign(1.0, self.clock.step)
        self._ready = False

    def begin_anew(self, method: DOP853, step: float) -> None:
        """Go back to the first state, with the tolerances of this method and another step."""
        self.clock, self.report = Clock(self.clock.t0, float(step)), Report()
        self._step = self._step._replace(tolerances=method.tolerances(step))
        self.restore(self._first)

    def set_out(self, start: Start) -> bool:
        if start.state.system is not self.variables.start.state.system or start.kind != double or self.kind != double:
            return False
        z = self.variables.enter(start.y[None])[0]
        self.clock, self._direction = Clock(float(start.state.t), float(start.step)), math.copysign(1.0, start.step)
        self._first = np.concatenate([z, z, [self.clock.t0, 0.0, 0.0]])
        self.begin_anew(self._method, start.step)
        return True

    @property
    def shortest(self) -> float:
        """How long steps have been where they were shortest, the mean of a few together; 0 if they have only grown."""
        return float(self._step.control[SHORTEST])

    @property
    def differentiated(self) -> int:
        return self.carried - CARRIED

    def restore(self, sample: Array) -> None:
        super().restore(sample)
        self._step.control[:] = 0.0
        self._ready = False

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        t0, step = self.clock
        numbers = sampled_steps(first, count, every)
        status, _ = self.follow(np.asarray(t0 + numbers * step, dtype=np.float64), samples)
        if not status:
            return 0, count
        end = self.y[-CARRIED + START] + self.y[-CARRIED + LENGTH]
        reached = math.floor((end - t0) / step)
        if self._direction * (t0 + reached * step - end) > 0.0:
            reached -= 1
        return status, min(max(reached - first, 0), count - 1)

    def follow(self, times: Array, samples: Array) -> tuple[int, int]:
        known = self._step, self._ready, self._direction
        status, reached = follow.on(self.kind, self._equations, self.y, *known, times, samples, self.report.numbers)
        self._ready = status == 0 and (self._ready or len(times) > 0)
        return status, reached

    def states(self, samples: Array) -> Array:
        return self.variables.leave(samples[:, : (self.carried - CARRIED) // 2])
