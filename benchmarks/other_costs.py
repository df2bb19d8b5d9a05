"""Costs beside those of the main tables: a potential given as a formula, steps on SO(n), and importing the package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import polhode as ph
from polhode.geometry import son

from .jobs import Job
from .timing import best_times

FORMULA = "-9.81*0.3*R33"  # a pendulum whose mass centre is 0.3 down the third axis
STEPS = 50_000
IMPORT = "import time, numba; t = time.process_time(); import polhode; print(time.process_time() - t)"


@dataclass(frozen=True)
class Cost:
    """What is measured, in which unit, how much it is, and how much it may be."""

    what: str
    unit: str
    found: float
    limit: float


def ratio(work: Callable[[], object], yard: Callable[[], object]) -> float:
    """The time of the one in that of the other."""
    best = best_times({"work": work, "yard": yard}, 20)
    return best["work"] / best["yard"]


def costs() -> Iterator[Cost]:
    """Every one, measured as it is asked for."""
    yield formula_cost()
    for n in (3, 4):
        small = Job(ph.MoserVeselov(), body_in(n), step=0.1, steps=5000)
        free = Job(ph.LGVI(), ph.FreeRigidBody.example(), step=0.1, steps=5000)
        yield Cost(f"a step on SO({n})", "steps of the free body", ratio(small, free), 30.0)
    for n in (10, 20, 50):
        yield Cost(f"a step on SO({n})", "products and LU decompositions", son_cost(n), 20.0)
    seconds = min(
        float(subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    )
    yield Cost("import polhode after numba", "seconds of CPU", seconds, 0.3)


def formula_cost() -> Cost:
    """A potential given as a formula beside the same written by hand."""
    by_hand = ph.Pendulum3D([1.0, 2.0, 2.5], mass=1.0, rho0=[0.0, 0.0, 0.3])
    formula = ph.AttitudeBody(by_hand.inertia.matrix, potential=FORMULA)
    jobs = [
        Job(ph.LGVI(), system.state(omega=[0.7, -0.6, 0.5]), step=0.01, steps=STEPS) for system in (formula, by_hand)
    ]
    return Cost("a potential by its formula", "the same written by hand", ratio(*jobs), 1.5)


def body_in(n: int) -> ph.State:
    """A rotating body in n dimensions."""
    rng = np.random.default_rng(0)
    Omega = son.hat(rng.standard_normal(n * (n - 1) // 2))
    return ph.RigidBodySOn(rng.uniform(1.0, 2.0, n)).state(Omega=Omega / np.linalg.norm(Omega, 2))


def son_cost(n: int) -> float:
    """A step at hΩ = 0.1, in matrix products and LU decompositions of that size."""
    from scipy.linalg.lapack import dgetrf

    A = np.random.default_rng(1).standard_normal((n, n))
    B, C, F = A.copy(), A.copy(), np.asfortranarray(A)
    count = max(10, int(1e6 / n**3))

    def yard() -> None:
        for _ in range(count):
            np.matmul(A, B, out=C)
            dgetrf(F)

    return ratio(Job(ph.MoserVeselov(), body_in(n), step=0.1, steps=count), yard)
