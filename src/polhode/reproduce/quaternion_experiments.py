"""The three experiments of Manchester and Peck (2016), section IX: the runs behind their comparisons and figures.

Values that the paper does not give are chosen as follows: 200 s for figures 1 and 2; the damper rotates with the body at the
start, or is at rest, 150 s; noise of 0.5° and 1° on a sun sensor and a magnetometer, and white angular acceleration of density 1e-10 in the filter.
ODE45 and ODE15s are SciPy's RK45 and BDF at MATLAB's default tolerances.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.system import State
from ..errors import ConvergenceError
from ..estimation import MEKF, FirstOrder, Propagator, Stepped, VectorSensor, triad
from ..geometry.quaternion import rate
from ..geometry.unchecked import to_matrix
from ..methods import DOP853, LGVI, RK4, Exact, FullKickVI, Method, Midpoint, QuaternionVI
from ..simulation.driver import simulate
from ..simulation.trajectory import Trajectory
from ..systems import DampedGyrostat, FreeRigidBody

Array = NDArray[np.float64]

INERTIA = np.diag([1.0, 2.0, 3.0])  # (68)
OMEGA = np.array([np.pi / 4, -np.pi / 5, np.pi / 6])
DAMPER, DAMPER_STEP, DAMPER_END = 0.2, 0.3, 150.0
DEFAULT_TOLERANCES = {"rtol": 1e-3, "atol": 1e-6}
SENSORS = (VectorSensor([1, 0, 0], np.radians(0.5), "sun"), VectorSensor([0, 1, 0], np.radians(1.0), "magnetometer"))


# --- A: the free body -------------------------------------------------------------------------------------------------


def free_start() -> State:
    """The first state of the free body."""
    return FreeRigidBody(INERTIA).state(q=[0, 0, 0, 1], omega=OMEGA)


@cache
def free_run(method: Method, steps: int = 1000, save_every: int = 1) -> Trajectory:
    """The free body with the paper's step, 0.2 s."""
    start = free_start()
    return simulate(start, step=0.2, steps=steps, save_every=save_every, method=method)


def free_slope(t: float, y: Array) -> Array:
    """Euler's equations and the quaternion's, in (q, ω)."""
    J = np.diagonal(INERTIA)
    return np.concatenate([rate(y[:4], y[4:]), -np.cross(y[4:], J * y[4:]) / J])


@cache
def free_baseline(name: str) -> Array:
    """Rows (q, ω) every 0.2 s for 200 s, by the midpoint rule with this step, or by RK45 at default tolerances."""
    from scipy.integrate import solve_ivp

    y = np.array([0.0, 0.0, 0.0, 1.0, *OMEGA])
    if name == "RK45":
        return solve_ivp(free_slope, (0.0, 200.0), y, t_eval=0.2 * np.arange(1001), **DEFAULT_TOLERANCES).y.T
    rows = [y]
    for _ in range(1000):
        y = y + 0.2 * free_slope(0.0, y + 0.1 * free_slope(0.0, y))
        rows.append(y)
    return np.array(rows)


def free_errors(R: Array, omega: Array) -> tuple[Array, Array]:
    """Relative errors of the spatial momentum and of the energy over time."""
    Pi = omega @ INERTIA
    spatial, energy = np.einsum("nij,nj->ni", R, Pi), 0.5 * np.sum(omega * Pi, axis=-1)
    momentum = np.linalg.norm(spatial - spatial[0], axis=1) / np.linalg.norm(spatial[0])
    return momentum, np.abs(energy / energy[0] - 1.0)


def free_series() -> dict[str, tuple[Array, Array]]:
    """Attitudes and rates of the three integrators of figures 1 and 2, every 0.2 s."""
    run = free_run(QuaternionVI())
    others = {name: free_baseline(name) for name in ("midpoint", "RK45")}
    return {"variational": (run.R, run.omega)} | {n: (to_matrix(y[:, :4]), y[:, 4:]) for n, y in others.items()}


