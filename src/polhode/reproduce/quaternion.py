"""Z. R. Manchester, M. A. Peck, "Quaternion variational integrators for spacecraft dynamics" (2016), section IX.

The three experiments: A, a free body; B, a damper with C from 0.1 to 100; C, an attitude filter. The paper gives hardly any
numbers: a claim of its text is a bound, and the number is compared besides with the one that the paper's equations give
without this library (`quaternion_expected`). Of a claim that does not hold, and of a misprinted formula, that is the
corrected value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry import so3
from ..methods import LGVI, Exact, FullKickVI, QuaternionVI
from ..simulation.driver import simulate
from ..simulation.step_limit import largest_step
from ..simulation.trajectory import Trajectory
from ..systems import DampedGyrostat, FreeRigidBody, Gyrostat
from . import quaternion_expected as expected
from . import quaternion_experiments as found
from .base import Comparison, at_least, at_most, correct_statement, misprint
from .quaternion_reference import (
    DAMPER,
    INERTIA,
    OMEGA,
    damped_step,
    energy,
    first_increment,
    spatial_momentum,
    start,
    steps,
)

Array = NDArray[np.float64]

RUN = 1e-8  # what rounding makes of a run, relative to its result
DECISIONS = 1e-6  # what BDF, which chooses its order, makes of rounding in 30 s
TRUTH = 1e-6  # the accuracy of a deviation from a tight run
WORK = 5e-3  # of a count of evaluations: some steps more or less, which rounding may decide
OTHER_VARIABLES = 0.01  # Newton's method in other variables now and then takes one iteration more or less


def compare_quaternion() -> list[Comparison]:
    """The claims of the experiments, and the misprints that can be tested numerically."""
    return [*_free_body(), *_work(), *_energies(), *_stiff_solvers(), *_filter(), *_misprints()]


def _free_body() -> list[Comparison]:
    series = found.free_series()
    worst = {name: [float(e.max()) for e in found.relative_errors(values)] for name, values in series.items()}
    million = {k.name: k.relative for k in found.free_run(QuaternionVI(), 1_000_000, 500).conservation()}
    truth = simulate(found.free_start(), step=20.0, steps=1, method=Exact()).final.R
    off = {name: float(so3.distance(so3.project(values["R"][100]), truth)) for name, values in series.items()}
    right = {name: expected.attitude_error(name) for name in series}
    reason = "exact invariants do not imply an exact phase: the map follows the true polhode at a slightly wrong rate"
    rows: list[Comparison] = []
    for figure, what, i in (("Fig. 1", "momentum", 0), ("Fig. 2", "energy", 1)):
        rows.append(at_most(figure, f"{what} error in 200 s, variational", 1e-12, worst["variational"][i]))
        for other in ("midpoint", "RK45"):
            same = expected.worst_errors(other)[i]
            rows.append(
                at_least(figure, f"{what} error in 200 s, {other}: 10¹⁰ times that", 1e-2, worst[other][i], same, RUN)
            )
    return [
        *rows,
        at_most("Fig. 3", "momentum error, 10⁶ steps", 1e-12, million["spatial_momentum"]),
        at_most("Fig. 3", "energy error, 10⁶ steps", 1e-12, million["energy"]),
        *(
            misprint("sec. X", f"attitude error at 20 s, variational / {other}, called less than 1", 1.0,
                right["variational"] / right[other], off["variational"] / off[other], reason, RUN)
            for other in ("midpoint", "RK45")
        ),
    ]  # fmt: skip


def _work() -> list[Comparison]:
    """Figures 4 and 5: what the solvers cost, in evaluations and iterations."""
    explicit, implicit = ({C: work(C) for C in (0.1, 100.0)} for work in (found.explicit_work, found.implicit_work))
    evaluations, iterations = (
        {C: work(C) for C in (0.1, 100.0)} for work in (expected.explicit_work, expected.implicit_work)
    )
    return [
        at_least("Fig. 4", "work of RK45, C = 100 / C = 0.1", 50.0, explicit[100.0] / explicit[0.1],
            evaluations[100.0] / evaluations[0.1], WORK),
        at_most("Fig. 4", "work of full kick, C = 100 / C = 0.1", 1.5, implicit[100.0] / implicit[0.1],
            iterations[100.0] / iterations[0.1], OTHER_VARIABLES),
        at_least("Fig. 5", "work at C = 100, RK45 / full kick", 50.0, explicit[100.0] / implicit[100.0],
            evaluations[100.0] / iterations[100.0], OTHER_VARIABLES),
    ]  # fmt: skip


def _energies() -> list[Comparison]:
    """Figure 5 and its text: how the damper takes energy."""
    full, half = FullKickVI(), QuaternionVI()
    deviations = [
        at_most("Fig. 5", f"energy error, C = {C:g}, {name}", bound, found.energy_deviation(C, method),
            expected.energy_deviation(C, share), TRUTH)
        for C, name, method, share, bound in (
            (100.0, "full kick", full, expected.FULL, 1e-3),
            (1.0, "full kick", full, expected.FULL, 0.02),
            (1.0, "symmetric", half, expected.HALF, 0.01),
            (10.0, "symmetric", half, expected.HALF, 0.01),
        )
    ]  # fmt: skip
    tight = {C: found.damped_run(C, found.TIGHT).kinetic_energy for C in (1.0, 10.0, 100.0)}
    return [
        *deviations,
        at_least("IX B", "energy after 2 midpoint steps over the first, C = 10", 1e3, found.midpoint_growth(10.0, 2),
            expected.midpoint_growth(10.0, 2), RUN),
        at_most("IX B", "energy after 500 midpoint steps over the first, C = 1", 1.0, found.midpoint_growth(1.0, 500),
            expected.midpoint_growth(1.0, 500), RUN),
        *(
            correct_statement("(54), (64)", f"energy in 150 s, C = {C:g}, DOP853 − the equations in SciPy",
                np.abs(energies - expected.damped_solution(C, tight=True)[0]).max(), 1e-8)
            for C, energies in tight.items()
        ),
    ]  # fmt: skip


def _stiff_solvers() -> list[Comparison]:
    """Figure 6: the energy by stiff solvers, the damper at rest first."""
    bdf, radau, kick = found.energy_change("BDF", 30.0), found.energy_change("Radau"), found.energy_change(FullKickVI())
    return [
        # at 30 s: later on, rounding decides on the orders and steps of BDF
        at_least("Fig. 6", "energy at 30 s / 3 s, BDF", 1.0, bdf, expected.energy_change("BDF", 10), DECISIONS),
        # not true of all stiff solvers: one that is not a multistep method loses energy at the same tolerance
        at_most("Fig. 6", "energy at 150 s / 3 s, Radau", 1.0, radau, expected.energy_change("Radau"), RUN),
        at_most("Fig. 6", "energy at 150 s / 3 s, full kick", 1.0, kick, expected.energy_change("full kick"), RUN),
    ]


def _filter() -> list[Comparison]:
    one, many, standard, midpoint, rk4 = found.FILTERS
    fold = "the filter is called insensitive to the interval; one step per sample has no solution beyond 7.3655 s"
    equal = (
        "RK4 with the same substeps and its own tangent is as accurate: the gain comes from substeps and a consistent Φ"
    )
    exact = "it is exact for the discrete map, whose distance from the true motion grows as the cube of the step"

    def errors(name: str, interval: float) -> Array:
        """The RMS error of a run, and the same without the library."""
        return np.array([found.filter_error(name, interval, 1), expected.filter_error(name, interval)])

    level, worse = errors(one, 0.1) / errors(standard, 0.1), errors(standard, 5.0) / errors(standard, 0.1)
    better, equals = (errors(many, 10.0) / errors(other, 10.0) for other in (midpoint, rk4))
    ten, twenty = errors(many, 10.0), errors(many, 20.0)
    growth, growing = (source.tangent_error(0.1) / source.tangent_error(0.05) for source in (found, expected))
    return [
        at_most("Fig. 7", "RMS at 0.1 s, variational / standard", 1.1, level[0], level[1], RUN),
        at_least("Fig. 7", "RMS of the standard filter, 5 s / 0.1 s", 10.0, worse[0], worse[1], RUN),
        misprint("Fig. 7", "largest sample interval (s), one variational step", 20.0, 7.3655, largest_step(found.filter_start(), LGVI()), fold, 5e-5),
        at_most("Fig. 7", "RMS (°) at 10 s, variational substeps", 0.5, ten[0], ten[1], RUN),
        at_most("Fig. 7", "RMS (°) at 20 s, variational substeps", 0.5, twenty[0], twenty[1], RUN),
        at_most("Fig. 7", "RMS at 10 s, substeps, variational / midpoint", 1.0, better[0], better[1], RUN),
        misprint("Fig. 7", "RMS at 10 s, substeps, variational / RK4, called less than 1", 1.0, equals[1], equals[0], equal, RUN),
        misprint("(69)", "error of Φ, T = 0.1 s / T = 0.05 s", 1.0, growing, growth, exact, 1e-4),
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
    momentum = damped.R[-1] @ (damped.Pi[-1] + damped.Pi_D[-1])
    kinetic = damped.kinetic_energy[-1] / damped.kinetic_energy[0]
    h = 0.2
    step = simulate(found.free_start(), step=h, steps=1, method=QuaternionVI())
    published, corrected = (first_increment(h, INERTIA @ OMEGA, sign) for sign in (-1.0, 1.0))
    product = np.cross(corrected, INERTIA @ corrected)
    fraction = 1.0 - 1e-7
    scheme, flipped, forwards = _damper_scheme(), _damper_scheme(sign=-1.0), _damper_scheme(forwards=True)
    return [
        misprint("(63)", "rate after 1 s, torque 0.3 on inertia 3", -0.1, 0.1, spun.omega[2], sign),
        correct_statement("(49)", "2 (s M ± φ × M)/h − Π of a step with a rotor", _rotor_residual()),
        misprint("(66), (67)", "energy, 3 s / 0 s, C = 0.1", flipped[0], scheme[0], kinetic, add),
        misprint("VIII, by f", "spatial momentum after 3 s", forwards[1], scheme[1], momentum, back),
        misprint("after (31)", "rotation (°) about a principal axis in (1 − 10⁻⁷) of the largest step", 180.0,
            np.degrees(np.arcsin(fraction)), _largest_rotation(fraction), half, 1e-4),
        misprint("(36), (37)", "change of Π in a step", -2.0 * product, -4.0 / h * product, step.Pi[1] - step.Pi[0], bracket),
        # the first attitude is the identity, so that the second one is the increment
        misprint("after (37)", "φ of the first step", published, corrected, step.q[1][:3], swapped),
    ]  # fmt: skip


def _rotor_residual() -> float:
    """What a step with a rotor leaves of (48), (49): `h Π = 2 (s M ± φ × M)` at its start and end, `M = Iφ + (h/2) ρ`."""
    h, rho = 0.2, np.array([0.3, -0.2, 0.5])
    step = simulate(Gyrostat(INERTIA, rho=rho).state(omega=OMEGA), step=h, steps=1, method=QuaternionVI())
    phi, s = step.q[1][:3], step.q[1][3]
    M = INERTIA @ phi + 0.5 * h * rho
    return max(
        float(np.abs(2.0 / h * (s * M + sign * np.cross(phi, M)) - Pi).max())
        for sign, Pi in zip((1.0, -1.0), step.Pi, strict=True)
    )


def _largest_rotation(fraction: float) -> float:
    """The angle in degrees of a step of this fraction of the largest possible one, for a spin about the third axis."""
    body = FreeRigidBody(INERTIA)
    start = body.state(omega=[0.0, 0.0, 1.0])
    run = simulate(start, step=fraction * body.largest_step(start), steps=1)
    return float(np.degrees(so3.distance(run.R[0], run.R[1])))


DAMPER_TEST = 0.1, 0.03, 100  # C, h and the number of steps in tests of the formulas


def _damped_run() -> Trajectory:
    """The library's run for tests of the formulas of the damper."""
    C, h, count = DAMPER_TEST
    body = DampedGyrostat(INERTIA, damper_inertia=DAMPER, damping=C)
    return simulate(body.state(omega=OMEGA, omega_D=OMEGA), step=h, steps=count, method=FullKickVI())


def _damper_scheme(*, sign: float = 1.0, forwards: bool = False) -> tuple[float, Array]:
    """The scheme (66), (67), with the published sign of the damping or the damper's momentum rotated `forwards`: the energy at
    the end over the first, and the spatial momentum at the end."""
    C, h, count = DAMPER_TEST
    rows = steps(damped_step(C, expected.FULL, sign=sign, forwards=forwards), start(OMEGA), h, count)
    return float(energy(rows[-1]) / energy(rows[0])), spatial_momentum(rows[-1])
