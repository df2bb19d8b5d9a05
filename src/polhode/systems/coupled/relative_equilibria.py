"""Coupled bodies at rest, or turning steadily, all as one, about a direction of space: starts, and what must balance.

With rate Ω about e₃ and `Γᵢ = Rᵢᵀe₃`, `ωᵢ = ΩΓᵢ`: `(Jᵢωᵢ + aᵢ) × ωᵢ + Mᵢ = 0` for every body (after problems 6.15, 6.18 of
[LLM17]). These are the points where `U − Σ (½ ωᵢ·Jᵢωᵢ + aᵢ·ωᵢ)` is stationary.

At rest a pair with `U = −tr(CᵀQ)`, `Q = RᵢᵀRⱼ` and `C = A Σ Bᵀ` (singular values) has no moment at `Q = A D Bᵀ` with D of
signs and det Q = 1: four classes. Where the couplings make a tree every pair by itself is at one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from ...geometry import so3
from ..stability.equilibrium_search import Balance, cube_attitudes

Array = NDArray[np.float64]
Coupling = tuple[int, int, Array]
MOST_CLASSES = 256


def turning(at_rest: Balance, J: Array, a: Array, rate: float) -> Balance:
    """What must vanish for bodies to turn as one about e₃ with this rate, given the moments at rest."""

    def balance(R: Array) -> tuple[Array, Array]:
        M, slopes = at_rest(R)
        Gamma = R[:, 2]
        Pi = rate * np.einsum("ijk,ik->ij", J, Gamma) + a
        for i, (S, load) in enumerate(zip(so3.hat(Gamma), so3.hat(Pi), strict=True)):
            # Γ changes by Γ × ξ
            here = slice(3 * i, 3 * i + 3)
            slopes[here, here] += rate * (load @ S - rate * S @ J[i] @ S)
        return M + rate * np.cross(Pi, Gamma).reshape(-1), slopes

    return balance


def half_turns(n: int) -> list[Array]:
    """n bodies aligned, and every other one half a turn away about each axis."""
    turns = [np.eye(3), *(2.0 * np.outer(e, e) - np.eye(3) for e in np.eye(3))]
    return [np.array([turn if i % 2 else np.eye(3) for i in range(n)]) for turn in turns]


def resting_classes(n: int, couplings: Sequence[Coupling]) -> tuple[list[Array], bool]:
    """Aligned bodies, then attitudes of rest of a tree among the couplings; and whether these are all that there are but
    for a common rotation."""
    edges = _spanning_tree(n, couplings)
    found = [np.tile(np.eye(3), (n, 1, 1))]
    for chosen in islice(product(*(_classes_of_pair(C) for _, _, C in edges)), MOST_CLASSES):
        R = found[0].copy()
        for (i, j, _), Q in zip(edges, chosen, strict=True):
            R[j] = R[i] @ Q
        found.append(R)
    pairs = {frozenset(pair) for *pair, _ in couplings}
    return found, len(pairs) == len(edges) and 4 ** len(edges) <= MOST_CLASSES


def _classes_of_pair(C: Array) -> list[Array]:
    A, _, Bt = np.linalg.svd(C)
    signs = [np.diag(s) for s in product((1.0, -1.0), repeat=3)]
    return [A @ D @ Bt for D in signs if np.linalg.det(A @ D @ Bt) > 0.0]


def _spanning_tree(n: int, couplings: Iterable[Coupling]) -> list[Coupling]:
    """Pairs (i, j, C) that join all bodies that couplings join, each body j once, after its i."""
    between: dict[tuple[int, int], Array] = {}
    for i, j, C in couplings:
        for pair, matrix in (((i, j), C), ((j, i), C.T)):
            between[pair] = between.get(pair, np.zeros((3, 3))) + matrix
    edges: list[Coupling] = []
    reached: list[int] = []
    for root in range(n):
        waiting = [] if root in reached else [root]
        reached += waiting
        while waiting:
            i = waiting.pop()
            for j in range(n):
                if (i, j) in between and j not in reached:
                    edges.append((i, j, between[i, j]))
                    reached.append(j)
                    waiting.append(j)
    return edges


def whole_turns(relatives: Sequence[Array]) -> list[Array]:
    """The attitudes of a cube for all bodies together, each with four of `relatives` in turn."""
    cube, m = cube_attitudes(), len(relatives)
    return [whole @ relatives[(4 * k + i) % m] for k, whole in enumerate(cube) for i in range(min(4, m))]


def distance_up_to_common_rotation(R: Array, other: Array) -> float:
    """How far attitudes (n, 3, 3) are from others but for a rotation of all of them."""
    return float(np.abs(R[0].T @ R - other[0].T @ other).max())


def distance_up_to_vertical_rotation(R: Array, other: Array) -> float:
    """How far attitudes (n, 3, 3) are from others but for a rotation of all of them about e₃."""
    return max(float(np.abs(R[0, 2] - other[0, 2]).max()), distance_up_to_common_rotation(R, other))
