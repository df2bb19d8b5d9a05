"""The gravity of many bodies on all cores: pairs are evaluated in parallel, and summed one after another.

Each pair has its own place for its force and moments, and each part of the pairs its own workspace; the sum over pairs is
taken in the order of the serial one. So the result has the same bits, whatever the number of threads.

Only runs in the main thread, on doubles, use this: members of ensembles already run in threads of their own.
"""

from __future__ import annotations

import threading
from functools import cache, cached_property
from typing import Any

from numba import prange, types

from ...gravity import inertial_gravity
from ...scalars import Flow, add3, double, get3, get9, kernel, put, put3
from ...scalars.compile import BoundFlow, Compiled, cached_dispatcher
from ...scalars.protocol import par_int
from .inertial_flows import (
    BLOCK,
    BODIES,
    FIRST,
    PAIR_SIZE,
    PAIRS,
    ROOM,
    SECOND,
    VECTOR,
    attitude_at,
    body_at,
    force_at,
    moment_at,
    position_at,
    sum_pairs,
    to_rates,
    workspace_at,
)
from .representations import gravity_forces

PARTS = 32  # of the pairs, each with a workspace: enough for as many threads, and none waits long for another
FEWEST_PAIRS = 500  # fewer are faster on one core
FOUND = 3 * VECTOR  # entries of what is found for a pair: ∂U/∂xᵢ, Mᵢ, Mⱼ


class ParallelCompiled(Compiled):
    """A function whose `prange` loops run on all cores."""

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, which runs loops in parallel."""
        return cached_dispatcher(self.function, parallel=True)

    @property
    def linked(self) -> Any:
        """The same: code that is linked into its callers would run on one core."""
        return self.dispatcher


class ParallelFlow(Flow):
    """A flow on doubles in the main thread that uses all cores; elsewhere the `serial` one, with the same result."""

    def __init__(self, parallel: Flow, serial: Flow) -> None:
        super().__init__(parallel.function)
        self.serial = serial

    def on(self, kind: types.Type, time: types.Type = types.float64) -> BoundFlow:
        """The flow for this scalar."""
        alone = threading.current_thread() is threading.main_thread()
        if kind != double or time != double or not alone:
            return self.serial.on(kind, time)
        return super().on(kind, time)


def parallel_workspace(pairs: int, room: int) -> int:
    """How many entries the parallel force needs: what is found for each pair, and a workspace for each part."""
    return FOUND * pairs + PARTS * room


@cache
def pair_evaluator(gravity: Any) -> Compiled:
    """∂U/∂xᵢ, Mᵢ and Mⱼ of every pair, from entry `first` on; behind them the workspaces of `room` entries."""

    @ParallelCompiled
    def evaluate_pairs(y: Any, p: Any, n: int, pairs: int, first: int, room: int) -> None:
        for part in prange(PARTS):
            w = first + FOUND * pairs + part * room
            for k in range(part * pairs // PARTS, (part + 1) * pairs // PARTS):
                at = body_at(n) + PAIR_SIZE * k
                i, j = par_int(p, at + FIRST, double), par_int(p, at + SECOND, double)
                xi, Ri = get3(y, position_at(i), double), get9(y, attitude_at(n, i), double)
                xj, Rj = get3(y, position_at(j), double), get9(y, attitude_at(n, j), double)
                block = par_int(p, at + BLOCK, double)
                _, F, Mi, Mj = inertial_gravity(double, gravity, xi, Ri, xj, Rj, p, block, y, w)
                put3(y, first + FOUND * k, double, F)
                put3(y, first + FOUND * k + VECTOR, double, Mi)
                put3(y, first + FOUND * k + 2 * VECTOR, double, Mj)

    return evaluate_pairs


@kernel
def sum_pairs_in_parallel(S: Any, y: Any, p: Any, evaluate: Any) -> None:
    """As `sum_pairs`, with the pairs evaluated by a `pair_evaluator`."""
    n, pairs, first = par_int(p, BODIES, S), par_int(p, PAIRS, S), workspace_at(par_int(p, BODIES, S))
    evaluate(y, p, n, pairs, first, par_int(p, ROOM, S))
    for e in range(force_at(n, 0), first):
        put(y, e, S, 0.0)
    for k in range(pairs):
        at, found = body_at(n) + PAIR_SIZE * k, first + FOUND * k
        i, j = par_int(p, at + FIRST, S), par_int(p, at + SECOND, S)
        F = get3(y, found, S)
        add3(y, force_at(n, i), S, (-F[0], -F[1], -F[2]))
        add3(y, force_at(n, j), S, F)
        add3(y, moment_at(n, i), S, get3(y, found + VECTOR, S))
        add3(y, moment_at(n, j), S, get3(y, found + 2 * VECTOR, S))


@cache
def parallel_forces(gravity: Any, perturb: Any) -> tuple[Flow, Flow]:
    """The forces on momenta and on velocities, as `gravity_forces` makes them."""
    serial = gravity_forces(gravity, sum_pairs, perturb, to_rates)
    parallel = gravity_forces(pair_evaluator(gravity), sum_pairs_in_parallel, perturb, to_rates)
    on_momenta, on_velocities = map(ParallelFlow, parallel, serial)
    return on_momenta, on_velocities
