"""Attitude systems with terms linear in the rate: a built-in rotor and damping; what forced attitude systems share.

    L = ½ ω·Jω + a·ω − U(R),   Π = J ω + a,   Π̇ = Π × ω + M(R) − D ω,   M·η = −d/dε U(R exp(εS(η)))

`a` a constant vector (a rotor: on SO(3) `a·ω` is not a total derivative), `D` a damping matrix. One variational step is
half a kick by M, the map below, and half a kick. With `v = vee(F − Fᵀ)` and F from ℓ(F) = h Π (`geometry.increments.linear_terms`),

    R ↦ R F,    Π ↦ Fᵀ(Π − ¼ D v) − ¼ D v,

rows 1, 3 and 6 of the table of building blocks (theory page on attitude): `Π_{k+1} = Fᵀ(Π_k + D_R)` since the rotor's
part of the discrete Lagrangian does not contain R, and the discrete Lagrange–d'Alembert impulses of the damping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import InertiaLike
from ...core.checks import check_finite
from ...core.representation import Form, Representation
from ...geometry.increments.linear_terms import solve_linear_increment_
from ...geometry.stable_products import (
    cayley_increment_quaternion,
    cayley_turn,
    push_and_turn,
    turn_matrix,
    turn_quaternion,
)
from ...geometry.vectors import Matrix, Symmetric, Vector, apply, apply_symmetric, cross, scale, subtract
from ...scalars import Flow, flow, get3, kernel, par3, par6, par9, rate
from ...scalars.protocol import NO_SOLUTION, SUCCESS, record
from ..inputs.damping import check_damping
from ..inputs.external_moment import MOMENT, ExternalMoment
from .base import (
    ATTITUDE,
    INERTIA,
    INVERSE_INERTIA,
    MATRIX,
    MOMENTUM,
    QUATERNION_MOMENTUM,
    UNIT_QUATERNION,
    AttitudeSystem,
    attitude_and_momentum,
    drift_matrix,
    drift_quaternion,
    exact_drift_matrix,
    put_rates,
    rhs_matrix,
)
from .quaternion_forms import quaternion_form

Array = NDArray[np.float64]

TERMS = MOMENT.then(rotor=3, damping=9)  # what a system's own parameters follow
ROTOR, DAMPING = TERMS.offsets("rotor", "damping")
NO_CHARGE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NO_FIELD = (0.0, 0.0, 0.0)


@kernel
def linear_increment(
    S: Any, p: Any, kinetic: Vector, h: Any, a: Vector, K: Symmetric, b: Vector, D: Matrix, report: Any
) -> tuple[Vector, Any]:
    """The Cayley parameter of F where the Lagrangian has terms linear in the rate (`solve_linear_increment_`), and whether
    there is none."""
    c, iterations, defect, failed = solve_linear_increment_(par6(p, INERTIA, S), kinetic, h, a, K, b, D)
    record(report, iterations, defect)
    return c, failed


@kernel
def rotor_and_damping(p: Any, S: Any) -> tuple[Vector, Matrix]:
    """The vector a and the matrix D."""
    return par3(p, ROTOR, S), par9(p, DAMPING, S)


@kernel
def damped_turn(S: Any, p: Any, Pi: Vector, h: Any, report: Any) -> Any:
    """The Cayley parameter of F, its turn, the impulse `−½ D g` at each end, and whether there is no F."""
    a, D = rotor_and_damping(p, S)
    c, failed = linear_increment(S, p, subtract(Pi, a), h, a, NO_CHARGE, NO_FIELD, D, report)
    turn = cayley_turn(c)
    impulse = scale(-0.5, apply(D, turn[0:3]))
    return c, turn, impulse, failed


@flow
def drift_terms(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`R ↦ R F`, `Π ↦ Fᵀ(Π − ½ D g) − ½ D g`, `F − Fᵀ = 2 S(g)`."""
    _, turn, impulse, failed = damped_turn(S, p, get3(y, MOMENTUM, S), h, report)
    if failed:
        return NO_SOLUTION
    turn_matrix(S, y, ATTITUDE, turn)
    push_and_turn(S, y, MOMENTUM, turn, impulse, impulse)
    return SUCCESS


