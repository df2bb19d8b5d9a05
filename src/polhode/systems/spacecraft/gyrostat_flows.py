"""The flows of a gyrostat: its discrete and its continuous motion, the torque on it, and how its state is laid out.

The parameters are the inertia I_G and its inverse, the numbers of an external pulse and of a commanded one, and what a
subclass adds. A state is an attitude of nine or four entries, Π, then ρ, or the clock where ρ is a function of time, and
what a subclass puts behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Variable
from ...core.manifolds import Euclidean, Manifold, Rotations, UnitQuaternions
from ...core.representation import Form
from ...geometry.increments.gyrostat import solve_rotor_increment_
from ...geometry.quaternion import to_matrix_
from ...geometry.stable_products import (
    cayley_increment,
    cayley_increment_quaternion,
    compose,
    compose_quaternions,
    turned_back,
)
from ...geometry.vectors import Matrix, Vector, add, apply_symmetric, cross, dot, scale, subtract
from ...scalars import (
    Flow,
    Rate,
    any_of,
    flow,
    get3,
    get4,
    get9,
    kernel,
    par,
    par3,
    par6,
    put,
    put3,
    put4,
    put9,
    rate,
    worst,
)
from ...scalars.protocol import NO_SOLUTION, record
from ..attitude.implicit_rate import put_node_rate
from ..inputs.external_moment import PULSE, ExternalMoment, body_moment, profile
from ..inputs.transient_flow import TransientFlow, TransientRate

Array = NDArray[np.float64]

COMMAND, OWN = 20, 28  # where the numbers of a commanded pulse, and those of a subclass, lie in the parameters
SLOTS = 3  # of ρ̇ behind those of Π̇: workspace where ρ is not kicked
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
MATRIX_ENTRIES, QUATERNION_ENTRIES = 9, 4  # of the attitude; then come Π, and ρ or the clock


@dataclass(frozen=True)
class Given(Manifold):
    """Numbers that a motion carries along but that no disturbance of its state changes: there is no tangent to them."""

    n: int = 3
    dimension = 0

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.n,) if self.n else ()

    def basis(self, x: Array) -> Array:
        return np.zeros((self.size, 0))

    def coordinates(self, x: Array, dx: Array) -> Array:
        return dx[..., :0]

    def retract(self, x: Array, xi: Array) -> Array:
        return x


ATTITUDES = {Form.DEFAULT: Variable("R", Rotations()), Form.QUATERNION: Variable("q", UnitQuaternions())}
PI = Variable("Pi", Euclidean(3), kicked=True)
CONSTANT, COMMANDED = Variable("rho", Given(3)), Variable("rho", Euclidean(3), kicked=True)
CLOCK = Variable("clock", Given(0))


@kernel
def attitude(S: Any, y: Any, at: int) -> Matrix:
    """R, from the nine or four entries that are kept of it."""
    if at == MATRIX_ENTRIES:
        return get9(y, 0, S)
    return to_matrix_(get4(y, 0, S))


@kernel
def turn(S: Any, y: Any, at: int, c: Vector) -> None:
    """R ↦ R F, F with the Cayley parameter c."""
    if at == MATRIX_ENTRIES:
        put9(y, 0, S, compose(get9(y, 0, S), cayley_increment(c)))
    else:
        put4(y, 0, S, compose_quaternions(get4(y, 0, S), cayley_increment_quaternion(c)))


@kernel
def carried_rho(S: Any, y: Any, at: int, t: Any) -> Vector:
    return get3(y, at + 3, S)


# --- the discrete motion ----------------------------------------------------------------------------------------------


@kernel
def is_finite(x: Vector) -> Any:
    """Whether every entry is, in each lane."""
    return 0.0 * (x[0] + x[1] + x[2]) == 0.0


@kernel
def gyrostat_step(S: Any, y: Any, p: Any, h: Any, at: int, behind: int, rho: Vector, report: Any) -> int:
    """`R ↦ R F`, `Π ↦ Fᵀ Π` with the rotors' momentum ρ of the interval; nothing lies `behind`."""
    Pi = get3(y, at, S)
    carrier = subtract(Pi, rho)
    c, iterations, defect, lost = solve_rotor_increment_(par6(p, 0, S), carrier, h, rho)
    record(report, iterations, worst(defect))
    if any_of(lost & is_finite(carrier)):  # what is not goes through, for the driver to say so
        return NO_SOLUTION
    turn(S, y, at, c)
    put3(y, at, S, turned_back(cayley_increment(c), Pi))
    return 0


