"""A force at a point of the body, and moments that are constant in space or in the body (6.10, 6.13, 6.14 of [LLM17]).

    force F fixed in space at the body point b:   M = b × RᵀF,  U = −F·Rb;    conserved: energy, momentum about F
    moment M₀ fixed in space:                     M = RᵀM₀;                    RΠ = R₀Π₀ + M₀ t, in the discrete map too
    moment M₀ fixed in the body:                  M = M₀;                      steady rotations `ω × Jω = M₀`

The first is what problem 6.13 describes (the force is constant in space there, not the moment). The other two derive
from no potential: a moment fixed in space does the work 2π|M₀| in a turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import InertiaLike
from ...core.checks import check_finite
from ...core.system import Invariant, State, energy_parts
from ...errors import InvalidInputError
from ...geometry.vectors import apply_transposed, cross
from ...scalars import flow, get9, par3, put3
from ...scalars.protocol import SUCCESS
from ..stability.equilibria import Equilibria, Equilibrium, attitude_taking, check_rate
from ..stability.steady_axes import staude_axes
from .base import ATTITUDE, FORCE
from .forced import TERMS, ForcedAttitude
from .symmetry_classes import aligned_at_rest, up_to_symmetry

Array = NDArray[np.float64]
POINT_FORCE, CONSTANT_MOMENT = TERMS.then(point=3, applied=3), TERMS.then(moment=3)
POINT, APPLIED = POINT_FORCE.offsets("point", "applied")
(CONSTANT,) = CONSTANT_MOMENT.offsets("moment")


@flow
def point_force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`M = b × RᵀF`."""
    b, F = par3(p, POINT, S), par3(p, APPLIED, S)
    put3(y, FORCE, S, cross(b, apply_transposed(get9(y, ATTITUDE, S), F)))
    return SUCCESS


@flow
def space_moment(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`M = RᵀM₀`."""
    put3(y, FORCE, S, apply_transposed(get9(y, ATTITUDE, S), par3(p, CONSTANT, S)))
    return SUCCESS


@flow
def fixed_moment(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`M = M₀`."""
    put3(y, FORCE, S, par3(p, CONSTANT, S))
    return SUCCESS


class PointForceBody(ForcedAttitude):
    """A rigid body about its centre, with a force fixed in space that acts at a point of the body.

    >>> from polhode import linearize
    >>> body = PointForceBody([1, 2, 2.5], point=[0, 0, 1], force=[0, 0, 2])
    >>> [linearize(e).verdict for e in body.equilibria()]
    ['stable', 'unstable']
    """

    summary = "rigid body with a force fixed in space at a body point"
    reference = "[LLM17] problems 6.10, 6.13"
    force = point_force
    conserved: Mapping[str, Invariant] = {
        "energy": Invariant("energy", "½ ω·Jω − F·Rb"),
        "momentum_along_force": Invariant("momentum", "angular momentum about the force, Π·RᵀF/|F|"),
    }

    def __init__(
        self, inertia: InertiaLike, point: ArrayLike, force: ArrayLike, *, allow_unphysical: bool = False
    ) -> None:
        super().__init__(inertia, allow_unphysical=allow_unphysical)
        self.point = check_finite("point", point, (3,))
        self.applied = check_finite("force", force, (3,))
        if not self.applied.any():
            raise InvalidInputError("force", force, "a nonzero vector; without one this is FreeRigidBody")

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"point": self.point.tolist(), "force": self.applied.tolist()}

    def own_parameters(self) -> Array:
        return POINT_FORCE.pack(point=self.point, applied=self.applied)

    def potential_energy(self, R: Array) -> Array:
        return -(self.applied @ R) @ self.point

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """Kinetic and potential energy, and their sum."""
        return energy_parts(self.energy(values), self.potential_energy(self.derive("R", values)))

    @property
    def pointer(self) -> tuple[str, Array] | None:
        """The direction to follow: the point of attack, in the body."""
        return ("point of attack", self.point) if self.point.any() else None

    @property
    def landmarks(self) -> dict[str, Array]:
        """Directions of space that matter."""
        return {"F": self.applied}

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        direction = (self.applied @ self.derive("R", values)) / np.linalg.norm(self.applied)
        return {"energy": self.energy(values), "momentum_along_force": np.sum(direction * values["Pi"], axis=-1)}

    @classmethod
    def example(cls) -> State:
        inertia = [[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]]
        body = cls(inertia, point=[0.5, -0.3, 0.8], force=[0.4, 0.9, -0.6])
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.2, -0.4, -0.7])

    def equilibria(self) -> Equilibria:
        """The point pulled out along the force, or pushed in against it; one of each circle."""
        if not self.point.any():
            return up_to_symmetry(self, [Equilibrium("any attitude", self.state())])
        return aligned_at_rest(self, self.point, self.applied, "point along the force", "point against the force")

    def steady_rotations(self, Omega: float) -> list[Equilibrium]:
        """The rotations about the force with rate `Omega` that are steady, one of each circle: with Γ = RᵀF/|F|,
        `Γ × (Ω²JΓ + |F| b) = 0`, as for the pendulum."""
        rate = check_rate(Omega)
        size = float(np.linalg.norm(self.applied))
        return [
            Equilibrium(
                "rotation about the force", self.state(R=attitude_taking(Gamma, self.applied), omega=rate * Gamma)
            )
            for Gamma in staude_axes(rate**2 * self.inertia.matrix, size * self.point)
        ]


