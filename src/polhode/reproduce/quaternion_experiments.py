"""The three experiments of Manchester and Peck (2016), section IX: the runs behind their comparisons and figures.

Values that the paper does not give are chosen as follows: 200 s for figures 1 and 2; the damper rotates with the body at the
start, or is at rest, 150 s; noise of 0.5° and 1° on a sun sensor and a magnetometer, and white angular acceleration of density 1e-10 in the filter.
ODE45 and ODE15s are SciPy's RK45 and BDF at MATLAB's default tolerances, on the right-hand side of the library's system.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..core.representation import Form
from ..core.system import State
from ..estimation import MEKF, FirstOrder, Propagator, Stepped, VectorSensor, triad
from ..geometry.quaternion import rate
from ..geometry.unchecked import normalized, to_matrix, vee2
from ..methods import DOP853, LGVI, RK4, Exact, FullKickVI, Method, Midpoint, QuaternionVI
from ..simulation.driver import simulate
from ..simulation.trajectory import Trajectory
from ..systems import DampedGyrostat, FreeRigidBody
from ..systems.stability.tangent_dynamics import slope_and_derivative
from .quaternion_reference import DAMPER, INERTIA, OMEGA, Rates, baseline, solve

Array = NDArray[np.float64]

DAMPER_STEP, DAMPER_END = 0.3, 150.0
SAMPLES = np.arange(0.0, DAMPER_END + 1.0, 3.0)
TIGHT = DOP853(rtol=1e-11, atol=1e-13)
SENSORS = (VectorSensor([1, 0, 0], np.radians(0.5), "sun"), VectorSensor([0, 1, 0], np.radians(1.0), "magnetometer"))


def quaternion_rates(system: FreeRigidBody | DampedGyrostat) -> Rates:
    """The system's own right-hand side, for rows (q, ω) or (q, ω, ω_D), which the paper's programs use."""
    form, p = system.representations[Form.DEFAULT], system.parameters()
    layout, none = form.layout, np.zeros((form.layout.size, 0))
    J, damper = system.inertia, getattr(system, "damper_inertia", 1.0)

    def slope(t: float, z: Array) -> Array:
        R = to_matrix(normalized(z[:4]))
        y = layout.pack({"R": R, "Pi": J.matrix @ z[4:7], "rho": np.zeros(3), "Pi_D": damper * z[7:]})
        change = layout.unpack(slope_and_derivative(form, y, none, p, t)[0])
        turning = rate(z[:4], 0.5 * vee2(R.T @ change["R"]))
        return np.concatenate([turning, J.inverse @ change["Pi"], change.get("Pi_D", z[7:]) / damper])

    return slope


# --- A: the free body -------------------------------------------------------------------------------------------------


def free_start() -> State:
    """The first state of the free body."""
    return FreeRigidBody(INERTIA).state(q=[0, 0, 0, 1], omega=OMEGA)


@cache
def free_run(method: Method, steps: int = 1000, save_every: int = 1) -> Trajectory:
    """The free body with the paper's step, 0.2 s."""
    start = free_start()
    return simulate(start, step=0.2, steps=steps, save_every=save_every, method=method)


def relative_errors(values: dict[str, Array]) -> tuple[Array, Array]:
    """Relative errors of the spatial momentum and of the energy over time."""
    invariants = FreeRigidBody(INERTIA).invariants(values)
    spatial, energy = invariants["spatial_momentum"], invariants["energy"]
    momentum = np.linalg.norm(spatial - spatial[0], axis=1) / np.linalg.norm(spatial[0])
    return momentum, np.abs(energy / energy[0] - 1.0)


@cache
def free_series() -> dict[str, dict[str, Array]]:
    """Attitudes and momenta of the three integrators of figures 1 and 2, every 0.2 s."""
    run, rates = free_run(QuaternionVI()), quaternion_rates(FreeRigidBody(INERTIA))
    rows = {name: baseline(name, rates) for name in ("midpoint", "RK45")}
    others = {name: {"R": to_matrix(normalized(z[:, :4])), "Pi": z[:, 4:] @ INERTIA} for name, z in rows.items()}
    return {"variational": {"R": run.R, "Pi": run.Pi}} | others


# --- B: the damper ----------------------------------------------------------------------------------------------------


def damped_state(C: float, *, at_rest: bool = False) -> State:
    """The body with the damper, which turns with the body or is at rest."""
    body = DampedGyrostat(INERTIA, damper_inertia=DAMPER, damping=C)
    return body.state(q=[0, 0, 0, 1], omega=OMEGA, omega_D=[0, 0, 0] if at_rest else None)


@cache
def damped_scipy(C: float, solver: str, end: float = DAMPER_END, at_rest: bool = False) -> tuple[Array, Array, int]:
    """A run of one of SciPy's solvers at default tolerances: times, every 3 s, energies, and evaluations."""
    state = damped_state(C, at_rest=at_rest)
    z = np.concatenate([state.q, state.omega, state.omega_D])
    run = solve(quaternion_rates(state.system), z, SAMPLES[: int(end / 3.0) + 1], solver)  # type: ignore[arg-type]
    momenta = {"Pi": run.y[4:7].T @ INERTIA, "Pi_D": DAMPER * run.y[7:].T, "rho": np.zeros(3)}
    values = {"R": to_matrix(run.y[:4].T), **momenta}
    return run.t, state.system.derive("kinetic_energy", values), int(run.nfev)


@cache
def damped_run(C: float, method: Method, at_rest: bool = False) -> Trajectory:
    """Experiment B by a method of this library, with the paper's step of 0.3 s, and samples every 3 s."""
    start = damped_state(C, at_rest=at_rest)
    return simulate(start, step=DAMPER_STEP, t_end=DAMPER_END, save_every=10, method=method)


def energy_deviation(C: float, method: Method) -> float:
    """The largest relative deviation of the energy from that of a tight run."""
    truth = damped_run(C, TIGHT).kinetic_energy
    return float(np.abs(damped_run(C, method).kinetic_energy / truth - 1.0).max())


def implicit_work(C: float) -> float:
    """Newton iterations per second of the motion; each evaluates the residuals and their derivative once."""
    stats = damped_run(C, FullKickVI()).stats
    return stats.mean_iterations * stats.steps / DAMPER_END


def explicit_work(C: float, end: float = 9.0) -> float:
    """Evaluations of RK45 per second of the motion; the motion is uniform, so the first `end` seconds suffice."""
    return damped_scipy(C, "RK45", end)[2] / end


def midpoint_growth(C: float, steps: int) -> float:
    """The energy after so many steps of 0.3 s by the midpoint rule over the first one."""
    run = simulate(damped_state(C), step=DAMPER_STEP, steps=steps, method=Midpoint())
    return float(run.kinetic_energy[-1] / run.kinetic_energy[0])


def energy_change(solver: str | Method, end: float = DAMPER_END) -> float:
    """Energy at the end over that at 3 s, C = 100, the damper initially at rest, by a solver of SciPy at its default
    tolerances or by a method of this library."""
    last = int(np.searchsorted(SAMPLES, end - 1.0))
    if isinstance(solver, Method):
        energy = damped_run(100.0, solver, at_rest=True).kinetic_energy
    else:
        energy = damped_scipy(100.0, solver, at_rest=True)[1]
    return float(energy[last] / energy[1])


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
