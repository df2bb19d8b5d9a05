"""A body with any Lagrangian L(R, ω) or any Hamiltonian H(R, Π) on SO(3): see `general_flows` for its equations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import INERTIA_ENTRIES
from ...core.checks import check_nonzero, check_rotation
from ...core.representation import Form, Representation
from ...core.system import Invariant, State
from ...errors import InvalidInputError
from ...geometry.array_api import MATRIX as MATRIX_SHAPE
from ...geometry.array_api import VECTOR, components
from ...geometry.so3 import vee2_
from ..inputs.attitude_function import AttitudeFunction
from ..inputs.named_parameters import NamedParameters
from ..inputs.symmetry import momenta_along, named_momenta, symmetry_axes, trial_states
from ..inputs.sympy_kernels import has_corners
from ..stability.equilibria import Equilibria, Equilibrium, check_rate
from .base import MATRIX, AttitudeSystem
from .general_flows import general_flows, pair_momentum
from .legendre import of_hamiltonian, of_lagrangian
from .steady_rotations import steady_attitudes
from .symmetry_classes import up_to_symmetry

Array = NDArray[np.float64]
ENERGY = {"energy": Invariant("energy", "Π·ω − L(R, ω) = H(R, Π)")}


class GeneralBody(AttitudeSystem):
    """A body with any Lagrangian L(R, ω), or any Hamiltonian H(R, Π).

    Give one of the two: `lagrangian`, a formula in R11 … R33 and omega1, omega2, omega3, or `hamiltonian`, one in R11 … R33
    and Pi1, Pi2, Pi3; as text, as a SymPy expression, as a kernel `L(R, omega)` of a tuple of nine and one of three numbers,
    or as a Python function of a 3×3 array and an array of three. The kinetic energy need not be quadratic; its matrix ∂²L/∂ω² must not be singular.
    `parameters`: values of the names in the formula, or of further arguments of the function.

    >>> body = GeneralBody(lagrangian="0.5*(omega1**2 + 2*omega2**2 + 3*omega3**2) + 0.1*omega3**4 - R33")
    >>> body.state(omega=[0.0, 0.0, 1.0]).Pi
    array([0. , 0. , 3.4])
    >>> list(body.conserved)
    ['energy', 'momentum_along_axis']
    """

    summary = "body with any Lagrangian or Hamiltonian"
    reference = "[LLM17] 6.3, 6.4, propositions 6.1, 6.2"
    conserved: Mapping[str, Invariant] = ENERGY
    starts_anywhere = False

    def __init__(
        self, lagrangian: Any = None, hamiltonian: Any = None, *, parameters: Mapping[str, Any] | None = None
    ) -> None:
        if (lagrangian is None) == (hamiltonian is None):
            raise InvalidInputError("lagrangian", lagrangian, problem="give either lagrangian or hamiltonian")
        named = self.named = NamedParameters(parameters, INERTIA_ENTRIES.end)
        if lagrangian is not None:
            transformed, self.function = of_lagrangian, AttitudeFunction(lagrangian, "omega", "lagrangian", named)
        else:
            transformed, self.function = of_hamiltonian, AttitudeFunction(hamiltonian, "Pi", "hamiltonian", named)
        named.check_used()
        self._transform = transformed(self.function.first, self.function.second, named.plain)
        super().__init__(self._mass_at_rest(), allow_unphysical=True)
        drift, rhs = general_flows(self._transform, named.read, named.plain, named.at)
        self._representations: Mapping[str, Representation] = {
            Form.DEFAULT: Representation(MATRIX, drift=drift, rhs=rhs)
        }
        self.axes = self._symmetry_axes()
        self.conserved = ENERGY | named_momenta(*self.axes)

    @property
    def representations(self) -> Mapping[str, Representation]:
        return self._representations

    def _entries(self, R: Array) -> tuple[Any, ...]:
        """An attitude as the kernels take it, with the named parameters behind."""
        return components(R, MATRIX_SHAPE) + self.named.values

    def _mass_at_rest(self) -> Array:
        """∂²L/∂ω² at rest in the reference attitude: what stands for the inertia."""
        with np.errstate(all="ignore"):
            A = self._transform.slopes(self._entries(np.eye(3)), components(np.zeros(3), VECTOR))
        a = np.array([float(x) for x in A[:6]])
        mass = np.array([[a[0], a[5], a[4]], [a[5], a[1], a[3]], [a[4], a[3], a[2]]])
        if not (np.isfinite(mass).all() and np.linalg.eigvalsh(mass)[0] > 0.0):
            field = self.function.field
            raise InvalidInputError(
                field, self.function.describe(), f"a positive matrix ∂²L/∂ω² at rest, not {mass.tolist()}"
            )
        return mass

    def _symmetry_axes(self) -> tuple[Array, Array]:
        """The axes of symmetry in space and in the body; none where that is not known for certain."""
        expression = self.function.expression
        if expression is None or has_corners(expression):
            return np.zeros((0, 3)), np.zeros((0, 3))
        R, omega = trial_states()
        omega = 0.1 * omega
        found = self._momentum(R, omega)
        return symmetry_axes(R, omega, found[..., :3], found[..., 3:])

    def _momentum(self, R: Array, omega: Array) -> Array:
        """Π and ∂ξ L, (..., 6)."""
        with np.errstate(all="ignore"):
            found = self._transform.momentum(self._entries(R), components(omega, VECTOR))
        return np.stack(np.broadcast_arrays(*found), axis=-1)

    def momentum_at(self, R: Array, omega: Array) -> Array:
        return self._momentum(R, omega)[..., :3]

    def rate_at(self, R: Array, Pi: Array) -> Array:
        with np.errstate(all="ignore"):
            omega, *_ = self._transform.rate(self._entries(R), components(Pi, VECTOR))
        return np.stack(np.broadcast_arrays(*omega), axis=-1)

    def describe(self) -> dict[str, Any]:
        return {self.function.field: self.function.describe()} | self.named.describe()

    def parameters(self) -> Array:
        return np.concatenate([super().parameters(), self.named.numbers()])

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        R, Pi = self.derive("R", values), values["Pi"]
        if self.function.vector == "Pi":
            energy = self.function(R, Pi)
        else:
            omega = self.derive("omega", values)
            energy = np.sum(Pi * omega, axis=-1) - self.function(R, omega)
        return {"energy": energy} | momenta_along(*self.axes, R, Pi)

    def state_from_pair(self, R0: ArrayLike, R1: ArrayLike, step: float, *, t: float = 0.0, **rest: Any) -> State:
        h = check_nonzero("step", step)
        start, end = check_rotation("R0", R0), check_rotation("R1", R1)
        F = start.T @ end
        c = np.array(vee2_(components(F, MATRIX_SHAPE))) / (1.0 + np.trace(F))
        with np.errstate(all="ignore"):
            Pi = pair_momentum(self._transform)(h, self._entries(start), tuple(c))
        return self.state(R=start, Pi=np.array(Pi), t=t)

    def _momentum_slopes(self, R: Array, omega: Array) -> tuple[Array, Array, Array]:
        """Π, ∂Π/∂ω and the derivative of Π along the group."""
        with np.errstate(all="ignore"):
            found = self._transform.slopes(self._entries(R), components(omega, VECTOR))
        a = np.array([float(x) for x in found])
        mass = np.array([[a[0], a[5], a[4]], [a[5], a[1], a[3]], [a[4], a[3], a[2]]])
        return self.momentum_at(R, omega), mass, a[6:].reshape(3, 3)

    def _minus_lagrangian(self, R: Array, omega: Array) -> float:
        Pi = self.momentum_at(R, omega)
        energy = self.invariants({"R": R, "Pi": Pi})["energy"]
        return float(energy - Pi @ omega)

    def equilibria(self) -> Equilibria:
        """Attitudes at rest with `∂ξ L(R, 0) = 0`, as Newton's method finds them; of a circle or a family, some."""
        axis = self.axes[0][0] if len(self.axes[0]) == 1 else None
        found = steady_attitudes(self, self._momentum_slopes, self._minus_lagrangian, axis, 0.0)
        rest = np.zeros(3)
        states = [
            Equilibrium(f"L = {-self._minus_lagrangian(R, rest):.6g}", self.state(R=R, omega=rest)) for R in found
        ]
        return up_to_symmetry(self, states)

    def steady_rotations(self, Omega: float) -> list[Equilibrium]:
        """Rotations at the rate `Omega` about the axis of space about which L is symmetric, as Newton's method finds them."""
        rate = check_rate(Omega)
        if len(self.axes[0]) == 0:
            raise InvalidInputError("Omega", Omega, "a formula that is symmetric about an axis of space")
        axis = self.axes[0][0]
        found = steady_attitudes(self, self._momentum_slopes, self._minus_lagrangian, axis, rate)
        return [Equilibrium(f"rotation {i + 1}", self.state(R=R, omega=rate * R.T @ axis)) for i, R in enumerate(found)]

    def largest_step(self, state: State) -> float:
        return float("inf")

    @classmethod
    def example(cls) -> State:
        quadratic = "0.5*(1.0*omega1**2 + 2.0*omega2**2 + 2.5*omega3**2)"
        more = "0.2*(omega1**2 + omega2**2)**2 + 0.3*R33*omega1*omega3"
        body = cls(lagrangian=f"{quadratic} + {more} + 0.2*(R31*omega1 + R32*omega2) - 0.6*R33**2 + 0.8*R32")
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[-0.2, 0.4, -0.3])
