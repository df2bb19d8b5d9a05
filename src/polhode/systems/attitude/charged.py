"""A charged rigid body in uniform electric and magnetic fields (6.12 of [LLM17]).

`p = ∫ρ dQ` dipole, `K = ∫ρρᵀ dQ`, `J_Q = tr(K) 1 − K`, `b = RᵀB`:

    J ω̇ + ω × Jω = p × RᵀE + ω × Kb.

It comes from `L = ½ ω·Jω + ½ ω·J_Q b + E·Rp`, with the canonical momentum `Π = Jω + ½ J_Q b`. Two discretisations of
the magnetic part are offered, as two representations of the state:

    "default"  (R, Π): variational, `L_d = ½ ∫ B·(R_kρ × R_{k+1}ρ) dQ`, exact along chords. With `w = vee(FK − KFᵀ)`,
              `Π ↦ Fᵀ(Π + ½ w × b)`; F from row 4 of the table. Symplectic; conserves Π·b where E ∥ B or p = 0.
    "forced"  (R, P), P = Jω: discrete Lagrange–d'Alembert, with impulses `f± = ¼ v × KRᵀB`, `v = vee(F − Fᵀ)`, at the two
              ends of a step. Symmetric and of order 2 too, but not symplectic, and Π·b is conserved to O(h²) only.
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
from ...errors import InvalidInputError
from ...geometry import so3
from ...geometry.increments.linear_terms import trace_minus
from ...geometry.increments.rigid import symmetric_entries
from ...geometry.so3 import hat_, vee2_
from ...geometry.stable_products import (
    NO_IMPULSE,
    cayley_increment,
    cayley_turn,
    compose,
    push_and_turn,
    turn_matrix,
    turned_back,
)
from ...geometry.vectors import Symmetric, Vector, add, apply_symmetric, apply_transposed, cross, scale, subtract
from ...scalars import flow, get9, kernel, par3, par6, put3, rate
from ...scalars.protocol import NO_SOLUTION, SUCCESS
from ..stability.equilibria import Equilibria, Equilibrium, attitude_taking, check_rate
from ..stability.steady_axes import staude_axes
from .base import (
    ATTITUDE,
    FORCE,
    INVERSE_INERTIA,
    MATRIX,
    MOMENTUM,
    attitude_and_momentum,
    put_attitude_and_momentum,
    put_rates,
)
from .forced import NO_CHARGE, NO_FIELD, linear_increment
from .magnetic_base import KINETIC, MagneticBody
from .symmetry_classes import aligned_at_rest, up_to_symmetry

Array = NDArray[np.float64]
CHARGES = INERTIA_ENTRIES.then(K=6, B=3, dipole=3, E=3)
CHARGE, MAGNETIC, DIPOLE, ELECTRIC = CHARGES.offsets("K", "B", "dipole", "E")
NO_ROTOR = (0.0, 0.0, 0.0)
NO_DAMPING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def charges_and_field(p: Any, S: Any, R: Any) -> tuple[Symmetric, Vector]:
    """K, and the magnetic field `RᵀB` in the body."""
    return par6(p, CHARGE, S), apply_transposed(R, par3(p, MAGNETIC, S))


@flow
def drift_magnetic(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The variational step on (R, Π)."""
    R, Pi = attitude_and_momentum(S, y)
    K, b = charges_and_field(p, S, R)
    kinetic = subtract(Pi, scale(0.5, trace_minus(K, b)))
    c, failed = linear_increment(S, p, kinetic, h, NO_ROTOR, K, b, NO_DAMPING, report)
    if failed:
        return NO_SOLUTION
    E = cayley_increment(c)
    # w = vee(FK − KFᵀ): K drops out of F = 1
    x = apply_symmetric(K, E[0:3])
    y_ = apply_symmetric(K, E[3:6])
    z = apply_symmetric(K, E[6:9])
    w = vee2_(x + y_ + z)
    turn = cayley_turn(c)
    turn_matrix(S, y, ATTITUDE, turn)
    push_and_turn(S, y, MOMENTUM, turn, scale(0.5, cross(w, b)), NO_IMPULSE)
    return SUCCESS


