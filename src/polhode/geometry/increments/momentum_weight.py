"""The weight Λ of a rigid body on SO(n): its momentum maps J and J_D, and how large a momentum a step can have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidInputError
from ..son import _skew, _square, _transposed

Array = NDArray[np.float64]

# The scan for the largest rate: what stands for ν = 0 relative to the least positive Λ, its spacing in log ν at most, and
# how near to the highest a peak of the scan must be to be refined: between points a peak is higher by less.
NEARLY_ZERO, SPACING, RIVAL = 1e-9, 0.1, 0.99
# How near to their end, relatively, two solutions all but coincide.
NEAR_END = 1e-6


@dataclass(frozen=True)
class Weight:
    """The matrix Λ: its eigenvalues `values`, its eigenvectors as the columns of `axes` (None where Λ is diagonal)."""

    matrix: Array
    values: Array
    axes: Array | None

    @classmethod
    def of(cls, Lambda: ArrayLike | Weight) -> Weight:
        """Λ from its diagonal (n,) or as a symmetric matrix (n, n), n ≥ 2.

        >>> Weight.of([1, 2, 3]).n
        3
        >>> Weight.of([1, -2])
        Traceback (most recent call last):
        ...
        polhode.errors.InvalidInputError: Lambda = [1, -2]: expected Λᵢ + Λⱼ > 0 for i ≠ j (the least sum is -1)
        """
        if isinstance(Lambda, Weight):
            return Lambda
        allowed = "n ≥ 2 numbers, or a symmetric n × n matrix"
        try:
            given = np.array(Lambda, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInputError("Lambda", Lambda, allowed) from None
        diagonal = given.ndim == 1
        matrix = np.diag(given) if diagonal else given
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2 or not np.isfinite(matrix).all():
            raise InvalidInputError("Lambda", Lambda, allowed)
        with np.errstate(over="ignore"):
            skew = np.abs(matrix - matrix.T).max()
        if skew > 1e-12 * np.abs(matrix).max():
            raise InvalidInputError("Lambda", Lambda, "a symmetric matrix")
        if np.array_equal(matrix, np.diag(np.diagonal(matrix))):
            values, axes = np.diagonal(matrix).copy(), None
        else:
            values, axes = np.linalg.eigh(0.5 * matrix + 0.5 * matrix.T)
        least = float(np.sum(np.sort(values)[:2]))
        if not least > 0.0:
            raise InvalidInputError("Lambda", Lambda, f"Λᵢ + Λⱼ > 0 for i ≠ j (the least sum is {least:g})")
        return cls(matrix, values, axes)

    @property
    def n(self) -> int:
        """The dimension."""
        return len(self.values)

    def to_axes(self, A: Array) -> Array:
        """A matrix seen along the eigenvectors, `Vᵀ A V`."""
        return A if self.axes is None else self.axes.T @ A @ self.axes

    def from_axes(self, A: Array) -> Array:
        """`V A Vᵀ`."""
        return A if self.axes is None else self.axes @ A @ self.axes.T

    def J(self, Omega: ArrayLike) -> Array:
        """`J(Ω) = Λ Ω + Ω Λ`: the momentum of a body angular velocity."""
        Omega = self._checked("Omega", Omega)
        return self.matrix @ Omega + Omega @ self.matrix

    def J_inverse(self, M: ArrayLike) -> Array:
        """The skew Ω with `Λ Ω + Ω Λ = M`."""
        return self.rate_of(self._checked("M", M))

    def rate_of(self, M: Array) -> Array:
        """That Ω of momenta as they are; an imaginary part of these is carried along."""
        sums = self.values[:, None] + self.values
        np.fill_diagonal(sums, np.inf)
        return self.from_axes(self.to_axes(M) / sums)

    def J_D(self, U: ArrayLike) -> Array:
        """`J_D(U) = U Λ − Λ Uᵀ` (4.8) of [BCMR02]."""
        B = self._checked("U", U) @ self.matrix
        return B - _transposed(B)

    def _checked(self, name: str, A: ArrayLike) -> Array:
        array = _square(name, A)
        if array.shape[-1] != self.n:
            raise InvalidInputError(
                name, f"an array of shape {array.shape}", f"matrices of {self.n} × {self.n}, the size of Λ"
            )
        return array


def largest_factor(Lambda: ArrayLike | Weight, M: ArrayLike) -> Array:
    """The largest number h for which `J_D(U) = h M` has a principal solution: M (..., n, n) → (...).

    `1/h = max over ν > 0 of ‖N M N‖`, `N = diag √(ν/(ν² + Λᵢ²))`. It is the same all along a motion, continuous or
    discrete, since it is a function of the Manakov integrals. Λ ≥ 0 is needed; with a negative Λᵢ the answer is NaN.

    >>> from polhode.geometry.son import hat
    >>> float(largest_factor([1.0, 1.5, 2.2], hat([0, 0, 2.5])))        # n = 3, about an axis: I = Λ₁ + Λ₂
    1.0
    """
    weight = Weight.of(Lambda)
    Mp = weight.to_axes(_skew(weight._checked("M", M)))
    flat = Mp.reshape(-1, weight.n, weight.n)
    return np.array([_largest_factor(weight.values, matrix) for matrix in flat]).reshape(Mp.shape[:-2])


def _largest_factor(Lambda: Array, M: Array) -> float:
    if Lambda.min() < 0.0:
        return float("nan")
    squares = np.square(Lambda)

    def rate(s: Array) -> Array:
        """‖N M N‖ at ν = eˢ."""
        nu = np.exp(s)[:, None]
        N = np.sqrt(nu / (nu * nu + squares))
        return np.linalg.norm(N[:, :, None] * M * N[:, None, :], ord=2, axis=(-2, -1))

    # each entry of N M N is largest at ν² = Λᵢ Λⱼ, or towards ν = 0 where Λᵢ = 0: a scan between the extremes, and a
    # golden section about each of its best
    least = np.sort(Lambda)[:2]
    low, high = np.log(least[0] if least[0] > 0.0 else NEARLY_ZERO * least[1]), np.log(Lambda.max())
    grid = np.linspace(low, high, max(257, int((high - low) / SPACING)))
    rates = rate(grid)
    around = np.concatenate([[-np.inf], rates, [-np.inf]])
    peaks = grid[(rates >= around[:-2]) & (rates >= around[2:]) & (rates >= RIVAL * rates.max())]
    width = max(grid[1] - grid[0], 1e-3)
    low, high = peaks - width, peaks + width
    golden = 0.5 * (np.sqrt(5.0) - 1.0)
    for _ in range(50):
        left, right = high - golden * (high - low), low + golden * (high - low)
        better = rate(left) > rate(right)
        low, high = np.where(better, low, left), np.where(better, right, high)
    top_rate = rate(0.5 * (low + high)).max()
    return float(1.0 / top_rate) if top_rate > 0.0 else float("inf")


def no_solution(weight: Weight, M: Array) -> str:
    """Why `J_D(U) = M` was not solved, in words."""
    factor = float(largest_factor(weight, M))
    if np.isnan(factor):
        return (
            "J_D(U) = M was not solved: Λ has a negative eigenvalue, for which only moderate momenta can be; "
            "take a smaller step"
        )
    if factor > 1.0 + NEAR_END:
        return (
            f"J_D(U) = M was not solved to rounding, though solutions end only at {factor:.9g} M: the eigenvalues of Λ "
            f"span too much for this solver, from {weight.values.min():g} to {weight.values.max():g}"
        )
    if factor > 1.0 - 1e-9:
        return (
            f"J_D(U) = M was not solved to rounding: solutions end at {factor:.9g} M, and that close to the end two of "
            "them all but coincide"
        )
    return (
        f"J_D(U) = M has no special orthogonal solution: the Hamiltonian matrix of its Riccati equation has imaginary "
        f"eigenvalues in blocks of odd size (Cardoso and Leite). M must be at most {factor:.9g} times what it is"
    )
