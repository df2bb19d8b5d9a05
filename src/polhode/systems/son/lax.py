"""Lax pairs with a parameter λ: why the rigid body on SO(n), continuous and discrete, is integrable.

    continuous   d/dt M^λ = [M^λ, Ω + λΛ],                 M^λ = M + λΛ²                                  (2.4), (8.6)
                 Q̇_λ = Q_λ(Ω + λΛ),  Ṗ_λ = P_λ(Ω + λΛ),   M_λ = Q_λ⁻¹P_λ − P_λ⁻¹Q_λ                     (8.4), (8.5)
    discrete     M^λ_{k+1} = (U_k + λΛ)⁻¹ M^λ_k (U_k + λΛ),                                               (8.10), (8.11)
                 M^λ_{k+1} = Ω^λ M^λ_k (Ω^λ)⁻¹,  Ω^λ = U_kᵀ − λΛ                                          (8.9)

of [BCMR02], with M for h M in the discrete case. Both discrete forms hold, since

    1 − λM^λ_k = (U_k + λΛ)(U_kᵀ − λΛ)    and    1 − λM^λ_{k+1} = (U_kᵀ − λΛ)(U_k + λΛ).

The traces of the powers of M^λ are Manakov's integrals (`son_integrals`). Λ may be any weight, M any skew matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import PolhodeError
from ...geometry.increments.momentum_weight import Weight
from ...geometry.increments.moser_veselov import solve
from .integrals import trace_coefficients
from .maps import arrays, transposed

Array = NDArray[np.float64]


def lax_matrix(Lambda: ArrayLike | Weight, M: ArrayLike, lam: float) -> Array:
    """`M^λ = M + λΛ²`: its spectrum is constant."""
    L = Weight.of(Lambda).matrix
    return np.asarray(M, dtype=np.float64) + lam * (L @ L)


def lax_pair(Lambda: ArrayLike | Weight, M: ArrayLike, lam: float) -> tuple[Array, Array]:
    """`(M + λΛ², Ω + λΛ)` of Manakov's equation (2.4)."""
    weight = Weight.of(Lambda)
    return lax_matrix(weight, M, lam), weight.J_inverse(M) + lam * weight.matrix


def parametric_momentum(Q: ArrayLike, P: ArrayLike) -> Array:
    """`M_λ = Q_λ⁻¹P_λ − P_λ⁻¹Q_λ` of two matrices of GL(n) (8.5)."""
    Q, P = arrays(Q, P)
    return np.linalg.solve(Q, P) - np.linalg.solve(P, Q)


def parametric_spatial_momentum(Q: ArrayLike, P: ArrayLike) -> Array:
    """`m_λ = P_λ Q_λ⁻¹ − Q_λ P_λ⁻¹`, constant along (8.4) and (8.10)."""
    Q, P = arrays(Q, P)
    return transposed(parametric_momentum(transposed(Q), transposed(P)))


def parametric_rhs(Lambda: ArrayLike | Weight, Q: ArrayLike, P: ArrayLike, lam: float) -> tuple[Array, Array]:
    """`Q̇_λ = Q_λ(Ω + λΛ)`, `Ṗ_λ = P_λ(Ω + λΛ)`, `Ω = J⁻¹(M_λ − λΛ²)` (8.4), (8.5)."""
    weight = Weight.of(Lambda)
    Q, P = arrays(Q, P)
    A = weight.J_inverse(_momentum_without(weight, Q, P, lam)) + lam * weight.matrix
    return Q @ A, P @ A


def parametric_start(Lambda: ArrayLike | Weight, Q: ArrayLike, M: ArrayLike, lam: float) -> tuple[Array, Array]:
    """A (Q_λ, P_λ) to start (8.4) or (8.10) from: Q_λ = Q and `P_λ = Q(M^λ/2 + √(1 + (M^λ/2)²))`, so that M_λ = M + λΛ².

    For λ = 0 it is Ψ⁻¹.
    """
    from scipy.linalg import sqrtm

    Q = np.asarray(Q, dtype=np.float64)
    half = 0.5 * lax_matrix(Lambda, M, lam)
    root = np.asarray(sqrtm(np.eye(len(half)) + half @ half), dtype=np.complex128)
    if np.abs(root.imag).max() > 1e-9 * np.abs(root).max():
        raise PolhodeError("1 + (M + λΛ²)²/4 has no real square root: take a smaller M")
    return Q, Q @ (half + root.real)


def _momentum_without(weight: Weight, Q: Array, P: Array, lam: float) -> Array:
    """`M_λ − λΛ²`, skew but for rounding."""
    M = parametric_momentum(Q, P) - lam * (weight.matrix @ weight.matrix)
    return 0.5 * (M - transposed(M))


def parametric_step(Lambda: ArrayLike | Weight, Q: ArrayLike, P: ArrayLike, lam: float) -> tuple[Array, Array]:
    """`Q_λ ↦ Q_λ(U + λΛ)`, `P_λ ↦ P_λ(U + λΛ)`, `U = J_D⁻¹(M_λ − λΛ²)` (8.10); a step h is Λ/h in place of Λ."""
    weight = Weight.of(Lambda)
    Q, P = arrays(Q, P)
    A = solve(weight, _momentum_without(weight, Q, P, lam)) + lam * weight.matrix
    return Q @ A, P @ A


def discrete_lax_step(Lambda: ArrayLike | Weight, M: ArrayLike, lam: float) -> tuple[Array, Array]:
    """`M^λ_{k+1}` from M_k in two ways: by `Ω^λ = Uᵀ − λΛ` (8.9) and by `U + λΛ` (8.11). They are equal, and M + λΛ² again.

    A step h is Λ/h in place of Λ.
    """
    weight = Weight.of(Lambda)
    U, before = solve(weight, M), lax_matrix(weight, M, lam)
    Omega, A = transposed(U) - lam * weight.matrix, U + lam * weight.matrix
    return Omega @ before @ np.linalg.inv(Omega), np.linalg.inv(A) @ before @ A


def reduced_manakov_integrals(Lambda: ArrayLike | Weight, Q: ArrayLike, A: ArrayLike) -> Array:
    """Manakov's integrals on the reduced motion (8.2), where P = A Q: those of `A − Aᵀ + λ Q Λ² Qᵀ` (8.3)."""
    L = Weight.of(Lambda).matrix
    Q, A = arrays(Q, A)
    return trace_coefficients(A - transposed(A), Q @ (L @ L) @ transposed(Q))