@flow
def drift_forced(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The discrete Lagrange–d'Alembert step on (R, P)."""
    R, P = attitude_and_momentum(S, y)
    K, b = charges_and_field(p, S, R)
    # f⁻ = ¼ v × Kb = −¼ S(Kb) v: a damping matrix D = S(Kb) as far as F is concerned
    D = hat_(apply_symmetric(K, b))
    c, failed = linear_increment(S, p, P, h, NO_ROTOR, NO_CHARGE, NO_FIELD, D, report)
    if failed:
        return NO_SOLUTION
    turn = cayley_turn(c)
    v, Q = scale(0.5, turn[0:3]), compose(R, turn)
    start = add(P, cross(v, apply_symmetric(K, b)))
    after = cross(v, apply_symmetric(K, charges_and_field(p, S, Q)[1]))
    put_attitude_and_momentum(S, y, Q, add(turned_back(turn, start), after))
    return SUCCESS


@rate
def rhs_magnetic(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """`Ṙ = R S(ω)`, `Π̇ = Π × ω − ½ b × J_Q ω`, `ω = J⁻¹ (Π − ½ J_Q b)`."""
    R, Pi = attitude_and_momentum(S, y)
    K, b = charges_and_field(p, S, R)
    omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), subtract(Pi, scale(0.5, trace_minus(K, b))))
    put_rates(S, dy, R, omega, subtract(cross(Pi, omega), scale(0.5, cross(b, trace_minus(K, omega)))))
    return SUCCESS


