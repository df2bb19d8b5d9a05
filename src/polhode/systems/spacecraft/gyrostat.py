"""The gyrostat: a rigid body with rotors, perhaps with an external torque.

    Π = I_G ω + ρ,   Π̇ = Π × ω + τ,   Ṙ = R S(ω)                                  (44)–(46), (54) of [MP16]

ρ is the rotors' momentum relative to the carrier. What spins them up is internal and does not enter: without an
external torque R Π is conserved for any ρ(t). ρ is
    constant,
    given as a function of time; then the clock is carried along, so that a state knows its own ρ, or
    commanded, ρ̇ = u(t, R, ω) by a controller, and part of the state.

One step is half a kick by τ (and by u, on ρ), the discrete motion with the ρ of the interval, and half a kick. The ρ of
the interval is ρ(t + h/2), or ρ + (h/2) u: with either the step is symmetric and of order 2. It is (49) of [MP16],
`L_d = (2/h) φ·I_Gφ + 2 φ·ρ` with φ the vector part of the increment's quaternion, on matrices and on quaternions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import Body
from ...bodies.inertia import Inertia, InertiaLike
from ...core.checks import check_finite
from ...core.layout import Layout, Variable
from ...core.parameters import ParameterLayout
from ...core.representation import Form, Representation
from ...core.system import Field, Invariant, State
from ...errors import InvalidInputError
from ...geometry.increments.gyrostat import solve_rotor_increment_
from ...geometry.increments.rigid import symmetric_entries
from ...scalars import Flow, Rate
from ..attitude.base import AttitudeSystem
from ..attitude.state_arguments import GivenState
from ..environment.environment import Environment
from ..environment.orbit import Orbit
from ..environment.parts import Part
from ..inputs.external_moment import IN_BODY, IN_SPACE, MOMENT, PULSE, ExternalMoment
from ..inputs.named_parameters import NamedParameters
from ..stability.equilibria import Equilibria, Equilibrium
from .given_momentum import GivenMomentum, is_of_time
from .gyrostat_flows import (
    ATTITUDES,
    BEHIND_RHO,
    CLOCK,
    COMMAND,
    COMMANDED,
    COMMANDS,
    CONSTANT,
    PI,
    SLOTS,
    as_function,
    carried_drifts,
    carried_rho,
    full_kick_drift,
    given_drift,
    given_rho,
    given_rhs,
    gyrostat_rates,
    gyrostat_step,
    no_surroundings,
    pulse_flows,
    put_pulses,
    put_surrounded_pulses,
    rhs_carried,
    surroundings,
    torque_flow,
)
from .rotors import Rotor, rotors_of
from .steady_spins import steady_rates

Array = NDArray[np.float64]


class Gyrostat(AttitudeSystem):
    """A rigid body with rotors, and perhaps an external torque.

    `inertia` of the carrier: three moments or a 3×3 matrix. `rotors`: a list of `Rotor`s, or of tables of their
    arguments; they add to the inertia, and their speeds make ρ. Or `rho`, ρ itself: three numbers, three formulas in t,
    or a function of time that returns three. `rotor_torque`: ρ̇ commanded by a controller `u(t, R, omega)`, by formulas, or
    by numbers; ρ is then part of the state, and starts at `rho`. `torque`, external: three numbers, three formulas in t,
    R11 … R33 and omega1 … omega3, a pulse as a table, or a function `tau(t, R, omega)` or `tau(t)`, in the "body" or
    "inertial" ("space") `frame`. Functions return a tuple of three numbers and are compiled; those of R (nine entries, row
    by row) and omega are written with `+ − * /` and the functions of `polhode.scalars`. `environment`: a list of what else
    acts from outside on an `orbit`, such as `[GravityGradient(), ResidualDipole([0, 0, 0.1])]`. `parameters`: values of the
    names in these formulas, and of further arguments of these functions; gyrostats that differ in numbers only share their
    compiled code.

    >>> body = Gyrostat([1, 2, 3], rotors=[Rotor([0.02, 0.01], axis=[0, 0, 1], speed=10.0)])
    >>> body.inertia.matrix.diagonal(), body.state(omega=[0, 0, 1]).Pi
    (array([1.01, 2.01, 3.02]), array([0.  , 0.  , 3.22]))
    """

    summary = "rigid body with rotors"
    reference = "[MP16] sec. VI, VII"
    conserved: Mapping[str, Invariant] = {
        "energy": Invariant("energy", "½ ω·I_G ω"),
        "spatial_momentum": Invariant("momentum", "angular momentum in the inertial frame, R Π"),
    }
    fields = {
        **AttitudeSystem.fields,
        "Pi": Field((3,), "angular momentum with the rotors, in the body frame", "mass length²/time"),
        "p": Field((3,), "Pi, under the name that [MP16] gives it", "mass length²/time"),
        "rho": Field((3,), "angular momentum of the rotors relative to the carrier", "mass length²/time"),
        "kinetic_energy": Field((), "kinetic energy ½ ω·I_G ω", "mass length²/time²"),
    }

    def __init__(
        self,
        inertia: InertiaLike,
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
        self.carrier = Inertia.of(inertia, allow_unphysical=allow_unphysical)
        self.rotors = rotors_of(rotors)
        whole = self.carrier.matrix + sum((r.carried for r in self.rotors), np.zeros((3, 3)))
        diagonal = np.array_equal(whole, np.diag(np.diagonal(whole)))
        super().__init__(np.diagonal(whole) if diagonal else whole, allow_unphysical=True)
        self._allow_unphysical = allow_unphysical
        if rho is not None and any(r.speed for r in self.rotors):
            raise InvalidInputError("rho", rho, problem="rho conflicts with the speeds of the rotors: give one of them")
        named = self.named = NamedParameters(parameters, self._layout.end)
        self.given = GivenMomentum(rho, named) if is_of_time(rho) else None
        spun = sum((r.momentum for r in self.rotors), np.zeros(3))
        self.rho = spun if rho is None or self.given else check_finite("rho", rho, (3,))
        self.command = ExternalMoment.of(rotor_torque, name="rotor_torque", parameters=named)
        if self.given and self.command.acts:
            raise InvalidInputError(
                "rotor_torque", rotor_torque, problem="rotor_torque conflicts with a rho that is a function of time"
            )
        self.moment = ExternalMoment.of(torque, frame, "torque", named)
        named.check_used()
        self.environment = Environment(orbit, environment, self.inertia.entries())
        self.hamiltonian = not (self.command.acts or self.moment.acts) and self.environment.potential
        if self.given:
            self.fields = {**type(self).fields, "clock": Field((), "the time that rho is taken at", "time")}
        holds = self._is_conserved()
        self.conserved = {name: invariant for name, invariant in type(self).conserved.items() if holds[name]}
        self._representations = self._make()

    def _is_conserved(self) -> dict[str, bool]:
        """Whether each quantity that the class names is conserved here."""
        alone = not (self.moment.acts or self.environment)
        return {"energy": self.hamiltonian and alone and not self.given, "spatial_momentum": alone}

    # the steps and rates with a given ρ, and the flows for a carried one, by representation
    _step: ClassVar[Mapping[str, Any]] = {Form.DEFAULT: gyrostat_step, Form.QUATERNION: gyrostat_step}
    _drift: ClassVar[Mapping[str, Flow]] = carried_drifts(gyrostat_step)
    _rates: ClassVar[Any] = gyrostat_rates
    _rhs: ClassVar[Rate] = rhs_carried
    _pulses: ClassVar[Mapping[str, Flow]] = pulse_flows(put_pulses, BEHIND_RHO)
    _surrounded: ClassVar[Mapping[str, Flow]] = pulse_flows(put_surrounded_pulses, BEHIND_RHO)
    _behind: ClassVar[tuple[Variable, ...]] = ()
    _layout: ClassVar[ParameterLayout] = COMMANDS  # of the parameters; named ones follow

    def _make(self) -> dict[str, Representation]:
        """The representations: what the two share is the order of the variables after the attitude."""
        made = {}
        for name, step in self._step.items():
            attitude = ATTITUDES[Form.DEFAULT if name == Form.DEFAULT else Form.QUATERNION]
            rotors = CLOCK if self.given else COMMANDED if self.command.acts else CONSTANT
            layout = Layout(attitude, PI, rotors, *self._behind)
            at = attitude.manifold.size
            if self.given:
                rho = self.given.kernel
                drift = given_drift(step, at, rho, self.given)
                rhs = given_rhs(self._rates, rho, self.given) if name == Form.DEFAULT else None
            else:
                drift, rhs = self._drift[name], self._rhs if name == Form.DEFAULT else None
            made[name] = Representation(layout, drift, self._force(name, at, layout.size), rhs, workspace=SLOTS)
        if Form.FULL_KICK not in made and not self.given and made[Form.QUATERNION].force is not None:
            layout = made[Form.QUATERNION].layout
            at, acts = ATTITUDES[Form.QUATERNION].manifold.size, self._acting()
            drift = full_kick_drift(at, layout.size, *acts[0], **acts[1])
            made[Form.FULL_KICK] = Representation(layout, drift, workspace=2 * SLOTS)
        if not self.hamiltonian:
            made[Form.FORCED] = made[Form.DEFAULT]  # the half kicks are the discrete Lagrange–d'Alembert principle
        return made

    def _force(self, form: str, at: int, slots: int) -> Flow | None:
        if not (self.moment.acts or self.command.acts or self.environment):
            return None
        if not self.given and self.moment.by_numbers and self.command.by_numbers:
            return self._surrounded[form] if self.environment else self._pulses[form]
        acts, functions = self._acting()
        rho = given_rho(self.given.kernel) if self.given else carried_rho
        return torque_flow(at, slots, rho, *acts, **functions)

    def _acting(self) -> tuple[tuple[Any, Any, Any], dict[str, Any]]:
        """Torque, command and environment as kernels, and the functions of users among them."""
        around = surroundings if self.environment else no_surroundings
        acts = as_function(self.moment), as_function(self.command), around
        return acts, {"torque": self.moment.user, "rotor_torque": self.command.user, "rho": self.given}

    @property
    def representations(self) -> Mapping[str, Representation]:
        return self._representations

    @property
    def shape(self) -> Body | None:
        return self.carrier.body

    def describe(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"inertia": self.carrier.describe()}
        if self.rotors:
            plain["rotors"] = [rotor.describe() for rotor in self.rotors]
        if self.given:
            plain["rho"] = self.given.describe()
        elif not any(r.speed for r in self.rotors):
            plain["rho"] = self.rho.tolist()
        renamed = {"moment": "torque", "frame": "frame"}
        plain |= {renamed[key]: value for key, value in self.moment.describe().items()}
        if self.command.acts:
            plain["rotor_torque"] = self.command.describe()["moment"]
        plain |= self.environment.describe()
        return plain | self.named.describe() | ({"allow_unphysical": True} if self._allow_unphysical else {})

    @property
    def corners(self) -> tuple[float, ...]:
        return self.moment.corners

    def parameters(self) -> Array:
        first, last = self._fixed_parameters
        p = np.concatenate([first, self.named.numbers(), last])
        for moment, at in ((self.moment, PULSE), (self.command, COMMAND)):
            if moment.names:
                begin = at + (IN_BODY if moment.frame == "body" else IN_SPACE)
                p[begin : begin + 3] = moment.components(self.named)
        return p

    @cached_property
    def _fixed_parameters(self) -> tuple[Array, Array]:
        """What lies before and behind the named parameters, which a controller changes."""
        block = self._layout.end + self.named.size
        moment = MOMENT.pack(pulse=self.moment.pulse)
        command = COMMANDS.pack(command=self.command.pulse, environment=block if self.environment else 0)
        first = np.concatenate([super().parameters(), moment, command, self.own_parameters()])
        return first, self.environment.parameters(block)

    def own_parameters(self) -> Array:
        """What a subclass reads beside these, from `COMMANDS.end` on; `_layout` ends where they end."""
        return np.zeros(0)

    def state(  # type: ignore[override]
        self, *, p: ArrayLike | None = None, rho: ArrayLike | None = None, **given: Unpack[GivenState]
    ) -> State:
        """A state from an attitude (`R`, `q`, `q_wxyz` or `euler`; default: identity) and a rate (`omega`, or the momentum
        `Pi`, also called `p`, rotors included; default: at rest). `rho` may differ from the system's where it is
        commanded."""
        if p is not None:
            if given.get("Pi") is not None:
                raise InvalidInputError("p", p, "either Pi or p, not both: they are the same")
            given["Pi"] = p
        t = float(check_finite("t", given.get("t", 0.0), ()))
        if rho is not None and not self.command.acts:
            raise InvalidInputError("rho", rho, problem="rho is part of the state only where a rotor_torque is given")
        here = self.given.at(np.array(t)) if self.given else self.rho if rho is None else rho
        here = check_finite("rho", here, (3,))
        if given.get("Pi") is None:
            omega = given.pop("omega", None)
            rate = check_finite("omega", np.zeros(3) if omega is None else omega, (3,))
            given["Pi"] = self.inertia.matrix @ rate + here
        state = super().state(**given)
        return State(self, {**state.values, **({"clock": t} if self.given else {"rho": here})}, t)

    def moved(self, state: State, R: ArrayLike, omega: ArrayLike) -> State:
        moved = self._attitude_and_momentum(R, omega)
        held = {name: value for name, value in state.values.items() if name in ("rho", CLOCK.name, "Pi_D")}
        return State(self, {**held, **moved, "Pi": moved["Pi"] + state.rho}, state.t)

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        if name == "p":
            return values["Pi"]
        if name == "rho" and self.given:
            return self.given.at(values["clock"].real)
        if name == "omega":
            return (values["Pi"] - self.derive("rho", values)) @ self.inertia.inverse
        if name == "kinetic_energy":
            omega = self.derive("omega", values)
            return 0.5 * np.sum(omega * (omega @ self.inertia.matrix), axis=-1)
        return super().derive(name, values)

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        found = {
            "energy": lambda: self.derive("kinetic_energy", values),
            "spatial_momentum": lambda: np.einsum(
                "...ij,...j->...i", self.derive("R", values), self.total_momentum(values)
            ),
        }
        return {name: found[name]() for name in self.conserved}

    def total_momentum(self, values: Mapping[str, Array]) -> Array:
        """The angular momentum of all there is, in the body frame."""
        return values["Pi"]

    def largest_step(self, state: State) -> float:
        """Where the discrete equations lose the wanted solution, by following it (the free body's formula has no ρ)."""
        return fold(
            self._motion(state), float(np.linalg.norm(self.inertia.inverse @ state.rho)), self._has_no_solution(state)
        )

    def _motion(self, state: State) -> float:
        """How fast anything turns but for the rotors."""
        return float(np.linalg.norm(state.omega))

    def _has_no_solution(self, state: State) -> Any:
        """Whether there is no solution, for an array of steps."""
        J, rho = tuple(symmetric_entries(self.inertia.matrix)), tuple(state.rho)
        kinetic = tuple(state.Pi - state.rho)
        return lambda h: solve_rotor_increment_(J, tuple(x + 0.0 * h for x in kinetic), h, rho)[-1]

    @property
    def autonomous(self) -> bool:
        """Whether ρ is constant and no torque acts from outside."""
        return not (self.moment.acts or self.command.acts or self.given or self.environment)

    def locked_inertia(self) -> Array:
        """The inertia of all that turns together in a steady rotation."""
        return self.inertia.matrix

    def steady_spins(self, momentum: float) -> list[Equilibrium]:
        """Every rotation at a constant body rate with this length of the angular momentum: `I ω + ρ = λ ω`.

        For a constant ρ and no torque. Where the body is symmetric they come in circles, of which one is given.
        """
        size = float(check_finite("momentum", momentum, ()))
        if not self.autonomous:
            raise InvalidInputError(
                "momentum", momentum, "a constant rho and no torque: only then are there steady spins"
            )
        whole = Inertia.of(self.locked_inertia(), allow_unphysical=True)
        return [
            Equilibrium(f"spin at {np.linalg.norm(rate):.6g} about {_direction(rate)}", self.state(omega=rate))
            for rate in steady_rates(whole, self.rho, size)
        ]

    def steady_spin_energies(self, state: State) -> list[float]:
        momentum = float(np.linalg.norm(self.total_momentum(state.values)))
        if not self.autonomous or not momentum > 0.0:
            return []
        return sorted({round(float(spin.kinetic_energy), 12) for spin in self.steady_spins(momentum)})

    def equilibria(self) -> Equilibria:
        """At rest, in any attitude; see `steady_spins` for the rotations."""
        if not self.autonomous:
            raise InvalidInputError("system", self, "a constant rho and no torque: only then can it stay at rest")
        return Equilibria([Equilibrium("at rest, in any attitude", self.state())], "any turn of space")

    @classmethod
    def example(cls) -> State:
        carrier = [[1.0, 0.1, -0.05], [0.1, 1.9, 0.2], [-0.05, 0.2, 2.3]]
        wheel = Rotor([0.02, 0.012], mass=0.3, position=[0.3, -0.2, 0.4], axis=[0.2, 0.3, 1.0], speed=25.0)
        sphere = Rotor(0.05, mass=0.2, position=[-0.4, 0.1, 0.0], axis=[1.0, -0.5, 0.3], speed=-8.0)
        body = cls(carrier, rotors=[wheel, sphere])
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.5, 0.9, -0.8])


def fold(motion: float, rotors: float, has_no_solution: Any) -> float:
    """The smallest step at which `has_no_solution(h)` holds, between a thousandth and a hundred radians of what moves and of the
    rotors' share in it, to six digits."""
    rate = motion + rotors
    if not motion > 1e-12 * rate:
        return float("inf")
    steps = np.geomspace(1e-3, 1e2, 128) / rate
    for _ in range(5):
        with np.errstate(all="ignore"):
            failed = np.asarray(has_no_solution(steps))
        first = int(np.argmax(failed))
        if not failed[first]:
            return float("inf")
        if first == 0:
            return float(steps[0])
        steps = np.linspace(steps[first - 1], steps[first], 33)
    return float(steps[0])


def _direction(rate: Array) -> str:
    n = rate / max(float(np.linalg.norm(rate)), 1e-300) + 0.0
    return "(" + ", ".join(f"{x:.4f}" for x in np.where(np.abs(n) < 5e-5, 0.0, n)) + ")"
