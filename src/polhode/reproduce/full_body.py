"""Section 5 of T. Lee, M. Leok, N. H. McClamroch, "Lie group variational integrators for the full body problem" (2007).

Two dumbbells pass each other; the scenario `two_dumbbells` is this run. The step is not given: h = 0.0002 reproduces the
published energy error in four of its five digits (the inertias are given in two to four digits). Equations with misprints
are evaluated for the dumbbells in a generic state; ours is the result of a step of `FullBodyProblem`, which uses other
variables. The errors of the Runge–Kutta method cannot be reproduced, since its settings are not given; what is compared is
that it leaves the rotations.
"""

from __future__ import annotations

from functools import cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..core.system import State
from ..geometry import so3
from ..io.scenario.build import build_plan
from ..io.scenario.document import load_scenario
from ..io.scenario.examples import find_example
from ..methods import DOP853, RK4
from ..simulation.driver import simulate
from ..simulation.trajectory import Trajectory
from ..systems import FullTwoBodyProblem
from . import full_body_reference as reference
from .base import Comparison, at_least, at_most, correct_statement, misprint, published_value

Array = NDArray[np.float64]

RUNGE_KUTTA_STEP = 0.032  # with which errors of RK4 have about the published size
STEP = 0.0002
LONG_STEP = 0.1  # nine tenths of a radian of the faster body
TEST_STEP = 0.01  # of formulas
TIGHT = DOP853(rtol=1e-13, atol=1e-15)


@cache
def dumbbells() -> State:
    """The initial state of section 5."""
    return build_plan(load_scenario(find_example("two_dumbbells"))).state


@cache
def published_run() -> Trajectory:
    """The paper's run, with every step."""
    return simulate(dumbbells(), step=STEP, t_end=20.0)


def orthogonality_error(R: Array) -> float:
    """The largest ‖1 − RᵀR‖ over time."""
    return float(np.linalg.norm(np.eye(3) - np.swapaxes(R, -1, -2) @ R, axis=(-2, -1)).max())


def compare_full_body() -> list[Comparison]:
    """The numbers of section 5, and the misprints that can be tested numerically."""
    return _variational() + _runge_kutta() + _misprints()


def _variational() -> list[Comparison]:
    traj = published_run()
    distance = np.linalg.norm(traj.X, axis=1)
    closest = float(traj.t[distance.argmin()])
    first = simulate(dumbbells(), step=LONG_STEP, steps=1).stats.max_iterations
    few, iterations = (reference.newton_iterations(reference.MOMENTS[0], dumbbells().Pi, h) for h in (STEP, LONG_STEP))
    worst, momentum = traj.drift(), float(np.abs(traj.invariants()["linear_momentum"]).max())
    return [
        published_value("5.2", "max |E − E₀|", "2.6966e-7", worst["energy"], digits=4),
        at_most("5.2", "max ‖1 − RᵀR‖", 2.8657e-13, orthogonality_error(traj.R)),
        published_value("5.2, Fig. 4", "time of the closest approach", "9", closest),
        correct_statement(
            "5.2, Fig. 4", "the same less that of the equations in SciPy", closest - reference.closest_approach(), STEP
        ),
        correct_statement("4.1", "change of the total angular momentum", worst["angular_momentum"]),
        correct_statement("4.1", "total linear momentum", momentum),
        at_most("4.3", "Newton iterations in a step of 0.0002", 4.0, traj.stats.max_iterations, few),
        at_most("4.3", "Newton iterations in a step of 0.1", 4.0, first, iterations),
    ]


