"""Steps that follow the motion and can be reversed: each is as long as it takes the motion to go on by a given angle.

With the `density` σ of a state the equations are solved in the variable s, `ds = σ dt`, in steps of the angle α:

    Zᵢ = w + Σ μᵢⱼ Lⱼ,   tᵢ = t + Σ μᵢⱼ Tⱼ,   Lⱼ = f(Zⱼ, tⱼ) Tⱼ,   Tⱼ = α bⱼ / σ(Zⱼ),   h = Σ Tⱼ

which is Gauss–Legendre in s for w and the time together. The frame of the free motion (`picture`) is that of the middle of
the step in time, t + h/2, which is found with the stages. Seen from the end of the step all this is the same, so
the step is symmetric; quadratic invariants of f are conserved as ever.

A sample within a step is the end of a shorter step from the node before it, α being that which takes the time to the
sample: the Tⱼ are scaled so that their sum is this time. The iteration begins on the collocation polynomial of the whole
step, whose own error, of order αˢ⁺¹, is much larger than that of a step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...scalars import absolute, compiled, double, get, kernel, put
from ...scalars.protocol import EVALUATIONS, NO_SOLUTION, RETRIES, SUCCESS, record
from ...scalars.stages import columns, lane_sum, lane_top, mixed, multiply_add
from ..loops import slope
from .density import Rates, attraction_rates, fourth_root, turning_rates
from .loops import (
    DIVERGED,
    FINEST,
    MOST_ITERATIONS,
    ROUNDING,
    Carried,
    Frame,
    Scratch,
    System,
    Table,
    add_exactly,
    has_converged,
    invert_sizes,
    move_frame,
    save_row,
)
from .picture import AT, CONFIGURATION, CONSTANTS, KIND, PLACE, SIZE, move_freely, part_rates, place_parts

Array = NDArray[np.float64]

# what is carried beside w, e and L: how far the frame is behind the node; the length of the last step, nothing if it was
# done in pieces; the time of the node, and its rounding; then T of each stage, and the last sample
BEHIND, LENGTH, TIME, REST, PARTS = range(5)
MOST_CHANGE = 4.0  # of the length of a step to the next one's
INNER = 12  # iterations for the times of the stages, with given forces
NEAR, NEARER = 1e-16, 3e-3  # they end when times change by this part of the length, or of the change of the stages
# changes that are smaller, and were not halved so many times, are rounding: small moments of large forces have it
NOISE, STALLED = 1e-8, 3
SEARCH = 5  # iterations for the place of a time on the polynomial, where stages are guessed


class Curve(NamedTuple):
    """What extrapolates to the end of a next step, and the values of Legendre polynomials (`tables.GaussTable`); T of each
    stage; room for a matrix, for integrals, and for w and e before the step."""

    following: Array
    legendre: Array
    T: Array
    matrix: Array
    integrals: Array
    base: Array


class Motion(NamedTuple):
    """All that a step needs beside the state: the system, the frame, coefficients, room, and the rates."""

    system: System
    frame: Frame
    table: Table
    curve: Curve
    scratch: Scratch
    rates: Rates


@kernel
def copy_node(source: Carried, target: Carried, stages: int) -> None:
    """All that is carried, but the sample."""
    target.w[:], target.e[:], target.L[:] = source.w, source.e, source.L
    target.memory[: PARTS + stages] = source.memory[: PARTS + stages]


@kernel
def shift_stages(S: Any, motion: Motion, shift: float) -> None:
    """The stages seen from a frame that is later by `shift`."""
    frame, Z, F = motion.frame, motion.scratch.Z, motion.scratch.F
    move_freely(S, Z, frame.parts, frame.active_parts, frame.constants, shift, F)
    for i in range(frame.active):
        put(Z, i, S, get(Z, i, S) + get(F, i, S))


@kernel
def put_integrals(S: Any, curve: Curve, x: Any, stages: int) -> Any:
    """½ ∫ Pₖ from −1 to x for each k; returns the integral of the polynomial with the parts T, and its slope."""
    before, now = 1.0 + 0.0 * x, x
    part = 0.0
    for j in range(stages):
        part += curve.legendre[j] * curve.T[j]
    put(curve.integrals, 0, S, 0.5 * (x + 1.0))
    total, slope_ = part * (0.5 * (x + 1.0)), part * before
    for k in range(1, stages):
        part = 0.0
        for j in range(stages):
            part += curve.legendre[k * stages + j] * curve.T[j]
        following = ((2.0 * k + 1.0) * x * now - k * before) * (1.0 / (k + 1.0))
        integral = (following - before) * (0.5 / (2.0 * k + 1.0))
        put(curve.integrals, k, S, integral)
        total, slope_ = multiply_add(part, integral, total), multiply_add(part, now, slope_)
        before, now = now, following
    return total, slope_


@kernel
def guess_within(S: Any, motion: Motion, whole: Carried, h: float) -> None:
    """Put the stages of a step of length h from the same node on the polynomial of the whole one, which has been done, and
    their times from its middle into T."""
    frame, table, curve, Z = motion.frame, motion.table, motion.curve, motion.scratch.Z
    stages, length = table.nodes.shape[0], whole.memory[LENGTH]
    for j in range(stages):
        curve.T[j] = whole.memory[PARTS + j]
    x = (2.0 * h / length - 1.0) + 0.0 * get(table.nodes, 0, S)
    for _ in range(SEARCH):  # where on the polynomial the time h is
        time, slope_ = put_integrals(S, curve, x, stages)
        x = x + 2.0 * (h - time) / slope_
    time, slope_ = put_integrals(S, curve, (x + 1.0) * get(table.nodes, 0, S) - 1.0, stages)
    for j in range(stages):
        total = curve.legendre[j] * get(curve.integrals, 0, S)
        for k in range(1, stages):
            total = multiply_add(curve.legendre[k * stages + j], get(curve.integrals, k, S), total)
        put(curve.matrix, j, S, total)
    matrix = columns(curve.matrix, S)
    for i in range(frame.active):
        put(Z, i, S, whole.w[i] - lane_sum(get(whole.L, i, S)) + mixed(matrix, whole.L, i))
    shift_stages(S, motion, 0.5 * (h - length))
    put(curve.T, 0, S, time - 0.5 * h)


@kernel
def kick_places(S: Any, motion: Motion, L: Array, shift: float, before: Any, tau: Any, mu: Any) -> None:
    """Put the places of all stages at their new times into the system's array, with the forces as they were evaluated at
    the times `before`: the middle of the step is `shift` after the frame of the node."""
    frame, base, T, y, F = (
        motion.frame,
        motion.curve.base,
        get(motion.curve.T, 0, S),
        motion.scratch.y,
        motion.scratch.F,
    )
    for k in range(frame.active_parts):
        row = frame.parts[k]
        for i in range(row[SIZE] if row[KIND] == PLACE else 0):
            x, P, c = row[AT] + i, row[AT] + row[SIZE] + i, frame.constants[row[CONSTANTS] + i]
            force = get(F, P, S)
            put(L, P, S, T * force)
            put(L, x, S, T * multiply_add((before - tau) * c, force, get(F, x, S)))
            momentum = base[P] + mixed(mu, L, P)
            place = base[x] + shift * c * base[P] + mixed(mu, L, x)
            put(y, row[CONFIGURATION] + i, S, multiply_add(tau * c, momentum, place))


@compiled
def solve_stages(
    S: Any, motion: Motion, node: Carried, length: float, angle: float, guessed: bool, ahead: bool, report: Array
) -> tuple[int, float]:
    """One step from the node, in place: of this `angle`, or, if that is 0, of the angle that takes this `length` of time.

    The first guess of the stages is in Z (`guessed`), or on the polynomial of the last step (`ahead`), or the node.
    Returns a status and the length.
    """
    system, frame, table, curve, scratch = motion.system, motion.frame, motion.table, motion.curve, motion.scratch
    w, e, L, memory, T, base = node.w, node.e, node.L, node.memory, curve.T, curve.base
    y, dy, work, Z, F, sizes = scratch.y, scratch.dy, scratch.work, scratch.Z, scratch.F, scratch.sizes
    n, m, parts, count, constants = frame.active, w.shape[0], frame.parts, frame.active_parts, frame.constants
    mu, weights = columns(table.stage, S), get(table.weights, 0, S)
    time, behind, h = memory[TIME] + memory[REST], memory[BEHIND], length
    tau = get(T, 0, S) if guessed else (get(table.nodes, 0, S) - 0.5) * h
    if ahead:
        total = 0.0
        for j in range(T.shape[0]):
            T[j] = memory[PARTS + j]
            total += curve.following[j] * T[j]
        ratio, nu = total / length, columns(table.ahead, S)
        ahead = 1.0 / MOST_CHANGE < ratio < MOST_CHANGE
        if ahead:
            h = total
            tau = mixed(nu, T, 0) - 0.5 * h
            for i in range(n):
                put(Z, i, S, w[i] + mixed(nu, L, i))
            shift_stages(S, motion, behind + 0.5 * h)
    for i in range(m):
        base[i], base[m + i] = w[i], e[i]
    if not move_frame(double, w, e, frame, behind + 0.5 * h, scratch.move):
        return NO_SOLUTION, h
    if not (guessed or ahead):
        for i in range(n):
            put(Z, i, S, w[i])
    last, least, stalled = 0.0, NOISE, 0
    for iteration in range(MOST_ITERATIONS):
        place_parts(S, Z, parts, count, constants, tau, y, work)
        at = (time + 0.5 * h) + tau
        status = slope(S, system.rhs, system.force, y, system.p, system.slots, at, dy, report)
        if status != SUCCESS:
            return status, h
        part_rates(S, Z, parts, count, constants, tau, y, dy, work, F)
        turning = turning_rates(S, parts, count, constants, y, dy)
        present, enough = tau, max(NEAR, NEARER * last)
        for _ in range(INNER):
            share = weights / fourth_root(turning + attraction_rates(S, motion.rates, y))
            if angle != 0.0:
                put(T, 0, S, angle * share)
                h = lane_sum(get(T, 0, S))
            else:
                put(T, 0, S, (length / lane_sum(share)) * share)
            later = mixed(mu, T, 0) - 0.5 * h
            far, present = lane_top(absolute((later - present) / h)), later
            if far <= enough or motion.rates.squares.shape[0] == 0:
                break
            kick_places(S, motion, L, behind + 0.5 * h, tau, present, mu)
        for k in range(count):  # rates of places at the times found
            row = parts[k]
            for i in range(row[SIZE] if row[KIND] == PLACE else 0):
                force = get(F, row[AT] + row[SIZE] + i, S)
                earlier = (tau - present) * constants[row[CONSTANTS] + i]
                put(F, row[AT] + i, S, multiply_add(earlier, force, get(F, row[AT] + i, S)))
        change = absolute((present - tau) / h)
        tau = present
        for i in range(m):
            w[i], e[i] = base[i], base[m + i]
        if not move_frame(double, w, e, frame, behind + 0.5 * h, scratch.move):
            return NO_SOLUTION, h
        for i in range(n):
            put(L, i, S, get(T, 0, S) * get(F, i, S))
        if iteration == 0:
            sizes[:] = 0.0
            for i in range(n):
                g = frame.groups[i]
                sizes[g] = max(sizes[g], abs(w[i]) + abs(lane_sum(get(L, i, S))))
            invert_sizes(sizes)
        for i in range(n):
            z = w[i] + (e[i] + mixed(mu, L, i))
            change = multiply_add(sizes[frame.groups[i]], absolute(z - get(Z, i, S)), change)
            put(Z, i, S, z)
        now = lane_top(change)
        stalled = stalled + 1 if ROUNDING <= now < NOISE and now > 0.5 * least else 0
        least = min(least, now)
        if has_converged(now, last) or stalled == STALLED:
            record(report, iteration + 1.0, now * now)
            report[EVALUATIONS] += iteration + 1.0
            for i in range(n):
                add_exactly(w, e, i, lane_sum(get(L, i, S)))
            memory[BEHIND] = 0.5 * h
            memory[PARTS : PARTS + T.shape[0]] = T
            add_exactly(memory[TIME:], memory[REST:], 0, h)
            return SUCCESS, h
        if not now < DIVERGED * max(last, 1.0):
            return NO_SOLUTION, h
        last = now
    return NO_SOLUTION, h


@kernel
def first_length(S: Any, motion: Motion, node: Carried, angle: float, report: Array) -> float:
    """The length of a step at the rate of the node; not a number where the system has no slope there."""
    system, frame, scratch, Z = motion.system, motion.frame, motion.scratch, motion.scratch.Z
    for i in range(frame.active):
        put(Z, i, S, node.w[i])
    tau = node.memory[BEHIND] + 0.0 * get(motion.table.nodes, 0, S)  # the node, seen from the frame
    parts, count, constants = frame.parts, frame.active_parts, frame.constants
    place_parts(S, Z, parts, count, constants, tau, scratch.y, scratch.work)
    t = node.memory[TIME] + 0.0 * tau
    status = slope(S, system.rhs, system.force, scratch.y, system.p, system.slots, t, scratch.dy, report)
    total = turning_rates(S, parts, count, constants, scratch.y, scratch.dy)
    sigma = lane_top(fourth_root(total + attraction_rates(S, motion.rates, scratch.y)))
    return angle / sigma if status == SUCCESS else np.nan


@compiled
def step_whole(S: Any, motion: Motion, left: Carried, right: Carried, angle: float, report: Array) -> int:
    """From the node `left` to the next, `right`; if need be in 2, 4, … pieces, of a half, a quarter, … of the angle."""
    first, ahead, stages = left.memory[LENGTH], left.memory[LENGTH] != 0.0, motion.table.nodes.shape[0]
    if not ahead:
        first = first_length(S, motion, left, angle, report)
    for depth in range(FINEST + 1):
        copy_node(left, right, stages)
        count, status, h = 1 << depth, NO_SOLUTION, first / (1 << depth)
        if not abs(h) > 0.0:
            return NO_SOLUTION
        for _ in range(count):
            status, h = solve_stages(S, motion, right, h, angle / count, False, ahead and depth == 0, report)
            if status != SUCCESS:
                break
        if status == SUCCESS:
            right.memory[LENGTH] = h if depth == 0 else 0.0
            return SUCCESS
        report[RETRIES] += 1.0
    return NO_SOLUTION


@compiled
def step_within(
    S: Any, motion: Motion, left: Carried, right: Carried, part: Carried, target: float, report: Array
) -> int:
    """From the node `left` to the time `target`, before that of the node `right`."""
    length, stages = (target - left.memory[TIME]) - left.memory[REST], motion.table.nodes.shape[0]
    for depth in range(FINEST + 1):
        copy_node(left, part, stages)
        if length == 0.0:
            return SUCCESS
        count, status = 1 << depth, NO_SOLUTION
        guessed = depth == 0 and right.memory[LENGTH] != 0.0
        if guessed:
            guess_within(S, motion, right, length)
        for _ in range(count):
            status, _h = solve_stages(S, motion, part, length / count, 0.0, guessed, False, report)
            if status != SUCCESS:
                break
        if status == SUCCESS:
            return SUCCESS
        report[RETRIES] += 1.0
    return NO_SOLUTION


@compiled
def follow(
    S: Any,
    rhs: Any,
    force: Any,
    p: Array,
    slots: Any,
    frame: Frame,
    table: Table,
    curve: Curve,
    scratch: Scratch,
    rates: Rates,
    left: Carried,
    right: Carried,
    part: Carried,
    angle: float,
    whole: int,
    ready: bool,
    times: Array,
    samples: Array,
    report: Array,
) -> tuple[int, int]:
    """Do so many `whole` steps, of which the last node is the sample; then write the sample at each of `times` to `samples`,
    as far as these have rows. `left` is the last node before the sample.

    `ready`: whether `right` holds the end of the present step; else it is done again. Returns a status and the number of
    times reached.
    """
    motion = Motion(System(rhs, force, p, slots), frame, table, curve, scratch, rates)
    stages, direction = table.nodes.shape[0], 1.0 if angle > 0.0 else -1.0
    sample = left.memory[PARTS + stages :]
    for _ in range(whole):
        status = step_whole(S, motion, left, right, angle, report)
        if status != SUCCESS:
            return status, 0
        copy_node(right, left, stages)
        save_row(double, left, frame, scratch.move, sample)
    for k in range(times.shape[0]):
        while not ready or direction * ((right.memory[TIME] - times[k]) + right.memory[REST]) < 0.0:
            if ready:
                copy_node(right, left, stages)
            ready = False
            status = step_whole(S, motion, left, right, angle, report)
            if status != SUCCESS:
                return status, k
            ready = True
        status = step_within(S, motion, left, right, part, times[k], report)
        if status != SUCCESS:
            return status, k
        save_row(double, part, frame, scratch.move, sample)
        if k < samples.shape[0]:
            samples[k, :] = sample
    return SUCCESS, times.shape[0]
