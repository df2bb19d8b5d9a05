"""The compiled loops of the Gauss–Legendre methods: all stages at once in lanes, or one after another.

A step solves `Zᵢ = w + Σ μᵢⱼ Lⱼ`, `Lⱼ = h bⱼ f(Zⱼ)` by fixed-point iteration, from the last step's polynomial carried on.
The sums `w + Σ Lⱼ` keep what rounding loses in e. w is seen from the middle of the last step (`picture`): from step to step
it is moved on by the free motion. A step that does not converge is done again in halves, quarters, … of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...scalars import absolute, double, get, kernel, loop, multiply_add, par, put, value
from ...scalars.protocol import EVALUATIONS, NO_SOLUTION, RETRIES, SUCCESS, record
from ...scalars.stages import columns, lane_sum, lane_top, mixed
from ..loops import Clock, Slots, Span, slope
from ..uncounted import uncounted_kernel, uncounted_loop
from .picture import move_freely, part_rates, place_parts
from .turning import LARGEST_ANGLE

Array = NDArray[np.float64]

MOST_ITERATIONS = 50
FINEST = 6  # a step is cut into at most 2⁶ pieces
CONVERGED = 6e-17  # the relative change, summed over all variables, that a further iteration would make
NOISE = 4e-15  # changes below it are rounding for a good part: they do not tell how fast changes fall
ROUNDING = 1e-11  # changes that fall no more are rounding if they are smaller
DIVERGED = 1e6  # changes that grow by this factor are given up
MEMORY = 2  # numbers behind w, e and L: how far the frame is behind the node, whether L is that of a whole step
# where the square of the angle of the free motion between two middles is too large for the series
TOO_FAR = (2.0 * LARGEST_ANGLE) ** 2


class Table(NamedTuple):
    """Nodes, weights, and the two matrices by columns (`tables.GaussTable`)."""

    nodes: Array
    weights: Array
    stage: Array
    ahead: Array


class System(NamedTuple):
    """The equations of the system: its flows, its parameters, and where the forces lie."""

    rhs: Any
    force: Any
    p: Array
    slots: Slots


class Piece(NamedTuple):
    """A step or a part of one: its length, how far its middle is from the present frame, the time there, and whether the
    last step's polynomial may be carried on."""

    h: float
    shift: float
    middle: float
    known: bool


class Carried(NamedTuple):
    """What a run carries from step to step: w, its rounding, h b f of each stage, and `MEMORY`."""

    w: Array
    e: Array
    L: Array
    memory: Array


class Frame(NamedTuple):
    """The parts of the state, how many of them and of their numbers something acts on, their constants, and the groups in
    which sizes are compared."""

    parts: Any
    active_parts: int
    active: int
    constants: Array
    groups: Any


class Scratch(NamedTuple):
    """Room for the system's array, its derivative, the parts' workspace, stages, rates, one free motion, the state before
    the step, and sizes."""

    y: Array
    dy: Array
    room: Array
    Z: Array
    F: Array
    move: Array
    before: Array
    sizes: Array


class Work(NamedTuple):
    """All that steps are made of, and the relative change that a further iteration may make where a step is solved."""

    system: System
    carried: Carried
    frame: Frame
    table: Table
    scratch: Scratch
    converged: float


@kernel
def add_exactly(w: Array, e: Array, i: Any, d: Any) -> None:
    """`w[i] += d`, with what rounding loses kept in `e[i]`."""
    d += e[i]
    z = w[i] + d
    e[i] = (w[i] - z) + d
    w[i] = z


@uncounted_kernel
def move_frame(S: Any, w: Array, e: Array, frame: Frame, h: Any, move: Array) -> bool:
    """Carry w on by the free motion; whether that is nearer than the series reach."""
    angle = move_freely(S, w, frame.parts, frame.parts.shape[0], frame.constants, h, move)
    for i in range(w.shape[0]):
        add_exactly(w, e, i, move[i])
    return bool(value(angle) <= TOO_FAR)


@kernel
def falling(now: Any, last: Any, rates: Any, iteration: int) -> tuple[float, float]:
    """The last two factors by which changes fell; those of changes that are rounding tell nothing."""
    if iteration > 0 and last > 0.0 and now > NOISE:
        return now / last, rates[0] if iteration > 1 else 0.0
    return rates


@kernel
def has_converged(now: Any, last: Any, rates: Any, converged: float) -> bool:
    """Changes fall by factors that are alike, or alternate: the next would be now times the larger of the last two. At
    rounding they fall no more."""
    return now * min(1.0, max(rates[0], rates[1])) <= converged or (0.0 < last <= now < ROUNDING)


@kernel
def invert_sizes(sizes: Array) -> None:
    """From sizes to factors; what has no size does not count."""
    for g in range(sizes.shape[0]):
        sizes[g] = 1.0 / sizes[g] if sizes[g] > 0.0 else 0.0


