"""Costs beside those of the main tables: a potential given as a formula, steps on SO(n), and importing the package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np

from ..core.system import State
from ..geometry import son
from ..methods import LGVI, MoserVeselov
from ..systems import AttitudeBody, FreeRigidBody, Pendulum3D, RigidBodySOn
from .entries import Bar, Effort, Entry
from .jobs import Job

FORMULA = "-9.81*0.3*R33"  # a pendulum whose mass centre is 0.3 down the third axis
STEPS = 50_000
IMPORT = "import time, numba; t = time.process_time(); import polhode; print(time.process_time() - t)"
BLAS = "product and LU decomposition"


def formula_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """A potential given as a formula beside the same written by hand."""
    by_hand = Pendulum3D([1.0, 2.0, 2.5], mass=1.0, rho0=[0.0, 0.0, 0.3])
    formula = AttitudeBody(by_hand.inertia.matrix, potential=FORMULA)
    steps = effort.count(STEPS)
    jobs = [Job(LGVI(), system.state(omega=[0.7, -0.6, 0.5]), step=0.01, steps=steps) for system in (by_hand, formula)]
    yield Entry("force by hand", "", jobs[0], steps)
    yield Entry("potential as a formula", "", jobs[1], steps, Bar("force by hand", 1.5))


def body_in(n: int) -> State:
    """A rotating body in n dimensions."""
    rng = np.random.default_rng(0)
    Omega = son.hat(rng.standard_normal(n * (n - 1) // 2))
    return RigidBodySOn(rng.uniform(1.0, 2.0, n)).state(Omega=Omega / np.linalg.norm(Omega, 2))


def son_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """Steps on SO(n) at hΩ = 0.1: of small matrices in steps of the free body, of large ones in matrix products and LU
    decompositions of that size."""
    steps = effort.count(5000)
    for n in (3, 4):
        free = Job(LGVI(), FreeRigidBody.example(), step=0.1, steps=steps)
        yield Entry("LGVI 2, free body", f"n = {n}", free, steps)
        small = Job(MoserVeselov(), body_in(n), step=0.1, steps=steps)
        yield Entry("MoserVeselov", f"n = {n}", small, steps, Bar("LGVI 2, free body", 30.0))
    for n in (10,) if effort.quick else (10, 20, 50):
        count = max(10, int(1e6 / n**3))
        yield Entry(BLAS, f"n = {n}", products(n, count), count)
        large = Job(MoserVeselov(), body_in(n), step=0.1, steps=count)
        yield Entry("MoserVeselov", f"n = {n}", large, count, Bar(BLAS, 20.0))


def products(n: int, count: int) -> Callable[[], None]:
    """A product and an LU decomposition of n × n matrices, so many times."""
    from scipy.linalg.lapack import dgetrf

    A = np.random.default_rng(1).standard_normal((n, n))
    B, C, F = A.copy(), A.copy(), np.asfortranarray(A)

    def run() -> None:
        for _ in range(count):
            np.matmul(A, B, out=C)
            dgetrf(F)

    return run


def import_seconds() -> float:
    """The processor time of importing the package, after numba, in a process of its own."""
    return float(subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout)


def import_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """What `import polhode` costs."""
    yield Entry("import polhode", "after numba", import_seconds, own_time=True)
