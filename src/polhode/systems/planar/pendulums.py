"""Pendulums with one angle (6.6.4 and problems 6.4, 6.6 of [LLM17]).

A body that swings about a fixed axis a, `R ∈ {R : Ra = a} = {exp(θ S(a))}`, with ρ₀ ⊥ a from its centre of mass to the
axis, `J_a = a·Ja`, e₃ up:

    J_a ω̇ = m g a·(ρ₀ × Rᵀe₃) = A cos θ − B sin θ,   U = −m g e₃·Rρ₀ = −B cos θ − A sin θ,
    A = m g e₃·(a × ρ₀),   B = m g e₃·ρ₀.

This is the motion on S¹ that it reduces to, so the circle is what is carried: `ζ = Rρ₀/|ρ₀| = q₁a₁ + q₂a₂` is the
direction from the centre of mass to the axis. The pendulum in a plane (6.4) has A = 0 and B = m g l. In closed form the
motion is given by Jacobi's elliptic functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import Body
from ...bodies.inertia import InertiaLike, describe_on_pivot, on_pivot
from ...core.checks import check_finite, check_positive, check_rotation
from ...core.system import ClosedForm, Field, State
from ...errors import InvalidInputError
from ...geometry import so3
from ...scalars import flow, get, par, put
from ...scalars.protocol import SUCCESS
from ..stability.equilibria import Equilibria, Equilibrium
from .base import BODY, COSINE, ENERGY, FORCE, SINE, CircleSystem
from .pendulum_exact import swinging_motion

Array = NDArray[np.float64]
LOAD = BODY.then(A=1, B=1)
LOAD_A, LOAD_B = LOAD.offsets("A", "B")


@flow
def weight_on_circle(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`M = A cos θ − B sin θ`."""
    put(y, FORCE, S, par(p, LOAD_A, S) * get(y, COSINE, S) - par(p, LOAD_B, S) * get(y, SINE, S))
    return SUCCESS


class Swinging(CircleSystem):
    """A body on the circle with `M = A cos θ − B sin θ`."""

    force = weight_on_circle
    load: Array  # (A, B)

    def parameters(self) -> Array:
        return np.concatenate([BODY.pack(J=self.J), LOAD.pack(A=self.load[0], B=self.load[1])])

    def potential_energy(self, z: Array) -> Array:
        return -(z @ self.load[::-1])

    def equilibria(self) -> Equilibria:
        """Hanging and inverted; for a vertical axis any attitude is one."""
        if not np.hypot(*self.load) > 1e-14 * self.weight:
            return Equilibria([Equilibrium("any attitude", self.state())], "any turn")
        angle = float(np.arctan2(self.load[0], self.load[1]))
        hanging = Equilibrium("hanging", self.state(theta=angle))
        return Equilibria([hanging, Equilibrium("inverted", self.state(theta=angle + np.pi))])

    weight: float  # the size of A and B for a horizontal axis

    def closed_form(self, state: State) -> ClosedForm:
        """In Jacobi's elliptic functions: `sin φ/2 = k sn(ω₀t + u₀, k²)` for librations, `sn(kω₀t + u₀, 1/k²)` for
        rotations, where φ is the angle from hanging."""
        return swinging_motion(self.J, self.load, state)


