"""The flows of a gyrostat: its discrete and its continuous motion, the torque on it, and how its state is laid out.

The parameters are the inertia I_G and its inverse, the numbers of an external pulse and of a commanded one, where the block
of the environment begins (0: there is none), and what a subclass adds; then named parameters and that block. A state is an
attitude of nine or four entries, Π, then ρ, or the clock where ρ is a function of time, and what a subclass puts behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Layout, Variable
from ...core.manifolds import Euclidean, Manifold, Rotations, UnitQuaternions
from ...core.representation import Form
from ...geometry.increments.gyrostat import solve_rotor_increment_
from ...geometry.quaternion import to_matrix_
from ...geometry.stable_products import (
    cayley_increment_quaternion,
    cayley_turn,
    turn_matrix,
    turn_quaternion,
    turn_vector,
    turn_vector_alike,
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
    par3,
    par6,
    put,
    put3,
    rate,
    worst,
)
from ...scalars.protocol import NO_NODE_RATE, NO_SOLUTION, SUCCESS, par_int, record
from ..attitude.base import (
    ATTITUDE,
    INERTIA,
    INVERSE_INERTIA,
    UNIT_QUATERNION,
    attitude_and_momentum,
    put_rates,
)
from ..environment.environment import environment_torque
from ..inputs.external_moment import (
    IN_BODY,
    MOMENT,
    PULSE_NUMBERS,
    ExternalMoment,
    body_moment,
    pulse_profile,
    pulse_vectors,
)
from ..inputs.implicit_rate import put_node_rate
from ..inputs.user_flow import GivenFunction, UserFlow, UserRate
from ..inputs.user_functions import remembered

Array = NDArray[np.float64]

COMMANDS = MOMENT.then(command=PULSE_NUMBERS.size, environment=1)  # those of a subclass follow
COMMAND, ENVIRONMENT = COMMANDS.offsets("command", "environment")
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


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
LAYOUTS = {form: Layout(attitude, PI, CONSTANT) for form, attitude in ATTITUDES.items()}
# where Π lies behind a matrix and behind a quaternion; how far behind it lie ρ or the clock, and what a subclass keeps
(MATRIX_MOMENTUM,), (QUATERNION_MOMENTUM,) = (layout.offsets("Pi") for layout in LAYOUTS.values())
MOMENTA = {Form.DEFAULT: MATRIX_MOMENTUM, Form.QUATERNION: QUATERNION_MOMENTUM}
RHO = PI.manifold.size
BEHIND_RHO, BEHIND_CLOCK = RHO + CONSTANT.manifold.size, RHO + CLOCK.manifold.size
SLOTS = COMMANDED.manifold.size  # of ρ̇, behind those of Π̇: workspace where ρ is not kicked


@kernel
def attitude(S: Any, y: Any, at: int) -> Matrix:
    """R, from the nine or four entries before Π, which lies `at`."""
    if at == MATRIX_MOMENTUM:
        return get9(y, ATTITUDE, S)
    return to_matrix_(get4(y, UNIT_QUATERNION, S))


@kernel
def turn(S: Any, y: Any, at: int, c: Vector) -> None:
    """R ↦ R F, F with the Cayley parameter c."""
    if at == MATRIX_MOMENTUM:
        turn_matrix(S, y, ATTITUDE, cayley_turn(c))
    else:
        turn_quaternion(S, y, UNIT_QUATERNION, cayley_increment_quaternion(c))


@kernel
def carried_rho(S: Any, y: Any, p: Any, at: int, t: Any) -> Vector:
    """ρ that is part of the state, behind Π at `at`."""
    return get3(y, at + RHO, S)


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
    c, iterations, defect, lost = solve_rotor_increment_(par6(p, INERTIA, S), carrier, h, rho)
    record(report, iterations, worst(defect))
    if any_of(lost & is_finite(carrier)):  # what is not goes through, for the driver to say so
        return NO_SOLUTION
    turn(S, y, at, c)
    if at == MATRIX_MOMENTUM:
        turn_vector(S, y, at, cayley_turn(c))
    else:
        turn_vector_alike(S, y, at, cayley_increment_quaternion(c))
    return SUCCESS


@kernel
def carried_step(S: Any, y: Any, p: Any, t: Any, h: Any, at: int, step: Any, report: Any) -> int:
    """The `step` of a gyrostat whose ρ is part of the state."""
    return step(S, y, p, h, at, at + BEHIND_RHO, carried_rho(S, y, p, at, t), report)


def carried_drift(step: Any, at: int) -> Flow:
    """The flow of the `step` where ρ is part of the state and Π lies `at`."""

    @flow
    def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        return carried_step(S, y, p, t, h, at, step, report)  # type: ignore[no-any-return]

    return drift


def carried_drifts(step: Any) -> dict[str, Flow]:
    """The flows of the `step` where ρ is part of the state, on matrices and on unit quaternions."""
    return {form: carried_drift(step, at) for form, at in MOMENTA.items()}


@remembered
def given_drift(step: Any, at: int, rho: Any, given: GivenFunction) -> Flow:
    """A step with the ρ of the interval taken from a function of time, the kernel `rho(S, p, t)`."""

    def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        status = step(S, y, p, h, at, at + BEHIND_CLOCK, rho(S, p, t + 0.5 * h), report)
        put(y, at + RHO, S, t + h)
        return status

    return UserFlow(drift, rho=given)


# --- the continuous motion --------------------------------------------------------------------------------------------


@kernel
def gyrostat_rates(S: Any, y: Any, p: Any, behind: int, rho: Vector, dy: Any) -> None:
    """`Ṙ = R S(ω)`, `Π̇ = Π × ω`, `ω = I_G⁻¹ (Π − ρ)`."""
    R, Pi = attitude_and_momentum(S, y)
    omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), subtract(Pi, rho))
    put_rates(S, dy, R, omega, cross(Pi, omega))


@kernel
def carried_rates(S: Any, y: Any, p: Any, t: Any, dy: Any, rates: Any) -> int:
    """The `rates` of a gyrostat whose ρ is part of the state; what is commanded comes with the forces."""
    rates(S, y, p, MATRIX_MOMENTUM + BEHIND_RHO, carried_rho(S, y, p, MATRIX_MOMENTUM, t), dy)
    put3(dy, MATRIX_MOMENTUM + RHO, S, (0.0, 0.0, 0.0))
    return SUCCESS


@rate
def rhs_carried(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The motion without torque."""
    return carried_rates(S, y, p, t, dy, gyrostat_rates)