# --- B: the damper ----------------------------------------------------------------------------------------------------


def damped_slope(C: float) -> Callable[[float, Array], Array]:
    """The equations of motion in (q, ω, ω_D), as for SciPy ((9), (54), (64) of [MP16])."""
    J1, J2, J3 = np.diagonal(INERTIA)

    def slope(t: float, y: Array) -> Array:
        e1, e2, e3, e4, x, y2, z, u, v, w = y
        a, b, c = C * (u - x), C * (v - y2), C * (w - z)
        return np.array(
            [
                0.5 * (e4 * x + e2 * z - e3 * y2),
                0.5 * (e4 * y2 + e3 * x - e1 * z),
                0.5 * (e4 * z + e1 * y2 - e2 * x),
                -0.5 * (e1 * x + e2 * y2 + e3 * z),
                ((J2 - J3) * y2 * z + a) / J1,
                ((J3 - J1) * z * x + b) / J2,
                ((J1 - J2) * x * y2 + c) / J3,
                v * z - w * y2 - a / DAMPER,
                w * x - u * z - b / DAMPER,
                u * y2 - v * x - c / DAMPER,
            ]
        )

    return slope


def damped_energy(y: Array) -> Array:
    """The energy of rows (…, ω, ω_D)."""
    return 0.5 * (y[..., -6:-3] ** 2 @ np.diagonal(INERTIA) + DAMPER * np.sum(y[..., -3:] ** 2, axis=-1))


@cache
def damped_scipy(C: float, solver: str, end: float = DAMPER_END, at_rest: bool = False, tight: bool = False) -> Any:
    """A run of one of SciPy's solvers, at default tolerances or tight ones, with samples every 3 s."""
    from scipy.integrate import solve_ivp

    tolerances = {"rtol": 1e-9, "atol": 1e-11} if tight else DEFAULT_TOLERANCES
    first = np.concatenate([[0.0, 0.0, 0.0, 1.0], OMEGA, 0.0 * OMEGA if at_rest else OMEGA])
    return solve_ivp(
        damped_slope(C), (0.0, end), first, method=solver, t_eval=np.arange(0.0, end + 1.0, 3.0), **tolerances
    )


@cache
def damped_run(C: float, method: Method, at_rest: bool = False) -> Trajectory:
    """Experiment B by a method of this library, with the paper's step of 0.3 s, and samples every 3 s."""
    body = DampedGyrostat(INERTIA, damper_inertia=DAMPER, damping=C)
    start = body.state(q=[0, 0, 0, 1], omega=OMEGA, omega_D=[0, 0, 0] if at_rest else None)
    return simulate(start, step=DAMPER_STEP, t_end=DAMPER_END, save_every=10, method=method)


def energy_deviation(C: float, method: Method) -> float:
    """The largest relative deviation of the energy from a tight reference."""
    truth = damped_energy(damped_scipy(C, "Radau", tight=True).y.T)
    return float(np.abs(damped_run(C, method).kinetic_energy / truth - 1.0).max())


def implicit_work(C: float) -> float:
    """Newton iterations per second of the motion; each evaluates the residuals and their derivative once."""
    stats = damped_run(C, FullKickVI()).stats
    return stats.mean_iterations * stats.steps / DAMPER_END


def explicit_work(C: float, end: float = 30.0) -> float:
    """Evaluations of RK45 per second of the motion; the motion is uniform, so the first `end` seconds suffice."""
    return float(damped_scipy(C, "RK45", end).nfev) / end