class ConstantSpaceMoment(ForcedAttitude):
    """A rigid body with a moment that is constant in the inertial frame. The momentum grows as `R Π = R₀Π₀ + M₀ t`."""

    summary = "rigid body with a moment constant in space"
    reference = "[LLM17] problem 6.13"
    force = space_moment
    conserved: Mapping[str, Invariant] = {
        "momentum_across": Invariant("momentum", "the part of R Π across the moment M₀"),
    }

    def __init__(self, inertia: InertiaLike, moment: ArrayLike, *, allow_unphysical: bool = False) -> None:
        super().__init__(inertia, allow_unphysical=allow_unphysical)
        self.constant = check_moment("moment", moment)
        self.hamiltonian = False

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"moment": self.constant.tolist()}

    def own_parameters(self) -> Array:
        return CONSTANT_MOMENT.pack(moment=self.constant)

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        momentum = np.einsum("...ij,...j->...i", self.derive("R", values), values["Pi"])
        n = self.constant / np.linalg.norm(self.constant)
        return {"momentum_across": momentum - (momentum @ n)[..., None] * n}

    @property
    def landmarks(self) -> dict[str, Array]:
        """Directions of space that matter."""
        return {"$M_0$": self.constant}

    @classmethod
    def example(cls) -> State:
        # so weak that the spin stays moderate over a long run
        body = cls([[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]], moment=[1e-4, -2e-4, 1.5e-4])
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.7, -0.5, 0.6])

    def equilibria(self) -> Equilibria:
        """None: nothing balances a moment."""
        return Equilibria([])


