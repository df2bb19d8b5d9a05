"""A gyrostat with a spherical damper: a sphere in a cavity, coupled to the body by a viscous layer (Kane's damper).

    Π̇ = Π × ω + τ + C (ω_D − ω),   ḋ = d × ω − C (ω_D − ω),   d = I_D ω_D                   (64)–(67) of [MP16]

`Π = I_G ω + ρ` is the momentum of the body and its rotors, without the damper; `ω_D` is the damper's inertial rate and d
its momentum, both in the body's frame. Conserved is `R (Π + d)`. The energy falls, `Ė = −C |ω_D − ω|²` for a constant ρ, until
the body spins about its axis of largest inertia.

The impulse of the layer over a step, `2C (γ − φ)` with the half turns γ and φ of sphere and body, is implicit. Two
discretisations are offered, as representations of the state:

    "default", "quaternion"  half of it at each end of the step: the discrete Lagrange–d'Alembert principle. Symmetric,
                            of order 2; a slip that decays within a step rings instead: its factor tends to −1.
    "full_kick"             all of it at the start, as printed but for the signs. Of order 1; a slip that decays within
                            a step is gone after it, for any C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import InertiaLike
from ...core.checks import check_finite, check_positive
from ...core.layout import Variable
from ...core.manifolds import Euclidean
from ...core.representation import Form
from ...core.system import Field, Invariant, State
from ...errors import InvalidInputError
from ...geometry.increments.gyrostat import solve_damped_increment_
from ...geometry.increments.rigid import symmetric_entries
from ...geometry.stable_products import NO_IMPULSE, cayley_turn, push_and_turn
from ...geometry.vectors import Vector, add, apply_symmetric, cross, negate, scale, subtract
from ...scalars import Flow, any_of, get3, hand_over3, kernel, par, par6, put3, rate, worst
from ...scalars.protocol import NO_SOLUTION, SUCCESS, record
from ..attitude.base import INERTIA, INVERSE_INERTIA
from ..attitude.state_arguments import GivenState
from ..environment.orbit import Orbit
from ..environment.parts import Part
from .gyrostat import Gyrostat
from .gyrostat_flows import (
    BEHIND_RHO,
    COMMANDS,
    MATRIX_MOMENTUM,
    QUATERNION_MOMENTUM,
    carried_drift,
    carried_drifts,
    carried_rates,
    gyrostat_rates,
    is_finite,
    pulse_flows,
    put_pulses,
    put_surrounded_pulses,
    turn,
)
from .rotors import Rotor

Array = NDArray[np.float64]

DAMPER = COMMANDS.then(inertia=1, damping=1)
DAMPER_INERTIA, DAMPING = DAMPER.offsets("inertia", "damping")
PI_D = Variable("Pi_D", Euclidean(3))
BEHIND_DAMPER = BEHIND_RHO + PI_D.manifold.size  # from Π to the force slots
SYMMETRIC, FULL = 1.0, 2.0  # k/C: how much of the impulse acts at the start of a step


@kernel
def damped_step(S: Any, y: Any, p: Any, h: Any, at: int, damper: int, rho: Vector, share: float, report: Any) -> int:
    """`Π ↦ Fᵀ(Π + λ) + λ'`, `d ↦ Fᵀ(d − λ) − λ'`: λ at the start, and `λ' = Fᵀλ` at the end where it is half."""
    Pi, d = get3(y, at, S), get3(y, damper, S)
    carrier = subtract(Pi, rho)
    c, impulse, iterations, defect, lost = solve_damped_increment_(
        par6(p, INERTIA, S), carrier, h, rho, d, par(p, DAMPER_INERTIA, S), share * par(p, DAMPING, S)
    )
    record(report, iterations, worst(defect))
    if any_of(lost & is_finite(carrier)):
        return NO_SOLUTION
    turn(S, y, at, c)
    by = cayley_turn(c)
    whole = scale(2.0 / share, impulse)
    push_and_turn(S, y, at, by, whole, NO_IMPULSE)
    push_and_turn(S, y, damper, by, negate(whole), NO_IMPULSE)
    # else an impulse that Π is too large to feel would be lost, always in the same direction
    hand_over3(y, at, damper, S)
    return SUCCESS


@kernel
def symmetric_step(S: Any, y: Any, p: Any, h: Any, at: int, damper: int, rho: Vector, report: Any) -> int:
    """Half of the impulse at each end."""
    return damped_step(S, y, p, h, at, damper, rho, SYMMETRIC, report)


@kernel
def full_kick_step(S: Any, y: Any, p: Any, h: Any, at: int, damper: int, rho: Vector, report: Any) -> int:
    """All of the impulse at the start."""
    return damped_step(S, y, p, h, at, damper, rho, FULL, report)


@kernel
def damped_rates(S: Any, y: Any, p: Any, damper: int, rho: Vector, dy: Any) -> None:
    """The gyrostat's rates, with the torque `C (ω_D − ω)` of the layer and its reaction."""
    gyrostat_rates(S, y, p, damper, rho, dy)
    Pi, d = get3(y, MATRIX_MOMENTUM, S), get3(y, damper, S)
    omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), subtract(Pi, rho))
    drag = scale(par(p, DAMPING, S), subtract(scale(1.0 / par(p, DAMPER_INERTIA, S), d), omega))
    put3(dy, MATRIX_MOMENTUM, S, add(get3(dy, MATRIX_MOMENTUM, S), drag))
    put3(dy, damper, S, subtract(cross(d, omega), drag))


