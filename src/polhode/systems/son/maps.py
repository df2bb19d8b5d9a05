"""The maps between the rigid body on T*SO(n) and its symmetric representation on SO(n) × SO(n).

    Ψ(Q, P) = (Q, M),   M = QᵀP − PᵀQ;        Ψ⁻¹(Q, M) = (Q, P),   P = Q exp(sinh⁻¹(M/2)) = Q (M/2 + √(1 + M²/4))

(3.1), (3.3) of [BCMR02]; transposed for the right-invariant motion (3.4). Ψ is a diffeomorphism from

    S = {(Q, P): QᵀP + PᵀQ > 0}, where all angles of QᵀP are below π/2,    onto    S_M = {(Q, M): ‖M‖ < 2},

both invariant (definition 3.5 and proposition 3.9 with the S for which they hold: the norm of M alone does not tell an
angle from its supplement). Where ‖M‖ = 2, the set C, an angle is π/2. `scaled` brings any motion into S_M (3.13). All
functions take any leading axes; the norm is the largest singular value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import one_of
from ...core.complex_step import with_imaginary_part
from ...errors import InvalidInputError
from ...geometry.increments.momentum_weight import Weight

Array = NDArray[np.float64]


def transposed(A: Array) -> Array:
    """Aᵀ, for any leading axes."""
    return np.swapaxes(A, -1, -2)


def arrays(*matrices: ArrayLike) -> list[Array]:
    """Matrices as arrays of doubles, or complex ones, whose imaginary part carries a tangent vector along."""
    return [with_imaginary_part(A) for A in matrices]


def _left(side: str, *matrices: ArrayLike) -> list[Array]:
    """Matrices of a body as those of the left-invariant one."""
    given = arrays(*matrices)
    return given if one_of("side", side, ("left", "right")) == "left" else [transposed(A) for A in given]


def momentum(Q: ArrayLike, P: ArrayLike, *, side: str = "left") -> Array:
    """Ψ: `M = QᵀP − PᵀQ` (left) or `PQᵀ − QPᵀ` (right)."""
    q, p = _left(side, Q, P)
    R = transposed(q) @ p
    return _left(side, R - transposed(R))[0]


def norm(M: ArrayLike) -> Array:
    """The operator norm ‖M‖, a Casimir function."""
    return np.linalg.norm(np.asarray(M, dtype=np.float64), ord=2, axis=(-2, -1))


def exp_asinh_half(M: ArrayLike) -> Array:
    """`exp(sinh⁻¹(M/2)) = M/2 + √(1 + M²/4)`: the rotation R with R − Rᵀ = M and angles below π/2, ‖M‖ < 2.

    Near ‖M‖ = 2 − δ its derivative, and with it any error in M, is amplified by 1/√(4δ).

    >>> exp_asinh_half([[0.0, -1.2], [1.2, 0.0]])
    array([[ 0.8, -0.6],
           [ 0.6,  0.8]])
    """
    M = np.asarray(M, dtype=np.float64)
    size = norm(M)
    if not np.all(size < 2.0):
        raise InvalidInputError("M", M, f"a skew matrix of norm below 2 (it is {np.max(size):.9g}); see `scaled`")
    w, V = np.linalg.eigh(0.5j * M)
    cosines = np.sqrt((1.0 - w) * (1.0 + w))
    root = (V * cosines[..., None, :]) @ transposed(V.conj())
    return 0.5 * M + 0.5 * (root + transposed(root)).real


def costate(Q: ArrayLike, M: ArrayLike, *, side: str = "left") -> Array:
    """Ψ⁻¹: `P = Q exp(sinh⁻¹(M/2))` (3.3), or `exp(sinh⁻¹(M/2)) Q` on the right (3.4)."""
    q, m = _left(side, Q, M)
    return _left(side, q @ exp_asinh_half(m))[0]


def costate_derivative(Q: ArrayLike, P: ArrayLike, dM: ArrayLike) -> Array:
    """The δP of Ψ⁻¹ at fixed Q: `δP = P η`, `R η + η Rᵀ = δM`, R = QᵀP (in place of (3.12))."""
    Q, P, dM = arrays(Q, P, dM)
    R = transposed(Q) @ P
    w, V = np.linalg.eig(R)  # R is normal: its eigenvectors are orthonormal where its eigenvalues differ
    inverse = np.linalg.inv(V)
    # times R from the right it is R η R + η = δM R, diagonal in the eigenbasis
    eta = V @ ((inverse @ (dM @ R) @ V) / (1.0 + w[..., :, None] * w[..., None, :])) @ inverse
    return P @ eta.real


def in_S_M(M: ArrayLike) -> NDArray[np.bool_]:
    """Whether ‖M‖ < 2: Ψ⁻¹ is defined."""
    return norm(M) < 2.0


def in_S(Q: ArrayLike, P: ArrayLike) -> NDArray[np.bool_]:
    """Whether QᵀP + PᵀQ > 0: all angles between Q and P are below π/2, and Ψ is one to one."""
    R = transposed(np.asarray(Q, dtype=np.float64)) @ np.asarray(P, dtype=np.float64)
    return np.linalg.eigvalsh(R + transposed(R))[..., 0] > 0.0


def in_C(Q: ArrayLike, P: ArrayLike, *, tolerance: float = 1e-12) -> NDArray[np.bool_]:
    """Whether ‖QᵀP − PᵀQ‖ = 2 to a tolerance: some angle between Q and P is π/2."""
    return np.abs(norm(momentum(Q, P)) - 2.0) <= tolerance


def other_side(*matrices: ArrayLike) -> tuple[Array, ...]:
    """Left ↔ right: Q, P and M (and Ω, m) of the one motion from those of the other (propositions 2.1, 3.4).

    >>> Q, M = other_side(np.eye(2), [[0.0, -1.0], [1.0, 0.0]])
    >>> M
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    return tuple(transposed(A).copy() for A in arrays(*matrices))