class AxisPendulum(Swinging):
    """A rigid body that swings about a fixed axis, in uniform gravity g along −e₃.

    `inertia_cm`: about the centre of mass; `rho0`: from the centre of mass to the nearest point of the axis. Or a body
    with a shape, which has a mass of its own, and the `pivot`, a point of the axis in its frame.
    `axis`: its direction, the same in the body and in space. `R` is the 3×3 attitude, with `R axis = axis`.

    >>> from polhode import linearize
    >>> body = AxisPendulum([0.13, 0.28, 0.17], mass=1.0, rho0=[0.0, 0.0, 0.3], axis=[0.0, 1.0, 0.0])
    >>> [linearize(e).verdict for e in body.equilibria()]
    ['stable', 'unstable']
    """

    summary = "rigid body swinging about a fixed axis, in uniform gravity"
    reference = "[LLM17] 6.6.4, problem 6.6"
    conserved = ENERGY
    fields = {
        **CircleSystem.fields,
        "R": Field((3, 3), "rotation matrix about the axis, body to inertial"),
        "reduced": Field((2,), "components of Rρ₀/|ρ₀| along a₁ and a₂, across the axis"),
        "constraint_moment": Field(
            (3,), "moment of the axis on the body, across itself, in the body frame", "mass length²/time²"
        ),
    }

    def __init__(
        self,
        inertia_cm: InertiaLike,
        mass: float | None = None,
        rho0: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        g: float = 9.81,
        *,
        pivot: ArrayLike | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        placed = on_pivot(inertia_cm, mass, rho0, pivot, allow_unphysical=allow_unphysical)
        self.inertia_cm, self.mass, self.rho0 = placed
        self.pivot = None if pivot is None else check_finite("pivot", pivot, (3,))
        self._allow_unphysical = allow_unphysical
        if axis is None:
            raise InvalidInputError("axis", None, problem="axis is missing")
        given = check_finite("axis", axis, (3,))
        self.g = float(check_finite("g", g, ()))
        length = float(np.linalg.norm(given))
        if not length > 0.0:
            raise InvalidInputError("axis", axis, "a nonzero vector")
        self.axis = given if abs(length - 1.0) <= 1e-14 else given / length  # one that was read again keeps its bits
        if self.pivot is not None:  # any point of the axis: ρ₀ goes to its nearest one
            self.rho0 = self.rho0 - (self.rho0 @ self.axis) * self.axis
        if abs(self.rho0 @ self.axis) > 1e-9 * (np.linalg.norm(self.rho0) or 1.0) or not self.rho0.any():
            raise InvalidInputError(
                "rho0", rho0, "a nonzero vector across the axis: to its point nearest the mass centre"
            )
        arm = so3.hat(self.rho0)
        self.pivot_inertia = self.inertia_cm.matrix + self.mass * arm.T @ arm
        super().__init__(float(self.axis @ self.pivot_inertia @ self.axis))
        self.weight = abs(self.mass * self.g) * float(np.linalg.norm(self.rho0))
        self.load = self.mass * self.g * np.array([np.cross(self.axis, self.rho0)[2], self.rho0[2]])

    @property
    def across(self) -> Array:
        """Unit vectors a₁ and a₂ that make a right-handed frame with the axis."""
        first = np.cross(np.cross(self.axis, np.eye(3)[np.argmin(np.abs(self.axis))]), self.axis)
        first /= np.linalg.norm(first)
        return np.array([first, np.cross(self.axis, first)], dtype=np.float64)

    @property
    def shape(self) -> Body | None:
        return self.inertia_cm.body

    def describe(self) -> dict[str, Any]:
        flag = {"allow_unphysical": True} if self._allow_unphysical else {}
        return describe_on_pivot(self) | {"axis": self.axis.tolist(), "g": self.g} | flag

    def circle_point(self, R: ArrayLike) -> Array:
        A = check_rotation("R", R)
        if np.abs(A @ self.axis - self.axis).max() > 1e-9:
            raise InvalidInputError("R", R, f"a rotation about the axis {self.axis.tolist()}")
        z = np.array([0.5 * (np.trace(A) - 1.0), 0.5 * float(so3.vee2(A) @ self.axis)])
        return z / np.linalg.norm(z)

    def rotation(self, z: Array) -> Array:
        c, s = z[..., 0, None, None], z[..., 1, None, None]
        along = np.outer(self.axis, self.axis)
        return along + c * (np.eye(3) - along) + s * so3.hat(self.axis)

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name == "reduced" and name not in values:
            direction = self.rotation(values["z"]) @ (self.rho0 / np.linalg.norm(self.rho0))
            return direction @ self.across.T
        if name == "constraint_moment" and name not in values:
            return self._constraint_moment(values)
        return super().derive(name, values)

    def inertial_rotation(self, values: Mapping[str, Array], t: Array) -> tuple[Array, Array]:
        """The rate is about the axis."""
        return self.derive("R", values), self.derive("omega", values)[:, None] * self.axis

    def _constraint_moment(self, values: Mapping[str, Array]) -> Array:
        """What the axis does to the body across itself: `(1 − aaᵀ)(J aω̇ + ω² a × Ja − m g ρ₀ × Rᵀe₃)`."""
        a, J, omega = self.axis, self.pivot_inertia, self.derive("omega", values)[..., None]
        M = self.mass * self.g * np.cross(self.rho0, self.derive("R", values)[..., 2, :])
        whole = J @ a * (M @ a / self.J)[..., None] + omega**2 * np.cross(a, J @ a) - M
        return np.asarray(whole - (whole @ a)[..., None] * a)

    @classmethod
    def example(cls) -> State:
        body = cls([0.9, 1.3, 0.7], mass=1.0, rho0=[-0.4, -0.2, 0.4], axis=[1.0, 2.0, 2.0], g=4.0)
        return body.state(theta=0.7, omega=-0.9)


class PlanarPendulum(Swinging):
    """A pendulum in a vertical plane, on SO(2); it hangs at θ = 0.

    `inertia`: about the pivot; `length`: from the pivot to the centre of mass.

    >>> from polhode import linearize
    >>> body = PlanarPendulum(0.4, mass=1.2, length=0.5)
    >>> linearize(body.state()).eigenvalues.imag.round(6)
    array([-3.836014,  3.836014])
    """

    summary = "pendulum in a plane"
    reference = "[LLM17] problem 6.4"
    conserved = ENERGY

    def __init__(self, inertia: float, mass: float, length: float, g: float = 9.81) -> None:
        super().__init__(inertia)
        self.mass, self.length = check_positive("mass", mass), check_positive("length", length)
        self.g = float(check_finite("g", g, ()))
        self.weight = abs(self.mass * self.g) * self.length
        self.load = np.array([0.0, self.mass * self.g * self.length])

    def describe(self) -> dict[str, Any]:
        return {"inertia": self.J, "mass": self.mass, "length": self.length, "g": self.g}

    @classmethod
    def example(cls) -> State:
        return cls(inertia=1.0, mass=1.2, length=0.7, g=3.0).state(theta=0.5, omega=1.0)
