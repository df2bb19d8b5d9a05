"""Z. R. Manchester, M. A. Peck, "Quaternion variational integrators for spacecraft dynamics" (2016), section IX.

The three experiments: A, a free body; B, a damper with C from 0.1 to 100; C, an attitude filter. The paper gives hardly any
numbers; each claim of its text is expressed here as a bound. A misprinted formula is evaluated as published and corrected,
and compared with a run of this library. A claim that does not hold has a bound in the other direction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry import so3
from ..geometry.increments.gyrostat import solve_damped_increment_
from ..geometry.increments.rigid import symmetric_entries
from ..methods import LGVI, Exact, FullKickVI, QuaternionVI
from ..simulation.driver import simulate
from ..simulation.step_limit import largest_step
from ..simulation.trajectory import Trajectory
from ..systems import DampedGyrostat, FreeRigidBody, Gyrostat
from .base import Comparison, at_least, at_most, correct_statement, misprint, not_at_most
from .quaternion_experiments import (
    DAMPER,
    FILTERS,
    INERTIA,
    OMEGA,
    damped_energy,
    energy_change,
    energy_deviation,
    energy_residual,
    explicit_work,
    filter_error,
    filter_start,
    free_errors,
    free_run,
    free_series,
    free_start,
    implicit_work,
    midpoint_steps,
    tangent_error,
)

Array = NDArray[np.float64]


def compare_quaternion() -> list[Comparison]:
    """The claims of the experiments, and the misprints that can be tested numerically."""
    return [*_free_body(), *_damper(), *_filter(), *_misprints()]


def _free_body() -> list[Comparison]:
    series = free_series()
    worst = {name: [max(float(e.max()), 1e-16) for e in free_errors(*run)] for name, run in series.items()}
    million = {k.name: k.relative for k in free_run(QuaternionVI(), 1_000_000, 500).conservation()}
    start = free_start()
    truth = simulate(start, step=20.0, steps=1, method=Exact()).final.R
    off = {name: float(so3.distance(so3.project(R[100]), truth)) for name, (R, _) in series.items()}
    reason = "exact invariants do not imply an exact phase: the map follows the true polhode at a slightly wrong rate"
    rows: list[Comparison] = []
    for figure, what, i in (("Fig. 1", "momentum", 0), ("Fig. 2", "energy", 1)):
        for other in ("midpoint", "RK45"):
            ratio = worst[other][i] / worst["variational"][i]
            rows.append(at_least(figure, f"{what} error in 200 s, {other} / variational", 1e10, ratio))
    what = "attitude error at 20 s, variational / "
    return [
        *rows,
        at_most("Fig. 3", "momentum error, 10⁶ steps", 1e-12, million["spatial_momentum"]),
        at_most("Fig. 3", "energy error, 10⁶ steps", 1e-12, million["energy"]),
        not_at_most("sec. X", f"{what}midpoint", 1.0, 1.5, off["variational"] / off["midpoint"], reason),
        not_at_most("sec. X", f"{what}RK45", 1.0, 5.0, off["variational"] / off["RK45"], reason),
    ]


def _damper() -> list[Comparison]:
    explicit, implicit, full, half = explicit_work(100.0), implicit_work(100.0), FullKickVI(), QuaternionVI()
    return [
        at_least("Fig. 4", "work of RK45, C = 100 / C = 0.1", 50.0, explicit / explicit_work(0.1)),
        at_most("Fig. 4", "work of full kick, C = 100 / C = 0.1", 1.5, implicit / implicit_work(0.1)),
        at_least("Fig. 5", "work at C = 100, RK45 / full kick", 50.0, explicit / implicit),
        at_most("Fig. 5", "energy error, C = 100, full kick", 1e-3, energy_deviation(100.0, full)),
        at_most("Fig. 5", "energy error, C = 1, full kick", 0.02, energy_deviation(1.0, full)),
        at_most("Fig. 5", "energy error, C = 1, symmetric", 0.01, energy_deviation(1.0, half)),
        at_most("Fig. 5", "energy error, C = 10, symmetric", 0.01, energy_deviation(10.0, half)),
        at_most("IX B", "steps until midpoint diverges, C = 10", 10.0, midpoint_steps(10.0)),
        at_least("IX B", "steps until midpoint diverges, C = 1", 500.0, midpoint_steps(1.0)),
        correct_statement("(54), (64)", "energy at 150 s, C = 1, DOP853 − the equations in SciPy", energy_residual(1.0), 1e-9),
        at_least("Fig. 6", "energy at 150 s / 3 s, BDF", 1.0, energy_change("BDF")),
        # not true of all stiff solvers: one that is not a multistep method loses energy at the same tolerance
        at_most("Fig. 6", "energy at 150 s / 3 s, Radau", 1.0, energy_change("Radau")),
        correct_statement("Fig. 6", "energy at 150 s / 3 s, ours less that of a tight run", energy_change(FullKickVI()) - energy_change("tight"), 1e-4),
    ]  # fmt: skip


def _filter() -> list[Comparison]:
    one, many, standard, midpoint, rk4 = FILTERS
    fold = "the filter is called insensitive to the interval; one step per sample has no solution beyond 7.37 s"
    equal = (
        "RK4 with the same substeps and its own tangent is as accurate: the gain comes from substeps and a consistent Φ"
    )
    exact = "it is exact for the discrete map, whose distance from the true motion grows as the cube of the step"
    rms = filter_error
    growth = tangent_error(0.1) / tangent_error(0.05)
    return [
        at_most("Fig. 7", "RMS at 0.1 s, variational / standard", 1.1, rms(one, 0.1) / rms(standard, 0.1)),
        at_least("Fig. 7", "RMS of the standard filter, 5 s / 0.1 s", 10.0, rms(standard, 5.0) / rms(standard, 0.1)),
        misprint("Fig. 7", "largest sample interval (s), one variational step", 20.0, 7.37, largest_step(filter_start(), LGVI()), fold, 5e-3),
        at_most("Fig. 7", "RMS (°) at 10 s, variational substeps", 0.5, rms(many, 10.0)),
        at_most("Fig. 7", "RMS (°) at 20 s, variational substeps", 0.5, rms(many, 20.0)),
        at_most("Fig. 7", "RMS at 10 s, substeps, variational / midpoint", 1.0, rms(many, 10.0) / rms(midpoint, 10.0)),
        not_at_most("Fig. 7", "RMS at 10 s, substeps, variational / RK4", 1.0, 1.0, rms(many, 10.0) / rms(rk4, 10.0), equal),
        misprint("(69)", "error of Φ, T = 0.1 s / T = 0.05 s", 1.0, 8.0, growth, exact, 0.1),
    ]  # fmt: skip


def _misprints() -> list[Comparison]:
    body = Gyrostat(INERTIA, torque=[0.0, 0.0, 0.3])
    spun = simulate(body.state(), step=0.1, t_end=1.0, method=QuaternionVI()).final
    sign = "the torque belongs on the other side: with this sign the body rotates the wrong way"
    add = "both signs are wrong: the damper drives the body. The momentum is still conserved and does not show it"
    back = "the damper's momentum must be rotated by the conjugate of f"
    half = "the equation has a solution only up to a fold: 90° about a principal axis, at h|ω| = 1"
    bracket = (
        "2/h multiplies both terms, 2/h (s Iφ ± φ × Iφ): as printed, the momentum would hardly rotate in the body frame"
    )
    swapped = "(37) is the momentum at the start of an interval, (36) that at its end"
    damped = _damped_run()
    momentum = damped.R[-1] @ (damped.Pi[-1] + DAMPER * damped.omega_D[-1])
    energy = damped.kinetic_energy[-1] / damped.kinetic_energy[0]
    h = 0.2
    step = simulate(free_start(), step=h, steps=1, method=QuaternionVI())
    phi = step.q[1][:3]  # the increment: the first attitude is the identity
    product = np.cross(phi, INERTIA @ phi)
    fraction = 1.0 - 1e-7
    return [
        misprint("(63)", "rate after 1 s, torque 0.3 on inertia 3", -0.1, 0.1, spun.omega[2], sign),
        misprint("(66), (67)", "energy, 3 s / 0 s, C = 0.1", _damper_scheme(flipped=True)[0], _damper_scheme()[0], energy, add),
        misprint("VIII, by f", "spatial momentum after 3 s", _damper_scheme(forwards=True)[1], (INERTIA + DAMPER * np.eye(3)) @ OMEGA, momentum, back),
        misprint("after (31)", "rotation (°) about a principal axis in (1 − 10⁻⁷) of the largest step", 180.0,
            np.degrees(np.arcsin(fraction)), _largest_rotation(fraction), half, 1e-4),
        misprint("(36), (37)", "change of Π in a step", -2.0 * product, -4.0 / h * product, step.Pi[1] - step.Pi[0], bracket),
        misprint("after (37)", "φ of the first step", _first_increment(h, -1.0), _first_increment(h, 1.0), phi, swapped),
    ]  # fmt: skip


def _largest_rotation(fraction: float) -> float:
    """The angle in degrees of a step of this fraction of the largest possible one, for a spin about the third axis."""
    body = FreeRigidBody(INERTIA)
    start = body.state(omega=[0.0, 0.0, 1.0])
    run = simulate(start, step=fraction * body.largest_step(start), steps=1)
    return float(np.degrees(so3.distance(run.R[0], run.R[1])))


def _first_increment(h: float, sign: float) -> Array:
    """The φ that solves `(2/h)(s Iφ + sign φ × Iφ) = Iω`."""
    p, phi = INERTIA @ OMEGA, 0.5 * h * OMEGA
    for _ in range(60):
        M = INERTIA @ phi
        s = np.sqrt(1.0 - phi @ phi)
        phi = phi + np.linalg.solve(INERTIA, 0.5 * h * p - (s * M + sign * np.cross(phi, M)))
    return np.asarray(phi, np.float64)


DAMPER_TEST = 0.1, 0.03, 100  # C, h and the number of steps in tests of the formulas


def _damped_run() -> Trajectory:
    """The library's run for tests of the formulas of the damper."""
    C, h, steps = DAMPER_TEST
    body = DampedGyrostat(INERTIA, damper_inertia=DAMPER, damping=C)
    return simulate(body.state(omega=OMEGA, omega_D=OMEGA), step=h, steps=steps, method=FullKickVI())


def _damper_scheme(*, flipped: bool = False, forwards: bool = False) -> tuple[float, Array]:
    """The scheme (66), (67) with the published sign (`flipped`), or with the damper's momentum rotated `forwards`: the
    energy at the end over the first, and the spatial momentum at the end."""
    C, h, steps = DAMPER_TEST
    J, R, Pi, d = tuple(symmetric_entries(INERTIA)), np.eye(3), INERTIA @ OMEGA, DAMPER * OMEGA
    for _ in range(steps):
        k = -2.0 * C if flipped else 2.0 * C
        c, impulse, *_ = solve_damped_increment_(J, tuple(Pi), h, (0.0, 0.0, 0.0), tuple(d), DAMPER, k)
        F = so3.cayley(np.array([float(x) for x in c]))
        push = np.array([float(x) for x in impulse])
        R, Pi, d = R @ F, F.T @ (Pi + push), (F if forwards else F.T) @ (d - push)
    before, after = (
        damped_energy(np.concatenate([np.linalg.solve(INERTIA, P), D / DAMPER]))
        for P, D in ((INERTIA @ OMEGA, DAMPER * OMEGA), (Pi, d))
    )
    return float(after / before), np.asarray(R @ (Pi + d), np.float64)