@uncounted_kernel
def save_row(S: Any, carried: Carried, frame: Frame, move: Array, row: Array) -> None:
    """The state at the node, which is ahead of the frame of w."""
    move_freely(S, carried.w, frame.parts, frame.parts.shape[0], frame.constants, carried.memory[0], move)
    for i in range(row.shape[0]):
        row[i] = carried.w[i] + (carried.e[i] + move[i])


@uncounted_loop
def save_node(S: Any, carried: Carried, frame: Frame, move: Array, row: Array) -> None:
    """`save_row`, for Python."""
    save_row(S, carried, frame, move, row)


@loop
def rates_at(S: Any, rhs: Any, force: Any, y: Array, p: Array, slots: Slots, t: float, dy: Array, report: Array) -> int:
    """dy/dt of the system at one time, which lanes get in all of them."""
    return slope(S, rhs, force, y, p, slots, t + 0.0 * value(par(p, 0, S)), dy, report)


@uncounted_kernel
def set_sizes(S: Any, sizes: Array, groups: Any, w: Array, L: Array, n: int) -> None:
    """The inverse size of the numbers of each group, from w and its change in a step, which L holds in lanes."""
    sizes[:] = 0.0
    for i in range(n):
        g = groups[i]
        sizes[g] = max(sizes[g], abs(w[i]) + abs(lane_sum(get(L, i, S))))
    invert_sizes(sizes)


@uncounted_kernel
def solve_in_lanes(S: Any, work: Work, piece: Piece, report: Array) -> int:
    """One step, or a piece of one, of a single run: the lanes of S are the stages."""
    system, carried, frame, table, scratch = work.system, work.carried, work.frame, work.table, work.scratch
    w, e, L = carried.w, carried.e, carried.L
    y, dy, room, Z, F, sizes = scratch.y, scratch.dy, scratch.room, scratch.Z, scratch.F, scratch.sizes
    n, parts, count, constants = frame.active, frame.parts, frame.active_parts, frame.constants
    mu, nu = columns(table.stage, S), columns(table.ahead, S)
    tau, weight = (get(table.nodes, 0, S) - 0.5) * piece.h, get(table.weights, 0, S) * piece.h
    if piece.known:  # the last step's polynomial, carried into the new frame
        for i in range(n):
            put(Z, i, S, w[i] + mixed(nu, L, i))
        move_freely(S, Z, parts, count, constants, piece.shift, F)
        for i in range(n):
            put(Z, i, S, get(Z, i, S) + get(F, i, S))
    if not move_frame(double, w, e, frame, piece.shift, scratch.move):
        return NO_SOLUTION
    if not piece.known:
        for i in range(n):
            put(Z, i, S, w[i])
    last, rates = 0.0, (1.0, 0.0)
    for iteration in range(MOST_ITERATIONS):
        place_parts(S, Z, parts, count, constants, tau, y, room)
        status = slope(S, system.rhs, system.force, y, system.p, system.slots, piece.middle + tau, dy, report)
        if status != 0:
            return status
        part_rates(S, Z, parts, count, constants, tau, y, dy, room, weight, L)
        if iteration == 0:
            set_sizes(S, sizes, frame.groups, w, L, n)
        change = 0.0 * tau
        for i in range(n):
            z = w[i] + (e[i] + mixed(mu, L, i))
            change = multiply_add(sizes[frame.groups[i]], absolute(z - get(Z, i, S)), change)
            put(Z, i, S, z)
        now = lane_top(change)
        rates = falling(now, last, rates, iteration)
        if has_converged(now, last, rates, work.converged):
            record(report, iteration + 1.0, now * now)
            report[EVALUATIONS] += iteration + 1.0
            for i in range(n):
                add_exactly(w, e, i, lane_sum(get(L, i, S)))
            return SUCCESS
        if not now < DIVERGED * max(last, 1.0):
            return NO_SOLUTION
        last = now
    return NO_SOLUTION


@kernel
def blend(matrix: Array, stage: Any, L: Array, i: Any, stages: Any, size: Any) -> float:
    """Row `stage` of a matrix, kept by columns, times number i of all stages."""
    total = 0.0
    for j in range(stages):
        total += matrix[j * stages + stage] * L[j * size + i]
    return total


@kernel
def stage_total(L: Array, i: Any, stages: Any, size: Any) -> float:
    """The sum of number i of all stages."""
    total = 0.0
    for j in range(stages):
        total += L[j * size + i]
    return total


