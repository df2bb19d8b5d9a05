"""The full body problem as it is timed: a variational step of two bodies to each order of their mutual gravity, and of
many bodies, without output."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter

import numba
import numpy as np

from ..bodies import Ellipsoid, PointMasses
from ..core.system import State
from ..methods import LGVI
from ..systems import FullBodyProblem, FullTwoBodyProblem
from .entries import YARDSTICK, Bar, Effort, Entry
from .jobs import Job

# what one step may cost, in steps of the free body in C: 0.6, 8, 30 and 80 µs where that takes 100 ns
LIMITS = {2: 6.0, 4: 80.0, 6: 300.0, 8: 800.0}
STEPS = {2: 20_000, 4: 4_000, 6: 2_000, 8: 1_000}
STEP = 40.0
MANY = (25, 50, 100, 200)
ONE_THREAD = "LGVI 2, 1 thread, wall clock"


def lump(mass: float, size: list[float], seed: int) -> PointMasses:
    """Thirty points without any symmetry: every multipole counts."""
    rng = np.random.default_rng(seed)
    return PointMasses(mass * rng.dirichlet(np.ones(30)), rng.normal(size=(30, 3)) * size, recentre=True)


def binary(order: int) -> State:
    """A binary asteroid of two irregular bodies, in metres, kilograms and seconds."""
    first, second = lump(4.99e9, [50.0, 40.0, 30.0], 1), lump(5.25e11, [200.0, 190.0, 180.0], 2)
    pair = FullTwoBodyProblem(first, second, gravity=order, G=6.67e-11)
    return pair.state(
        X=[1180.0, 30.0, -20.0], V=[0.004, 0.172, 0.006], Omega1=[1.5e-5, -2e-5, 1.6e-4], Omega2=[2e-5, -1e-5, 7.72e-4]
    )


def cluster(n: int, gravity: int = 2) -> State:
    """So many ellipsoids on a lattice, slowly moving."""
    rng = np.random.default_rng(1)
    problem = FullBodyProblem([Ellipsoid(1.0, [0.1, 0.08, 0.06]) for _ in range(n)], gravity=gravity, G=1e-3)
    side = int(np.ceil(n ** (1 / 3)))
    places = 2.0 * np.stack(np.meshgrid(*[range(side)] * 3), -1).reshape(-1, 3)[:n]
    return problem.state(x=places, v=0.05 * rng.normal(size=(n, 3)), omega=rng.normal(size=(n, 3)))


def pair_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """A step of two bodies to each order of their mutual gravity."""
    for order, limit in LIMITS.items():
        steps = effort.count(STEPS[order])
        job = Job(LGVI(), binary(order), step=STEP, steps=steps)
        yield Entry("LGVI 2", f"gravity to order {order}", job, steps, Bar(YARDSTICK, limit))


def cluster_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """A step of many bodies, per pair."""
    for n in MANY[:1] if effort.quick else MANY:
        steps = max(2, 20_000 // n**2)
        pairs = n * (n - 1) // 2
        yield Entry("LGVI 2", f"{n} bodies, order 2", Job(LGVI(), cluster(n), step=0.02, steps=steps), steps * pairs)
    if effort.quick or numba.config.NUMBA_NUM_THREADS < 2:
        return
    n, steps = MANY[-1], 10
    job, work, setting = (
        Job(LGVI(), cluster(n, 4), step=0.02, steps=steps),
        steps * n * (n - 1) // 2,
        f"{n} bodies, order 4",
    )
    yield Entry(ONE_THREAD, setting, partial(on_the_wall, job, 1), work, own_time=True)
    two = Bar(ONE_THREAD, 1.6, gain=True)
    yield Entry("LGVI 2, 2 threads, wall clock", setting, partial(on_the_wall, job, 2), work, two, own_time=True)


def on_the_wall(job: Job, threads: int) -> float:
    """The seconds that a job takes with so many threads for its pairs."""
    before = numba.get_num_threads()
    numba.set_num_threads(threads)
    try:
        began = perf_counter()
        job()
        return perf_counter() - began
    finally:
        numba.set_num_threads(before)
