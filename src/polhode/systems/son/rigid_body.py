"""The rigid body in n dimensions, on T*SO(n), and its symmetric representation on SO(n) × SO(n).

    left    Q̇ = Q Ω,    Ṁ = [M, Ω]   or   Ṗ = P Ω,     M = QᵀP − PᵀQ,     m = Q M Qᵀ         RBn, SRBn of [BCMR02]
    right   Q̇ = Ω Q,    Ṁ = [Ω, M]   or   Ṗ = Ω P,     M = PQᵀ − QPᵀ,     m = Qᵀ M Q         RightRBn, RightSRBn

with `M = J(Ω) = ΛΩ + ΩΛ`. Q is the attitude, Ω the angular velocity and M the momentum (in the body for the left-invariant
motion), m the other momentum, which is constant. For n = 3 and the left it is the free rigid body with `I₁ = Λ₂ + Λ₃` and so
on, and `M = hat(Π)`. P Qᵀ is constant too, so that P is known once Q is; P is the costate of the optimal control problem
whose extremals these are (`polhode.control`). Transposing Q, P and M turns left into right (propositions 2.1, 3.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_finite, one_of
from ...core.layout import Layout, Variable
from ...core.manifolds import Skew, SpecialOrthogonal
from ...core.representation import DiscreteBodyRepresentation, Form, Representation
from ...core.system import Field, Invariant, State, System
from ...errors import InvalidInputError, PolhodeError
from ...geometry import son
from ...geometry.increments.momentum_weight import Weight, largest_factor
from ...geometry.increments.son import coefficients
from ...scalars import Flow
from .flows import (
    HEADER,
    MATRICES,
    drift_momentum,
    drift_pair,
    drift_spatial,
    drift_symmetric,
    rhs_momentum,
    rhs_symmetric,
    start_pair,
)
from .integrals import casimirs, manakov_integrals
from .maps import costate, momentum, transposed
from .preprocessed import PREPROCESSED
from .symplectic_forms import canonical_form, symmetric_form

Array = NDArray[np.float64]

SIDES = ("left", "right")


@dataclass(frozen=True)
class PairRepresentation(Representation):
    """A state whose steps carry `memory` entries more, at the head of the workspace: the increment of the coming
    interval, which `start` fills in."""

    start: Flow = start_pair
    memory: int = 0


class _BodySOn(System):
    """What the two representations share: Λ, the side, rotations and momenta in n dimensions."""

    reference = "A. M. Bloch, P. E. Crouch, J. E. Marsden, T. S. Ratiu, Nonlinearity 15 (2002) 1309 [BCMR02]"

    def __init__(self, Lambda: ArrayLike, side: str = "left") -> None:
        self.weight = Weight.of(Lambda)
        self.side = one_of("side", side, SIDES)
        self.n = self.weight.n
        self.fields = {  # type: ignore[misc]  # as the class has them, in n dimensions
            name: Field((self.n, self.n), field.meaning, field.unit) for name, field in type(self).fields.items()
        }

    @property
    def right(self) -> bool:
        return self.side == "right"

    def describe(self) -> dict[str, Any]:
        weight = self.weight
        Lambda = np.diagonal(weight.matrix).tolist() if weight.axes is None else weight.matrix.tolist()
        return {"Lambda": Lambda} | ({"side": "right"} if self.right else {})

    def parameters(self) -> Array:
        axes = self.weight.axes
        head = HEADER.pack(n=self.n, right=self.right, axes=axes is not None)
        return np.concatenate(
            [head, coefficients(self.weight.values), np.empty(0) if axes is None else axes.reshape(-1)]
        )

    def largest_step(self, state: State) -> float:
        """The step at which `J_D(U) = h M` ceases to have a solution: the same all along the motion."""
        factor = float(largest_factor(self.weight, state.M))
        return float("inf") if np.isnan(factor) else factor

    def _rotation(self, field: str, value: ArrayLike | None) -> Array:
        """`value` as a rotation, brought to the nearest one if it is off by rounding only; by default the identity."""
        if value is None:
            return np.eye(self.n)
        Q = check_finite(field, value, (self.n, self.n))
        off = np.abs(Q.T @ Q - np.eye(self.n)).max()
        if off > 1e-6:
            raise InvalidInputError(field, value, f"a rotation matrix (QᵀQ differs from the identity by {off:.2g})")
        if np.linalg.det(Q) < 0.0:
            raise InvalidInputError(field, value, "a rotation matrix (its determinant is −1: a reflection)")
        # A matrix orthogonal to rounding is kept bit for bit: projecting it again would only change its last digits.
        return Q if off <= 1e-14 else son.project(Q)

    def _skew(self, field: str, value: ArrayLike) -> Array:
        """`value` as a skew matrix; it may also be given by the n(n − 1)/2 numbers of `son.vee`."""
        if np.ndim(value) == 1:  # type: ignore[arg-type]
            return son.hat(check_finite(field, value, (self.n * (self.n - 1) // 2,)))
        A = check_finite(field, value, (self.n, self.n))
        if np.abs(A + A.T).max() > 1e-12 * max(np.abs(A).max(), 1e-300):
            raise InvalidInputError(field, value, "a skew matrix, or the numbers of its vee")
        return 0.5 * (A - A.T)

    def _momentum(self, M: ArrayLike | None, Omega: ArrayLike | None) -> Array | None:
        """The momentum from what was given, None if nothing was."""
        if M is not None and Omega is not None:
            raise InvalidInputError("M", M, "either Omega or M, not both")
        if Omega is not None:
            return self.weight.J(self._skew("Omega", Omega))
        return None if M is None else self._skew("M", M)

    def _moved(self, Q: Array, A: Array, *, to_body: bool) -> Array:
        """`Qᵀ A Q` from space to body, `Q A Qᵀ` back; the other way round for the right-invariant body."""
        return transposed(Q) @ A @ Q if to_body != self.right else Q @ A @ transposed(Q)


def _energy(M: Array, Omega: Array) -> Array:
    """`½⟨M, Ω⟩` with ⟨a, b⟩ = −½ tr(ab)."""
    return 0.25 * np.sum(M * Omega, axis=(-2, -1))


CONSERVED = {
    "energy": Invariant("energy", "kinetic energy ½⟨M, J⁻¹M⟩"),
    "spatial_momentum": Invariant("momentum", "m = Q M Qᵀ (left) or Qᵀ M Q (right)"),
    "casimirs": Invariant("casimir", "tr M², tr M⁴, …"),
    "manakov": Invariant("integral", "coefficients of λʲ in tr (M + λΛ²)ᵏ"),
}


class RigidBodySOn(_BodySOn):
    """The free rigid body in n dimensions: left-invariant (the usual one) or right-invariant motion on T*SO(n).

    `Lambda`: n ≥ 2 numbers or a symmetric n × n matrix, any two of whose eigenvalues have a positive sum. A state is made
    from `Q` and one of `M`, `Omega` (skew matrices, or the n(n − 1)/2 numbers of `son.vee`).

    >>> body = RigidBodySOn([1, 2, 3, 4])
    >>> state = body.state(Omega=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> state.M.shape, round(float(state.invariants()["energy"]), 12)
    ((4, 4), 1.82)
    """

    summary = "free rigid body in n dimensions"
    fields = {
        "Q": Field((3, 3), "attitude, a rotation in n dimensions"),
        "M": Field((3, 3), "momentum J(Ω), a skew matrix", "mass length²/time"),
        "Omega": Field((3, 3), "angular velocity, a skew matrix", "rad/time"),
        "m": Field((3, 3), "constant momentum: that in space (left) or in the body (right)", "mass length²/time"),
    }
    conserved = CONSERVED

    @property
    def representations(self) -> Mapping[str, Representation]:
        return _momentum_representations(self.n)

    def state(
        self, *, Q: ArrayLike | None = None, M: ArrayLike | None = None, Omega: ArrayLike | None = None, t: float = 0.0
    ) -> State:
        """A state from an attitude (default: identity) and a momentum or an angular velocity (default: at rest)."""
        given = self._momentum(M, Omega)
        values = {"Q": self._rotation("Q", Q), "M": np.zeros((self.n, self.n)) if given is None else given}
        return State(self, values, float(check_finite("t", t, ())))

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        if name == "M":
            M = self._moved(values["Q"], values["m"], to_body=True)
            return 0.5 * (M - transposed(M))
        if name == "m":
            return self._moved(values["Q"], values["M"], to_body=False)
        if name == "Omega":
            return self.weight.rate_of(self.derive("M", values))
        raise PolhodeError(f"no field {name!r}")

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        M = self.derive("M", values)
        return {
            "energy": _energy(M, self.derive("Omega", values)),
            "spatial_momentum": self.derive("m", values),
            "casimirs": casimirs(M),
            "manakov": manakov_integrals(self.weight, M),
        }

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """The canonical form of T*SO(n), (3.13) of [BCMR02], in the coordinates of the layout."""
        values = self.representations[representation].layout.unpack(y)
        return canonical_form(
            values["Q"], self.derive("M", values), right=self.right, spatial=representation == Form.DISCRETE_BODY
        )

    @classmethod
    def example(cls) -> State:
        body = cls([[1.0, 0.1, 0.0, -0.1], [0.1, 1.4, 0.2, 0.0], [0.0, 0.2, 1.9, 0.1], [-0.1, 0.0, 0.1, 2.5]])
        attitude = son.exp(son.hat([0.3, -0.5, 0.2, 0.7, 0.1, -0.4]))
        return body.state(Q=attitude, Omega=[0.5, -0.4, 0.3, 0.6, -0.2, 0.4])


class SymmetricRigidBodySOn(_BodySOn):
    """The symmetric representation of the rigid body: two rotations Q and P that turn alike, on SO(n) × SO(n).

    `Lambda` as for `RigidBodySOn`. A state is made from `Q` and one of `P`, `M`, `Omega`; from a momentum, P is
    `Q exp(sinh⁻¹(M/2))`, which needs a momentum of norm below 2 (`polhode.systems.son.maps.scaled` brings any motion there).

    >>> body = SymmetricRigidBodySOn([1, 2, 3])
    >>> state = body.state(M=[0.3, -0.2, 0.1])
    >>> son.vee(state.M).round(12)
    array([ 0.3, -0.2,  0.1])
    """

    summary = "free rigid body in n dimensions, as two rotations"
    fields = {
        "Q": Field((3, 3), "attitude, a rotation in n dimensions"),
        "P": Field((3, 3), "costate, a rotation in n dimensions"),
        "M": Field((3, 3), "momentum QᵀP − PᵀQ (left) or PQᵀ − QPᵀ (right)", "mass length²/time"),
        "Omega": Field((3, 3), "angular velocity, a skew matrix", "rad/time"),
        "m": Field((3, 3), "constant momentum: that in space (left) or in the body (right)", "mass length²/time"),
    }
    conserved = CONSERVED | {"PQt": Invariant("momentum", "the constant rotation P Qᵀ (left) or QᵀP (right)", "")}

    @property
    def representations(self) -> Mapping[str, Representation]:
        return _symmetric_representations(self.n)

    def state(
        self,
        *,
        Q: ArrayLike | None = None,
        P: ArrayLike | None = None,
        M: ArrayLike | None = None,
        Omega: ArrayLike | None = None,
        t: float = 0.0,
    ) -> State:
        """A state from an attitude (default: identity) and a costate, a momentum or an angular velocity (default: at
        rest, P = Q)."""
        attitude, given = self._rotation("Q", Q), self._momentum(M, Omega)
        if P is not None and given is not None:
            raise InvalidInputError("P", P, "only one of P, M and Omega")
        if P is None:
            P = attitude if given is None else costate(attitude, given, side=self.side)
        values = {"Q": attitude, "P": self._rotation("P", P)}
        return State(self, values, float(check_finite("t", t, ())))

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        if name == "M":
            return momentum(values["Q"], values["P"], side=self.side)
        if name == "m":
            return momentum(transposed(values["Q"]), transposed(values["P"]), side=self.side)
        if name == "Omega":
            return self.weight.rate_of(self.derive("M", values))
        raise PolhodeError(f"no field {name!r}")

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        M, Q, P = self.derive("M", values), values["Q"], values["P"]
        return {
            "energy": _energy(M, self.derive("Omega", values)),
            "spatial_momentum": self.derive("m", values),
            "casimirs": casimirs(M),
            "manakov": manakov_integrals(self.weight, M),
            "PQt": transposed(Q) @ P if self.right else P @ transposed(Q),
        }

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """Half the canonical form: (3.5) of [BCMR02], restricted to SO(n) × SO(n)."""
        values = self.representations[representation].layout.unpack(y)
        return symmetric_form(values["Q"], values["P"], right=self.right)

    @classmethod
    def example(cls) -> State:
        body = cls([[0.4, 0.05, -0.05], [0.05, 0.6, 0.1], [-0.05, 0.1, 1.0]])
        return body.state(Q=son.exp(son.hat([0.3, -0.5, 0.2])), Omega=[0.9, -0.7, 0.6])


@cache
def _momentum_representations(n: int) -> Mapping[str, Representation]:
    Q, M = Variable("Q", SpecialOrthogonal(n)), Variable("M", Skew(n), kicked=True)
    momentum_layout, spatial = Layout(Q, M), Layout(Q, Variable("m", Skew(n)))
    workspace = MATRICES * n * n
    return {
        Form.DEFAULT: Representation(momentum_layout, drift=drift_momentum, rhs=rhs_momentum, workspace=workspace),
        Form.DISCRETE_BODY: DiscreteBodyRepresentation(
            spatial, drift=drift_spatial, workspace=workspace, preprocessed=PREPROCESSED if n == 3 else {}
        ),
        Form.PAIR: PairRepresentation(momentum_layout, drift=drift_pair, workspace=workspace, memory=n * n),
    }


@cache
def _symmetric_representations(n: int) -> Mapping[str, Representation]:
    layout = Layout(Variable("Q", SpecialOrthogonal(n)), Variable("P", SpecialOrthogonal(n)))
    both = Representation(layout, drift=drift_symmetric, rhs=rhs_symmetric, workspace=MATRICES * n * n)
    return {Form.DEFAULT: both, Form.SYMMETRIC: both}
