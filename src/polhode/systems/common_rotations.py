"""Steady rotations of coupled bodies, all as one about a direction of space, found by Newton's method.

With rate Ω about e₃ and `Γᵢ = Rᵢᵀe₃`, `ωᵢ = ΩΓᵢ`: `(Jᵢωᵢ + aᵢ) × ωᵢ + Mᵢ = 0` for every body (after problems 6.15, 6.18 of
[LLM17]). These are the points where `U − Σ (½ ωᵢ·Jᵢωᵢ + aᵢ·ωᵢ)` is stationary.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..geometry import so3
from .search import cube_attitudes

Array = NDArray[np.float64]
MOST_ITERATIONS = 40
SMALL = 1e-6  # for differences along the group


def common_rotations(balance: Callable[[Array], Array], starts: list[Array]) -> list[Array]:
    """Attitudes (n, 3, 3) where `balance(R)`, one vector a body, vanishes; one of each circle about e₃.

    From each of `starts` and each attitude of a cube for all bodies together.
    """
    found: list[Array] = []
    for relative in starts:
        for whole in cube_attitudes():
            R = _refined(balance, whole @ relative)
            if R is not None and all(_apart(R, other) > 1e-5 for other in found):
                found.append(R)
    return found


def _refined(balance: Callable[[Array], Array], R: Array) -> Array | None:
    n = len(R)
    for _ in range(MOST_ITERATIONS):
        off = balance(R).reshape(-1)
        columns = []
        for i in range(n):
            for e in np.eye(3):
                ways = []
                for sign in (1.0, -1.0):
                    moved = R.copy()
                    moved[i] = R[i] @ so3.exp(sign * SMALL * e)
                    ways.append(balance(moved).reshape(-1))
                columns.append((ways[0] - ways[1]) / (2.0 * SMALL))
        slopes = np.stack(columns, axis=1)
        if np.abs(off).max() < 1e-13 * (1.0 + np.abs(slopes).max()):
            return R
        step = np.linalg.lstsq(slopes, -off, rcond=1e-7)[0]
        step = step * min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-300))
        R = np.array([so3.project(A @ so3.exp(x)) for A, x in zip(R, step.reshape(n, 3), strict=True)])
    return None


def _apart(R: Array, other: Array) -> float:
    """How far two sets of attitudes are from being the same but for a rotation about e₃."""
    axis = float(np.abs(R[0, 2] - other[0, 2]).max())
    between = [np.abs(R[0].T @ A - other[0].T @ B).max() for A, B in zip(R[1:], other[1:], strict=True)]
    return max([axis, *map(float, between)])