@flow
def electric_moment(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`M = p × RᵀE`."""
    put3(y, FORCE, S, cross(par3(p, DIPOLE, S), apply_transposed(get9(y, ATTITUDE, S), par3(p, ELECTRIC, S))))
    return SUCCESS


class ChargedBody(MagneticBody):
    """A charged rigid body about its centre, in uniform fields `E` and `B` given in the inertial frame.

    `dipole`: p = ∫ρ dQ; `charge`: K = ∫ρρᵀ dQ, three numbers or a symmetric 3×3 matrix, of any sign.
    `LGVI` discretises the magnetic part variationally; `ForcedLGVI` by the discrete Lagrange–d'Alembert principle.

    >>> body = ChargedBody([1, 2, 2.5], dipole=[0, 0, 0.5], charge=[0.2, 0.1, 0.3], E=[0, 0, -1], B=[0, 2, 0])
    >>> [e.label for e in body.equilibria()]
    ['dipole along E', 'dipole against E']
    """

    summary = "charged rigid body in uniform electric and magnetic fields"
    reference = "[LLM17] problem 6.12"
    fields = {
        **MagneticBody.fields,
        "Pi": Field((3,), "canonical angular momentum in the body frame, J omega + ½ J_Q RᵀB", "mass length²/time"),
    }
    conserved: Mapping[str, Invariant] = {
        "energy": Invariant("energy", "½ ω·Jω − E·Rp; the magnetic field does no work"),
        "momentum_along_B": Invariant("momentum", "canonical momentum along B, Π·RᵀB/|B|"),
    }
    representations: Mapping[str, Representation] = {  # type: ignore[assignment]
        Form.DEFAULT: Representation(MATRIX, drift=drift_magnetic, force=electric_moment, rhs=rhs_magnetic),
        Form.FORCED: Representation(KINETIC, drift=drift_forced, force=electric_moment),
    }

    def __init__(
        self,
        inertia: InertiaLike,
        dipole: ArrayLike,
        charge: ArrayLike,
        E: ArrayLike = (0.0, 0.0, 0.0),
        B: ArrayLike = (0.0, 0.0, 0.0),
        *,
        allow_unphysical: bool = False,
    ) -> None:
        super().__init__(inertia, allow_unphysical=allow_unphysical)
        self.dipole = check_finite("dipole", dipole, (3,))
        self.charge = check_symmetric("charge", charge)
        self.E, self.B = check_finite("E", E, (3,)), check_finite("B", B, (3,))
        along_B = self.B.any() and (not self.dipole.any() or not np.cross(self.E, self.B).any())
        holds = {"energy": True, "momentum_along_B": along_B}
        self.conserved = {name: invariant for name, invariant in type(self).conserved.items() if holds[name]}

    @property
    def J_Q(self) -> Array:
        """`tr(K) 1 − K`."""
        return np.trace(self.charge) * np.eye(3) - self.charge

    def describe(self) -> dict[str, Any]:
        names = ("dipole", "charge", "E", "B")
        return super().describe() | {name: getattr(self, name).tolist() for name in names}

    def parameters(self) -> Array:
        own = CHARGES.pack(K=symmetric_entries(self.charge), B=self.B, dipole=self.dipole, E=self.E)
        return np.concatenate([super().parameters(), own])

    def linear_term(self, R: Array) -> Array:
        return 0.5 * (self.B @ R) @ self.J_Q

    def linear_term_slope(self, R: Array) -> Array:
        """`½ J_Q (b × ξ)`."""
        return 0.5 * self.J_Q @ so3.hat(self.B @ R)

    def potential_energy(self, R: Array) -> Array:
        """`−E·Rp` at attitudes (..., 3, 3)."""
        return -(self.E @ R) @ self.dipole

    @property
    def pointer(self) -> tuple[str, Array] | None:
        """The direction to follow: the dipole, in the body."""
        return ("dipole", self.dipole) if self.dipole.any() else None

    @property
    def landmarks(self) -> dict[str, Array]:
        """Directions of space that matter."""
        return {name: field for name, field in (("E", self.E), ("B", self.B)) if field.any()}

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        R = self.derive("R", values)
        along = np.sum(self.derive("Pi", values) * (self.B @ R), axis=-1) / (np.linalg.norm(self.B) or 1.0)
        found = {"energy": self.energy(values), "momentum_along_B": along}
        return {name: found[name] for name in self.conserved}

    @classmethod
    def example(cls) -> State:
        charge = [[0.4, 0.05, 0.1], [0.05, 0.6, -0.1], [0.1, -0.1, 0.3]]
        inertia = [[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]]
        body = cls(inertia, dipole=[0.3, -0.2, 0.4], charge=charge, E=[0.2, 0.4, -0.8], B=[0.3, 0.6, -1.2])
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.4, 0.6, -0.5])

    def equilibria(self) -> Equilibria:
        """At rest with the dipole along or against E; the magnetic field does not matter. One of each circle."""
        if not (self.dipole.any() and self.E.any()):
            return up_to_symmetry(self, [Equilibrium("any attitude", self.state())])
        return aligned_at_rest(self, self.dipole, self.E, "dipole along E", "dipole against E")

    def steady_rotations(self, Omega: float) -> list[Equilibrium]:
        """The rotations about B with rate `Omega` that are steady, one of each circle, for a body without dipole or with
        E along B: with Γ = RᵀB/|B|, `Γ × ((Ω²J − Ω|B|K)Γ + E·B/|B| p) = 0`."""
        strength = float(np.linalg.norm(self.B))
        if strength == 0.0:
            raise InvalidInputError("B", self.B, "a magnetic field; without one see FreeRigidBody or PointForceBody")
        rate = check_rate(Omega)
        if self.dipole.any() and np.cross(self.E, self.B).any():
            raise InvalidInputError(
                "E", self.E, "a field along B, or a body without dipole: only then are rotations steady"
            )
        N, w = rate**2 * self.inertia.matrix - rate * strength * self.charge, self.E @ self.B / strength * self.dipole
        return [
            Equilibrium("rotation about B", self.state(R=attitude_taking(axis, self.B), omega=rate * axis))
            for axis in staude_axes(N, w)
        ]


def check_symmetric(field: str, value: ArrayLike) -> Array:
    """A symmetric matrix from three numbers or a 3×3 matrix."""
    shape = np.shape(np.array(value, dtype=object))
    matrix = np.diag(check_finite(field, value, (3,))) if shape == (3,) else check_finite(field, value, (3, 3))
    if np.abs(matrix - matrix.T).max() > 1e-12 * np.abs(matrix).max():
        raise InvalidInputError(field, value, "a symmetric matrix")
    return 0.5 * (matrix + matrix.T)
