"""Rotations of a gyrostat at a constant body rate: all ω with `J ω + ρ = λ ω` and `|J ω + ρ|` given.

In principal axes `ω_i = ρ_i/(λ − J_i)`, so that `λ² Σ ρ_i²/(λ − J_i)² = |Π|²`, a polynomial of degree six in λ; and about an
axis without a rotor's part, `ρ_i = 0`, also λ = J_i with the component ω_i that gives the wanted momentum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from ...bodies.inertia import Inertia
from ...errors import InvalidInputError

Array = NDArray[np.float64]
SMALL = 1e-12


def steady_rates(inertia: Inertia, rho: Array, momentum: float) -> list[Array]:
    """Every ω, by descending energy; of a circle of them, one."""
    if not momentum > 0.0:
        raise InvalidInputError("momentum", momentum, "a positive number")
    J, axes = inertia.moments, inertia.axes
    r = axes.T @ rho
    r = np.where(np.abs(r) > SMALL * (momentum + np.abs(r).max()), r, 0.0)
    found: list[Array] = []
    spun = np.flatnonzero(r)
    if spun.size:
        # λ² Σ ρ_i² Π_{j≠i} (λ − J_j)² − |Π|² Π_j (λ − J_j)²
        squares = [Polynomial([-J[i], 1.0]) ** 2 for i in spun]
        product = Polynomial([1.0])
        for square in squares:
            product = product * square
        parts: list[Any] = [float(r[i] ** 2) * (product // s) for i, s in zip(spun, squares, strict=True)]
        total = sum(parts, Polynomial([0.0]))
        polynomial = Polynomial([0.0, 0.0, 1.0]) * total - momentum**2 * product
        for root in map(complex, polynomial.roots()):
            if abs(root.imag) < 1e-7 * (1.0 + abs(root)):
                lam = _polished(root.real, J[spun], r[spun], momentum)
                if lam is not None:
                    omega = np.zeros(3)
                    omega[spun] = r[spun] / (lam - J[spun])
                    found.append(omega)
    for i in np.flatnonzero(r == 0.0):
        others = np.abs(J - J[i]) > SMALL * J[i]
        if np.any(r[~others]):
            continue
        omega = np.zeros(3)
        omega[others] = r[others] / (J[i] - J[others])
        rest = (momentum / J[i]) ** 2 - omega @ omega
        if rest >= 0.0:
            for sign in (1.0, -1.0):
                found.append(omega + sign * np.sqrt(rest) * np.eye(3)[i])
    rates: list[Array] = []
    for omega in sorted(found, key=lambda w: -float(w @ (J * w))):
        if all(np.linalg.norm(omega - other) > 1e-7 * np.linalg.norm(omega) for other in rates):
            rates.append(omega)
    return [axes @ omega for omega in rates]


def _polished(lam: float, J: Array, r: Array, momentum: float) -> float | None:
    """The root near `lam` of `|Π| − |λ| |ω(λ)|`, by Newton's method; None if there is none."""
    for _ in range(50):
        omega = r / (lam - J)
        size = np.linalg.norm(omega)
        off = lam * lam * size * size - momentum**2
        slope = 2.0 * lam * size * size - 2.0 * lam * lam * float(np.sum(omega * omega / (lam - J)))
        step = float(off / slope)
        lam -= step
        if abs(step) < 1e-15 * abs(lam):
            break
    omega = r / (lam - J)
    good = abs(abs(lam) * np.linalg.norm(omega) - momentum) < 1e-9 * momentum
    return lam if good else None
