"""A rigid body in a circular orbit, with the gravity gradient (6.6.3 of [LLM17]).

`R` body → LVLH, whose axes are e₁ along the velocity, e₂ along the orbit's normal, e₃ radially outward; `n` the orbital
rate; `ω` the *inertial* angular velocity in the body frame; `bᵢ = Rᵀeᵢ`; `Π = Jω`:

    Ṙ = R S(ω − n b₂),   Π̇ = Π × ω + 3n² b₃ × Jb₃;   conserved: H_J = ½ Π·J⁻¹Π − n Π·b₂ + (3/2) n² b₃·Jb₃,

the Jacobi integral; the sum of kinetic and potential energy is not conserved. The LVLH frame turns by exactly
`Z = exp(−hn S(e₂))` in a step, so the variational step is that of the free body with `R ↦ Z R F`, between half kicks.
Relative equilibria: the principal axes along those of LVLH, and ω = n b₂.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import INERTIA_ENTRIES, InertiaLike
from ...core.checks import check_finite
from ...core.representation import Form, Representation
from ...core.system import Field, Invariant, State
from ...geometry import so3
from ...geometry.common_angle import common_sin
from ...geometry.increments.free_rotation import PRINCIPAL, exact_increment
from ...geometry.stable_products import cayley_turn, compose, turned_back
from ...geometry.unchecked import rotation_exp
from ...geometry.vectors import Matrix, add, apply_symmetric, cross, scale, subtract
from ...scalars import flow, get3, kernel, par, par6, put3, rate
from ...scalars.protocol import NO_SOLUTION, SUCCESS
from ..stability.equilibria import Equilibria, Equilibrium
from ..stability.equilibrium_search import cube_attitudes
from .base import (
    ATTITUDE,
    FORCE,
    INERTIA,
    INVERSE_INERTIA,
    MATRIX,
    ROW,
    AttitudeSystem,
    attitude_and_momentum,
    free_increment,
    put_attitude_and_momentum,
    put_rates,
)
from .symmetry_classes import up_to_symmetry

Array = NDArray[np.float64]
ORBIT = INERTIA_ENTRIES.then(n=1)
(RATE,) = ORBIT.offsets("n")


@kernel
def turn_about_normal(angle: Any, R: Matrix) -> Matrix:
    """`exp(−angle S(e₂)) R`, computed as R plus a small change so that a small angle costs no digits."""
    s, half = common_sin(angle), common_sin(0.5 * angle)
    v = -2.0 * half * half  # cos − 1
    x, z = R[0:3], R[6:9]
    u = add(x, subtract(scale(v, x), scale(s, z)))
    w = add(z, add(scale(v, z), scale(s, x)))
    return u + R[3:6] + w


@flow
def drift_orbit(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`R ↦ Z R F`, `Π ↦ FᵀΠ` with `h S(Π) = F Jd − Jd Fᵀ`."""
    R, Pi = attitude_and_momentum(S, y)
    c, failed = free_increment(S, p, h, Pi, report)
    if failed:
        return NO_SOLUTION
    turn = cayley_turn(c)
    turned = compose(turn_about_normal(h * par(p, RATE, S), R), turn)
    put_attitude_and_momentum(S, y, turned, turned_back(turn, Pi))
    return SUCCESS


