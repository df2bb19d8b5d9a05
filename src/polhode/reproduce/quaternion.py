"""Z. R. Manchester, M. A. Peck, "Quaternion variational integrators for spacecraft dynamics" (2016), section IX.

The three experiments: A, a free body; B, a damper with C from 0.1 to 100; C, an attitude filter. The paper gives hardly any
numbers; each claim of its text is expressed here as a bound. Misprints are evaluated as printed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry import so3
from ..geometry.increments.gyrostat import solve_damped_increment_
from ..geometry.increments.rigid import symmetric_entries
from ..methods import Exact, FullKickVI, QuaternionVI
from ..simulation.driver import simulate
from ..systems import FreeRigidBody, Gyrostat
from .base import Comparison, at_least, at_most
from .quaternion_experiments import (
    DAMPER,
    FILTERS,
    INERTIA,
    OMEGA,
    damped_energy,
    energy_change,
    energy_deviation,
    explicit_work,
    filter_error,
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
            rows.append(at_least(figure, f"{what} error in 200 s, {other} / variational", 1e3, ratio))
    return [
        *rows,
        at_most("Fig. 3", "momentum error, 10⁶ steps", 1e-11, million["spatial_momentum"]),
        at_most("Fig. 3", "energy error, 10⁶ steps", 1e-11, million["energy"]),
        at_most(
            "sec. X",
            "attitude error at 20 s, variational / midpoint",
            1.0,
            off["variational"] / off["midpoint"],
            reason,
        ),
        at_most("sec. X", "attitude error at 20 s, variational / RK45", 1.0, off["variational"] / off["RK45"], reason),
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
        at_least("Fig. 6", "energy at 150 s / 3 s, BDF", 1.0, energy_change("BDF")),
        # not true of all stiff solvers: one that is not a multistep method loses energy at the same tolerance
        at_most("our test", "energy at 150 s / 3 s, Radau", 1.0, energy_change("Radau")),
    ]


def _filter() -> list[Comparison]:
    one, many, standard, midpoint, rk4 = FILTERS
    fold = "one step per sample has no solution beyond 7.37 s, and from 2 s on its phase error biases the rate"
    equal = (
        "RK4 with the same substeps and its own tangent is as accurate: the gain comes from substeps and a consistent Φ"
    )
    exact = "it is exact for the discrete map, whose distance from the true motion grows with the step"
    rms = filter_error
    return [
        at_most("Fig. 7", "RMS at 0.1 s, variational / standard", 1.1, rms(one, 0.1) / rms(standard, 0.1)),
        at_least("Fig. 7", "RMS of the standard filter, 5 s / 0.1 s", 10.0, rms(standard, 5.0) / rms(standard, 0.1)),
        at_most("Fig. 7", "RMS (°) at 10 s, one variational step", 0.5, rms(one, 10.0), fold),
        at_most("Fig. 7", "RMS (°) at 10 s, variational substeps", 0.5, rms(many, 10.0)),
        at_most("Fig. 7", "RMS (°) at 20 s, variational substeps", 0.5, rms(many, 20.0)),
        at_most("Fig. 7", "RMS at 10 s, substeps, variational / midpoint", 1.0, rms(many, 10.0) / rms(midpoint, 10.0)),
        at_most("Fig. 7", "RMS at 10 s, substeps, variational / RK4", 1.0, rms(many, 10.0) / rms(rk4, 10.0), equal),
        at_most("(69)", "error of Φ, T = 2 s / T = 0.1 s", 1.0, tangent_error(2.0) / tangent_error(0.1), exact),
    ]


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
    p = INERTIA @ OMEGA
    wrong_start = float(np.linalg.norm(_start_momentum(0.2, -1.0) - p) / np.linalg.norm(p))
    right_start = float(np.linalg.norm(_start_momentum(0.2, 1.0) - p) / np.linalg.norm(p))
    printed, true = _momentum_change(1e-3, 1.0), _momentum_change(1e-3, 2e3)
    return [
        Comparison("(63)", "rate after 1 s, torque 0.3 on inertia 3", -0.1, float(spun.omega[2]), 1e-9, sign),
        at_most("(66), (67)", "energy, 3 s / 0 s, C = 0.1", 1.0, _printed_damper(flipped=True)[0], add),
        at_most("corrected", "energy, 3 s / 0 s, C = 0.1", 1.0, _printed_damper()[0]),
        at_most("VIII, by f", "momentum error in 3 s", 1e-12, _printed_damper(forwards=True)[1], back),
        at_most("corrected", "momentum error in 3 s", 1e-12, _printed_damper()[1]),
        Comparison("after (31)", "largest rotation about a principal axis (°)", 180.0, _largest_rotation(), 1.0, half),
        Comparison("(36), (37)", "rotation of Π in a small step / true", printed, true, 1e-2, bracket),
        at_most("after (37)", "momentum error when started by (36)", 1e-12, wrong_start, swapped),
        at_most("corrected", "momentum error when started by (37)", 1e-12, right_start),
    ]


def _largest_rotation() -> float:
    """The angle in degrees of a step just below the largest possible one, for a spin about the third axis."""
    body = FreeRigidBody(INERTIA)
    start = body.state(omega=[0.0, 0.0, 1.0])
    run = simulate(start, step=(1.0 - 1e-7) * body.largest_step(start), steps=1)
    return float(np.degrees(so3.distance(run.R[0], run.R[1])))


def _momentum_change(h: float, factor: float) -> float:
    """|p⁻ − p⁺|/(h |Π × ω|) of a step with φ = hω/2 by (36) and (37), with `factor` before the vector product."""
    phi = 0.5 * h * OMEGA
    return float(
        np.linalg.norm(2.0 * factor * np.cross(phi, INERTIA @ phi))
        / np.linalg.norm(h * np.cross(INERTIA @ OMEGA, OMEGA))
    )


def _start_momentum(h: float, sign: float) -> Array:
    """The momentum at the start of an interval whose φ solves `(2/h)(s Iφ + sign φ × Iφ) = Iω`."""
    p, phi = INERTIA @ OMEGA, 0.5 * h * OMEGA
    for _ in range(60):
        M = INERTIA @ phi
        s = np.sqrt(1.0 - phi @ phi)
        phi = phi + np.linalg.solve(INERTIA, 0.5 * h * p - (s * M + sign * np.cross(phi, M)))
    M, s = INERTIA @ phi, np.sqrt(1.0 - phi @ phi)
    return np.asarray(2.0 / h * (s * M + np.cross(phi, M)))


def _printed_damper(*, flipped: bool = False, forwards: bool = False) -> tuple[float, float]:
    """The scheme (66), (67) with the printed sign (`flipped`), or with the damper's momentum rotated `forwards`, for C = 0.1
    and h = 0.03: the energy after 3 s over the first, and the relative error of the spatial momentum."""
    h, C = 0.03, 0.1
    J, R, Pi, d = tuple(symmetric_entries(INERTIA)), np.eye(3), INERTIA @ OMEGA, DAMPER * OMEGA
    first = Pi + d
    for _ in range(100):
        k = -2.0 * C if flipped else 2.0 * C
        c, impulse, *_ = solve_damped_increment_(J, tuple(Pi), h, (0.0, 0.0, 0.0), tuple(d), DAMPER, k)
        F = so3.cayley(np.array([float(x) for x in c]))
        push = np.array([float(x) for x in impulse])
        R, Pi, d = R @ F, F.T @ (Pi + push), (F if forwards else F.T) @ (d - push)
    before, after = (
        damped_energy(np.concatenate([np.linalg.solve(INERTIA, P), D / DAMPER]))
        for P, D in ((INERTIA @ OMEGA, DAMPER * OMEGA), (Pi, d))
    )
    return float(after / before), float(np.linalg.norm(R @ (Pi + d) - first) / np.linalg.norm(first))