class ConstantBodyMoment(ForcedAttitude):
    """A rigid body with a moment that is constant in the body frame, as of a thruster: given as `moment`, or as a `force` fixed
    in the body that acts at a `point` of it, `M₀ = point × force`.

    >>> from polhode import linearize
    >>> body = ConstantBodyMoment([1.0, 2.0, 2.5], moment=[-0.1, 0.2, 0.3])
    >>> [linearize(e).verdict for e in body.equilibria()]
    ['unstable', 'unstable']
    """

    summary = "rigid body with a moment constant in the body"
    reference = "[LLM17] problem 6.14"
    force = fixed_moment
    conserved: Mapping[str, Invariant] = {}

    def __init__(
        self,
        inertia: InertiaLike,
        moment: ArrayLike | None = None,
        *,
        point: ArrayLike | None = None,
        force: ArrayLike | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        super().__init__(inertia, allow_unphysical=allow_unphysical)
        if (moment is None) == (point is None or force is None) or (point is None) != (force is None):
            raise InvalidInputError("moment", moment, problem="give either moment, or point and force")
        self.thruster: dict[str, Any] = {}
        if point is not None and force is not None:
            arm, applied = check_finite("point", point, (3,)), check_finite("force", force, (3,))
            self.thruster = {"point": arm.tolist(), "force": applied.tolist()}
            moment = np.cross(arm, applied)
            if not moment.any():
                raise InvalidInputError(
                    "force", force, "a force that does not pass through the centre: point × force ≠ 0"
                )
        assert moment is not None
        self.constant = check_moment("moment", moment)
        self.hamiltonian = False
        self.conserved = {}
        axis = self._principal_axis()
        if axis is not None:
            meaning = "2TJᵢ − |Π|² for the principal axis i that the moment is along"
            self.conserved["energy_momentum"] = Invariant("integral", meaning)

    def _principal_axis(self) -> int | None:
        """The principal axis that the moment is along, if it is along one."""
        along = np.abs(self.constant @ self.inertia.axes)
        axis = int(np.argmax(along))
        return axis if np.delete(along, axis).max() <= 1e-14 * along[axis] else None

    def describe(self) -> dict[str, Any]:
        return super().describe() | (self.thruster or {"moment": self.constant.tolist()})

    def own_parameters(self) -> Array:
        return CONSTANT_MOMENT.pack(moment=self.constant)

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        axis = self._principal_axis()
        if axis is None:
            return {}
        Pi, omega = values["Pi"], self.derive("omega", values)
        found = self.inertia.moments[axis] * np.sum(Pi * omega, axis=-1) - np.sum(Pi * Pi, axis=-1)
        return {"energy_momentum": found}

    @classmethod
    def example(cls) -> State:
        body = cls([1.0, 2.0, 2.5], moment=[-1e-4, 2e-4, 3e-4])
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.7, -0.5, 0.6])

    def equilibria(self) -> Equilibria:
        """Steady rotations `ω × Jω = M₀`: in principal axes `cᵢ ωⱼωₖ = aᵢ`, with `c = (J₃ − J₂, J₁ − J₃, J₂ − J₁)`.

        With no aᵢ zero there are two if `a₁a₂a₃/(c₁c₂c₃) > 0`, else none; with one zero there are none. With one alone not
        zero there is a family, `ωⱼωₖ = aᵢ/cᵢ` and ωᵢ = 0. So there is for a body symmetric about the axis i with a moment
        across it: ωᵢ is any, and the rest of ω is in inverse proportion to it. Of a family six members are given; they
        may differ in stability. No rotation of a sphere is steady.
        """
        axes = self.inertia.axes * np.linalg.det(self.inertia.axes)
        a, J = self.constant @ axes, self.inertia.moments
        c = np.array([J[2] - J[1], J[0] - J[2], J[1] - J[0]])
        alike, absent = np.abs(c) < 1e-12 * J.max(), np.abs(a) < 1e-14 * np.abs(a).max()
        if np.any(alike & ~absent) or (absent.sum() == 1 and not alike.any()):
            return Equilibria([])
        products = np.where(alike, 0.0, a / np.where(alike, 1.0, c))  # ω₂ω₃, ω₃ω₁, ω₁ω₂
        if absent.any():
            # with ωₘ = s the others are products / s
            m = int(np.argmax(alike)) if alike.any() else (int(np.argmin(absent)) + 1) % 3
            return up_to_symmetry(self, self._family(axes, m, products))
        whole = float(np.prod(products))  # (ω₁ω₂ω₃)²
        if whole <= 0.0:
            return Equilibria([])
        rates = np.sqrt(whole) / products
        states = [
            Equilibrium(f"steady rotation {i + 1}", self.state(omega=axes @ (sign * rates)))
            for i, sign in enumerate((1.0, -1.0))
        ]
        return up_to_symmetry(self, states)

    def _family(self, axes: Array, m: int, products: Array) -> list[Equilibrium]:
        """Members of the family `ω = s eₘ + u/s` of steady rotations, about that with |ωₘ| = |u/s| on either branch."""
        along, others = np.eye(3)[m], np.zeros(3)
        others[[m - 2, m - 1]] = products[[m - 1, m - 2]]
        middle = np.sqrt(np.linalg.norm(others))
        rates = [sign * s * middle for sign in (1.0, -1.0) for s in (0.5, 1.0, 2.0)]
        return [
            Equilibrium(f"of a family of steady rotations, {i + 1}", self.state(omega=axes @ (s * along + others / s)))
            for i, s in enumerate(rates)
        ]


def check_moment(field: str, value: ArrayLike) -> Array:
    """A nonzero vector."""
    vector = check_finite(field, value, (3,))
    if not vector.any():
        raise InvalidInputError(field, value, "a nonzero vector; without one this is FreeRigidBody")
    return vector
