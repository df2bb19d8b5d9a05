"""A rigid body with any potential and any moment: `L = ½ ω·Jω + ω·A(R) − U(R)`, forced by τ(t, R, ω), damped by −Dω.

    Π = J ω + A,    Π̇ = Π × ω + (∂A/∂ξ)ᵀ ω + M(R) + τ − D ω;    a constant A = a is a rotor built into the body.

A moment that depends on the rate acts at the nodes of a step with the rate there, found by iteration: the step stays
symmetric and of order 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import InertiaLike
from ...core.representation import Form, Representation
from ...core.system import Invariant, State, energy_parts
from ...errors import InvalidInputError
from ...geometry.vectors import Matrix, Vector, add, scale, subtract
from ...scalars import flow, get3, kernel, par3, par6, put3
from ...scalars.protocol import NO_NODE_RATE, SUCCESS
from ..inputs.attitude_potential import Potential, SymbolicPotential, potential_of
from ..inputs.external_moment import ExternalMoment, body_moment
from ..inputs.implicit_rate import put_node_rate
from ..inputs.named_parameters import NamedParameters
from ..inputs.symmetry import momenta_along, named_momenta, symmetry_axes, trial_states
from ..inputs.sympy_kernels import has_corners
from ..inputs.user_flow import UserFlow, potential_force
from ..inputs.user_functions import StateFunction, remembered
from ..stability.equilibria import Equilibria, Equilibrium, check_rate
from ..stability.steady_axes import staude_axes
from .base import FORCE, INVERSE_INERTIA, MATRIX, attitude_and_momentum
from .forced import ROTOR, TERMS, ForcedAttitude
from .linear_term import LinearTerm
from .steady_rotations import steady_attitudes
from .symmetry_classes import up_to_symmetry

Array = NDArray[np.float64]


@kernel
def constant_term(S: Any, p: Any, R: Matrix) -> Vector:
    """The constant A = a among the parameters."""
    return par3(p, ROTOR, S)


@kernel
def add_moment(S: Any, y: Any, p: Any, t: Any, h: Any, moment: Any, linear: Any) -> int:
    """Add τ(t, R, ω) to the moment M in the slots, with the rate at the node: `ω = J⁻¹(Π + (h/2)(M + τ) − A)`; the status
    says whether there is such a rate.

    Π is the momentum before the half kick that ends a step of length h; where there is no step, h is zero.
    """
    (R, Pi), M = attitude_and_momentum(S, y), get3(y, FORCE, S)
    J_inverse, start = par6(p, INVERSE_INERTIA, S), subtract(Pi, linear(S, p, R))
    status = SUCCESS
    if moment is not None:
        kicked = add(start, scale(0.5 * h, M))
        if put_node_rate(S, y, FORCE, p, t, h, R, kicked, J_inverse, body_moment, moment):
            status = NO_NODE_RATE
    put3(y, FORCE, S, add(M, body_moment(S, p, t, R, get3(y, FORCE, S), moment)))
    return status


@kernel
def no_moment(S: Any, y: Any, p: Any) -> None:
    """Clear the force slots."""
    zero = 0.0
    put3(y, FORCE, S, (zero, zero, zero))


@flow
def pulse_force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """A moment given by numbers, and no potential."""
    no_moment(S, y, p)
    return add_moment(S, y, p, t, h, None, constant_term)


@remembered
def force_with_moment(write: Any, moment: Any, linear: Any, user: StateFunction | None) -> UserFlow:
    """The moment of a potential, or of none, and one that a user gave."""

    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        write(S, y, p)
        return add_moment(S, y, p, t, h, moment, linear)

    return UserFlow(force, moment=user)


class AttitudeBody(ForcedAttitude):
    """A rigid body with any potential and any moment.

    `potential`: U(R) as a kernel, as a SymPy expression in `polhode.systems.symbols()` or its text, or as a Python
    function of the 3×3 array R (slow). `moment`: a kernel `moment(t, R, omega)`, three numbers, three formulas in t,
    R11 … R33 and omega1 … omega3, or plain data as for directors, in the "body" or "inertial" ("space") `frame`.
    `damping`: D of a moment −Dω. `gyro`: a, the momentum of a built-in rotor; or `linear`: the three components of A(R),
    as SymPy expressions, a SymPy vector, or texts. `parameters`: values of the names in these formulas, and of further
    arguments of these functions; bodies that differ in numbers only share their compiled code.

    >>> body = AttitudeBody([1.0, 2.0, 2.5], potential="-2*R33", gyro=[0.0, 0.0, 0.5])
    >>> body.state(omega=[0.0, 0.0, 1.0]).Pi
    array([0., 0., 3.])
    >>> float(AttitudeBody([1, 2, 2.5], potential="k*R33", parameters={"k": 2}).potential_energy(np.eye(3)))
    2.0
    """

    summary = "rigid body with any potential and moment"
    reference = "[LLM17] 6.3–6.5, problems 6.1, 6.2, 6.18"
    conserved: Mapping[str, Invariant] = {
        "energy": Invariant("energy", "½ ω·Jω + U(R)"),
        "spatial_momentum": Invariant("momentum", "angular momentum in the inertial frame, R Π"),
    }

    def __init__(
        self,
        inertia: InertiaLike,
        potential: Any = None,
        moment: Any = None,
        *,
        frame: str = "body",
        damping: ArrayLike | None = None,
        gyro: ArrayLike | None = None,
        linear: Any = None,
        parameters: Mapping[str, Any] | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        super().__init__(inertia, gyro=gyro, damping=damping, allow_unphysical=allow_unphysical)
        if linear is not None and gyro is not None:
            raise InvalidInputError(
                "linear", linear, problem="linear and gyro exclude each other: add the vector of the rotor to A"
            )
        named = self.named = NamedParameters(parameters, TERMS.end)
        self.linear = None if linear is None else LinearTerm(linear, parameters=named)
        self.potential: Potential | None = None if potential is None else potential_of(potential, parameters=named)
        self.moment = ExternalMoment.of(moment, frame, parameters=named)
        named.check_used()
        self.hamiltonian = not (self.damped or self.moment.acts)
        self.force = self._force()
        self.axes = self._symmetry_axes()
        energy = {"energy": type(self).conserved["energy"]}
        self.conserved = energy | named_momenta(*self.axes) if self.hamiltonian else {}

    def _force(self) -> Any:
        if self.potential is None and not self.moment.acts:
            return None
        if self.potential is None and self.moment.function is None:
            return pulse_force
        write = no_moment if self.potential is None else self.potential.write
        if not self.moment.acts:
            return potential_force(write)
        linear = constant_term if self.linear is None else self.linear.momentum
        return force_with_moment(write, self.moment.function, linear, self.moment.user)

    def _symmetry_axes(self) -> tuple[Array, Array]:
        """The axes of symmetry in space and in the body; none where that is not known for certain."""
        none = np.zeros((0, 3)), np.zeros((0, 3))
        (R, omega), potential = trial_states(), self.potential
        slope = np.zeros(omega.shape)
        if isinstance(potential, SymbolicPotential) and not has_corners(potential.expression):
            slope = potential.moment(R)
        elif potential is not None:
            return none
        if self.linear is not None:
            if any(map(has_corners, self.linear.expressions)):
                return none
            slope = slope + np.einsum("nij,nj->ni", self.linear.slopes_at(R), omega)
        return symmetry_axes(R, omega, self.momentum_at(R, omega), slope)

    @property
    def representations(self) -> Mapping[str, Representation]:
        if self.linear is None:
            return super().representations
        return {Form.DEFAULT: Representation(MATRIX, drift=self.linear.drift, force=self.force, rhs=self.linear.rhs)}

    def linear_term(self, R: Array) -> Array | float:
        return super().linear_term(R) if self.linear is None else self.linear.at(R)

    def describe(self) -> dict[str, Any]:
        linear = {} if self.linear is None else {"linear": self.linear.describe()}
        potential = {} if self.potential is None else {"potential": self.potential.describe()}
        return super().describe() | potential | linear | self.moment.describe() | self.named.describe()

    def own_parameters(self) -> Array:
        return self.named.numbers()

    def potential_energy(self, R: Array) -> Array:
        return super().potential_energy(R) if self.potential is None else self.potential.energy(R)

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """Kinetic and potential energy, and their sum."""
        return energy_parts(self.energy(values), self.potential_energy(self.derive("R", values)))

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        if not self.hamiltonian:
            return {}
        return {"energy": self.energy(values)} | momenta_along(*self.axes, self.derive("R", values), values["Pi"])

    @classmethod
    def example(cls) -> State:
        body = cls(
            [[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]],
            potential="0.6*R33**2 - 0.8*R13 + 0.3*R21*R32 + 0.2*sin(R11)",
            gyro=[0.2, -0.3, 0.4],
        )
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[-0.2, 0.1, -0.3])

    def equilibria(self) -> Equilibria:
        """Attitudes at rest where the moment of the potential vanishes, as Newton's method finds them (`stability.equilibrium_search`)."""
        from ..stability.equilibrium_search import resting_attitudes

        found = resting_attitudes(self)
        states = [Equilibrium(f"U = {float(self.potential_energy(R)):.6g}", self.state(R=R)) for R in found]
        return up_to_symmetry(self, states)

    def steady_rotations(self, Omega: float) -> list[Equilibrium]:
        """Rotations with |ω| = |Omega|: of a body with nothing but a rotor, a free gyrostat, `ω × (Jω + a) = 0`; of one in a
        potential, or with a term A(R), that is symmetric about an axis of space, rotations about it, those that Newton's
        method finds, one of each circle."""
        rate = check_rate(Omega)
        if not self.hamiltonian or len(self.axes[0]) == 0:
            raise InvalidInputError(
                "Omega",
                Omega,
                "a body without damping and moments, in a formula for a potential symmetric about an axis",
            )
        if self.potential is None and self.linear is None:
            return [
                Equilibrium(f"rotation {i + 1}", self.state(omega=rate * axis))
                for i, axis in enumerate(staude_axes(self.inertia.matrix, self.gyro / rate))
            ]
        axis = self.axes[0][0]

        def momentum(R: Array, omega: Array) -> tuple[Array, Array, Array]:
            slopes = np.zeros((3, 3)) if self.linear is None else self.linear.slopes_at(R).T
            return self.momentum_at(R, omega), self.inertia.matrix, slopes

        def energy(R: Array, omega: Array) -> float:
            spin = 0.5 * omega @ self.inertia.matrix @ omega + omega @ np.broadcast_to(self.linear_term(R), (3,))
            return float(self.potential_energy(R) - spin)

        return [
            Equilibrium(
                f"rotation, U = {float(self.potential_energy(R)):.6g}", self.state(R=R, omega=rate * R.T @ axis)
            )
            for R in steady_attitudes(self, momentum, energy, axis, rate)
        ]
