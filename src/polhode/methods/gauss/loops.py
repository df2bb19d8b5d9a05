"""The compiled loops of the Gauss–Legendre methods: all stages at once in lanes, or one after another.

A step solves `Zᵢ = w + Σ μᵢⱼ Lⱼ`, `Lⱼ = h bⱼ f(Zⱼ)` by fixed-point iteration, from the last step's polynomial carried on.
The sums `w + Σ Lⱼ` keep what rounding loses in e. w is seen from the middle of the last step (`picture`): from step to step
it is moved on by the free motion. A step that does not converge is done again in halves, quarters, … of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...scalars import absolute, compiled, double, get, kernel, par, put, value
from ...scalars.protocol import EVALUATIONS, NO_SOLUTION, RETRIES, record
from ...scalars.stages import columns, lane_sum, lane_top, mixed, multiply_add
from ..loops import Clock, Slots, Span
from .picture import move_freely, part_rates, place_parts
from .turning import LARGEST_ANGLE

Array = NDArray[np.float64]

MOST_ITERATIONS = 50
FINEST = 6  # a step is cut into at most 2⁶ pieces
CONVERGED = 4e-16  # the relative change, summed over all variables, that a further iteration would make
ROUNDING = 1e-11  # changes that fall no more are rounding if they are smaller
MEMORY = 2  # numbers behind w, e and L: how far the frame is behind the node, whether L is that of a whole step
# where the square of the angle of the free motion between two middles is too large for the series
TOO_FAR = (2.0 * LARGEST_ANGLE) ** 2


class Table(NamedTuple):
    """Nodes, weights, and the two matrices by columns (`tables.GaussTable`)."""

    nodes: Array
    weights: Array
    stage: Array
    ahead: Array


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
    work: Array
    Z: Array
    F: Array
    move: Array
    before: Array
    sizes: Array


@kernel
def add_exactly(w: Array, e: Array, i: Any, d: Any) -> None:
    """`w[i] += d`, with what rounding loses kept in `e[i]`."""
    d += e[i]
    z = w[i] + d
    e[i] = (w[i] - z) + d
    w[i] = z


@kernel
def move_frame(S: Any, w: Array, e: Array, frame: Frame, h: Any, move: Array) -> bool:
    """Carry w on by the free motion; whether that is nearer than the series reach."""
    angle = move_freely(S, w, frame.parts, frame.parts.shape[0], frame.constants, h, move)
    for i in range(w.shape[0]):
        add_exactly(w, e, i, move[i])
    return bool(value(angle) <= TOO_FAR)


@kernel
def system_rates(S: Any, rhs: Any, force: Any, y: Array, p: Array, slots: Slots, t: Any, dy: Array, report: Any) -> int:
    """dy/dt of the system: the motion without force, plus the force on the momenta; t is a number or lanes."""
    status = rhs(S, y, p, t, dy, report)
    if slots.has_force and status == 0:
        status = force(S, y, p, t, 0.0, report)
        for i in range(slots.size):
            dy[slots.momenta + i] += y[slots.forces + i]
    return status


@kernel
def has_converged(now: Any, last: Any) -> bool:
    """Changes fall by a constant factor: the next would be now · now/last. At rounding they fall no more."""
    following = now * min(1.0, now / last) if last > 0.0 else now
    return following <= CONVERGED or (0.0 < last <= now < ROUNDING)


@kernel
def invert_sizes(sizes: Array) -> None:
    """From sizes to factors; what has no size does not count."""
    for g in range(sizes.shape[0]):
        sizes[g] = 1.0 / sizes[g] if sizes[g] > 0.0 else 0.0


@kernel
def save_row(S: Any, carried: Carried, frame: Frame, move: Array, row: Array) -> None:
    """The state at the node, which is ahead of the frame of w."""
    move_freely(S, carried.w, frame.parts, frame.parts.shape[0], frame.constants, carried.memory[0], move)
    for i in range(row.shape[0]):
        row[i] = carried.w[i] + (carried.e[i] + move[i])


@compiled
def save_node(S: Any, carried: Carried, frame: Frame, move: Array, row: Array) -> None:
    """`save_row`, for Python."""
    save_row(S, carried, frame, move, row)


@compiled
def rates_at(S: Any, rhs: Any, force: Any, y: Array, p: Array, slots: Slots, t: float, dy: Array, report: Array) -> int:
    """`system_rates` at one time, which lanes get in all of them."""
    return system_rates(S, rhs, force, y, p, slots, t + 0.0 * par(p, 0, S), dy, report)


@compiled
def stages_in_lanes(
    S: Any,
    rhs: Any,
    force: Any,
    carried: Carried,
    p: Array,
    slots: Slots,
    frame: Frame,
    table: Table,
    scratch: Scratch,
    clock: Clock,
    span: Span,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """Steps of a single run: the lanes of S are the stages."""
    w, e, L, memory = carried
    y, dy, work, Z, F, move, before, sizes = scratch
    n, m, row = frame.active, w.shape[0], 0
    mu, nu = columns(table.stage, S), columns(table.ahead, S)
    unit, nodes = get(table.weights, 0, S), get(table.nodes, 0, S)
    for step in range(span.first, span.first + span.steps):
        for i in range(m):
            before[i], before[m + i] = w[i], e[i]
        behind, depth = memory[0], 0
        while True:
            count = 1 << depth
            h = clock.step / count
            tau, weight = (nodes - 0.5) * h, unit * h
            status = 0
            for piece in range(count):
                t = clock.t0 + (step + (piece + 0.5) / count) * clock.step + tau
                shift = memory[0] + 0.5 * h
                known = memory[1] != 0.0 and depth == 0
                if known:  # the last step's polynomial, carried into the new frame
                    for i in range(n):
                        put(Z, i, S, w[i] + mixed(nu, L, i))
                    move_freely(S, Z, frame.parts, frame.active_parts, frame.constants, shift, F)
                    for i in range(n):
                        put(Z, i, S, get(Z, i, S) + get(F, i, S))
                near = move_frame(double, w, e, frame, shift, move)
                memory[0] = 0.5 * h
                if not near:
                    status = NO_SOLUTION
                    break
                if not known:
                    for i in range(n):
                        put(Z, i, S, w[i])
                last, done = 0.0, False
                for iteration in range(MOST_ITERATIONS):
                    place_parts(S, Z, frame.parts, frame.active_parts, frame.constants, tau, y, work)
                    status = system_rates(S, rhs, force, y, p, slots, t, dy, report)
                    if status != 0:
                        break
                    part_rates(S, Z, frame.parts, frame.active_parts, frame.constants, tau, y, dy, work, F)
                    for i in range(n):
                        put(L, i, S, weight * get(F, i, S))
                    if iteration == 0:
                        sizes[:] = 0.0
                        for i in range(n):
                            g = frame.groups[i]
                            sizes[g] = max(sizes[g], abs(w[i]) + abs(lane_sum(get(L, i, S))))
                        invert_sizes(sizes)
                    change = 0.0 * tau
                    for i in range(n):
                        z = w[i] + (e[i] + mixed(mu, L, i))
                        change = multiply_add(sizes[frame.groups[i]], absolute(z - get(Z, i, S)), change)
                        put(Z, i, S, z)
                    now = lane_top(change)
                    if has_converged(now, last):
                        record(report, iteration + 1.0, now * now)
                        report[EVALUATIONS] += iteration + 1.0
                        done = True
                        break
                    if not now < 1e6 * max(last, 1.0):
                        break
                    last = now
                if not done:
                    status = NO_SOLUTION if status == 0 else status
                    break
                for i in range(n):
                    add_exactly(w, e, i, lane_sum(get(L, i, S)))
            if status == 0:
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
            save_row(double, carried, frame, move, samples[row])
            row += 1
    return 0, span.steps


@kernel
def blend(matrix: Array, stage: Any, L: Array, i: Any, stages: Any, size: Any) -> float:
    """Row `stage` of a matrix, kept by columns, times number i of all stages."""
    total = 0.0
    for j in range(stages):
        total += matrix[j * stages + stage] * L[j * size + i]
    return total


@compiled
def stages_in_turn(
    S: Any,
    rhs: Any,
    force: Any,
    carried: Carried,
    p: Array,
    slots: Slots,
    frame: Frame,
    table: Table,
    scratch: Scratch,
    clock: Clock,
    span: Span,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """The same steps on any scalar, stage by stage: duals carry the tangent map along.

    All arrays are flat doubles: sums over stages treat partial derivatives as further numbers.
    """
    w, e, L, memory = carried
    y, dy, work, Z, F, move, before, sizes = scratch
    m, stages, row = w.shape[0], table.nodes.shape[0], 0
    n = L.shape[0] // stages
    for step in range(span.first, span.first + span.steps):
        for i in range(m):
            before[i], before[m + i] = w[i], e[i]
        behind, depth = memory[0], 0
        while True:
            count = 1 << depth
            h = clock.step / count
            status = 0
            for piece in range(count):
                middle = clock.t0 + (step + (piece + 0.5) / count) * clock.step
                shift = memory[0] + 0.5 * h
                known = memory[1] != 0.0 and depth == 0
                if known:
                    for stage in range(stages):
                        z = Z[stage * n : (stage + 1) * n]
                        for i in range(n):
                            z[i] = w[i] + blend(table.ahead, stage, L, i, stages, n)
                        move_freely(S, z, frame.parts, frame.active_parts, frame.constants, shift, F)
                        for i in range(n):
                            z[i] += F[i]
                near = move_frame(S, w, e, frame, shift, move)
                memory[0] = 0.5 * h
                if not near:
                    status = NO_SOLUTION
                    break
                if not known:
                    for stage in range(stages):
                        for i in range(n):
                            Z[stage * n + i] = w[i]
                last, done = 0.0, False
                for iteration in range(MOST_ITERATIONS):
                    for stage in range(stages):
                        tau, z = (table.nodes[stage] - 0.5) * h, Z[stage * n : (stage + 1) * n]
                        place_parts(S, z, frame.parts, frame.active_parts, frame.constants, tau, y, work)
                        status = system_rates(S, rhs, force, y, p, slots, middle + tau, dy, report)
                        if status != 0:
                            break
                        part_rates(S, z, frame.parts, frame.active_parts, frame.constants, tau, y, dy, work, F)
                        for i in range(n):
                            L[stage * n + i] = h * table.weights[stage] * F[i]
                    if status != 0:
                        break
                    if iteration == 0:
                        sizes[:] = 0.0
                        for i in range(n):
                            g = frame.groups[i]
                            total = 0.0
                            for stage in range(stages):
                                total += L[stage * n + i]
                            sizes[g] = max(sizes[g], abs(w[i]) + abs(total))
                        invert_sizes(sizes)
                    now = 0.0
                    for stage in range(stages):
                        change = 0.0
                        for i in range(n):
                            z_new = w[i] + (e[i] + blend(table.stage, stage, L, i, stages, n))
                            change += sizes[frame.groups[i]] * abs(z_new - Z[stage * n + i])
                            Z[stage * n + i] = z_new
                        now = now if change <= now else change
                        if change != change:
                            break
                    if has_converged(now, last):
                        record(report, iteration + 1.0, now * now)
                        report[EVALUATIONS] += (iteration + 1.0) * stages
                        done = True
                        break
                    if not now < 1e6 * max(last, 1.0):
                        break
                    last = now
                if not done:
                    status = NO_SOLUTION if status == 0 else status
                    break
                for i in range(n):
                    total = 0.0
                    for stage in range(stages):
                        total += L[stage * n + i]
                    add_exactly(w, e, i, total)
            if status == 0:
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
            save_row(S, carried, frame, move, samples[row])
            row += 1
    return 0, span.steps
