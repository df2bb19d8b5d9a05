"""Ensembles: many free bodies beside the same in C++ with vectors, every kind of body on lanes beside its run on doubles,
and many free bodies to an accuracy beside heyoka's batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

import llvmlite.binding
import numpy as np
from numpy.typing import NDArray

from ..bodies import Ellipsoid
from ..core.method import Method
from ..core.system import State
from ..ensemble import Ensemble, ensemble
from ..methods import DOP853, LGVI, Exact, GaussLegendre, Splitting
from ..methods.loops import aligned
from ..scalars import lane_width, lanes
from ..scalars.lanes import register_width
from ..systems import FullTwoBodyProblem, Gyrostat, OrbitingBody, Pendulum3D
from .entries import Bar, Effort, Entry
from .free_body import BODY, OMEGA, state
from .jobs import Job
from .motions import dumbbells, turning
from .step_costs import lane_bar
from .yardstick import STRICT, LaneYardstick

Array = NDArray[np.float64]

MEMBERS, STEPS, STEP = 10_000, 1_000, 0.02
# one register: compilers of C++ do not always do well with vectors that fill two
REGISTER = register_width()
CPP, ONE_THREAD = f"C++, {REGISTER} lanes", "ensemble, 1 thread, wall clock"
DURATION, BATCH = 10.0, 8


def many(count: int) -> State:
    """Free bodies with rates that differ by up to ten percent, as one state with an axis for the members."""
    rates = OMEGA * np.linspace(1.0, 1.1, count)[:, None]
    return State(BODY, {"R": np.tile(np.eye(3), (count, 1, 1)), "Pi": rates @ BODY.inertia.matrix}, 0.0)


class LaneJob:
    """Steps of many free bodies in C++; the last block is filled up with the last member."""

    def __init__(self, library: LaneYardstick, members: State, step: float, steps: int) -> None:
        self._library, self._step, self._steps = library, step, steps
        R, Pi = np.asarray(members.values["R"]), np.asarray(members.values["Pi"])
        self.count, W = len(R), library.width
        rows = np.concatenate([R.reshape(-1, 9), Pi], axis=1)
        rows = rows[np.minimum(np.arange(-(-len(rows) // W) * W), len(rows) - 1)]
        self._start = rows.reshape(-1, W, 12).transpose(0, 2, 1)
        self._y, self._p = aligned(self._start.shape), aligned(self._start.shape)
        self._p[:] = members.system.parameters()[None, :, None]
        self.iterations = 0

    def __call__(self) -> Array:
        """(R by rows, Π) of each member at the end."""
        self._y[:] = self._start
        self.iterations = self._library(self._y, self._p, self._step, self._steps)
        return self._y.transpose(0, 2, 1).reshape(-1, 12)[: self.count]


def ensemble_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """10,000 free bodies × 1,000 steps."""
    steps = effort.count(STEPS)
    members = many(effort.count(MEMBERS))
    work = steps * len(members.values["Pi"])
    if "c" in peers:
        for name, library in (
            (CPP, LaneYardstick(REGISTER)),
            (f"{CPP}, without FMA", LaneYardstick(REGISTER, STRICT)),
            (f"C++, {2 * REGISTER} lanes", LaneYardstick(2 * REGISTER)),
        ):
            yield Entry(name, "", LaneJob(library, members, STEP, steps), work)

    def run(**options: Any) -> Ensemble:
        return ensemble(members, step=STEP, steps=steps, method=LGVI(), **options)

    def on_the_wall(**options: Any) -> float:
        began = perf_counter()
        run(**options)
        return perf_counter() - began

    bar = Bar(CPP, 0.9, gain=True) if "c" in peers else None
    yield Entry("ensemble", "", partial(run, workers=1), work, bar)
    alone = Job(LGVI(), state(), step=STEP, steps=30 * steps)
    yield Entry("LGVI 2 on doubles", "", alone, alone.steps, Bar("ensemble"))
    yield Entry(ONE_THREAD, "", partial(on_the_wall, workers=1), work, own_time=True)
    two = Bar(ONE_THREAD, 1.8, gain=True)
    yield Entry("ensemble, 2 threads, wall clock", "", partial(on_the_wall, workers=2), work, two, own_time=True)


def kinds() -> dict[str, Callable[[int], State]]:
    """Every kind of body, as a function of the member's number: members move faster by a percent each."""
    inertia = [1.0, 2.0, 2.5]
    top = Pendulum3D(inertia, mass=1.0, rho0=[0.0, 0.0, 0.3])
    gyrostat = Gyrostat(inertia, rho=[0.1, 0.2, 0.3])
    orbiting = OrbitingBody(inertia)
    first, second = Ellipsoid(1.0, [0.5, 0.4, 0.3]), Ellipsoid(0.3, [0.3, 0.22, 0.2])
    pairs = {order: FullTwoBodyProblem(first, second, gravity=order, G=1.0) for order in (2, 4)}
    points = dumbbells().state

    def faster(member: int) -> float:
        return 1.0 + 0.01 * member

    def spinning(system: Any) -> Callable[[int], State]:
        return lambda member: system.state(omega=faster(member) * OMEGA)

    def two(order: int) -> Callable[[int], State]:
        return lambda member: pairs[order].state(
            X=[3.0, 0.1, 0.2], V=[0.0, 0.6, 0.1], Omega1=faster(member) * OMEGA, Omega2=[0.1, 0.2, 0.4]
        )

    def close(member: int) -> State:
        slower = {name: points.values[name] / faster(member) for name in ("P", "Pi1", "Pi2") if name in points.values}
        return State(points.system, {**points.values, **slower}, points.t)

    return {
        "free body": state,
        "heavy top": spinning(top),
        "gyrostat": spinning(gyrostat),
        "orbiting body": spinning(orbiting),
        "two dumbbells": close,
        "two ellipsoids, gravity to order 2": two(2),
        "two ellipsoids, gravity to order 4": two(4),
    }