def scaled(M: ArrayLike, *, below: float = 1.0) -> tuple[Array, float]:
    """`(ε M, ε)` with ‖ε M‖ = `below` < 2: the motion from (Q, εM) is the motion from (Q, M) with time slowed by ε.

    If (Q(t), M(t)) is a motion, so is (Q(εt), εM(εt)) (section 3 of [BCMR02], proposition 3.13). For several M the same ε
    serves all. A momentum that is small enough is left as it is.

    >>> from polhode.geometry.son import hat
    >>> M, slower = scaled(hat([0, 0, 4.0]))
    >>> slower
    0.25
    """
    if not 0.0 < below < 2.0:
        raise InvalidInputError("below", below, "a number between 0 and 2")
    M = np.asarray(M, dtype=np.float64)
    largest = float(np.max(norm(M)))
    factor = 1.0 if largest <= below else below / largest
    return factor * M, factor


# --- the same motion in other variables -------------------------------------------------------------------------------


def reduced_rhs(Lambda: ArrayLike | Weight, Q: ArrayLike, A: ArrayLike) -> Array:
    """`Q̇ = Q J⁻¹(Qᵀ (A − Aᵀ) Q)` (8.2): SRBn with P = A Q put in; A = P Qᵀ is constant."""
    Q, A = arrays(Q, A)
    return Q @ Weight.of(Lambda).J_inverse(transposed(Q) @ (A - transposed(A)) @ Q)


def mclachlan_scovel(Q: ArrayLike, P: ArrayLike) -> Array:
    """`B = P − Q Pᵀ Q = Q M`, the variable of McLachlan and Scovel's equations; QᵀB is skew."""
    Q, P = arrays(Q, P)
    return P - Q @ transposed(P) @ Q


def mclachlan_scovel_rhs(Lambda: ArrayLike | Weight, Q: ArrayLike, B: ArrayLike) -> tuple[Array, Array]:
    """`Q̇ = Q J⁻¹(QᵀB), Ḃ = B J⁻¹(QᵀB)` (5.5)."""
    Q, B = arrays(Q, B)
    M = transposed(Q) @ B
    Omega = Weight.of(Lambda).J_inverse(0.5 * (M - transposed(M)))
    return Q @ Omega, B @ Omega