def _runge_kutta() -> list[Comparison]:
    """Fig. 6: max ‖1 − RᵀR‖ is 2.2435e-2 by Runge–Kutta against 2.8657e-13; here both with the same step."""
    explicit, ours = (simulate(dumbbells(), step=RUNGE_KUTTA_STEP, t_end=20.0, method=m) for m in (RK4(), None))
    ratio, error = 2.2435e-2 / 2.8657e-13, orthogonality_error(ours.R)
    same = reference.runge_kutta_orthogonality(RUNGE_KUTTA_STEP, explicit.stats.steps)
    return [
        at_most("5.2, Fig. 6", "max ‖1 − RᵀR‖, h = 0.032", 2.8657e-13, error),
        at_least(
            "5.2, Fig. 6",
            "max ‖1 − RᵀR‖, RK4: 7.8·10¹⁰ times that",
            ratio * error,
            orthogonality_error(explicit.R),
            same,
            1e-8,
        ),
    ]


def _generic_state() -> State:
    """The dumbbells with random attitudes and velocities."""
    rng = np.random.default_rng(5)
    pair = dumbbells().system
    vectors = {name: rng.uniform(-0.5, 0.5, 3) for name in ("V", "Omega1", "Omega2", "x2", "v2")}
    return pair.state(X=[0.9, -0.4, 0.5], R=so3.exp([0.4, -0.9, 0.6]), R2=so3.exp([-0.7, 0.2, 1.1]), **vectors)


def _misprints() -> list[Comparison]:
    """Each formula as published, corrected, and the result of the same step in inertial variables."""
    state, h = _generic_state(), TEST_STEP
    pair = cast(FullTwoBodyProblem, state.system)
    start = pair.to_inertial(state)
    first, second = (simulate(start, step=h, steps=n).final for n in (1, 2))
    after = pair.from_inertial(first)
    (force, _, moment), (force1, _, moment1) = (reference.forces(s.X, s.R) for s in (state, after))
    F, F1 = -force, -force1  # on body 2
    rotation = after.R2.T @ state.R2  # F₂ᵀ

    def position(mass: float) -> Array:
        """x₁ after two steps, by (77)."""
        return 2.0 * first.x[0] - start.x[0] - h**2 / mass * after.R2 @ F1

    def momentum(before: Array) -> Array:
        """Π₂ after a step by (119), started from the momentum `before`."""
        return rotation @ (before + 0.5 * h * moment) + 0.5 * h * moment1

    def origin(attitude: Array) -> Array:
        """x₂ after a step by (123), with this attitude before ∂U/∂X."""
        return state.x2 + h * state.v2 + h**2 / (2.0 * pair.m2) * attitude @ F

    def acceleration(velocity: Array) -> Array:
        """dV₂/dt by the equation before (54), with this velocity in the vector product."""
        return F / pair.m2 - np.cross(state.Omega2, velocity)

    V2 = state.R2.T @ state.v2
    return [
        misprint("(77)", "x₁ after two steps", position(1.0), position(pair.m1), second.x[0], "the mass is missing"),
        misprint(
            "3.2.2", "γ₂", pair.reduced_mass * after.v2, pair.m2 * after.v2, first.gamma[1], "γ₂ = m₂v₂, not m v₂"
        ),
        misprint(
            "(54)",
            "dV₂/dt",
            acceleration(state.V),
            acceleration(V2),
            _rate_of_V2(state),
            "the equation needs Ω₂ × V₂, not Ω₂ × V",
            1e-9,  # of differences of order 4
        ),
        misprint(
            "(119)",
            "Π₂ after a step",
            momentum(state.Pi),
            momentum(state.Pi2),
            after.Pi2,
            "the step starts from Π₂, not Π",
        ),
        misprint(
            "(123)",
            "x₂ after a step",
            origin(state.R),
            origin(state.R2),
            first.x[1],
            "the force is rotated by R₂, not by R; the same in (115) and (124)",
        ),
    ]


def _rate_of_V2(state: State) -> Array:
    """dV₂/dt of the motion, V₂ = R₂ᵀv₂, by differences of order 4."""
    d = 2e-3
    finals = {k: simulate(state, step=k * d, steps=1, method=TIGHT).final for k in (-2, -1, 1, 2)}
    V2 = {k: final.R2.T @ final.v2 for k, final in finals.items()}
    return np.asarray((8.0 * (V2[1] - V2[-1]) - (V2[2] - V2[-2])) / (12.0 * d), np.float64)