@flow
def exact_drift_orbit(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The same with the true rotation F; n follows the body's numbers."""
    R, Pi = attitude_and_momentum(S, y)
    E = exact_increment(p, 0, S, Pi, h)
    turned = compose(turn_about_normal(h * par(p, PRINCIPAL, S), R), E)
    put_attitude_and_momentum(S, y, turned, turned_back(E, Pi))
    return SUCCESS


@flow
def gravity_gradient(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`M = 3n² b₃ × Jb₃` with b₃ = Rᵀe₃, the last row of R."""
    b, n = get3(y, ATTITUDE + 2 * ROW, S), par(p, RATE, S)
    put3(y, FORCE, S, scale(3.0 * n * n, cross(b, apply_symmetric(par6(p, INERTIA, S), b))))
    return SUCCESS


@rate
def rhs_orbit(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """`Ṙ = R S(ω − n b₂)`, `Π̇ = Π × ω`."""
    R, Pi = attitude_and_momentum(S, y)
    omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), Pi)
    relative = subtract(omega, scale(par(p, RATE, S), R[3:6]))
    put_rates(S, dy, R, relative, cross(Pi, omega))
    return SUCCESS


class OrbitingBody(AttitudeSystem):
    """A rigid body whose centre moves in a circular orbit of rate `n`; `R` maps the body to LVLH, `omega` is inertial.

    >>> body = OrbitingBody([2.0, 2.5, 1.2], n=1.1)
    >>> len(body.equilibria()), len(body.equilibria().all)  # up to half turns of the body, and all
    (6, 24)
    """

    summary = "rigid body in a circular orbit, with the gravity gradient"
    reference = "[LLM17] 6.6.3"
    conserved: Mapping[str, Invariant] = {
        "jacobi": Invariant("energy", "Jacobi integral ½ ω·Jω − n ω·Jb₂ + (3/2) n² b₃·Jb₃")
    }

    fields = {
        **AttitudeSystem.fields,
        "R": Field((3, 3), "rotation matrix, body to LVLH"),
        "q": Field((4,), "unit quaternion of R, scalar last"),
        "omega": Field((3,), "inertial angular velocity in the body frame", "rad/time"),
        "relative": Field((3,), "angular velocity relative to LVLH, in the body frame", "rad/time"),
    }
    attitude_rate = "relative"  # the rate at which R turns

    @property
    def representations(self) -> Mapping[str, Representation]:
        orbit = Representation(
            MATRIX, drift=drift_orbit, exact_drift=exact_drift_orbit, force=gravity_gradient, rhs=rhs_orbit
        )
        return {Form.DEFAULT: orbit}

    def free_parameters(self) -> Array:
        return np.append(super().free_parameters(), self.n)

    def __init__(self, inertia: InertiaLike, n: float = 1.0, *, allow_unphysical: bool = False) -> None:
        super().__init__(inertia, allow_unphysical=allow_unphysical)
        self.n = float(check_finite("n", n, ()))

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"n": self.n}

    def parameters(self) -> Array:
        return np.concatenate([super().parameters(), ORBIT.pack(n=self.n)])

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name == "relative" and name not in values:
            return self.derive("omega", values) - self.n * self.derive("R", values)[..., 1, :]
        return super().derive(name, values)

    def inertial_rotation(self, values: Mapping[str, Array], t: Array) -> tuple[Array, Array]:
        """R is relative to a frame that turns at the rate n about e₂; omega is inertial."""
        frame = rotation_exp(t[:, None] * self.n * np.array([0.0, 1.0, 0.0]))
        return frame @ self.derive("R", values), self.derive("omega", values)

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """The parts of the Jacobi integral: of the motion relative to LVLH, of the turning frame, of the gravity gradient."""
        R, J = self.derive("R", values), self.inertia.matrix
        rate, b2, b3 = self.derive("relative", values), R[..., 1, :], R[..., 2, :]
        parts = {
            "kinetic, in LVLH": 0.5 * np.sum(rate * (rate @ J), axis=-1),
            "centrifugal": -0.5 * self.n**2 * np.sum(b2 * (b2 @ J), axis=-1),
            "gravity gradient": 1.5 * self.n**2 * np.sum(b3 * (b3 @ J), axis=-1),
        }
        return parts | {"total": np.sum(list(parts.values()), axis=0)}

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        R, Pi, J = self.derive("R", values), values["Pi"], self.inertia.matrix
        b2, b3 = R[..., 1, :], R[..., 2, :]
        kinetic = np.sum(Pi * (0.5 * self.derive("omega", values) - self.n * b2), axis=-1)
        return {"jacobi": kinetic + 1.5 * self.n**2 * np.sum(b3 * (b3 @ J), axis=-1)}

    @classmethod
    def example(cls) -> State:
        body = cls([[2.0, 0.1, 0.05], [0.1, 2.5, -0.1], [0.05, -0.1, 1.2]], n=1.1)
        return body.state(q=[0.1, -0.05, 0.15, 0.98], omega=[0.36, 0.95, -0.13])

    def equilibria(self) -> Equilibria:
        """The attitudes with the principal axes along those of LVLH, and ω = n b₂ in each: 24 in `all`, six up to half turns
        of the body about its principal axes.

        The label says which principal moment lies along e₁, e₂, e₃. Where moments are equal these are members of
        families.
        """
        axes = self.inertia.axes * np.linalg.det(self.inertia.axes)
        found = []
        for Q in cube_attitudes():
            R = so3.project(Q @ axes.T)
            moments = ", ".join(f"{x:g}" for x in np.abs(Q) @ self.inertia.moments)
            found.append(Equilibrium(f"moments ({moments})", self.state(R=R, omega=self.n * R[1])))
        return up_to_symmetry(self, found)