@flow
def drift_matrix(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    return gyrostat_step(S, y, p, h, 9, 15, get3(y, 12, S), report)


@flow
def drift_quaternion(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    return gyrostat_step(S, y, p, h, 4, 10, get3(y, 7, S), report)


def given_drift(step: Any, at: int, rho: Any) -> Flow:
    """A step with the ρ of the interval taken from a function of time."""

    def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        status = step(S, y, p, h, at, at + 4, rho(t + 0.5 * h), report)
        put(y, at + 3, S, t + h)
        return status

    return TransientFlow(drift)


# --- the continuous motion --------------------------------------------------------------------------------------------


@kernel
def gyrostat_rates(S: Any, y: Any, p: Any, behind: int, rho: Vector, dy: Any) -> None:
    """`Ṙ = R S(ω)`, `Π̇ = Π × ω`, `ω = I_G⁻¹ (Π − ρ)`."""
    R, Pi = get9(y, 0, S), get3(y, 9, S)
    omega = apply_symmetric(par6(p, 6, S), subtract(Pi, rho))
    put3(dy, 0, S, cross(R[0:3], omega))
    put3(dy, 3, S, cross(R[3:6], omega))
    put3(dy, 6, S, cross(R[6:9], omega))
    put3(dy, 9, S, cross(Pi, omega))


@rate
def rhs_carried(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    gyrostat_rates(S, y, p, 15, get3(y, 12, S), dy)
    put3(dy, 12, S, (0.0, 0.0, 0.0))  # what is commanded comes with the forces
    return 0


def given_rhs(rates: Any, rho: Any) -> Rate:
    def rhs(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
        rates(S, y, p, 13, rho(t), dy)
        put(dy, 12, S, 1.0)
        return 0

    return TransientRate(rhs)


# --- torque and command -----------------------------------------------------------------------------------------------


@kernel
def nothing(t: Any, R: Matrix, omega: Vector) -> Vector:
    return scale(0.0, omega)


def uniform(moment: ExternalMoment) -> Any:
    """What a user gave, as torque or command: a function, also where there is nothing; None for numbers."""
    return moment.function if moment.acts else nothing


@kernel
def commanded_rate(S: Any, p: Any, t: Any, R: Matrix, omega: Vector, command: Any) -> Vector:
    """ρ̇, of a function or of the pulse among the parameters, which is one in the body frame."""
    if command is None:
        f = profile(t, par(p, COMMAND + 6, S), par(p, COMMAND + 7, S))
        return add(scale(f, par3(p, COMMAND, S)), scale(0.0, omega))
    return command(t, R, omega)


@kernel
def put_torque(S: Any, y: Any, p: Any, t: Any, slots: int, R: Matrix, omega: Vector, tau: Any, command: Any) -> None:
    """τ and ρ̇ = u into the slots."""
    moment, rate = body_moment(S, p, t, R, omega, tau), commanded_rate(S, p, t, R, omega, command)
    put3(y, slots, S, moment)
    put3(y, slots + SLOTS, S, rate)


@kernel
def put_pulses(S: Any, y: Any, p: Any, t: Any, at: int, slots: int) -> None:
    """τ and u where both are given by numbers: no rate matters, and the attitude only to what is fixed in space."""
    space = par3(p, PULSE + 3, S)
    if any_of(dot(space, space) > 0.0):
        put_torque(S, y, p, t, slots, attitude(S, y, at), (0.0, 0.0, 0.0), None, None)
    else:
        put_torque(S, y, p, t, slots, IDENTITY, (0.0, 0.0, 0.0), None, None)


@flow
def pulses_matrix(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    put_pulses(S, y, p, t, 9, 15)
    return 0


@flow
def pulses_quaternion(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    put_pulses(S, y, p, t, 4, 10)
    return 0


PULSES = {15: pulses_matrix, 10: pulses_quaternion}  # by where the force slots lie


def torque_flow(at: int, slots: int, rho: Any, tau: Any, command: Any, **given: Any) -> Flow:
    """What acts, where some of it is a function. `rho(S, y, at, t)` is the rotors' momentum at the node; `given` as users
    gave it.

    The rate there is that after the half kick which ends a step: `ω = I_G⁻¹(Π − ρ + (h/2)(τ − u))`.
    """

    @kernel
    def net(S: Any, p: Any, t: Any, R: Matrix, omega: Vector, given: Any) -> Vector:
        return subtract(body_moment(S, p, t, R, omega, tau), commanded_rate(S, p, t, R, omega, command))

    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        R, start = attitude(S, y, at), subtract(get3(y, at, S), rho(S, y, at, t))
        lost = put_node_rate(S, y, slots, p, t, h, R, start, par6(p, 6, S), net, None)
        put_torque(S, y, p, t, slots, R, get3(y, slots, S), tau, command)
        return NO_SOLUTION if lost else 0

    return TransientFlow(force, **given)
