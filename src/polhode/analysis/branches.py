"""From a branch point to the families that cross there.

Next to a branch point J, the derivative of the equations, has the same null vectors as everywhere along the family: its
tangent, symmetries, what is not held. At the branch point there are more, and another family leaves along each of these, or
turned from it towards the tangent. A start on it is looked for at a small distance along the further null vector, across
which Newton's method corrects, and on the other side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .continuation import Continuation, Node

Array = NDArray[np.float64]
M = TypeVar("M")
SMALL = 1e-4  # of the largest: singular values of J that may vanish at the branch point
COMMON = 0.5  # of a null vector: the part that it has in common with those beside the branch point
FASTEST, FRAMES = 8.0, 161  # rates, in that of the motion, and how many are tried
HALVINGS = 5  # of the distance from the branch point
SAME = 1e-6  # relative difference of what is the same


def further_null_vectors(beside: Node, branch: Node) -> Array:
    """The null vectors at a branch point that are not there beside it, as columns of length one."""
    _, sizes, directions = np.linalg.svd(branch.J, full_matrices=True)
    null = directions[int(np.sum(sizes > SMALL * sizes[0])) :].T
    _, cosines, turned = np.linalg.svd(beside.null.T @ null, full_matrices=True)
    cosines = np.concatenate([cosines, np.zeros(len(turned) - len(cosines))])
    return np.asarray(null @ turned[cosines < COMMON].T)


def branch_starts(curve: Continuation, beside: Node, branch: Node, distance: float) -> list[Node]:
    """A node on each family that leaves the branch point, and on each side of it."""
    ways = [
        (at, sign * direction)
        for at in [branch, *_in_other_frames(curve, beside, branch)]
        for direction in further_null_vectors(beside, at).T
        for sign in (1.0, -1.0)
    ]
    found = [
        next(filter(None, (curve.off(at, way, distance / 2**k) for k in range(HALVINGS))), None) for at, way in ways
    ]
    return [node for node in found if node is not None]


def _in_other_frames(curve: Continuation, beside: Node, branch: Node) -> list[Node]:
    """The same solution where its rates along symmetries are not unique, as those of a sleeping top about the vertical and
    about its axis: with the rates at which J has a further null vector."""
    from scipy.optimize import minimize_scalar

    d, count = curve.problem.dimension, len(branch.null.T)
    _, sizes, directions = np.linalg.svd(branch.J[:, d:-1], full_matrices=True)
    free = directions[int(np.sum(sizes > SMALL * branch.size)) :]
    if len(free) != 1:
        return []
    along = np.concatenate([np.zeros(d), free[0], [0.0]])

    def at(amount: float) -> Node:
        return curve.node(curve.problem.moved(branch.point, amount * along), branch.residual, branch.tangent)

    def least(amount: float) -> float:
        there = np.linalg.svd(at(amount).J, compute_uv=False)
        return float(np.concatenate([there, np.zeros(len(along) - len(there))])[len(along) - count - 1])

    grid = np.linspace(-FASTEST, FASTEST, FRAMES)
    values = np.array([least(float(x)) for x in grid])
    lows = [i for i in range(1, FRAMES - 1) if values[i] < min(values[i - 1], values[i + 1])]
    best = [
        minimize_scalar(least, bounds=(grid[i - 1], grid[i + 1]), method="bounded", options={"xatol": 1e-9})
        for i in lows
    ]
    return [at(float(each.x)) for each in best if each.fun < SMALL * branch.size]


def without_twins(members: list[M], properties: Callable[[M], Array]) -> list[M]:
    """Of members that have the same properties, as those have that a symmetry takes to each other, only one."""
    kept: list[M] = []
    known: list[Array] = []
    for member in members:
        own = properties(member)
        size = max(1.0, float(np.abs(own).max(initial=0.0)))
        if not any(own.shape == other.shape and np.abs(own - other).max() < SAME * size for other in known):
            kept.append(member)
            known.append(own)
    return kept
