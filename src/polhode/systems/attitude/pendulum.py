"""The three-dimensional pendulum: a rigid body that turns about a fixed point, in uniform gravity (6.6.2 of [LLM17]).

`ρ₀` body vector from the centre of mass to the pivot, `e₃` up, `Γ = Rᵀe₃`, `J = J_cm + m S(ρ₀)ᵀS(ρ₀)`:

    U = −m g e₃·Rρ₀,   M = m g ρ₀ × Γ;   conserved: the energy, Π·Γ, and Π·ρ₀ of Lagrange's top.

Equilibria: Γ = ±ρ₀/|ρ₀|, hanging (+) and inverted (−), each a circle. Relative equilibria (Staude's rotations): ω = ΩΓ
with `Γ × (Ω²JΓ + m g ρ₀) = 0`; where Γ ∥ ρ₀ is a principal axis, the sleeping top.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import Body
from ...bodies.inertia import InertiaLike, describe_on_pivot, on_pivot
from ...core.checks import check_finite
from ...core.system import ClosedForm, Invariant, State, energy_parts
from ...geometry import so3
from ...geometry.vectors import cross
from ...scalars import flow, get3, par3, put3
from ...scalars.protocol import SUCCESS
from ..stability.equilibria import Equilibria, Equilibrium, attitude_taking, check_rate
from ..stability.steady_axes import staude_axes
from .base import ATTITUDE, FORCE, ROW
from .forced import TERMS, ForcedAttitude
from .free_exact import free_closed_form
from .symmetry_classes import aligned_at_rest, up_to_symmetry
from .top_exact import top_motion

Array = NDArray[np.float64]
PENDULUM = TERMS.then(weight=3)  # m g ρ₀
(WEIGHT,) = PENDULUM.offsets("weight")
UP = 2  # the row of R that is Γ
E3 = (0.0, 0.0, 1.0)


@flow
def weight_moment(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`M = m g ρ₀ × Γ` with Γ = Rᵀe₃, the last row of R."""
    put3(y, FORCE, S, cross(par3(p, WEIGHT, S), get3(y, ATTITUDE + UP * ROW, S)))
    return SUCCESS


