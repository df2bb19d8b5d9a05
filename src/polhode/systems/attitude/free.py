"""The free rigid body: no forces, no moments; Euler's equations and the attitude that goes with them.

    Π̇ = Π × J⁻¹Π,   Ṙ = R S(J⁻¹Π);   conserved: the energy ½ Π·J⁻¹Π, the spatial momentum R Π, and |Π|.

The order-2 variational map conserves all of these exactly: the momentum stays on the true polhode and only its clock runs
at a slightly wrong, constant rate (Moser and Veselov's integrable map). With a preprocessed inertia it is of order 4 to 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.representation import DiscreteBodyRepresentation, Form, Representation
from ...core.system import ClosedForm, Invariant, State
from ...geometry.increments.preprocessing import ORDERS, preprocessed_inertia
from ...geometry.increments.rigid import solve_increment_
from ...geometry.stable_products import cayley_turn
from ...geometry.vectors import scale, values6
from ...scalars import Flow, flow, get3, par6
from ...scalars.protocol import NO_SOLUTION, SUCCESS, record
from ..stability.equilibria import Equilibria, Equilibrium, check_rate
from .base import (
    INVERSE_INERTIA,
    MATRIX,
    MOMENTUM,
    REPRESENTATIONS,
    AttitudeSystem,
    drift_matrix,
    turn_body,
)
from .free_exact import free_closed_form
from .symmetry_classes import up_to_symmetry

Array = NDArray[np.float64]


def preprocessed_drift(order: int) -> Flow:
    """The discrete body's step with the inertia that makes it of this order."""

    @flow
    def drift_preprocessed(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        Pi = get3(y, MOMENTUM, S)
        g = scale(h, Pi)
        inertia = preprocessed_inertia(order, par6(p, INVERSE_INERTIA, S), g)
        c, iterations, defect, failed = solve_increment_(inertia[0], values6(inertia[1]), g)
        record(report, iterations, defect)
        if failed:
            return NO_SOLUTION
        turn_body(S, y, cayley_turn(c))
        return SUCCESS

    return drift_preprocessed


PREPROCESSED = {order: preprocessed_drift(order) for order in ORDERS if order > 2}
ALL = REPRESENTATIONS | {
    Form.DISCRETE_BODY: DiscreteBodyRepresentation(MATRIX, drift=drift_matrix, preprocessed=PREPROCESSED)
}


class FreeRigidBody(AttitudeSystem):
    """A rigid body that nothing acts on.

    `inertia`: three principal moments or a symmetric 3×3 matrix in the body frame; or a body with a shape, such as a `Box`.

    >>> from polhode import linearize
    >>> body = FreeRigidBody(inertia=[1, 2, 3])
    >>> state = body.state(omega=[0.7, -0.6, 0.5])
    >>> float(state.invariants()["energy"])
    0.98
    >>> [(e.label, linearize(e).verdict) for e in body.steady_rotations(2.0)]
    [('rotation about J = 1', 'stable'), ('rotation about J = 2', 'unstable'), ('rotation about J = 3', 'stable')]
    """

    summary = "rigid body with no forces"
    reference = "[LLM07] sec. 3; [MP16] sec. V; [LLM17] 6.6.1"
    conserved = {
        "energy": Invariant("energy", "kinetic energy ½ Π·J⁻¹Π"),
        "spatial_momentum": Invariant("momentum", "angular momentum in the inertial frame, R Π"),
        "momentum_norm": Invariant("casimir", "length of the angular momentum, |Π|", "mass length²/time"),
    }

    @property
    def representations(self) -> Mapping[str, Representation]:
        return ALL

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        Pi = values["Pi"]
        return {
            "energy": self.energy(values),
            "spatial_momentum": np.einsum("...ij,...j->...i", self.derive("R", values), Pi),
            "momentum_norm": np.linalg.norm(Pi, axis=-1),
        }

    def energy(self, values: Mapping[str, Array]) -> Array:
        kinetic: Array = 0.5 * (values["Pi"] * self.derive("omega", values)).sum(axis=-1)
        return kinetic

    @classmethod
    def example(cls) -> State:
        body = cls(inertia=[[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]])
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.9, -0.7, 0.6])

    def closed_form(self, state: State) -> ClosedForm:
        """The motion in Jacobi's elliptic functions (problem 6.8 of [LLM17])."""
        return free_closed_form(self.inertia.matrix, state)

    def equilibria(self) -> Equilibria:
        """At rest, in any attitude; and the rotations about the principal axes, at rate 1."""
        return up_to_symmetry(self, [Equilibrium("at rest", self.state()), *self.steady_rotations(1.0)])

    def steady_rotations(self, Omega: float) -> list[Equilibrium]:
        """The rotations about the principal axes with rate `Omega`, by growing moment; of equal moments, one for each.

        About the axes of the least and the greatest moment they are stable, about the middle one unstable, with
        `λ² = −Ω² (Jᵢ − Jⱼ)(Jᵢ − Jₖ)/(JⱼJₖ)`.
        """
        rate = check_rate(Omega)
        return [
            Equilibrium(f"rotation about J = {moment:.6g}", self.state(omega=rate * axis))
            for moment, axis in zip(self.inertia.moments, self.inertia.axes.T, strict=True)
        ]
