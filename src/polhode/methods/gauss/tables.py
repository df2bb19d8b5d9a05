"""The coefficients of the Gauss–Legendre methods, as sums over the stages need them.

With nodes cᵢ and weights bᵢ of the step [0, 1] and `Lⱼ = h bⱼ fⱼ`, the stages are `Zᵢ = z + Σⱼ μᵢⱼ Lⱼ` with
`μᵢⱼ = aᵢⱼ / bⱼ`. The method is symplectic because `μᵢⱼ + μⱼᵢ = 1`. All follows from the Legendre polynomials P on [−1, 1]:

    (1/bⱼ) ∫ ℓⱼ = Σₖ (2k + 1) Pₖ(xⱼ) ∫ Pₖ/2,    ∫ Pₖ = (Pₖ₊₁ − Pₖ₋₁) / (2k + 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
DIGITS = 50


@dataclass(frozen=True)
class GaussTable:
    """Nodes and weights on [0, 1]; `stage` is μ and `ahead` what extrapolates the polynomial to the stages of a next
    step of the same length, each as its columns one after another; `following` is the same for the end of that step; `legendre`
    are the rows `(2k + 1) Pₖ(xⱼ)`, one for each k."""

    nodes: Array
    weights: Array
    stage: Array
    ahead: Array
    following: Array
    legendre: Array


def _legendre(n: int, x: Decimal) -> list[Decimal]:
    """P₀(x) … Pₙ(x)."""
    P = [Decimal(1), x]
    for k in range(1, n):
        P.append(((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1))
    return P


def _integrals(s: int, x: Decimal, start: int) -> list[Decimal]:
    """½ ∫ Pₖ from `start` = ±1 to x, k < s."""
    P = _legendre(s, x)
    return [(x - start) / 2, *((P[k + 1] - P[k - 1]) / (2 * (2 * k + 1)) for k in range(1, s))]


@lru_cache(maxsize=8)
def gauss_table(s: int) -> GaussTable:
    """The method of s stages and order 2s.

    >>> table = gauss_table(2)
    >>> (table.nodes - 0.5).round(6).tolist()
    [-0.288675, 0.288675]
    """
    with localcontext() as context:
        context.prec = DIGITS
        nodes = []
        for guess in np.polynomial.legendre.leggauss(s)[0]:
            x = Decimal(float(guess))
            for _ in range(4):  # Newton's iteration doubles the digits
                P = _legendre(s, x)
                x -= P[s] * (x * x - 1) / (s * (x * P[s] - P[s - 1]))
            nodes.append(x)
        at_nodes = [_legendre(s, x) for x in nodes]
        weights = [(1 - x * x) / (s * P[s - 1]) ** 2 for x, P in zip(nodes, at_nodes, strict=True)]

        def mixing(rows: list[list[Decimal]]) -> Array:
            sums = [[sum((2 * k + 1) * P[k] * row[k] for k in range(s)) for P in at_nodes] for row in rows]
            return np.array(sums, dtype=np.float64)

        stage = mixing([_integrals(s, x, -1) for x in nodes])
        ahead = mixing([_integrals(s, x + 2, 1) for x in nodes])
        following = mixing([_integrals(s, Decimal(3), 1)])[0]
        c = np.array([(1 + x) / 2 for x in nodes], dtype=np.float64)
        b = np.array(weights, dtype=np.float64)
        legendre = np.array([[(2 * k + 1) * P[k] for P in at_nodes] for k in range(s)], dtype=np.float64)
    for i in range(s):  # exactly, in doubles: the rounded method is symplectic too
        stage[i, i] = 0.5
        stage[:i, i] = 1.0 - stage[i, :i]  # a difference that is not rounded
    mu, nu = (np.ascontiguousarray(matrix.T).ravel() for matrix in (stage, ahead))
    return GaussTable(c, b, mu, nu, following, legendre.ravel())