@uncounted_kernel
def solve_in_turn(S: Any, work: Work, piece: Piece, report: Array) -> int:
    """The same on any scalar, stage by stage: duals carry the tangent map along.

    All arrays are flat doubles: sums over stages treat partial derivatives as further numbers.
    """
    system, carried, frame, table, scratch = work.system, work.carried, work.frame, work.table, work.scratch
    w, e, L = carried.w, carried.e, carried.L
    y, dy, room, Z, F, sizes = scratch.y, scratch.dy, scratch.room, scratch.Z, scratch.F, scratch.sizes
    parts, count, constants, h = frame.parts, frame.active_parts, frame.constants, piece.h
    stages = table.nodes.shape[0]
    n = L.shape[0] // stages
    if piece.known:
        for stage in range(stages):
            z = Z[stage * n : (stage + 1) * n]
            for i in range(n):
                z[i] = w[i] + blend(table.ahead, stage, L, i, stages, n)
            move_freely(S, z, parts, count, constants, piece.shift, F)
            for i in range(n):
                z[i] += F[i]
    if not move_frame(S, w, e, frame, piece.shift, scratch.move):
        return NO_SOLUTION
    if not piece.known:
        for stage in range(stages):
            for i in range(n):
                Z[stage * n + i] = w[i]
    last, rates = 0.0, (1.0, 0.0)
    for iteration in range(MOST_ITERATIONS):
        for stage in range(stages):
            tau, z = (table.nodes[stage] - 0.5) * h, Z[stage * n : (stage + 1) * n]
            place_parts(S, z, parts, count, constants, tau, y, room)
            status = slope(S, system.rhs, system.force, y, system.p, system.slots, piece.middle + tau, dy, report)
            if status != 0:
                return status
            into = L[stage * n : (stage + 1) * n]
            part_rates(S, z, parts, count, constants, tau, y, dy, room, h * table.weights[stage], into)
        if iteration == 0:
            sizes[:] = 0.0
            for i in range(n):
                g = frame.groups[i]
                sizes[g] = max(sizes[g], abs(w[i]) + abs(stage_total(L, i, stages, n)))
            invert_sizes(sizes)
        now = 0.0
        for stage in range(stages):
            change = 0.0
            for i in range(n):
                number = w[i] + (e[i] + blend(table.stage, stage, L, i, stages, n))
                change += sizes[frame.groups[i]] * abs(number - Z[stage * n + i])
                Z[stage * n + i] = number
            if not change <= now:  # a change that is not a number is not lost
                now = change if now == now else now
        rates = falling(now, last, rates, iteration)
        if has_converged(now, last, rates, work.converged):
            record(report, iteration + 1.0, now * now)
            report[EVALUATIONS] += (iteration + 1.0) * stages
            for i in range(n):
                add_exactly(w, e, i, stage_total(L, i, stages, n))
            return SUCCESS
        if not now < DIVERGED * max(last, 1.0):
            return NO_SOLUTION
        last = now
    return NO_SOLUTION


@uncounted_kernel
def do_steps(
    S: Any, scalar: Any, solve: Any, work: Work, clock: Clock, span: Span, samples: Array, report: Array
) -> tuple[int, int]:
    """The steps, each solved by `solve` on S; w is of type `scalar`."""
    carried, scratch = work.carried, work.scratch
    w, e, memory, before = carried.w, carried.e, carried.memory, scratch.before
    m, row = w.shape[0], 0
    for step in range(span.first, span.first + span.steps):
        for i in range(m):
            before[i], before[m + i] = w[i], e[i]
        behind, depth = memory[0], 0
        while True:
            count, status = 1 << depth, SUCCESS
            h = clock.step / count
            for k in range(count):
                middle = clock.t0 + (step + (k + 0.5) / count) * clock.step
                piece = Piece(h, memory[0] + 0.5 * h, middle, memory[1] != 0.0 and depth == 0)
                status = solve(S, work, piece, report)
                memory[0] = 0.5 * h
                if status != SUCCESS:
                    break
            if status == SUCCESS:
                break
            for i in range(m):
                w[i], e[i] = before[i], before[m + i]
            memory[0], memory[1] = behind, 0.0
            if depth == FINEST:
                return status, step - span.first
            depth += 1
            report[RETRIES] += 1.0
        memory[1] = 1.0 if depth == 0 else 0.0
        if (step + 1) % span.every == 0:
            save_row(scalar, carried, work.frame, scratch.move, samples[row])
            row += 1
    return SUCCESS, span.steps


@uncounted_loop
def steps_in_lanes(S: Any, work: Work, clock: Clock, span: Span, samples: Array, report: Array) -> tuple[int, int]:
    """Steps of a run on doubles, whose stages are the lanes of S."""
    return do_steps(S, double, solve_in_lanes, work, clock, span, samples, report)


@uncounted_loop
def steps_in_turn(S: Any, work: Work, clock: Clock, span: Span, samples: Array, report: Array) -> tuple[int, int]:
    """Steps of a run on S, stage by stage."""
    return do_steps(S, S, solve_in_turn, work, clock, span, samples, report)
