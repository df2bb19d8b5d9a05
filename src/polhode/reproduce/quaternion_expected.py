"""The numbers of section IX of Manchester and Peck (2016) that follow from its equations alone, without the library: what
the library's are compared with where the paper prints none."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from .quaternion_reference import (
    DAMPER,
    MOMENTS,
    OMEGA,
    Array,
    angle_between,
    baseline,
    damped_iterations,
    damped_step,
    energy,
    midpoint_step,
    nearest_rotation,
    quaternion_matrices,
    quaternion_rates,
    rates,
    runge_kutta_step,
    solve,
    start,
    steps,
    true_attitudes,
    variational_step,
)
from .quaternion_reference_filter import RATE, Step, filter_errors, predicted

STEP, DAMPED_STEP = 0.2, 0.3
FULL, HALF = 2.0, 1.0  # of the impulse of the damper: all of it at the start of a step, or half of it
SAMPLES = np.arange(0.0, 151.0, 3.0)
FILTERS: dict[str, tuple[Step, float, bool]] = {  # step, substep, and whether Φ is 1 + FT
    "variational, one step per sample": (variational_step, np.inf, False),
    "variational, substeps of 1 s": (variational_step, 1.0, False),
    "midpoint, one step, 1 + FT": (midpoint_step, np.inf, True),
    "midpoint, substeps of 1 s, tangent": (midpoint_step, 1.0, False),
    "RK4, substeps of 1 s, tangent": (runge_kutta_step, 1.0, False),
}


@cache
def free_rows(name: str) -> tuple[Array, Array]:
    """Attitudes and momenta every 0.2 s for 200 s, by the midpoint rule or by RK45; or for 20 s by variational steps."""
    if name == "variational":
        y = steps(variational_step, start(), STEP, 100)
        return y[:, :9].reshape(-1, 3, 3), y[:, 9:]
    z = baseline(name, quaternion_rates())
    return quaternion_matrices(z[:, :4]), z[:, 4:] * MOMENTS


def worst_errors(name: str) -> tuple[float, float]:
    """The largest relative errors of the spatial momentum and of the energy in 200 s."""
    R, Pi = free_rows(name)
    spatial, kinetic = np.einsum("nij,nj->ni", R, Pi), np.sum(Pi**2 / MOMENTS, axis=1)
    momentum = np.linalg.norm(spatial - spatial[0], axis=1) / np.linalg.norm(spatial[0])
    return float(momentum.max()), float(np.abs(kinetic / kinetic[0] - 1.0).max())


def attitude_error(name: str) -> float:
    """The attitude error at 20 s."""
    return angle_between(nearest_rotation(free_rows(name)[0][100]), true_attitudes(OMEGA, np.array([0.0, 20.0]))[1])


@cache
def damped_rows(C: float, share: float, *, at_rest: bool = False) -> Array:
    """150 s with the damper, with steps of 0.3 s."""
    return steps(damped_step(C, share), start(0.0 * OMEGA if at_rest else OMEGA), DAMPED_STEP, 500)


@cache
def damped_solution(
    C: float, solver: str = "Radau", *, at_rest: bool = False, tight: bool = False
) -> tuple[Array, int]:
    """Energies every 3 s for 150 s by one of SciPy's solvers, for RK45 9 s; and evaluations."""
    z = np.concatenate([[0.0, 0.0, 0.0, 1.0], OMEGA, 0.0 * OMEGA if at_rest else OMEGA])
    tolerances = {"rtol": 1e-9, "atol": 1e-11} if tight else {}
    run = solve(quaternion_rates(C), z, SAMPLES[:4] if solver == "RK45" else SAMPLES, solver, **tolerances)
    return 0.5 * (run.y[4:7].T ** 2 @ MOMENTS + DAMPER * np.sum(run.y[7:] ** 2, axis=0)), int(run.nfev)


def energy_deviation(C: float, share: float) -> float:
    """The largest relative deviation of the energy of a scheme from that of a tight run."""
    truth = damped_solution(C, tight=True)[0]
    return float(np.abs(energy(damped_rows(C, share))[::10] / truth - 1.0).max())


def explicit_work(C: float) -> float:
    """Evaluations of RK45 per second."""
    return damped_solution(C, "RK45")[1] / 9.0


def implicit_work(C: float) -> float:
    """Newton iterations of the full kick per second."""
    return damped_iterations(C, DAMPED_STEP, damped_rows(C, FULL)) / DAMPED_STEP


def midpoint_growth(C: float, count: int) -> float:
    """The energy after so many midpoint steps of 0.3 s over the first one."""
    found = energy(steps(partial(midpoint_step, slope=partial(rates, C=C)), start(OMEGA), DAMPED_STEP, count))
    return float(found[-1] / found[0])


def energy_change(solver: str, last: int = 50) -> float:
    """Energy at 3 s times `last` over that at 3 s, C = 100, the damper at rest first; "full kick" is the scheme."""
    if solver == "full kick":
        found = energy(damped_rows(100.0, FULL, at_rest=True))[::10]
    else:
        found = damped_solution(100.0, solver, at_rest=True)[0]
    return float(found[last] / found[1])


@cache
def filter_error(name: str, interval: float) -> float:
    """The RMS attitude error in degrees over the second half of a run."""
    step, substep, textbook = FILTERS[name]
    errors = filter_errors(step, interval, substep, 0, textbook=textbook)
    return float(np.degrees(np.sqrt(np.mean(errors**2))))


def tangent_error(T: float) -> float:
    """The distance of the tangent of one variational step of T from that of the true motion."""
    found, exact = (
        predicted(step, np.eye(3), RATE, T, substep)[2]
        for step, substep in ((variational_step, np.inf), (runge_kutta_step, 1e-3))
    )
    return float(np.linalg.norm(found - exact, 2))
