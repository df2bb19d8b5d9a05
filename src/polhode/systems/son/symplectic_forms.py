"""Symplectic forms, Hamiltonians and brackets of the rigid body on SO(n).

⟨a, b⟩ = −½ tr(ab) on so(n) (2.1), and ½ tr(AᵀB) on matrices. Tangent vectors are matrices: (δQ, δP) at (Q, P), (δQ, δM) at
(Q, M), with QᵀδQ skew and so on. Equation numbers are those of [BCMR02]. The functions `..._form` give the matrix of a form
in the coordinates `son.vee` of the layouts; the maps of `discrete_diagram` pull these back to one another, with the factor 2 of
(3.11): Ψ*ω = 2 Ω_gl.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...geometry import son, unchecked
from ...geometry.increments.momentum_weight import Weight
from ...geometry.increments.moser_veselov import solve
from .maps import arrays, exp_asinh_half, transposed

Array = NDArray[np.float64]
Tangent = tuple[ArrayLike, ArrayLike]


def _trace(A: Array) -> Array:
    return np.trace(A, axis1=-2, axis2=-1)


# --- forms --------------------------------------------------------------------------------------------------------------


def omega_gl(first: Tangent, second: Tangent) -> Array:
    """`Ω_gl((ξ₁, η₁), (ξ₂, η₂)) = ½ tr(η₂ᵀ ξ₁ − η₁ᵀ ξ₂)` on gl(n) × gl(n) (3.5)."""
    xi1, eta1, xi2, eta2 = arrays(*first, *second)
    return 0.5 * _trace(transposed(eta2) @ xi1 - transposed(eta1) @ xi2)


def omega_canonical(Q: ArrayLike, M: ArrayLike, first: Tangent, second: Tangent) -> Array:
    """The canonical form of T*SO(n), left-trivialised: `⟨Z₂, ξ₁⟩ − ⟨Z₁, ξ₂⟩ + ⟨M, [ξ₁, ξ₂]⟩`, ξ = QᵀδQ, Z = δM (3.13)."""
    Q, M, V1, Z1, V2, Z2 = arrays(Q, M, *first, *second)
    xi1, xi2 = transposed(Q) @ V1, transposed(Q) @ V2
    return -0.5 * _trace(Z2 @ xi1 - Z1 @ xi2 + M @ (xi1 @ xi2 - xi2 @ xi1))


def omega_L(Lambda: ArrayLike | Weight, g1: ArrayLike, g2: ArrayLike, first: Tangent, second: Tangent) -> Array:
    """The form of the discrete Lagrangian tr(g₁ Λ g₂ᵀ) on SO(n) × SO(n): `½ tr g₂ᵀg₁ (ξ₂ Λ η₁ − ξ₁ Λ η₂)` (7.8)."""
    L = Weight.of(Lambda).matrix
    g1, g2, V1, W1, V2, W2 = arrays(g1, g2, *first, *second)
    xi1, xi2, eta1, eta2 = transposed(g1) @ V1, transposed(g1) @ V2, transposed(g2) @ W1, transposed(g2) @ W2
    return 0.5 * _trace(transposed(g2) @ g1 @ (xi2 @ L @ eta1 - xi1 @ L @ eta2))


def omega_L_degeneracy(Lambda: ArrayLike | Weight, g1: ArrayLike, g2: ArrayLike) -> float:
    """The product of all |μᵢ + μⱼ|, i < j, over the eigenvalues μ of g₁ᵀg₂Λ: Ω_L is symplectic where it is not zero.

    It is the determinant of `W ↦ ΛWΩᵀ + ΩWΛ` on so(n), Ω = g₂ᵀg₁ (the set E_L of section 7).
    """
    g1, g2 = arrays(g1, g2)
    mu = np.linalg.eigvals(g1.T @ g2 @ Weight.of(Lambda).matrix)
    i, j = np.triu_indices(len(mu), 1)
    return float(np.prod(np.abs(mu[i] + mu[j])))


def canonical_form(Q: Array, M: Array, *, right: bool = False, spatial: bool = False) -> Array:
    """The matrix of (3.13) in the coordinates of (Q, M), or of (Q, m) where `spatial`; `right`: of the transposed body."""
    basis = son.hat(np.eye(len(Q) * (len(Q) - 1) // 2))
    one = np.eye(len(basis))
    turn = one  # coordinates of the left-invariant body from those of this one: first ξ, then the momentum's
    if right:
        turn, Q, M = unchecked.son_vee(-Q @ basis @ Q.T).T, Q.T, M.T
    sign = -1.0 if right else 1.0
    brackets = basis[:, None] @ basis[None, :] - basis[None, :] @ basis[:, None]
    form = np.block([[-0.5 * np.einsum("ij,abji->ab", M, brackets), one], [-one, np.zeros_like(one)]])
    if spatial:  # δM = Qᵀ δm Q + [M, ξ]
        ad, moved = unchecked.son_vee(M @ basis - basis @ M).T, unchecked.son_vee(Q.T @ basis @ Q).T
        lift = np.block([[turn, np.zeros_like(one)], [ad @ turn, sign * moved]])
    else:
        lift = np.block([[turn, np.zeros_like(one)], [np.zeros_like(one), sign * one]])
    return lift.T @ form @ lift


def symmetric_form(Q: Array, P: Array, *, right: bool = False) -> Array:
    """The matrix of Ω_gl (3.5) in the coordinates of (Q, P); `right`: of the transposed body."""
    return lagrangian_form(np.eye(len(Q)), Q, P, right=right)


def lagrangian_form(Lambda: ArrayLike | Weight, g1: Array, g2: Array, *, right: bool = False) -> Array:
    """The matrix of Ω_L (7.8) in the coordinates of (g₁, g₂); `right`: of the transposed pair."""
    basis = son.hat(np.eye(len(g1) * (len(g1) - 1) // 2))
    lifts = [np.eye(len(basis))] * 2
    if right:
        lifts = [unchecked.son_vee(-g @ basis @ g.T).T for g in (g1, g2)]
        g1, g2 = g1.T, g2.T
    weighted = np.einsum("ij,ajk,kl,bli->ab", g2.T @ g1, basis, Weight.of(Lambda).matrix, basis)
    corner = -0.5 * lifts[0].T @ weighted @ lifts[1]
    zero = np.zeros_like(corner)
    return np.block([[zero, corner], [-corner.T, zero]])


# --- Hamiltonians -------------------------------------------------------------------------------------------------------


def hamiltonian(Lambda: ArrayLike | Weight, xi: ArrayLike, eta: ArrayLike) -> Array:
    """`H(ξ, η) = −⅛ tr(J⁻¹(N) N)`, `N = ξᵀη − ηᵀξ` (3.6): half the kinetic energy, on gl(n) × gl(n)."""
    xi, eta = arrays(xi, eta)
    N = transposed(xi) @ eta - transposed(eta) @ xi
    return -0.125 * _trace(Weight.of(Lambda).J_inverse(N) @ N)


def hamiltonian_gradient(Lambda: ArrayLike | Weight, xi: ArrayLike, eta: ArrayLike) -> tuple[Array, Array]:
    """(∇₁H, ∇₂H) of (3.6) for ½ tr(AᵀB): `(−η J⁻¹N, ξ J⁻¹N)`, so that (3.8) is `X_H = (∇₂H, −∇₁H)`."""
    xi, eta = arrays(xi, eta)
    Omega = Weight.of(Lambda).J_inverse(transposed(xi) @ eta - transposed(eta) @ xi)
    return -eta @ Omega, xi @ Omega


def discrete_hamiltonian(Lambda: ArrayLike | Weight, Q: ArrayLike, P_next: ArrayLike) -> Array:
    """`H⁺(Q_k, P_{k+1}) = ‖P_{k+1}ᵀ Q_k + Λ‖_*`, the nuclear norm, which generates SDRBn (6.17):

    `P_k = ∂H⁺/∂Q_k`, `Q_{k+1} = ∂H⁺/∂P_{k+1}` for tr(AᵀB). Its value is tr exp(sinh⁻¹(M_k/2)) + tr(ΛU_k).
    """
    Q, P_next = arrays(Q, P_next)
    A = transposed(P_next) @ Q + Weight.of(Lambda).matrix
    return np.sum(np.linalg.svd(A, compute_uv=False), axis=-1)


def discrete_hamiltonian_of_momentum(Lambda: ArrayLike | Weight, M: ArrayLike) -> tuple[Array, Array]:
    """The two terms of (6.17), `tr exp(sinh⁻¹(M/2))` and `tr(Λ J_D⁻¹(M))`: each is constant along the discrete motion."""
    weight = Weight.of(Lambda)
    return _trace(exp_asinh_half(M)), _trace(weight.matrix @ solve(weight, M))


# --- the Dirac bracket ----------------------------------------------------------------------------------------------------

Gradient = Callable[[Array, Array], tuple[Array, Array]]


def dirac_bracket(F: Gradient, K: Gradient, Q: ArrayLike, P: ArrayLike) -> float:
    """`{F, K}` on S ⊂ SO(n) × SO(n) (3.15). F and K are given by their gradients `(∇₁, ∇₂)` on gl(n) × gl(n).

    Gradients and products are those of ½ tr(AᵀB). It is Ω(X_F, X_K) with Ω(X_F, ·) = dF for the form Ω_gl on S, so that
    Ḟ = {F, H} along the motion.
    """
    Q, P = arrays(Q, P)
    (F1, F2), (K1, K2) = F(Q, P), K(Q, P)
    R = Q @ P.T

    def inner(A: Array, B: Array) -> float:
        return 0.5 * float(np.sum(A * B))

    def solved(B: Array) -> Array:
        """The X with `X + R X R = B`."""
        w, V = np.linalg.eig(R)
        inverse = np.linalg.inv(V)
        return (V @ ((inverse @ B @ V) / (1.0 + w[:, None] * w)) @ inverse).real

    f1, f2 = P @ F1.T + F1 @ P.T, Q @ F2.T + F2 @ Q.T
    k1, k2 = P @ K1.T + K1 @ P.T, Q @ K2.T + K2 @ Q.T
    free = inner(K2, F1) - inner(K1, F2)
    return free - 0.5 * inner(k2, solved(R @ f1)) + 0.5 * inner(k1, solved(f2 @ R))