def lane_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """Each kind of body, by `LGVI` of order 2 and 4, on doubles and on lanes."""
    W, steps = lane_width(), effort.count(4_000)
    others = 4.0 if llvmlite.binding.get_host_cpu_features().get("avx512f") else 2.0
    for name, member in list(kinds().items())[: 2 if effort.quick else None]:
        for order in (2, 4):
            method, setting = LGVI(order=order), f"{name}, LGVI {order}"
            yield Entry("doubles", setting, Job(method, member(0), step=0.01, steps=steps), steps)
            wide = Job(method, *(member(k) for k in range(W)), step=0.01, steps=steps, kind=lanes(W))
            bar = Bar("doubles", lane_bar() if name == "free body" else others, gain=True)
            yield Entry(f"{W} lanes", setting, wide, steps * W, bar)


def accurate_ensemble_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """Many free bodies to an accuracy, on one core."""
    members = many(effort.count(MEMBERS, 100))
    count = len(members.values["Pi"])

    def run(method: Method, steps: int) -> Array:
        end: Array = ensemble(members, step=DURATION / steps, steps=steps, method=method, workers=1).R[:, -1]
        return end

    truth = run(GaussLegendre(), 50)

    def wrong(R: Array) -> float:
        return 2.0 * math.asin(min(1.0, float(np.linalg.norm(R - truth, axis=(1, 2)).max()) / math.sqrt(8.0)))

    for steps in (2, 3, 4, 6):
        yield Entry("GaussLegendre(16)", f"{steps} steps", partial(run, GaussLegendre(), steps), count, error=wrong)
    for steps in (20, 40, 80, 160):
        yield Entry("LGVI(8)", f"{steps} steps", partial(run, LGVI(order=8), steps), count, error=wrong)
    for tolerance in (1e-8, 1e-10, 1e-12):
        method = DOP853(rtol=tolerance, atol=tolerance)
        yield Entry("DOP853", f"{tolerance:g}", partial(run, method, 1), count, error=wrong)
    yield Entry("Exact", "closed form", partial(run, Exact(), 1), count, error=wrong)
    yield Entry("Splitting(2)", "1 step", partial(run, Splitting(order=2), 1), count, error=wrong)
    if "heyoka" in peers:
        for tolerance in (1e-8, 1e-10, 1e-12, 1e-14):
            yield Entry(
                "heyoka, batches of 8", f"{tolerance:g}", heyoka_batches(members, tolerance), count, error=wrong
            )


def heyoka_batches(members: State, tolerance: float) -> Callable[[], Array]:
    """The same members by heyoka's Taylor method, eight at a time."""
    import heyoka

    from ..geometry import quaternion

    names = heyoka.make_vars(*(f"y{i}" for i in range(7)))
    rates = [heyoka.expression(0.0) + rate for rate in turning(names[:4], names[4:], np.diag(BODY.inertia.matrix))]
    omega = np.asarray(members.values["Pi"]) @ BODY.inertia.inverse
    rows = np.hstack([np.tile([0.0, 0.0, 0.0, 1.0], (len(omega), 1)), omega])
    rows = rows[np.minimum(np.arange(-(-len(rows) // BATCH) * BATCH), len(rows) - 1)]
    starts = np.ascontiguousarray(rows.reshape(-1, BATCH, 7).transpose(0, 2, 1))
    system = list(zip(names, rates, strict=True))
    integrator = heyoka.taylor_adaptive_batch(system, starts[0].copy(), tol=tolerance)

    def run() -> Array:
        ends = np.empty_like(starts)
        for start, end in zip(starts, ends, strict=True):
            integrator.set_time(0.0)
            integrator.state[:] = start
            integrator.propagate_until(DURATION)
            end[:] = integrator.state
        q = ends.transpose(0, 2, 1).reshape(-1, 7)[: len(omega), :4]
        return quaternion.to_matrix(q / np.linalg.norm(q, axis=1, keepdims=True))

    return run