class Pendulum3D(ForcedAttitude):
    """A rigid body about a fixed pivot, in uniform gravity g along −e₃.

    `inertia_cm`: about the centre of mass; `rho0`: body vector from the centre of mass to the pivot. Or a body with a
    shape, which has a mass of its own, and the place of the `pivot` in its frame. `damping`: a number, three numbers or a
    3×3 matrix D, for a moment −Dω.

    >>> body = Pendulum3D([0.13, 0.28, 0.17], mass=1.0, rho0=[0.0, 0.0, -0.3])
    >>> body.inertia.matrix.diagonal().round(6)
    array([0.22, 0.37, 0.17])
    >>> [e.label for e in body.equilibria()]
    ['hanging', 'inverted']
    >>> from polhode.bodies import Cone
    >>> cone = Cone(radius=0.1, height=0.2, mass=1.0)
    >>> Pendulum3D(cone, pivot=cone.tip).rho0
    array([0.  , 0.  , 0.15])
    """

    summary = "rigid body about a fixed point, in uniform gravity"
    reference = "[LLM17] 6.6.2"
    force = weight_moment
    conserved: Mapping[str, Invariant] = {
        "energy": Invariant("energy", "½ ω·Jω − m g e₃·Rρ₀"),
        "vertical_momentum": Invariant("momentum", "angular momentum about the vertical, Π·Rᵀe₃"),
    }

    def __init__(
        self,
        inertia_cm: InertiaLike,
        mass: float | None = None,
        rho0: ArrayLike | None = None,
        g: float = 9.81,
        *,
        pivot: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        placed = on_pivot(inertia_cm, mass, rho0, pivot, allow_unphysical=allow_unphysical)
        self.inertia_cm, self.mass, self.rho0 = placed
        self.pivot = None if pivot is None else check_finite("pivot", pivot, (3,))
        self.g = float(check_finite("g", g, ()))
        arm = so3.hat(self.rho0)
        about_pivot = self.inertia_cm.matrix + self.mass * arm.T @ arm
        super().__init__(about_pivot, damping=damping, allow_unphysical=allow_unphysical)
        self.conserved = {} if self.damped else dict(type(self).conserved)
        if self.is_lagrange_top and not self.damped:
            self.conserved["axial_momentum"] = Invariant(
                "momentum", "angular momentum about the symmetry axis, Π·ρ₀/|ρ₀|"
            )

    @property
    def is_lagrange_top(self) -> bool:
        """Whether the body is symmetric about ρ₀."""
        if not self.rho0.any():
            return False
        n, J = self.rho0 / np.linalg.norm(self.rho0), self.inertia.matrix
        axial = n @ J @ n
        symmetric = axial * np.outer(n, n) + 0.5 * (np.trace(J) - axial) * (np.eye(3) - np.outer(n, n))
        return bool(np.abs(J - symmetric).max() <= 1e-12 * np.abs(J).max())

    closed_form_steps = 3000  # its constants are found in 60 digits

    @property
    def has_exact(self) -> bool:
        return self.is_lagrange_top and not self.damped

    def closed_form(self, state: State) -> ClosedForm:
        """The motion of Lagrange's top, in elliptic functions and integrals."""
        if not self.has_exact:
            return super().closed_form(state)
        axis = self.rho0 / np.linalg.norm(self.rho0)
        weight = self.mass * self.g * float(np.linalg.norm(self.rho0))
        along = float(axis @ self.inertia.matrix @ axis)
        across = 0.5 * (float(np.trace(self.inertia.matrix)) - along)
        if weight == 0.0:
            return free_closed_form(self.inertia.matrix, state)
        return top_motion(axis if weight > 0.0 else -axis, abs(weight), across, along, state)

    @property
    def shape(self) -> Body | None:
        return self.inertia_cm.body

    def describe(self) -> dict[str, Any]:
        flag = {"allow_unphysical": True} if self._allow_unphysical else {}
        return describe_on_pivot(self) | {"g": self.g} | self.describe_terms() | flag

    def own_parameters(self) -> Array:
        return PENDULUM.pack(weight=self.mass * self.g * self.rho0)

    def potential_energy(self, R: Array) -> Array:
        return -self.mass * self.g * (R[..., UP, :] @ self.rho0)

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """Kinetic and potential energy, and their sum."""
        return energy_parts(self.energy(values), self.potential_energy(self.derive("R", values)))

    @property
    def pointer(self) -> tuple[str, Array] | None:
        """The direction to follow: the direction from the pivot to the mass centre, in the body."""
        return ("mass centre, seen from the pivot", -self.rho0) if self.rho0.any() else None

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        Gamma, Pi = self.derive("R", values)[..., UP, :], values["Pi"]
        found = {
            "energy": self.energy(values),
            "vertical_momentum": np.sum(Gamma * Pi, axis=-1),
            "axial_momentum": Pi @ self.rho0 / (np.linalg.norm(self.rho0) or 1.0),
        }
        return {name: found[name] for name in self.conserved}

    @classmethod
    def example(cls) -> State:
        body = cls([[0.9, 0.1, -0.05], [0.1, 1.3, 0.1], [-0.05, 0.1, 0.7]], mass=1.0, rho0=[0.1, 0.2, -0.5], g=2.0)
        return body.state(q=[0.4, -0.2, 0.3, 0.8], omega=[0.5, -0.6, 0.8])

    def equilibria(self) -> Equilibria:
        """The hanging and the inverted attitude, one representative of each circle."""
        if not self.rho0.any():
            return up_to_symmetry(self, [])
        return aligned_at_rest(self, self.rho0, E3, "hanging", "inverted")

    def steady_rotations(self, Omega: float) -> list[Equilibrium]:
        """The rotations about the vertical with rate `Omega` that are steady (Staude), one of each circle.

        `Γ × (Ω²JΓ + m g ρ₀) = 0` with Γ = Rᵀe₃.

        >>> top = Pendulum3D([0.273, 0.273, 0.12], mass=1.0, rho0=[0, 0, -0.3])
        >>> sorted({e.label for e in top.steady_rotations(20.0)})
        ['Staude rotation', 'hanging', 'upright']
        """
        rate = check_rate(Omega)
        found = []
        for Gamma in staude_axes(rate**2 * self.inertia.matrix, self.mass * self.g * self.rho0):
            along = Gamma @ self.rho0 / (np.linalg.norm(self.rho0) or 1.0)
            label = "hanging" if along > 1 - 1e-12 else "upright" if along < -1 + 1e-12 else "Staude rotation"
            found.append(Equilibrium(label, self.state(R=attitude_taking(Gamma, E3), omega=rate * Gamma)))
        return sorted(found, key=lambda e: -float(self.potential_energy(e.R)))
