"""The rigid body's attitude: the representations and the flows that all systems on T*SO(3) share.

`R` body → inertial, `omega` body rate, `Pi = ∂L/∂omega` body momentum, which is `J omega` unless the Lagrangian has
terms linear in the rate. The kinetic part of a variational step is the discrete free body: with `F` from
`h S(Π) = F Jd − Jd Fᵀ`,

    R ↦ R F,    Π ↦ Fᵀ Π                            (equations 94–96 of [LLM07], 33–37 of [MP16] in quaternions).

Π is turned by F and never multiplied by h and divided again: that scaling is what makes momentum and energy drift
linearly with the number of steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import INERTIA_ENTRIES, Body, Inertia, InertiaLike
from ...core.checks import check_finite, check_nonzero, check_rotation
from ...core.layout import Layout, Variable
from ...core.manifolds import Euclidean, Rotations, UnitQuaternions
from ...core.representation import Form, Representation
from ...core.system import Field, State, System
from ...errors import InvalidInputError, PolhodeError
from ...geometry import so3, unchecked
from ...geometry.increments.free_rotation import exact_increment
from ...geometry.increments.rigid import largest_step, solve_increment_
from ...geometry.stable_products import (
    Turn,
    cayley_increment_quaternion,
    cayley_turn,
    turn_matrix,
    turn_quaternion,
    turn_vector,
    turn_vector_alike,
)
from ...geometry.vectors import Matrix, Vector, apply_symmetric, cross, scale, times_hat
from ...scalars import flow, get3, get9, kernel, par6, put3, put9, rate
from ...scalars.protocol import NO_SOLUTION, SUCCESS, record
from .attitude_pair import state_of_pair
from .state_arguments import given_attitude

Array = NDArray[np.float64]

MATRIX = Layout(Variable("R", Rotations()), Variable("Pi", Euclidean(3), kicked=True))
QUATERNION = Layout(Variable("q", UnitQuaternions()), Variable("Pi", Euclidean(3), kicked=True))
# where they and the moment lie in y, and the inertia in p
ATTITUDE, MOMENTUM = MATRIX.offsets("R", "Pi")
(FORCE,) = MATRIX.force_slots("Pi")
UNIT_QUATERNION, QUATERNION_MOMENTUM = QUATERNION.offsets("q", "Pi")
INERTIA, INVERSE_INERTIA = INERTIA_ENTRIES.offsets("J", "J_inverse")
ROW = 3  # entries in a row of R


@kernel
def attitude_and_momentum(S: Any, y: Any) -> tuple[Matrix, Vector]:
    """R and Π of a state."""
    return get9(y, ATTITUDE, S), get3(y, MOMENTUM, S)


@kernel
def put_attitude_and_momentum(S: Any, y: Any, R: Matrix, Pi: Vector) -> None:
    """Set R and Π of a state."""
    put9(y, ATTITUDE, S, R)
    put3(y, MOMENTUM, S, Pi)


@kernel
def turn_body(S: Any, y: Any, turn: Turn) -> None:
    """`R ↦ R F`, `Π ↦ FᵀΠ`."""
    turn_matrix(S, y, ATTITUDE, turn)
    turn_vector(S, y, MOMENTUM, turn)


@kernel
def put_rates(S: Any, dy: Any, R: Matrix, omega: Vector, change: Vector) -> None:
    """Set `Ṙ = R S(ω)` and the `change` of Π."""
    put9(dy, ATTITUDE, S, times_hat(R, omega))
    put3(dy, MOMENTUM, S, change)


@kernel
def free_increment(S: Any, p: Any, h: Any, Pi: Vector, report: Any) -> tuple[Vector, Any]:
    """The Cayley parameter of F in `h S(Π) = F Jd − Jd Fᵀ`, and whether there is none."""
    c, iterations, defect, failed = solve_increment_(par6(p, INERTIA, S), par6(p, INVERSE_INERTIA, S), scale(h, Pi))
    record(report, iterations, defect)
    return c, failed


@flow
def drift_matrix(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`R ↦ R F`, `Π ↦ FᵀΠ`."""
    c, failed = free_increment(S, p, h, get3(y, MOMENTUM, S), report)
    if failed:
        return NO_SOLUTION
    turn_body(S, y, cayley_turn(c))
    return SUCCESS


@flow
def drift_quaternion(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The same on unit quaternions."""
    c, failed = free_increment(S, p, h, get3(y, QUATERNION_MOMENTUM, S), report)
    if failed:
        return NO_SOLUTION
    e = cayley_increment_quaternion(c)
    turn_quaternion(S, y, UNIT_QUATERNION, e)
    turn_vector_alike(S, y, QUATERNION_MOMENTUM, e)
    return SUCCESS


@flow
def exact_drift_matrix(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The true free motion."""
    turn_body(S, y, exact_increment(p, 0, S, get3(y, MOMENTUM, S), h))
    return SUCCESS


@rate
def rhs_matrix(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """`Ṙ = R S(ω)`, `Π̇ = Π × ω`, `ω = J⁻¹ Π`."""
    R, Pi = attitude_and_momentum(S, y)
    omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), Pi)
    put_rates(S, dy, R, omega, cross(Pi, omega))
    return SUCCESS


