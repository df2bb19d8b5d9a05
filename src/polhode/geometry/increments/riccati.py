"""`J_D(U) = M` as a Riccati equation, and how many special orthogonal solutions it has.

With `U Λ = M/2 + S`, S symmetric, orthogonality of U is

    S² + S M/2 + (M/2)ᵀ S − (M²/4 + Λ²) = 0                                                 (lemma 7.3, (7.14) of [BCMR02])

and `H̄ (1; S) = (1; S) U Λ` with the Hamiltonian matrix `H̄ = (M/2, 1; M²/4 + Λ², M/2)`. Its eigenvalues come in pairs ±μ,
the roots of det(μ² − μM − Λ²) = 0, and a solution is a choice of one from each pair that is closed under conjugation.
Cardoso and Leite's conditions follow by counting, for Λ > 0 and simple eigenvalues:

    an imaginary eigenvalue with a block of odd size      no orthogonal solution at all
    r real pairs and c complex quadruples                 2^(r+c) orthogonal solutions; det U is the sign of the product
                                                          of the chosen μ, so that 2^(r+c−1) of them are special if r > 0
                                                          and all 2^c if r = 0

so that the special orthogonal solution is unique if and only if c = 0 and r ≤ 1 (theorem 7.4 of [BCMR02] omits the real
pair that odd n always has). J. R. Cardoso and F. Silva Leite, Linear Algebra Appl. 360 (2003) 237.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidInputError, PolhodeError
from ..son import _skew, project
from .momentum_weight import Weight, largest_factor, no_solution

Array = NDArray[np.float64]

# Eigenvalues closer than this, relative to the largest, count as equal; real parts below it as zero.
TOLERANCE = 1e-9
# What a solution may leave of its equation, relative to M and Λ; and how many steps of Newton's method may polish it.
SOLVED, MOST_STEPS = 1e-14, 50


def hamiltonian_matrix(Lambda: ArrayLike | Weight, M: ArrayLike) -> Array:
    """`H̄ = (M/2, 1; M²/4 + Λ², M/2)` (section 7 of [BCMR02])."""
    weight = Weight.of(Lambda)
    half = 0.5 * _skew(weight._checked("M", M))
    one = np.broadcast_to(np.eye(weight.n), half.shape)
    return np.block([[half, one], [half @ half + weight.matrix @ weight.matrix, half]])


def _positive(weight: Weight) -> None:
    if not weight.values.min() > 0.0:
        raise InvalidInputError("Lambda", weight.matrix, "a positive definite matrix, which the Riccati equation needs")


def symmetric_solution(A: Array, C: Array, scales: Array | None = None) -> Array | None:
    """The symmetric X of `X² − AᵀX − XA = C` for which the eigenvalues of X − A have positive real parts, if there is one.

    It comes from an ordered real Schur decomposition of `(−A, 1; C, Aᵀ)`, which takes (1; X) to (1; X)(X − A).
    `scales`: numbers dᵢ of the size of √X_ii, with which it is done for X_ij/(dᵢ dⱼ): so that none is lost among others.
    """
    from scipy.linalg import LinAlgError, schur

    n = len(A)
    d = np.ones(n) if scales is None else scales
    both = np.concatenate([d, 1.0 / d])
    H = both[:, None] * np.block([[-A, np.eye(n)], [C, A.T]]) / both
    if _on_axis(np.linalg.eigvals(H)).any():
        return None
    try:
        _, Z, count = schur(H, output="real", sort=lambda re, im: re > 0.0)  # pyright: ignore
    except LinAlgError:  # eigenvalues so close to the imaginary axis that sorting moved them across it
        return None
    if count != n:
        return None
    X = d[:, None] * np.linalg.solve(Z[:n, :n].T, Z[n:, :n].T) * d
    return 0.5 * (X + X.T)


def solve_riccati(Lambda: ArrayLike | Weight, M: ArrayLike) -> Array:
    """The principal solution of `J_D(U) = M` by its Riccati equation (7.14), for any leading axes of M.

    >>> from polhode.geometry.son import hat
    >>> bool(np.allclose(solve_riccati([1, 2, 3], hat([0, 0, 3 * 0.6]))[:2, :2], [[0.8, -0.6], [0.6, 0.8]]))
    True
    """
    weight = Weight.of(Lambda)
    _positive(weight)
    G = _skew(weight._checked("M", M))
    result = np.empty_like(G)
    values = weight.values
    for index in np.ndindex(G.shape[:-2]):
        matrix = weight.to_axes(G[index])
        half = 0.5 * matrix
        S = symmetric_solution(-half, half @ half + np.diag(values * values), np.sqrt(values))
        U = None if S is None else _polished(values, (half + S) / values, matrix)
        if U is None:
            raise PolhodeError(no_solution(weight, G[index]))
        result[index] = weight.from_axes(U)
    return result


def _rotation(weight: Weight, B: Array) -> Array:
    """`U = B Λ⁻¹`."""
    return np.asarray(np.linalg.solve(weight.matrix, B.T).T, dtype=np.float64)


def _polished(values: Array, U: Array, G: Array) -> Array | None:
    """The rotation that solves `J_D(U) = G`, Λ diagonal, by Newton's method from near it; None where none is found, or
    not the principal one.

    S is off by the rounding of Λ², which U = (G/2 + S) Λ⁻¹ magnifies by the squared ratio of the Λ. The steps are those
    of `increments.son`, `U ← cay(Z) U` with `Z B + Bᵀ Z = G − J_D(U)`, B = U Λ, but with SciPy's solver of the Lyapunov equation.
    """
    from scipy.linalg import solve_continuous_lyapunov

    one = np.eye(len(values))
    try:
        U = project(U)
    except InvalidInputError:  # nothing is right in it
        return None
    goal = SOLVED * (np.linalg.norm(G) + values.max())  # U cannot be nearer than by its rounding
    left = G - (U * values - (U * values).T)
    factor = 1.0
    for _ in range(MOST_STEPS):
        Z = solve_continuous_lyapunov((U * values).T, left)
        Z = 0.5 * factor * (0.5 * (Z - Z.T))
        V = project(np.linalg.solve(one - Z, (one + Z) @ U))
        left_there = G - (V * values - (V * values).T)
        if np.linalg.norm(left_there) < np.linalg.norm(left):
            U, left, factor = V, left_there, min(1.0, 2.0 * factor)
        elif np.linalg.norm(left) <= goal:
            break
        else:
            factor *= 0.5
    root = np.sqrt(values)
    principal = np.linalg.eigvals(root[:, None] * U * root).real.min() > 0.0
    return U if principal and np.linalg.norm(left) <= goal else None


def _on_axis(mu: NDArray[Any]) -> NDArray[np.bool_]:
    return np.abs(np.real(mu)) <= TOLERANCE * np.abs(mu).max()


def all_solutions(Lambda: ArrayLike | Weight, M: ArrayLike, *, special: bool = True) -> Array:
    """Every solution of `J_D(U) = M` in SO(n) (or O(n)), principal first, where the eigenvalues of H̄ are simple.

    >>> from polhode.geometry.son import hat
    >>> all_solutions([1, 2, 3], hat([0.1, 0.2, 0.3])).shape
    (4, 3, 3)
    """
    weight = Weight.of(Lambda)
    _positive(weight)
    G = _skew(weight._checked("M", M))
    mu, vectors = (np.asarray(a, dtype=np.complex128) for a in np.linalg.eig(hamiltonian_matrix(weight, G)))
    if _on_axis(mu).any():
        raise PolhodeError(no_solution(weight, G))
    if _repeated(mu):
        raise PolhodeError(
            "J_D(U) = M: the Hamiltonian matrix has repeated eigenvalues; the solutions are not isolated"
        )
    n = weight.n
    right = [i for i in np.argsort(-mu.real) if mu[i].real > 0.0]
    partner = {i: int(np.argmin(np.abs(mu + mu[i]))) for i in right}
    groups = [[i] for i in right if mu[i].imag == 0.0]
    groups += [[i, int(np.argmin(np.abs(mu - np.conj(mu[i]))))] for i in right if mu[i].imag > 0.0]
    solutions = []
    for flips in product((False, True), repeat=len(groups)):
        chosen = [partner[i] if flip else i for flip, group in zip(flips, groups, strict=True) for i in group]
        X = vectors[:, chosen]
        S = np.linalg.solve(X[:n].T, X[n:].T).real
        U = _rotation(weight, 0.5 * G + 0.5 * (S + S.T))
        if not special or np.linalg.det(U) > 0.0:
            solutions.append(U)
    return np.array(solutions)


def _repeated(mu: NDArray[Any]) -> bool:
    gaps = np.abs(mu[:, None] - mu) + np.diag(np.full(len(mu), np.inf))
    return bool(gaps.min(initial=np.inf) <= 1e-7 * np.abs(mu).max(initial=0.0))


@dataclass(frozen=True)
class Solvability:
    """What can be said of the special orthogonal solutions of `J_D(U) = M`.

    `exists`; `count` of them (None where they are not isolated); `factor` by which M could grow; `spectrum` of H̄;
    `real_pairs` and `quadruples` among its eigenvalues. `str()` says it in words.
    """

    exists: bool
    count: int | None
    factor: float
    spectrum: NDArray[Any]
    real_pairs: int
    quadruples: int

    @property
    def unique(self) -> bool:
        """Whether there is exactly one solution."""
        return self.count == 1

    def __str__(self) -> str:
        if not self.exists:
            return (
                "no special orthogonal solution: the Hamiltonian matrix has imaginary eigenvalues in blocks of odd size; "
                f"M must be at most {self.factor:.9g} times what it is"
            )
        kinds = f"eigenvalues in {self.real_pairs} real ± pairs and {self.quadruples} complex quadruples"
        if self.count is None:
            return f"infinitely many special orthogonal solutions, since eigenvalues of the Hamiltonian matrix repeat ({kinds})"
        if self.unique:
            return f"one special orthogonal solution ({kinds})"
        return (
            f"{self.count} special orthogonal solutions ({kinds}); the principal one, which joins U = 1 as M shrinks, "
            f"exists up to {self.factor:.9g} M"
        )


def solvability(Lambda: ArrayLike | Weight, M: ArrayLike) -> Solvability:
    """Cardoso and Leite's conditions for one M (n, n), with theorem 7.4 of [BCMR02] corrected for real pairs.

    >>> from polhode.geometry.son import hat
    >>> print(solvability([1, 1.5, 2.2], hat([0, 0, 2.0])))
    2 special orthogonal solutions (eigenvalues in 1 real ± pairs and 1 complex quadruples); the principal one, which joins U = 1 as M shrinks, exists up to 1.25 M
    >>> solvability([1, 1.5, 2.2], hat([0, 0, 2.6])).exists
    False
    """
    weight = Weight.of(Lambda)
    _positive(weight)
    G = _skew(weight._checked("M", M))
    if G.ndim != 2:
        raise InvalidInputError("M", f"an array of shape {G.shape}", f"one matrix of {weight.n} × {weight.n}")
    factor = float(largest_factor(weight, G))
    mu = np.linalg.eigvals(hamiltonian_matrix(weight, G))
    top = np.abs(mu).max()
    # at the end of the domain two pairs meet on the imaginary axis, in blocks of size 2: one choice, half of each block
    away = mu[np.abs(mu.real) > np.sqrt(TOLERANCE) * top]
    is_real = np.abs(away.imag) <= TOLERANCE * top
    real_pairs, quadruples = int(np.sum(is_real)) // 2, int(np.sum(~is_real)) // 4
    count: int | None = 0
    if factor >= 1.0 - 1e-12:
        count = None if _repeated(away) else 2 ** (max(real_pairs - 1, 0) + quadruples)
    return Solvability(count != 0, count, factor, mu, real_pairs, quadruples)
