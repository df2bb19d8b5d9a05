"""Directions about which a body can turn steadily: `Γ × (NΓ + w) = 0` with |Γ| = 1.

For the pendulum (Staude) N = Ω²J and w = m g ρ₀; for a gyrostat N = J and w = a/Ω; for a charged body whose fields are
along one line N = Ω²J − Ω|B|K and w = ±|E| p. Where `NΓ + w = λΓ`, `Γ = (λ − N)⁻¹w`: a polynomial of degree 6 in λ, solved
in the eigenvectors of N. One that w is perpendicular to gives further directions, with λ its eigenvalue.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry import so3

Array = NDArray[np.float64]


def staude_axes(N: Array, w: Array) -> list[Array]:
    """The unit vectors Γ with `Γ × (NΓ + w) = 0`, isolated ones.

    >>> sorted(abs(Gamma).round(6).tolist() for Gamma in staude_axes(np.diag([1.0, 2.0, 3.0]), np.zeros(3)))[::2]
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    poles, axes = np.linalg.eigh(N)
    load = w @ axes
    scale = np.abs(poles).max() + np.abs(load).max()
    roots: list[float] = []
    active = np.abs(load) > 1e-14 * scale
    # Σ loadᵢ² Πⱼ≠ᵢ (λ − poleⱼ)² = Π (λ − poleⱼ)² over the axes that carry a load
    whole = np.poly1d([1.0])
    for pole in poles[active]:
        whole *= np.poly1d([1.0, -pole]) ** 2
    parts = np.poly1d([0.0])
    for i in np.flatnonzero(active):
        term = np.poly1d([load[i] ** 2])
        for j in np.flatnonzero(active):
            if j != i:
                term *= np.poly1d([1.0, -poles[j]]) ** 2
        parts += term
    found: list[Array] = []

    def keep(Gamma: Array) -> None:
        Gamma = _polished(N, w, axes @ Gamma)
        off = np.cross(Gamma, N @ Gamma + w)
        if np.abs(off).max() < 1e-9 * scale and all(np.abs(Gamma - other).max() > 1e-7 for other in found):
            found.append(Gamma)

    if active.any():
        roots = [r.real for r in (whole - parts).roots if abs(r.imag) < 1e-7 * scale]
    for root in roots:
        gap = root - poles
        keep(np.where(active, load / np.where(active, gap, 1.0), 0.0))
    for i in np.flatnonzero(~active):
        # λ = poleᵢ: the components along the loaded axes are fixed, that along axis i makes up the length
        gap = poles[i] - poles
        if np.all(np.abs(gap[active]) > 1e-12 * scale):
            rest = np.where(active, load / np.where(active, gap, 1.0), 0.0)
            left = 1.0 - rest @ rest
            if left > 1e-12:
                for sign in (1.0, -1.0):
                    keep(rest + sign * np.sqrt(left) * np.eye(3)[i])
    return found


def _polished(N: Array, w: Array, Gamma: Array) -> Array:
    """Newton's method on the sphere for `Γ × (NΓ + w) = 0`, from nearby."""
    Gamma = Gamma / np.linalg.norm(Gamma)
    for _ in range(4):
        load = N @ Gamma + w
        # δΓ = Γ × η: the residual Γ × load changes by (Γ × η) × load + Γ × N(Γ × η)
        slope = -so3.hat(load) @ so3.hat(Gamma) + so3.hat(Gamma) @ N @ so3.hat(Gamma)
        eta = np.linalg.lstsq(np.vstack([slope, Gamma]), np.append(-np.cross(Gamma, load), 0.0), rcond=1e-10)[0]
        Gamma = Gamma + np.cross(Gamma, eta)
        Gamma /= np.linalg.norm(Gamma)
    return Gamma