@rate
def rhs_damped(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The motion without torque from outside."""
    return carried_rates(S, y, p, t, dy, damped_rates)


def _with_full_kick(flows: dict[str, Flow]) -> dict[str, Flow]:
    """The flows, with those on unit quaternions for the robust scheme too."""
    return {**flows, Form.FULL_KICK: flows[Form.QUATERNION]}


class DampedGyrostat(Gyrostat):
    """A gyrostat with a spherical damper.

    `damper_inertia`: I_D of the sphere about its centre. `damping`: C of the torque `C (ω_D − ω)`. The carrier's inertia
    does not include the sphere's. All else is as for `Gyrostat`.

    `LGVI`, `QuaternionVI` and `ForcedLGVI` take the symmetric scheme, of order 2; `FullKickVI` the robust one, of order 1,
    for a layer so stiff that `step · C (1/I + 1/I_D)` is well above 1.

    >>> body = DampedGyrostat([1, 2, 3], damper_inertia=0.2, damping=1.0)
    >>> state = body.state(omega=[0.1, 0.2, 1.0])
    >>> state.omega_D, float(state.kinetic_energy)
    (array([0.1, 0.2, 1. ]), 1.65)
    """

    summary = "rigid body with rotors and a spherical damper"
    reference = "[MP16] sec. VIII, with corrected signs"
    conserved: Mapping[str, Invariant] = {
        "spatial_momentum": Invariant("momentum", "angular momentum in the inertial frame, R (Π + d)"),
    }
    fields = {
        **Gyrostat.fields,
        "omega_D": Field((3,), "angular velocity of the damper in the body frame", "rad/time"),
        "Pi_D": Field((3,), "angular momentum of the damper in the body frame", "mass length²/time"),
        "kinetic_energy": Field((), "kinetic energy ½ ω·I_G ω + ½ I_D |ω_D|²", "mass length²/time²"),
    }
    _step = {Form.DEFAULT: symmetric_step, Form.QUATERNION: symmetric_step, Form.FULL_KICK: full_kick_step}
    _drift = {**carried_drifts(symmetric_step), Form.FULL_KICK: carried_drift(full_kick_step, QUATERNION_MOMENTUM)}
    _rates = damped_rates
    _rhs = rhs_damped
    _pulses = _with_full_kick(pulse_flows(put_pulses, BEHIND_DAMPER))
    _surrounded = _with_full_kick(pulse_flows(put_surrounded_pulses, BEHIND_DAMPER))
    _behind = (PI_D,)
    _layout = DAMPER

    def __init__(
        self,
        inertia: InertiaLike,
        damper_inertia: float,
        damping: float,
        rotors: Sequence[Rotor | Mapping[str, Any]] | None = None,
        rho: Any = None,
        torque: Any = None,
        *,
        frame: str = "body",
        rotor_torque: Any = None,
        orbit: Orbit | Mapping[str, Any] | None = None,
        environment: Sequence[Part | Mapping[str, Any]] | None = None,
        parameters: Mapping[str, Any] | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        self.damper_inertia = check_positive("damper_inertia", damper_inertia)
        self.damping = float(check_finite("damping", damping, ()))
        if self.damping < 0.0:
            raise InvalidInputError("damping", damping, "a number that is not negative; with 0 the sphere turns freely")
        super().__init__(
            inertia,
            rotors,
            rho,
            torque,
            frame=frame,
            rotor_torque=rotor_torque,
            orbit=orbit,
            environment=environment,
            parameters=parameters,
            allow_unphysical=allow_unphysical,
        )

    def _is_conserved(self) -> dict[str, bool]:
        self.hamiltonian = False
        return {"spatial_momentum": not (self.moment.acts or self.environment)}

    def describe(self) -> dict[str, Any]:
        inertia = super().describe()
        damper = {"damper_inertia": self.damper_inertia, "damping": self.damping}
        return {"inertia": inertia.pop("inertia")} | damper | inertia

    def own_parameters(self) -> Array:
        return DAMPER.pack(inertia=self.damper_inertia, damping=self.damping)

    def state(  # type: ignore[override]
        self,
        *,
        omega_D: ArrayLike | None = None,
        p: ArrayLike | None = None,
        rho: ArrayLike | None = None,
        **given: Unpack[GivenState],
    ) -> State:
        """A state as of a gyrostat, and the damper's rate `omega_D` in the body's frame (default: it turns with the
        body; zero: it is at rest in space)."""
        state = super().state(p=p, rho=rho, **given)
        rate = state.omega if omega_D is None else check_finite("omega_D", omega_D, (3,))
        return State(self, {**state.values, "Pi_D": self.damper_inertia * rate}, state.t)

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name == "omega_D":
            return values["Pi_D"] / self.damper_inertia
        energy = super().derive(name, values)
        if name == "kinetic_energy":
            energy = energy + 0.5 * np.sum(values["Pi_D"] ** 2, axis=-1) / self.damper_inertia
        return energy

    def total_momentum(self, values: Mapping[str, Array]) -> Array:
        return values["Pi"] + values["Pi_D"]

    def _motion(self, state: State) -> float:
        return super()._motion(state) + float(np.linalg.norm(state.omega_D))

    def _has_no_solution(self, state: State) -> Any:
        J, rho, d = tuple(symmetric_entries(self.inertia.matrix)), tuple(state.rho), state.Pi_D
        kinetic, inertia, C = state.Pi - state.rho, self.damper_inertia, self.damping
        return lambda h: solve_damped_increment_(
            J, tuple(x + 0.0 * h for x in kinetic), h, rho, tuple(x + 0.0 * h for x in d), inertia, C
        )[-1]

    def locked_inertia(self) -> Array:
        return self.inertia.matrix + self.damper_inertia * np.eye(3)

    @classmethod
    def example(cls) -> State:
        body = cls(
            [[1.0, 0.1, -0.05], [0.1, 1.9, 0.2], [-0.05, 0.2, 2.3]],
            damper_inertia=0.5,
            damping=0.15,
            rotors=[Rotor([0.02, 0.012], mass=0.3, position=[0.3, -0.2, 0.4], axis=[0.2, 0.3, 1.0], speed=15.0)],
        )
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.5, 0.9, -0.8], omega_D=[0.2, 0.1, -0.3])
