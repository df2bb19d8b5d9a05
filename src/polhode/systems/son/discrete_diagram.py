"""The discrete rigid body in its three forms, and every arrow of the diagram that joins them (section 7 of [BCMR02]).

                      φL
    (Q_{k−1}, Q_k) ────────▶ (Q_k, Q_{k+1})          two attitudes: the discrete Euler–Lagrange equations
          │    ╲                  │    ╲
          │     ╲ ψ               │     ╲ ψ
       ΣL │    (Q_k, P_k) ──φH──▶ │ (Q_{k+1}, P_{k+1})   two rotations: SDRBn
          │     ╱                 │     ╱
          ▼    ╱ ΣH = Ψ           ▼    ╱ ΣH
      (Q_k, M_k) ────────▶ (Q_{k+1}, M_{k+1})        attitude and momentum: MDRBn
                      Φ

    ΣH ψ = ΣL,    Φ ΣL = ΣL φL,    ΣH φH = Φ ΣH

Two more forms take the same steps: attitude and `B = P − QPᵀQ = QM` (5.5), and the attitude alone with the constant `A = PQᵀ`
(8.2). The right-invariant body is the left-invariant one of transposed matrices (propositions 2.1, 3.4), and so is every arrow.
A step h is the same as h = 1 with Λ/h in place of Λ, and that is how it enters here. All arrows are symplectic for the
forms of `son_forms` (7.12): ΣL*ω = 2Ω_L, ψ*Ω_gl = Ω_L, φL*Ω_L = Ω_L, Φ*ω = ω, ΣH*ω = 2Ω_gl, φH*Ω_gl = Ω_gl.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_nonzero, one_of
from ...errors import InvalidInputError, PolhodeError
from ...geometry.increments.momentum_weight import Weight
from ...geometry.increments.moser_veselov import solve
from ...geometry.increments.riccati import symmetric_solution
from .maps import arrays, costate, momentum, transposed

Array = NDArray[np.float64]
Pair = tuple[Array, Array]
SIDES = ("left", "right")
Arrow = TypeVar("Arrow", bound=Callable[..., Any])


def either_side(arrow: Arrow) -> Arrow:
    """The arrow as it is for the left-invariant body, and between transpositions for the right-invariant one."""

    @wraps(arrow)
    def on_side(body: DiscreteBody, *given: ArrayLike) -> Any:
        if body.mirror is None:
            return arrow(body, *given)
        found = arrow(body.mirror, *(transposed(np.asarray(each, dtype=np.float64)) for each in given))
        return tuple(map(transposed, found)) if isinstance(found, tuple) else transposed(found)

    return on_side  # type: ignore[return-value]


class DiscreteBody:
    """The discrete rigid body with weight Λ and step h, left- or right-invariant, as maps. Any leading axes.

    The formulas below are those of the left-invariant body; those of the right-invariant one are in transposed matrices.

    >>> body = DiscreteBody([1.0, 1.5, 2.2], step=0.1)
    >>> Q, M = np.eye(3), np.array([[0.0, -1.1, -0.9], [1.1, 0.0, -0.6], [0.9, 0.6, 0.0]])
    >>> Q1, M1 = body.Phi(Q, M)
    >>> bool(np.allclose(body.Sigma_L(Q, Q1)[1], M1))
    True
    """

    def __init__(self, Lambda: ArrayLike | Weight, step: float = 1.0, side: str = "left") -> None:
        self.step = check_nonzero("step", step, "a nonzero finite number")
        if self.step < 0.0:
            raise InvalidInputError("step", step, "a positive number: to go back, take −M")
        self.weight = Weight.of(Weight.of(Lambda).matrix / self.step)
        self.mirror = DiscreteBody(Lambda, step) if one_of("side", side, SIDES) == "right" else None

    @property
    def L(self) -> Array:
        """Λ/h."""
        return self.weight.matrix

    @either_side
    def U(self, M: ArrayLike) -> Array:
        """The rotation of the step: `J_D(U) = h M`."""
        return solve(self.weight, M)

    # --- steps ----------------------------------------------------------------------------------------------------------

    @either_side
    def Phi(self, Q: ArrayLike, M: ArrayLike) -> Pair:
        """Φ, MDRBn: `U = J_D⁻¹(hM)`, `Q ↦ Q U`, `M ↦ Uᵀ M U`."""
        Q, M = arrays(Q, M)
        U = self.U(M)
        return Q @ U, transposed(U) @ M @ U

    @either_side
    def phi_H(self, Q: ArrayLike, P: ArrayLike) -> Pair:
        """φH, SDRBn (7.1): `U = J_D⁻¹(h(QᵀP − PᵀQ))`, `Q ↦ Q U`, `P ↦ P U`."""
        Q, P = arrays(Q, P)
        U = self.U(momentum(Q, P))
        return Q @ U, P @ U

    @either_side
    def phi_L(self, Q0: ArrayLike, Q1: ArrayLike) -> Pair:
        """φL (7.2), (7.3): (Q_{k−1}, Q_k) ↦ (Q_k, Q_{k+1}), `Q_{k+1} = Q_k J_D⁻¹(Ω J_D(Ωᵀ) Ωᵀ)`, Ω = Q_kᵀ Q_{k−1}.

        It does not depend on the step.
        """
        Q1, M1 = self.Sigma_L(Q0, Q1)
        return Q1, Q1 @ self.U(M1)

    @either_side
    def mv_algorithm_1(self, Q0: ArrayLike, Q1: ArrayLike) -> Pair:
        """Moser and Veselov's first algorithm (4.4), by (4.1)–(4.3) as they stand: (Q_k, Q_{k+1}) ↦ (Q_{k+1}, Q_{k+2})."""
        Q0, Q1 = arrays(Q0, Q1)
        Omega = transposed(Q1) @ Q0
        M = transposed(Omega) @ self.L - self.L @ Omega
        return Q1, Q1 @ self.U(Omega @ M @ transposed(Omega))

    @either_side
    def mv_algorithm_2(self, Q: ArrayLike, M: ArrayLike) -> Pair:
        """Moser and Veselov's second algorithm (4.5): (Q_k, M_k) ↦ (Q_{k+1}, M_{k+1}) in the index of (4.1)–(4.3).

        There M_k belongs to the interval before Q_k, `M_k = M` of MDRBn at k − 1: this pairing is not symplectic, and
        it is Q_k M_{k+1} Q_kᵀ that is constant.
        """
        Q, M = arrays(Q, M)
        U = self.U(M)
        M_next = transposed(U) @ M @ U
        return Q @ self.U(M_next), M_next

    @either_side
    def phi_B(self, Q: ArrayLike, B: ArrayLike) -> Pair:
        """The discrete (5.5), in `B = P − QPᵀQ = QM`: `U = J_D⁻¹(h QᵀB)`, `Q ↦ Q U`, `B ↦ B U`; `QᵀB` stays skew."""
        Q, B = arrays(Q, B)
        M = transposed(Q) @ B
        U = self.U(0.5 * (M - transposed(M)))
        return Q @ U, B @ U

    @either_side
    def phi_A(self, Q: ArrayLike, A: ArrayLike) -> Pair:
        """The discrete (8.2), where P = A Q with a constant A: `Q ↦ Q J_D⁻¹(h Qᵀ(A − Aᵀ)Q)`."""
        Q, A = arrays(Q, A)
        return Q @ self.U(transposed(Q) @ (A - transposed(A)) @ Q), A

    # --- from one form to another ------------------------------------------------------------------------------------------

    @either_side
    def Sigma_H(self, Q: ArrayLike, P: ArrayLike) -> Pair:
        """ΣH = Ψ: (Q, P) ↦ (Q, QᵀP − PᵀQ)."""
        Q, P = arrays(Q, P)
        return Q, momentum(Q, P)

    @either_side
    def Sigma_H_inverse(self, Q: ArrayLike, M: ArrayLike) -> Pair:
        """Ψ⁻¹, on ‖M‖ < 2."""
        Q, M = arrays(Q, M)
        return Q, costate(Q, M)

    @either_side
    def Sigma_L(self, Q0: ArrayLike, Q1: ArrayLike) -> Pair:
        """ΣL, the Legendre transform (7.4): (Q_{k−1}, Q_k) ↦ (Q_k, M_k), `h M_k = ΛΩᵀ − ΩΛ`, Ω = Q_kᵀ Q_{k−1}."""
        Q0, Q1 = arrays(Q0, Q1)
        B = transposed(Q1) @ Q0 @ self.L
        return Q1, transposed(B) - B

    @either_side
    def Sigma_L_inverse(self, Q: ArrayLike, M: ArrayLike) -> Pair:
        """(Q_k, M_k) ↦ (Q_{k−1}, Q_k): a step back, `Q_{k−1} = Q_k J_D⁻¹(−h M_k)`."""
        Q, M = arrays(Q, M)
        return Q @ self.U(-M), Q

    @either_side
    def psi(self, Q0: ArrayLike, Q1: ArrayLike) -> Pair:
        """ψ = Ψ⁻¹ ΣL (7.5): (Q_{k−1}, Q_k) ↦ (Q_k, P_k)."""
        return self.Sigma_H_inverse(*self.Sigma_L(Q0, Q1))

    @either_side
    def legendre(self, Q0: ArrayLike, Q1: ArrayLike) -> Pair:
        """`(D₁S, D₂S)` of `S = 2 tr(Q_{k−1} Λ Q_kᵀ)/h`: (−M_{k−1}, M_k) for the pairing tr(MX) (7.9), (7.10)."""
        Q0, Q1 = arrays(Q0, Q1)
        B = self.L @ transposed(Q1) @ Q0
        return B - transposed(B), self.Sigma_L(Q0, Q1)[1]

    def action(self, Q: ArrayLike) -> Array:
        """`Σ tr(Q_k Λ Q_{k+1}ᵀ)/h` over a sequence (N + 1, n, n) (4.6): a maximum on solutions with moderate steps."""
        (Q,) = arrays(Q)
        Q = Q if self.mirror is None else transposed(Q)
        return np.einsum("kij,jl,kil->", Q[:-1], self.L, Q[1:])

    # --- interpolation -----------------------------------------------------------------------------------------------------

    @either_side
    def weight_before(self, Q0: ArrayLike, Q1: ArrayLike) -> Array:
        """The symmetric Σ_k of `P_k = Q_k Σ_k − Q_{k−1} Λ` (7.16), from the attitudes alone by (7.17):

        `Σ² − ΛΩᵀΣ − ΣΩΛ + Λ² − 1 = 0`, Ω = Q_kᵀ Q_{k−1}, with the eigenvalues of Σ − ΩΛ = Q_kᵀP_k to the right.
        """
        Q0, Q1 = arrays(Q0, Q1)
        return self._weight(transposed(Q1) @ Q0 @ self.L)

    @either_side
    def weight_after(self, Q: ArrayLike, Q_next: ArrayLike) -> Array:
        """The symmetric Λ_k of `P_k = Q_k Λ_k + Q_{k+1} Λ` (7.21), from the attitudes alone by (7.19):

        `Λ_k² + ΛUᵀΛ_k + Λ_kUΛ + Λ² − 1 = 0`, U = Q_kᵀ Q_{k+1}, with the eigenvalues of Λ_k + UΛ = Q_kᵀP_k to the right.
        """
        Q, Q_next = arrays(Q, Q_next)
        return self._weight(-transposed(Q) @ Q_next @ self.L)

    def _weight(self, A: Array) -> Array:
        C = np.eye(self.weight.n) - self.L @ self.L
        weights = [symmetric_solution(a, C) for a in A.reshape(-1, self.weight.n, self.weight.n)]
        if any(w is None for w in weights):
            raise PolhodeError("there is no P between these attitudes: their momentum has a norm of 2 or more")
        return np.array(weights).reshape(A.shape)

    @either_side
    def costate_before(self, Q0: ArrayLike, Q1: ArrayLike) -> Array:
        """P_k by interpolation of Q_{k−1} and Q_k (7.16), without sinh⁻¹."""
        Q0, Q1 = arrays(Q0, Q1)
        return Q1 @ self.weight_before(Q0, Q1) - Q0 @ self.L

    @either_side
    def costate_after(self, Q: ArrayLike, Q_next: ArrayLike) -> Array:
        """P_k by interpolation of Q_k and Q_{k+1} (7.21), without sinh⁻¹."""
        Q, Q_next = arrays(Q, Q_next)
        return Q @ self.weight_after(Q, Q_next) + Q_next @ self.L