def midpoint_steps(C: float) -> int:
    """The number of steps of 0.3 s after which the midpoint rule reaches 1000 times the energy, at most 500."""
    start = DampedGyrostat(INERTIA, damper_inertia=DAMPER, damping=C).state(omega=OMEGA, omega_D=OMEGA)
    try:
        run = simulate(start, step=DAMPER_STEP, steps=500, method=Midpoint())
    except ConvergenceError as error:  # the state overflows
        if error.trajectory is None:
            raise
        run = error.trajectory
    exceeded = np.flatnonzero(run.kinetic_energy >= 1e3 * run.kinetic_energy[0])
    return int(exceeded[0]) if exceeded.size else run.stats.steps


def energy_change(solver: str | Method) -> float:
    """Energy at the end over that at 3 s, C = 100, the damper initially at rest, by a solver of SciPy at its default
    tolerances or "tight" ones, or by a method of this library."""
    if isinstance(solver, Method):
        energy = damped_run(100.0, solver, at_rest=True).kinetic_energy
    elif solver == "tight":
        energy = damped_energy(damped_scipy(100.0, "Radau", at_rest=True, tight=True).y.T)
    else:
        energy = damped_energy(damped_scipy(100.0, solver, at_rest=True).y.T)
    return float(energy[-1] / energy[1])


def energy_residual(C: float) -> float:
    """The energy at 150 s by a tight run of this library less that of `damped_slope` in SciPy."""
    ours = damped_run(C, DOP853(rtol=1e-11, atol=1e-13)).kinetic_energy[-1]
    return float(ours - damped_energy(damped_scipy(C, "Radau", tight=True).y.T)[-1])


# --- C: the filter ----------------------------------------------------------------------------------------------------

ONE_STEP, SUBSTEPS = np.inf, 1.0
FILTERS: dict[str, Propagator] = {
    "variational, one step per sample": Stepped(LGVI(), ONE_STEP),
    "variational, substeps of 1 s": Stepped(LGVI(), SUBSTEPS),
    "midpoint, one step, 1 + FT": FirstOrder(Midpoint(), ONE_STEP),
    "midpoint, substeps of 1 s, tangent": Stepped(Midpoint(), SUBSTEPS),
    "RK4, substeps of 1 s, tangent": Stepped(RK4(), SUBSTEPS),
}


@cache
def filter_error(name: str, interval: float, seeds: int = 3) -> float:
    """The RMS attitude error in degrees over the second half of some runs; a filter that fails raises its error."""
    errors = [_filter_errors(FILTERS[name], interval, seed) for seed in range(seeds)]
    return float(np.degrees(np.sqrt(np.mean(np.square(errors)))))


def filter_start() -> State:
    """The true state at the start of the filter's experiment."""
    return FreeRigidBody(INERTIA).state(omega=np.radians([4.0, -5.0, 6.0]))


def _filter_errors(propagator: Propagator, interval: float, seed: int) -> Array:
    samples = 200 if interval < 1.0 else 60
    rng = np.random.default_rng(seed)
    start = filter_start()
    truth = simulate(start, step=interval, steps=samples, method=Exact())
    seen = [sensor.measure(truth.R[0], rng) for sensor in SENSORS]
    first = start.system.state(
        R=triad(SENSORS[0].reference, SENSORS[1].reference, *seen),
        omega=start.omega + np.radians(0.5) * rng.normal(size=3),
    )
    kalman = MEKF(first, np.diag(np.radians([1.4] * 3 + [0.5] * 3) ** 2), propagator=propagator)
    errors = []
    for k in range(1, samples + 1):
        kalman.predict(interval)
        for sensor in SENSORS:
            kalman.update(sensor, sensor.measure(truth.R[k], rng))
        errors.append(np.linalg.norm(kalman.error(truth.state(k))[:3]))
    return np.array(errors[samples // 2 :])


def tangent_error(T: float) -> float:
    """The distance of the tangent of one variational step of T from that of the true motion."""
    start = filter_start()
    exact = Stepped(LGVI(order=8), 0.1)(start, T)[1]
    return float(np.linalg.norm(Stepped(LGVI(), ONE_STEP)(start, T)[1] - exact, 2))
