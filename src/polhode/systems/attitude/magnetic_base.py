"""What bodies with charges in magnetic fields share: a canonical momentum `Π = P + a(R)` beside the kinetic `P = Jω`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.layout import Layout, Variable
from ...core.manifolds import Euclidean, Rotations
from ...core.representation import Form
from ...core.system import Field, energy_parts
from .base import MATRIX, AttitudeSystem

Array = NDArray[np.float64]
KINETIC = Layout(Variable("R", Rotations()), Variable("P", Euclidean(3), kicked=True))


class MagneticBody(AttitudeSystem):
    """A body with `L = ½ ω·Jω + ω·a(R) − U(R)`, whose states are stored as (R, Π) or, where it is forced, as (R, P)."""

    fields = {
        **AttitudeSystem.fields,
        "P": Field((3,), "kinetic angular momentum in the body frame, J omega", "mass length²/time"),
    }

    @abstractmethod
    def linear_term(self, R: Array) -> Array:
        """a at attitudes (..., 3, 3)."""

    @abstractmethod
    def linear_term_slope(self, R: Array) -> Array:
        """The matrix that takes ξ to the change of a along `R exp(S(ξ))`, at one attitude."""

    @abstractmethod
    def potential_energy(self, R: Array) -> Array:
        """U at attitudes (..., 3, 3)."""

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        if name == "P":
            return values["Pi"] - self.linear_term(self.derive("R", values))
        if name == "Pi":
            return values["P"] + self.linear_term(self.derive("R", values))
        if name == "omega":
            return self.derive("P", values) @ self.inertia.inverse
        return super().derive(name, values)

    def energy(self, values: Mapping[str, Array]) -> Array:
        """`½ ω·Jω + U`."""
        kinetic = 0.5 * np.sum(self.derive("omega", values) * self.derive("P", values), axis=-1)
        return kinetic + self.potential_energy(self.derive("R", values))

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """Kinetic and potential energy, and their sum."""
        return energy_parts(self.energy(values), self.potential_energy(self.derive("R", values)))

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """The canonical form; in (ξ, δP) by `δΠ = δP + δa`."""
        if representation == Form.DEFAULT:
            return super().symplectic_form(representation, y)
        values = KINETIC.unpack(y)
        form = super().symplectic_form(Form.DEFAULT, MATRIX.pack({"R": values["R"], "Pi": self.derive("Pi", values)}))
        change = np.eye(6)
        change[3:, :3] = self.linear_term_slope(values["R"])
        return change.T @ form @ change
