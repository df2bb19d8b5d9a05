"""Steps that follow the motion and can be reversed: each is as long as it takes the motion to go on by a given angle.

With the `density` σ of a state the equations are solved in the variable s, `ds = σ dt`, in steps of the angle α:

    Zᵢ = w + Σ μᵢⱼ Lⱼ,   tᵢ = t + Σ μᵢⱼ Tⱼ,   Lⱼ = f(Zⱼ, tⱼ) Tⱼ,   Tⱼ = α bⱼ / σ(Zⱼ),   h = Σ Tⱼ

which is Gauss–Legendre in s for w and the time together. The frame of the free motion (`picture`) is that of the middle of
the step in time, t + h/2, which is found with the stages. Seen from the end of the step all this is the same, so
the step is symmetric; quadratic invariants of f are conserved as ever.

The vector field f/σ is not Hamiltonian. With `rates.canonical` the equations are those of the Hamiltonian `(H − E)/σ`, E being
the energy of the first state (Poincaré's transformation): then f is replaced by `f − (H − E) X/4σ⁴` with the Hamiltonian vector
field X of σ⁴. It vanishes on the true motion; with it the step is symplectic.

A sample within a step is the end of a shorter step from the node before it, α being that which takes the time to the
sample: the Tⱼ are scaled so that their sum is this time. The iteration begins on the collocation polynomial of the whole
step, whose own error, of order αˢ⁺¹, is much larger than that of a step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...scalars import absolute, double, get, multiply_add, par, put
from ...scalars.protocol import EVALUATIONS, NO_SOLUTION, RETRIES, SUCCESS, record
from ...scalars.stages import columns, lane_sum, lane_top, mixed
from ..loops import slope
from ..uncounted import uncounted_kernel, uncounted_loop
from .density import Rates, add_flow, attraction_rates, fourth_root, momentum_rates, turning_rates
from .loops import (
    CONVERGED,
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
    falling,
    has_converged,
    move_frame,
    save_row,
    set_sizes,
)
from .picture import AT, CONFIGURATION, CONSTANTS, KIND, PLACE, SIZE, move_freely, part_rates, place_parts

Array = NDArray[np.float64]

# what is carried beside w, e and L: how far the frame is behind the node; the length of the last step, and whether there is
# a polynomial of it; the time of the node, and its rounding; the energy of the first state; then T of each stage, and the
# last sample
BEHIND, LENGTH, KNOWN, TIME, REST, ENERGY, PARTS = range(7)
# where the iteration begins: at the node, on the polynomial of the last step, or on that of the whole step
NODE, AHEAD, WITHIN = range(3)
MOST_CHANGE = 4.0  # of the length of a step to the next one's
INNER = 12  # iterations for the times of the stages, with given forces
NEAR, NEARER = 1e-16, 3e-3  # they end when times change by this part of the length, or of the change of the stages
# changes that are smaller, and so many times did not fall after so many iterations, are rounding: small moments of large
# forces have it
NOISE, STALLED, PATIENCE, SETTLED = 1e-8, 3, 20, 5
SEARCH = 6  # iterations for the place of a time on the polynomial, where stages are guessed


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
    energy: Any


@uncounted_kernel
def copy_node(source: Carried, target: Carried, stages: int) -> None:
    """All that is carried, but the sample."""
    for i in range(source.w.shape[0]):
        target.w[i], target.e[i] = source.w[i], source.e[i]
    for i in range(source.L.shape[0]):
        target.L[i] = source.L[i]
    for i in range(PARTS + stages):
        target.memory[i] = source.memory[i]


@uncounted_kernel
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


@uncounted_kernel
def guess_ahead(S: Any, motion: Motion, node: Carried) -> tuple[float, float]:
    """Put the stages of the next step on the polynomial of the last, and their times from its start into T. Returns its
    length, 0 where the polynomial has none, and how far its frame is from that of the stages."""
    curve, T, Z, memory = motion.curve, motion.curve.T, motion.scratch.Z, node.memory
    nu, h = columns(motion.table.ahead, S), 0.0
    for j in range(T.shape[0]):
        T[j] = memory[PARTS + j]
        h += curve.following[j] * T[j]
    if not 1.0 / MOST_CHANGE < h / memory[LENGTH] < MOST_CHANGE:
        return 0.0, 0.0
    for i in range(motion.frame.active):
        put(Z, i, S, node.w[i] + mixed(nu, node.L, i))
    put(T, 0, S, mixed(nu, T, 0))
    return h, memory[BEHIND] + 0.5 * h


@uncounted_kernel
def guess_within(S: Any, motion: Motion, whole: Carried, h: float) -> float:
    """Put the stages of a step of length h from the same node on the polynomial of the whole one, which has been done, and
    their times from its start into T. Returns how far its frame is from that of the stages."""
    table, curve, Z = motion.table, motion.curve, motion.scratch.Z
    stages, length = table.nodes.shape[0], whole.memory[LENGTH]
    for j in range(stages):
        curve.T[j] = whole.memory[PARTS + j]
    x = (2.0 * h / length - 1.0) + 0.0 * get(table.nodes, 0, S)
    for search in range(SEARCH + 1):  # where on the polynomial the time h is, and then the times of all stages
        time, slope_ = put_integrals(S, curve, x, stages)
        if search < SEARCH - 1:
            x = x + 2.0 * (h - time) / slope_
        elif search == SEARCH - 1:
            x = (x + 1.0) * get(table.nodes, 0, S) - 1.0
        else:
            put(curve.T, 0, S, time)
    for j in range(stages):
        total = curve.legendre[j] * get(curve.integrals, 0, S)
        for k in range(1, stages):
            total = multiply_add(curve.legendre[k * stages + j], get(curve.integrals, k, S), total)
        put(curve.matrix, j, S, total)
    matrix = columns(curve.matrix, S)
    for i in range(motion.frame.active):
        put(Z, i, S, whole.w[i] - lane_sum(get(whole.L, i, S)) + mixed(matrix, whole.L, i))
    return 0.5 * (h - length)


@uncounted_kernel
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


@uncounted_kernel
def solve_stages(
    S: Any, motion: Motion, node: Carried, right: Carried, length: float, angle: float, guess: int, report: Array
) -> tuple[int, float]:
    """One step from the node, in place: of this `angle`, or, if that is 0, of the angle that takes this `length` of time.
    `right` is the end of the whole step in which it lies. Returns a status and the length."""
    system, frame, table, curve, scratch = motion.system, motion.frame, motion.table, motion.curve, motion.scratch
    w, e, L, memory, T, base = node.w, node.e, node.L, node.memory, curve.T, curve.base
    y, dy, room, Z, F, sizes = scratch.y, scratch.dy, scratch.room, scratch.Z, scratch.F, scratch.sizes
    n, m, parts, count, constants = frame.active, w.shape[0], frame.parts, frame.active_parts, frame.constants
    mu, weights = columns(table.stage, S), get(table.weights, 0, S)
    time, behind, h, shift = memory[TIME] + memory[REST], memory[BEHIND], length, 0.0
    if guess == AHEAD:
        h, shift = guess_ahead(S, motion, node)
        if h == 0.0:
            h, guess = length, NODE
    elif guess == WITHIN:
        shift = guess_within(S, motion, right, h)
    if guess == NODE:
        put(T, 0, S, get(table.nodes, 0, S) * h)
    else:
        move_freely(S, Z, parts, count, constants, shift, F)
    tau = get(T, 0, S) - 0.5 * h
    for i in range(m):
        base[i], base[m + i] = w[i], e[i]
    if not move_frame(double, w, e, frame, behind + 0.5 * h, scratch.move):
        return NO_SOLUTION, h
    for i in range(n):
        put(Z, i, S, w[i] + 0.0 * tau if guess == NODE else get(Z, i, S) + get(F, i, S))
    last, rates, least, stalled = 0.0, (1.0, 0.0), NOISE, 0
    for iteration in range(MOST_ITERATIONS):
        place_parts(S, Z, parts, count, constants, tau, y, room)
        at = (time + 0.5 * h) + tau
        status = slope(S, system.rhs, system.force, y, system.p, system.slots, at, dy, report)
        if status != SUCCESS:
            return status, h
        part_rates(S, Z, parts, count, constants, tau, y, dy, room, 1.0, F)
        if motion.rates.canonical:
            turning = momentum_rates(S, motion.rates, parts, count, Z)
            status = motion.energy(S, y, system.p, at, 0.0, report)
            beyond = get(y, dy.shape[0] // table.nodes.shape[0], S) - memory[ENERGY]
            factor = -0.25 * beyond / (turning + attraction_rates(S, motion.rates, y))
            add_flow(S, motion.rates, parts, count, factor, Z, y, F)
        else:
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
            set_sizes(S, sizes, frame.groups, w, L, n)
        for i in range(n):
            z = w[i] + (e[i] + mixed(mu, L, i))
            change = multiply_add(sizes[frame.groups[i]], absolute(z - get(Z, i, S)), change)
            put(Z, i, S, z)
        now = lane_top(change)
        settled = iteration >= SETTLED  # at first changes may grow even if they are small
        if iteration >= PATIENCE and ROUNDING <= now < NOISE and now > 0.9 * least:
            stalled += 1
        least = min(least, now)
        begun = iteration > 1 and now < last  # the first change is that of the guess: it says nothing of the next ones
        rates = falling(now, last, rates, iteration)
        if ((settled or begun) and has_converged(now, last, rates, CONVERGED)) or stalled == STALLED or now == 0.0:
            record(report, iteration + 1.0, now * now)
            report[EVALUATIONS] += iteration + 1.0
            for i in range(n):
                add_exactly(w, e, i, lane_sum(get(L, i, S)))
            memory[BEHIND] = 0.5 * h
            for i in range(T.shape[0]):
                memory[PARTS + i] = T[i]
            add_exactly(memory[TIME:], memory[REST:], 0, h)
            return SUCCESS, h
        if not now < DIVERGED * max(last, 1.0):
            return NO_SOLUTION, h
        last = now
    return NO_SOLUTION, h


@uncounted_kernel
def do_step(
    S: Any, motion: Motion, left: Carried, right: Carried, part: Carried, whole: bool, target: float, angle: float,
    report: Array,
) -> int:  # fmt: skip
    """From the node `left` to the next, `right`, or to the sample at the time `target` between them, `part`; if need be in
    2, 4, … pieces: of a half, a quarter, … of the angle or of the time."""
    node, stages = right if whole else part, motion.table.nodes.shape[0]
    length = left.memory[LENGTH] if whole else (target - left.memory[TIME]) - left.memory[REST]
    for depth in range(FINEST + 1):
        copy_node(left, node, stages)
        if length == 0.0:
            return SUCCESS
        guess = NODE
        if depth == 0 and (left if whole else right).memory[KNOWN] != 0.0:
            guess = AHEAD if whole else WITHIN
        pieces, status, h, total = 1 << depth, SUCCESS, length / (1 << depth), 0.0
        for _ in range(pieces):
            status, h = solve_stages(S, motion, node, right, h, angle / pieces if whole else 0.0, guess, report)
            total += h
            if status != SUCCESS:
                break
        if status == SUCCESS:
            node.memory[LENGTH], node.memory[KNOWN] = total, 1.0 if depth == 0 else 0.0
            return SUCCESS
        report[RETRIES] += 1.0
    return NO_SOLUTION


@uncounted_loop
def follow(
    S: Any, motion: Motion, left: Carried, right: Carried, part: Carried, angle: float, whole: int, ready: bool,
    times: Array, samples: Array, report: Array,
) -> tuple[int, int]:  # fmt: skip
    """Do so many `whole` steps, the sample being the last node; then write the sample at each of `times` to `samples`, as far
    as these have rows. `left` is the last node before the sample, or it is `right`.

    `ready`: whether `right` holds the end of the present step; else it is done again. Returns a status and the number of
    times reached.
    """
    stages, direction = motion.table.nodes.shape[0], 1.0 if angle > 0.0 else -1.0
    sample = left.memory[PARTS + stages :]
    k = 0
    while whole > 0 or k < times.shape[0]:
        on = whole > 0 or not ready or direction * ((right.memory[TIME] - times[k]) + right.memory[REST]) < 0.0
        if on and ready:
            copy_node(right, left, stages)
        status = do_step(S, motion, left, right, part, on, 0.0 if on else times[k], angle, report)
        if status != SUCCESS:
            return status, k
        ready = True
        if whole > 0 or not on:
            save_row(double, right if on else part, motion.frame, motion.scratch.move, sample)
        if whole > 0:
            whole -= 1
        elif not on:
            if k < samples.shape[0]:
                for i in range(sample.shape[0]):
                    samples[k, i] = sample[i]
            k += 1
    return SUCCESS, k


@uncounted_loop
def energy_at(S: Any, energy: Any, y: Array, p: Array, t: float, at: int, report: Array) -> float:
    """The energy of one state, which is in all lanes."""
    energy(S, y, p, t + 0.0 * par(p, 0, S), 0.0, report)
    return lane_top(get(y, at, S))