class AttitudeSystem(System):
    """A rigid body whose phase space is T*SO(3): states are made from R or q, and from omega or Pi."""

    inertia: Inertia
    fields = {
        "R": Field((3, 3), "rotation matrix, body to inertial"),
        "q": Field((4,), "unit quaternion of R, scalar last"),
        "omega": Field((3,), "angular velocity in the body frame", "rad/time"),
        "Pi": Field((3,), "angular momentum in the body frame", "mass length²/time"),
    }

    def __init__(self, inertia: InertiaLike, *, allow_unphysical: bool = False) -> None:
        self.inertia = Inertia.of(inertia, allow_unphysical=allow_unphysical)
        self._allow_unphysical = allow_unphysical

    @property
    def shape(self) -> Body | None:
        return self.inertia.body

    def describe(self) -> dict[str, Any]:
        return {"inertia": self.inertia.describe()} | ({"allow_unphysical": True} if self._allow_unphysical else {})

    def parameters(self) -> Array:
        return self.inertia.entries()

    def free_parameters(self) -> Array:
        return self.inertia.principal_entries()

    def linear_term(self, R: Array) -> Array | float:
        """`A(R)` of a Lagrangian `½ ω·Jω + ω·A(R) − U(R)`, so that `Pi = J omega + A(R)`; zero unless overridden."""
        return 0.0

    def momentum_at(self, R: Array, omega: Array) -> Array:
        """`Pi = ∂L/∂omega` at attitudes (..., 3, 3) and rates (..., 3)."""
        return omega @ self.inertia.matrix + self.linear_term(R)

    def rate_at(self, R: Array, Pi: Array) -> Array:
        """The rate at attitudes (..., 3, 3) and momenta (..., 3)."""
        return (Pi - self.linear_term(R)) @ self.inertia.inverse

    def state(
        self,
        *,
        R: ArrayLike | None = None,
        q: ArrayLike | None = None,
        q_wxyz: ArrayLike | None = None,
        euler: ArrayLike | None = None,
        sequence: str | None = None,
        omega: ArrayLike | None = None,
        Pi: ArrayLike | None = None,
        t: float = 0.0,
    ) -> State:
        """A state from an attitude (`R`, or a quaternion, `q` scalar-last or `q_wxyz` scalar-first, or the angles `euler` of
        rotations about the axes of `sequence`, by default "ZYX"; default: identity) and a rate (`omega` or the body momentum
        `Pi`; default: at rest)."""
        values = given_attitude(R, q, q_wxyz, euler, sequence)
        if omega is not None and Pi is not None:
            raise InvalidInputError("Pi", Pi, "either omega or Pi, not both")
        if Pi is not None:
            values["Pi"] = check_finite("Pi", Pi, (3,))
        else:
            rate = check_finite("omega", np.zeros(3) if omega is None else omega, (3,))
            with np.errstate(over="ignore", invalid="ignore"):
                values["Pi"] = self.momentum_at(self.derive("R", values), rate)
            if not np.all(np.isfinite(values["Pi"])):
                raise InvalidInputError("omega", omega, "a rate whose momentum is finite")
        return State(self, values, float(check_finite("t", t, ())))

    def moved(self, state: State, R: ArrayLike, omega: ArrayLike) -> State:
        """`state` with another attitude and rate, and all else that it holds: what a filter's correction makes of it."""
        return State(self, self._attitude_and_momentum(R, omega), state.t)

    def _attitude_and_momentum(self, R: ArrayLike, omega: ArrayLike) -> dict[str, Array]:
        rate, attitude = np.asarray(omega, dtype=np.float64), np.asarray(R, dtype=np.float64)
        return {"R": attitude, "Pi": self.momentum_at(attitude, rate)}

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        if name == "R":
            return unchecked.to_matrix(values["q"])
        if name == "q":
            return unchecked.from_matrix(values["R"])
        if name == "omega":
            return self.rate_at(self.derive("R", values), values["Pi"])
        raise PolhodeError(f"no field {name!r}")

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """`Ω((ξ, δΠ), (η, δΛ)) = ξ·δΛ − η·δΠ + Π·(ξ × η)`, the canonical form of T*SO(3) left-trivialised."""
        Pi = self.representations[representation].layout.unpack(y)["Pi"]
        return np.block([[-so3.hat(Pi), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])

    def state_from_pair(self, R0: ArrayLike, R1: ArrayLike, step: float, *, t: float = 0.0, **rest: Any) -> State:
        """The state at time `t` from the attitudes there and one order-2 step later, the data of the Lagrangian form.

        The momentum is the discrete Legendre transform of the system's own step, with all that acts in it. `rest`: what
        else `state` takes, such as a commanded `rho`.
        """
        h = check_nonzero("step", step)
        start, end = check_rotation("R0", R0), check_rotation("R1", R1)
        return state_of_pair(self, lambda Pi: self.state(R=start, Pi=Pi, t=t, **rest), start, end, h)

    def largest_step(self, state: State) -> float:
        return float(largest_step(self.inertia.matrix, state.Pi))


REPRESENTATIONS: dict[str, Representation] = {
    Form.DEFAULT: Representation(MATRIX, drift=drift_matrix, rhs=rhs_matrix, exact_drift=exact_drift_matrix),
    Form.QUATERNION: Representation(QUATERNION, drift=drift_quaternion),
}