@remembered
def given_rhs(rates: Any, rho: Any, given: GivenFunction) -> Rate:
    """The `rates` with ρ a function of time, and the clock."""

    def rhs(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
        rates(S, y, p, MATRIX_MOMENTUM + BEHIND_CLOCK, rho(S, p, t), dy)
        put(dy, MATRIX_MOMENTUM + RHO, S, 1.0)
        return SUCCESS

    return UserRate(rhs, rho=given)


# --- torque and command -----------------------------------------------------------------------------------------------


@kernel
def no_torque(S: Any, p: Any, t: Any, R: Matrix, omega: Vector) -> Vector:
    """No torque."""
    return scale(0.0, omega)


def as_function(moment: ExternalMoment) -> Any:
    """A torque or a command as a function, `no_torque` where nothing acts; None where it is given by numbers."""
    return moment.function if moment.acts else no_torque


@kernel
def commanded_rate(S: Any, p: Any, t: Any, R: Matrix, omega: Vector, command: Any) -> Vector:
    """ρ̇, of a function or of the pulse among the parameters, which is one in the body frame."""
    if command is None:
        f = pulse_profile(S, p, COMMAND, t)
        return add(scale(f, par3(p, COMMAND + IN_BODY, S)), scale(0.0, omega))
    return command(S, p, t, R, omega)


@kernel
def put_torque(S: Any, y: Any, p: Any, t: Any, slots: int, R: Matrix, omega: Vector, tau: Any, command: Any) -> None:
    """τ and ρ̇ = u into the slots."""
    moment, rate = body_moment(S, p, t, R, omega, tau), commanded_rate(S, p, t, R, omega, command)
    put3(y, slots, S, moment)
    put3(y, slots + RHO, S, rate)


@kernel
def put_pulses(S: Any, y: Any, p: Any, t: Any, at: int, slots: int) -> int:
    """τ and u where both are given by numbers: no rate matters, and the attitude only to what is fixed in space."""
    _, space = pulse_vectors(S, p)
    if any_of(dot(space, space) > 0.0):
        put_torque(S, y, p, t, slots, attitude(S, y, at), (0.0, 0.0, 0.0), None, None)
    else:
        put_torque(S, y, p, t, slots, IDENTITY, (0.0, 0.0, 0.0), None, None)
    return SUCCESS


@kernel
def surroundings(S: Any, p: Any, t: Any, R: Matrix) -> Vector:
    """The torque of the environment."""
    return environment_torque(S, p, par_int(p, ENVIRONMENT, S), t, R)


@kernel
def no_surroundings(S: Any, p: Any, t: Any, R: Matrix) -> Vector:
    """No torque."""
    return scale(0.0, R[0:3])


@kernel
def put_surrounded_pulses(S: Any, y: Any, p: Any, t: Any, at: int, slots: int) -> int:
    """τ, u and the torque of the environment, where τ and u are given by numbers: no rate matters."""
    put_pulses(S, y, p, t, at, slots)
    put3(y, slots, S, add(get3(y, slots, S), surroundings(S, p, t, attitude(S, y, at))))
    return SUCCESS


def pulse_flows(write: Any, behind: int) -> dict[str, Flow]:
    """The flows of `write`, one of the two above, on matrices and on unit quaternions; the slots lie so far `behind` Π."""

    def pulse_flow(at: int) -> Flow:
        slots = at + behind

        @flow
        def pulses(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
            return write(S, y, p, t, at, slots)  # type: ignore[no-any-return]

        return pulses

    return {form: pulse_flow(at) for form, at in MOMENTA.items()}


@remembered
def given_rho(rho: Any) -> Any:
    """ρ at a node, from the kernel `rho(S, p, t)`."""

    @kernel
    def rho_at(S: Any, y: Any, p: Any, at: int, t: Any) -> Vector:
        return rho(S, p, t)  # type: ignore[no-any-return]

    return rho_at


@remembered
def torque_flow(
    at: int, slots: int, rotors: Any, tau: Any, command: Any, around: Any, **given: GivenFunction | None
) -> Flow:
    """What acts, where some of it is a function. `rotors(S, y, p, at, t)` is their momentum at the node, `around(S, p, t, R)`
    the torque E of the environment; `given` are the functions of users.

    The rate there is that after the half kick which ends a step: `ω = I_G⁻¹(Π − ρ + (h/2)(E + τ − u))`.
    """

    @kernel
    def net(S: Any, p: Any, t: Any, R: Matrix, omega: Vector, given: Any) -> Vector:
        return subtract(body_moment(S, p, t, R, omega, tau), commanded_rate(S, p, t, R, omega, command))

    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        R, start = attitude(S, y, at), subtract(get3(y, at, S), rotors(S, y, p, at, t))
        E = around(S, p, t, R)
        start = add(start, scale(0.5 * h, E))
        lost = put_node_rate(S, y, slots, p, t, h, R, start, par6(p, INVERSE_INERTIA, S), net, None)
        put_torque(S, y, p, t, slots, R, get3(y, slots, S), tau, command)
        put3(y, slots, S, add(get3(y, slots, S), E))
        return NO_NODE_RATE if lost else SUCCESS

    return UserFlow(force, **given)


@remembered
def full_kick_drift(at: int, slots: int, tau: Any, command: Any, around: Any, **given: GivenFunction | None) -> Flow:
    """A step with the whole impulse of the torque at its start, `Π ↦ Π + h τ(t, R, ω)`, and that of the rotors, `ρ ↦ ρ + h u`:
    of order 1, as [MP16] has it in its programs. The slots are workspace."""

    def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        R, Pi, rho = attitude(S, y, at), get3(y, at, S), get3(y, at + RHO, S)
        omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), subtract(Pi, rho))
        put_torque(S, y, p, t, slots, R, omega, tau, command)
        moment, rate = add(get3(y, slots, S), around(S, p, t, R)), get3(y, slots + RHO, S)
        put3(y, at, S, add(Pi, scale(h, moment)))
        put3(y, at + RHO, S, add(rho, scale(h, rate)))
        return carried_step(S, y, p, t, h, at, gyrostat_step, report)  # type: ignore[no-any-return]

    return UserFlow(drift, **given)
