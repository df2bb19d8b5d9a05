"""A body as a polynomial in the gradient: what its inertia integrals do to 1/r.

A body at X attracts by `∫ dm/|X + ρ| = A(∂) (1/r)` with the operator

    A(∂) = ∫ e^{ρ·∂} dm = Σ T_ijk/(i! j! k!) ∂xⁱ ∂yʲ ∂zᵏ.

Since 1/r is harmonic, `∂z² = −∂x² − ∂y²` when it acts on it: of degree l only 2l + 1 of the (l+1)(l+2)/2 monomials are
needed, `∂xⁱ ∂yʲ ∂zᵏ` with k = 0 or 1. That is the trace-free part of the inertia integrals, the body's multipoles; the
rest of them attracts nothing. Products of operators and turns of the body stay in this algebra, with real
coefficients and no normalisation.

Layout of the reduced coefficients: degree l occupies the places l² to (l+1)² − 1; first k = 0 by rising j (l + 1 of
them, i = l − j), then k = 1 by rising j (l of them, i = l − 1 − j).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..bodies.integrals import exponents

Array = NDArray[np.float64]

# Coefficients that are what rounding leaves of a sum that cancels, as all those of a sphere, count as zero.
ROUNDING = 2e-15


def place(l: int, k: int, j: int) -> int:
    """Where the coefficient of `∂xⁱ ∂yʲ ∂zᵏ`, i = l − k − j, is kept."""
    return l * l + k * (l + 1) + j


def reduced_operator(T: Array, order: int) -> Array:
    """The reduced coefficients up to degree `order` of the body with integrals T.

    `∂z^{2q+k} = ∂zᵏ (−1)^q Σ_s C(q, s) ∂x^{2(q−s)} ∂y^{2s}`.
    """
    coefficients = np.zeros((order + 1) ** 2)
    sizes = np.zeros_like(coefficients)
    for i, j, k in exponents(order):
        l, (q, kept) = i + j + k, divmod(k, 2)
        t = T[i, j, k] / (math.factorial(i) * math.factorial(j) * math.factorial(k))
        for s in range(q + 1):
            where = place(l, kept, j + 2 * s)
            coefficients[where] += (-1) ** q * math.comb(q, s) * t
            sizes[where] += math.comb(q, s) * abs(t)
    for l in range(order + 1):
        block = slice(l * l, (l + 1) ** 2)
        if np.all(np.abs(coefficients[block]) <= ROUNDING * (l + 1) * np.max(sizes[block])):
            coefficients[block] = 0.0
    return coefficients


def highest_degree(coefficients: Array) -> int:
    """The highest degree with a coefficient that is not zero."""
    return math.isqrt(int(np.flatnonzero(coefficients)[-1]))
