"""Point charges on a rigid body, in any electric and magnetic fields that are fixed in space (6.12 of [LLM17]).

Charges qᵢ at ρᵢ, `xᵢ = Rρᵢ`, the electric potential V(x), the vector potential A(x), `B = ∇ × A`, and DA the matrix of its
derivatives:

    L = ½ ω·Jω + Σ q (A(x)·ẋ − V(x)),   Π = Jω + a(R),   a = Σ q ρ × RᵀA(x),
    Π̇ = Π × ω + Σ q (ρ × RᵀDAᵀẋ + (ω × ρ) × RᵀA) − Σ q ρ × Rᵀ∇V.

Two discretisations of the magnetic part are offered, as for `ChargedBody`, which has uniform fields:

    "default"  (R, Π): variational, `L_d = Σ q ½ (A_k + A_{k+1})·Δx` on chords Δx. With
              `D₁ = ½ Σ q ρ × R_kᵀ(DA_kᵀΔx − A_k − A_{k+1})` and D₂ its mirror image,
              `h (Π_k + D₁) = vee(F Jd − Jd Fᵀ)`, `Π_{k+1} = Fᵀ(Π_k + D₁) + D₂`; D₁ depends on F, and the two are iterated.
              Symplectic. Another gauge of A changes it by O(h²).
    "forced"  (R, P), P = Jω: discrete Lagrange–d'Alembert, impulses `¼ v × k(R)` at both ends with
              `k = Σ q ρ (ρ·RᵀB)`, `v = vee(F − Fᵀ)`. Needs no gauge, but is not symplectic.
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
from ...geometry.so3 import hat_
from ...geometry.stable_products import cayley_turn, compose, turned_back
from ...geometry.unchecked import rotation_exp
from ...geometry.vectors import (
    Matrix,
    Vector,
    add,
    apply,
    apply_symmetric,
    apply_transposed,
    cross,
    dot,
    scale,
    subtract,
)
from ...scalars import get9, kernel, par6, put3
from ...scalars.protocol import NO_SOLUTION, SUCCESS, par_int
from ..inputs.named_parameters import NamedParameters
from ..inputs.point_field import ScalarField, VectorField, points_moment, weighted_point
from ..inputs.user_flow import UserFlow, UserRate, potential_force
from ..inputs.user_functions import remembered
from ..stability.equilibria import Equilibria, Equilibrium
from ..stability.equilibrium_search import resting_attitudes
from .base import (
    ATTITUDE,
    FORCE,
    INVERSE_INERTIA,
    MATRIX,
    attitude_and_momentum,
    free_increment,
    put_attitude_and_momentum,
    put_rates,
)
from .charged import NO_ROTOR
from .end_dependence import solve_with_end
from .forced import NO_CHARGE, NO_FIELD, linear_increment
from .magnetic_base import KINETIC, MagneticBody
from .symmetry_classes import up_to_symmetry

Array = NDArray[np.float64]
# how many points there are, and where they begin, each with its charge: behind the named parameters
CHARGES = INERTIA_ENTRIES.then(count=1, points=1)
COUNT, POINTS = CHARGES.offsets("count", "points")


@kernel
def end_slope(S: Any, p: Any, R: Matrix, Q: Matrix, sign: Any, vector: Any, slopes: Any) -> Vector:
    """`½ Σ q ρ × Rᵀ(DA(Rρ)ᵀ Δx ± (A(Rρ) + A(Qρ)))` with Δx from R to Q; D₁ for sign −1, and D₂ with R and Q exchanged."""
    zero = 0.0 * R[0]
    total = (zero, zero, zero)
    for i in range(par_int(p, COUNT, S)):
        q, rho = weighted_point(S, p, par_int(p, POINTS, S), i)
        here, there = apply(R, rho), apply(Q, rho)
        chord = scale(-sign, subtract(there, here))
        inside = add(
            apply_transposed(slopes(S, p, here), chord), scale(sign, add(vector(S, p, here), vector(S, p, there)))
        )
        total = add(total, scale(0.5 * q, cross(rho, apply_transposed(R, inside))))
    return total


@kernel
def charge_moment(S: Any, p: Any, R: Matrix, vector: Any) -> Vector:
    """`a = Σ q ρ × Rᵀ A(Rρ)`."""
    return points_moment(S, R, p, par_int(p, POINTS, S), par_int(p, COUNT, S), vector)  # type: ignore[no-any-return]


@kernel
def field_weight(S: Any, p: Any, R: Matrix, curl: Any) -> Vector:
    """`k = Σ q ρ (ρ·RᵀB(Rρ))`."""
    zero = 0.0 * R[0]
    total = (zero, zero, zero)
    for i in range(par_int(p, COUNT, S)):
        q, rho = weighted_point(S, p, par_int(p, POINTS, S), i)
        x = apply(R, rho)
        total = add(total, scale(q * dot(x, curl(S, p, x)), rho))
    return total


@remembered
def magnetic_flows(vector: Any, slopes: Any, curl: Any) -> tuple[UserFlow, UserFlow, UserRate]:
    """The variational drift, the forced one, and the continuous motion, from the kernels of A, its slopes and its curl."""

    @kernel
    def increment(S: Any, p: Any, h: Any, Pi: Vector, start: Vector, given: Any, report: Any) -> tuple[Vector, Any]:
        return free_increment(S, p, h, start, report)

    @kernel
    def momentum_after_slope(S: Any, p: Any, R: Matrix, Q: Matrix, Pi: Vector, given: Any) -> Vector:
        """`Π_k + D₁`."""
        return add(Pi, end_slope(S, p, R, Q, -1.0, vector, slopes))

    def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        R, Pi = attitude_and_momentum(S, y)
        guess = momentum_after_slope(S, p, R, R, Pi, None)
        turn, start, failed = solve_with_end(S, p, h, R, Pi, guess, None, report, increment, momentum_after_slope)
        if failed:
            return NO_SOLUTION
        Q = compose(R, turn)
        put_attitude_and_momentum(S, y, Q, add(turned_back(turn, start), end_slope(S, p, Q, R, 1.0, vector, slopes)))
        return SUCCESS

    def forced(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        R, P = attitude_and_momentum(S, y)
        k = field_weight(S, p, R, curl)
        c, failed = linear_increment(S, p, P, h, NO_ROTOR, NO_CHARGE, NO_FIELD, hat_(k), report)
        if failed:
            return NO_SOLUTION
        turn = cayley_turn(c)
        v, Q = scale(0.5, turn[0:3]), compose(R, turn)
        after = cross(v, field_weight(S, p, Q, curl))
        put_attitude_and_momentum(S, y, Q, add(turned_back(turn, add(P, cross(v, k))), after))
        return SUCCESS

    def rhs(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
        R, Pi = attitude_and_momentum(S, y)
        omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), subtract(Pi, charge_moment(S, p, R, vector)))
        change = cross(Pi, omega)
        for i in range(par_int(p, COUNT, S)):
            q, rho = weighted_point(S, p, par_int(p, POINTS, S), i)
            x, rate = apply(R, rho), cross(omega, rho)
            turning = cross(rho, apply_transposed(R, apply_transposed(slopes(S, p, x), apply(R, rate))))
            change = add(change, scale(q, add(turning, cross(rate, apply_transposed(R, vector(S, p, x))))))
        put_rates(S, dy, R, omega, change)
        return SUCCESS

    return UserFlow(drift), UserFlow(forced), UserRate(rhs)


@remembered
def electric_flow(pull: Any) -> UserFlow:
    """The moment `−Σ q ρ × Rᵀ∇V`, from the kernel of −∇V."""

    def formula(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        R, count = get9(y, ATTITUDE, S), par_int(p, COUNT, S)
        put3(y, FORCE, S, points_moment(S, R, p, par_int(p, POINTS, S), count, pull))
        return SUCCESS

    return UserFlow(formula)


class ChargedPoints(MagneticBody):
    """A rigid body about its centre with point charges, in any fields.

    `charges` and `positions` (n, 3) in the body frame; `electric`: V(x), a formula in x, y, z, a kernel, or (slow) a
    Python function; `magnetic`: the vector potential A(x), three formulas or a kernel that gives three numbers.
    `parameters`: values of the names in these. `LGVI` discretises the magnetic part variationally; `ForcedLGVI` by the discrete Lagrange–d'Alembert principle.

    >>> body = ChargedPoints([1, 2, 2.5], [1, -1], [[1, 0, 0], [0, 1, 0]], electric="x*z", magnetic=["0", "x*z", "0"])
    >>> body.describe()["magnetic"]
    ['0', 'x*z', '0']
    """

    summary = "point charges on a rigid body, in any electric and magnetic fields"
    reference = "[LLM17] problem 6.12"
    fields = {
        **MagneticBody.fields,
        "Pi": Field((3,), "canonical angular momentum in the body frame, J omega + Σ q ρ × RᵀA", "mass length²/time"),
    }
    conserved: Mapping[str, Invariant] = {
        "energy": Invariant("energy", "½ ω·Jω + Σ q V(Rρ); the magnetic field does no work")
    }

    def __init__(
        self,
        inertia: InertiaLike,
        charges: ArrayLike,
        positions: ArrayLike,
        electric: Any = "0",
        magnetic: Any = ("0", "0", "0"),
        *,
        parameters: Mapping[str, Any] | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        super().__init__(inertia, allow_unphysical=allow_unphysical)
        count = len(np.atleast_1d(np.asarray(charges, dtype=object)))
        self.charges = check_finite("charges", charges, (count,))
        self.positions = check_finite("positions", positions, (count, 3))
        named = self.named = NamedParameters(parameters, CHARGES.end)
        self.electric = ScalarField(electric, "electric", self.charges, self.positions, named)
        self.magnetic = VectorField(magnetic, "magnetic", named)
        named.check_used()
        drift, forced, rhs = magnetic_flows(self.magnetic.vector, self.magnetic.slopes, self.magnetic.curl)
        potential = self.electric.potential
        force = electric_flow(self.electric.pull) if potential is None else potential_force(potential.write)
        self._representations: dict[str, Representation] = {
            Form.DEFAULT: Representation(MATRIX, drift=drift, force=force, rhs=rhs),
            Form.FORCED: Representation(KINETIC, drift=forced, force=force),
        }

    @property
    def representations(self) -> Mapping[str, Representation]:
        return self._representations

    def describe(self) -> dict[str, Any]:
        own = {"charges": self.charges.tolist(), "positions": self.positions.tolist()}
        formulas = {"electric": self.electric.describe(), "magnetic": self.magnetic.describe()}
        return super().describe() | own | formulas | self.named.describe()

    def parameters(self) -> Array:
        points = np.column_stack([self.charges, self.positions])
        named = self.named.numbers()
        charges = CHARGES.pack(count=len(self.charges), points=CHARGES.end + named.size)
        return np.concatenate([super().parameters(), charges, named, points.reshape(-1)])

    def places(self, R: Array) -> Array:
        """Where the charges are, (..., n, 3), at attitudes (..., 3, 3)."""
        return np.einsum("...ij,nj->...ni", R, self.positions)

    def linear_term(self, R: Array) -> Array:
        inside = np.einsum("...ji,...nj->...ni", R, self.magnetic.at(self.places(R)))
        return np.einsum("n,...ni->...i", self.charges, np.cross(self.positions, inside))

    def linear_term_slope(self, R: Array) -> Array:
        """The matrix that takes ξ to the change of a, by differences of order 4."""
        h = 1e-4
        ways = [[self.linear_term(R @ rotation_exp(s * h * e)) for s in (1.0, -1.0, 2.0, -2.0)] for e in np.eye(3)]
        return np.stack([(8.0 * (a - b) - (c - d)) / (12.0 * h) for a, b, c, d in ways], axis=1)

    def potential_energy(self, R: Array) -> Array:
        """`Σ q V(Rρ)` at attitudes (..., 3, 3)."""
        return self.electric.at(self.places(R)) @ self.charges

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        return {"energy": self.energy(values)}

    @classmethod
    def example(cls) -> State:
        charges, positions = [0.7, -0.5, 0.4], [[0.6, 0.2, -0.3], [-0.4, 0.5, 0.3], [0.1, -0.6, 0.5]]
        # a charge above the centre, and the field of a magnetic dipole below it
        electric = "0.8/sqrt((x - 0.5)**2 + y**2 + (z - 2)**2)"
        r3 = "((x**2 + y**2 + (z + 2)**2)*sqrt(x**2 + y**2 + (z + 2)**2))"
        magnetic = [f"-6*y/{r3}", f"6*x/{r3}", "0"]
        body = cls([[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]], charges, positions, electric, magnetic)
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.6, -0.2, 0.4])

    def equilibria(self) -> Equilibria:
        """The attitudes of rest that Newton's method finds; the magnetic field does not matter."""
        found = resting_attitudes(self)
        states = [Equilibrium(f"U = {float(self.potential_energy(R)):.6g}", self.state(R=R)) for R in found]
        return up_to_symmetry(self, states)