@flow
def drift_terms_quaternion(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`q ↦ q f`, `Π ↦ Fᵀ(Π − ½ D g) − ½ D g`, `F − Fᵀ = 2 S(g)`: `drift_terms` on unit quaternions."""
    c, turn, impulse, failed = damped_turn(S, p, get3(y, QUATERNION_MOMENTUM, S), h, report)
    if failed:
        return NO_SOLUTION
    turn_quaternion(S, y, UNIT_QUATERNION, cayley_increment_quaternion(c))
    push_and_turn(S, y, QUATERNION_MOMENTUM, turn, impulse, impulse)
    return SUCCESS


@rate
def rhs_terms(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """`Ṙ = R S(ω)`, `Π̇ = Π × ω − D ω`, `ω = J⁻¹ (Π − a)`."""
    R, Pi = attitude_and_momentum(S, y)
    a, D = rotor_and_damping(p, S)
    omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), subtract(Pi, a))
    put_rates(S, dy, R, omega, subtract(cross(Pi, omega), apply(D, omega)))
    return SUCCESS


@lru_cache(32)
def _representations(force: Flow | None, terms: bool, moment: bool) -> Mapping[str, Representation]:
    """The representations with this force, with rotor or damping, and with a moment that acts or not."""
    if terms:
        on_matrices = Representation(MATRIX, drift=drift_terms, force=force, rhs=rhs_terms)
        return {Form.DEFAULT: on_matrices, Form.QUATERNION: quaternion_form(drift_terms_quaternion, force)}
    plain = Representation(MATRIX, drift=drift_matrix, force=force, rhs=rhs_matrix)
    plain = plain if moment else replace(plain, exact_drift=exact_drift_matrix)
    return {Form.DEFAULT: plain, Form.QUATERNION: quaternion_form(drift_quaternion, force)}


class ForcedAttitude(AttitudeSystem):
    """A rigid body with a moment, and perhaps a rotor and damping. A subclass gives `force` and what it reads from p
    (`own_parameters`, laid out by `TERMS.then(…)`), the potential energy, and its conserved quantities."""

    force: Flow | None = None
    moment = ExternalMoment()

    def __init__(
        self,
        inertia: InertiaLike,
        *,
        gyro: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        super().__init__(inertia, allow_unphysical=allow_unphysical)
        self.gyro = np.zeros(3) if gyro is None else check_finite("gyro", gyro, (3,))
        self.damping = check_damping("damping", damping)
        self.damped = bool(self.damping.any())
        self._has_terms = self.damped or bool(self.gyro.any())
        self.hamiltonian = not self.damped

    @property
    def corners(self) -> tuple[float, ...]:
        return self.moment.corners

    @property
    def representations(self) -> Mapping[str, Representation]:
        return _representations(self.force, self._has_terms, self.moment.acts)

    def parameters(self) -> Array:
        moment, terms = MOMENT.pack(pulse=self.moment.pulse), TERMS.pack(rotor=self.gyro, damping=self.damping)
        return np.concatenate([super().parameters(), moment, terms, self.own_parameters()])

    def own_parameters(self) -> Array:
        """What the force reads beside these, from `TERMS.end` on."""
        return np.zeros(0)

    def describe(self) -> dict[str, Any]:
        return super().describe() | self.describe_terms()

    def describe_terms(self) -> dict[str, Any]:
        """Rotor and damping, where there are any."""
        terms = {"gyro": self.gyro, "damping": self.damping}
        return {name: array.tolist() for name, array in terms.items() if array.any()}

    def linear_term(self, R: Array) -> Array | float:
        return self.gyro

    def potential_energy(self, R: Array) -> Array:
        """U at attitudes (..., 3, 3)."""
        return np.zeros(R.shape[:-2])

    def energy(self, values: Mapping[str, Array]) -> Array:
        """`½ ω·Jω + U`: terms linear in the rate do not enter."""
        omega = self.derive("omega", values)
        kinetic = 0.5 * np.sum(omega * (omega @ self.inertia.matrix), axis=-1)
        return kinetic + self.potential_energy(self.derive("R", values))
