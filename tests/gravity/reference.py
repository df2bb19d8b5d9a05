"""References that share no formula with the library: the pair sum term by term, and the sixfold sum of integrals."""

from __future__ import annotations

import itertools
import math

import numpy as np

from polhode.bodies import PointMasses
from polhode.bodies.integrals import exponents

STEP = 1e-30
AXES = np.eye(3)


def hat(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def rotation(seed: int) -> np.ndarray:
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def cloud(seed: int, count: int, size: float = 0.3) -> PointMasses:
    rng = np.random.default_rng(seed)
    return PointMasses(rng.uniform(0.5, 2.0, count), size * rng.normal(size=(count, 3)), recentre=True)


def pairs(body1: PointMasses, body2: PointMasses, R):
    """All `D = Rρ₁ − ρ₂` and the products of the masses."""
    D = (body1.positions @ R.T)[:, None] - body2.positions[None]
    return D.reshape(-1, 3), np.outer(body1.masses, body2.masses).ravel()


def exact_potential(body1: PointMasses, body2: PointMasses, G: float, X, R):
    D, m = pairs(body1, body2, R)
    return -G * np.sum(m / np.sqrt(np.sum((X + D) ** 2, axis=1)))


def truncated_potential(body1: PointMasses, body2: PointMasses, order: int, G: float, X, R):
    """`−G Σ_{n ≤ order} Σ m |D|ⁿ r⁻ⁿ⁻¹ Pₙ(−e·D/|D|)`, Legendre's recurrence on each pair of points."""
    D, m = pairs(body1, body2, R)
    r2 = np.sum(X * X)
    c, s = -(D @ X) / r2, np.sum(D * D, axis=1) / r2
    before, now = 0.0 * c, 1.0 + 0.0 * c
    total = now
    for n in range(order):
        before, now = now, ((2 * n + 1) * c * now - n * s * before) / (n + 1)
        total = total + now
    return -G * np.sum(m * total) / np.sqrt(r2)


def by_complex_step(potential, X, R):
    """U, ∂U/∂X and M = ∂U/∂η (R ↦ exp(S(η)) R) of an analytic potential, to the last digits."""
    F = [potential(X + 1j * STEP * e, R).imag / STEP for e in AXES]
    M = [potential(X, R + 1j * STEP * hat(e) @ R).imag / STEP for e in AXES]
    return potential(X, R).real, np.array(F), np.array(M)


def derivatives_of_inverse_distance(order: int, X) -> dict[tuple[int, int, int], float]:
    """`∂xⁱ∂yʲ∂zᵏ (1/r)` as a polynomial over r^{2n+1}: `∂ₓ(P/rᵐ) = (r² ∂ₓP − m x P)/rᵐ⁺²`."""

    def times(P, e, factor):
        return {tuple(np.add(a, e)): factor * c for a, c in P.items()}

    def plus(*polynomials):
        total: dict[tuple[int, ...], int] = {}
        for P in polynomials:
            for a, c in P.items():
                total[a] = total.get(a, 0) + c
        return total

    known = {(0, 0, 0): {(0, 0, 0): 1}}
    for n in range(1, order + 1):
        for ijk in exponents(n):
            if sum(ijk) == n:
                axis = next(a for a in range(3) if ijk[a])
                e = tuple(int(a == axis) for a in range(3))
                P = known[tuple(np.subtract(ijk, e))]
                slope = {tuple(np.subtract(a, e)): c * a[axis] for a, c in P.items() if a[axis]}
                squares = [times(slope, tuple(2 * int(b == a) for a in range(3)), 1) for b in range(3)]
                known[ijk] = plus(*squares, times(P, e, 1 - 2 * n))
    r = math.sqrt(X @ X)
    return {
        ijk: sum(c * math.prod(x**a for x, a in zip(X, alpha, strict=True)) for alpha, c in P.items())
        / r ** (2 * sum(ijk) + 1)
        for ijk, P in known.items()
    }


def turned_integrals(T, R):
    """The integrals of the body turned by R: every coordinate is multiplied out."""
    order = len(T) - 1
    turned = np.zeros_like(T)
    for ijk in exponents(order):
        axes = [axis for axis in range(3) for _ in range(ijk[axis])]
        for choice in itertools.product(range(3), repeat=len(axes)):
            weight = math.prod(R[a, b] for a, b in zip(axes, choice, strict=True))
            turned[ijk] += weight * T[choice.count(0), choice.count(1), choice.count(2)]
    return turned


def sixfold_potential(T1, T2, order: int, G: float, X, R) -> float:
    """The truncated potential from the inertia integrals of any two bodies, all six indices summed."""

    def taylor(T, ijk):
        return T[ijk] / math.prod(math.factorial(a) for a in ijk)

    D, turned = derivatives_of_inverse_distance(order, X), turned_integrals(T1, R)
    total = 0.0
    for a in exponents(order):
        for b in exponents(order - sum(a)):
            total += taylor(turned, a) * (-1) ** sum(b) * taylor(T2, b) * D[tuple(np.add(a, b))]
    return -G * total
