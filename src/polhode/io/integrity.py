"""Validate a loaded trajectory: every variable of the state has its shape, all numbers are finite, attitudes are rotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from ..geometry.array_api import NEAR
from ..simulation.trajectory import Trajectory

# a run may start from the end of one whose method leaves the group, but |RᵀR − 1| = 1 is not an attitude any more
FARTHEST_START = 1.0


def validate_trajectory(trajectory: Trajectory) -> Trajectory:
    """`trajectory`, or a `ValueError` that says what is wrong with it."""
    variables = trajectory.system.representations[trajectory.method.representation].layout.variables
    n = len(trajectory.t)
    if trajectory.t.shape != (n,) or not n:
        raise ValueError("there are no samples")
    shapes = {v.name: (n, *v.manifold.shape) for v in variables}
    found = {name: array.shape for name, array in trajectory.values.items()}
    if found != shapes:
        raise ValueError(f"the state has the shapes {found} instead of {shapes}")
    for name, array in {"time": trajectory.t, "step": np.array(trajectory.step), **trajectory.values}.items():
        if not np.all(np.isfinite(array)):
            raise ValueError(f"{name} is not finite")
    if trajectory.tangent is not None:
        d = sum(v.manifold.dimension for v in variables)
        if trajectory.tangent.shape != (n, d, d):
            raise ValueError(f"the tangent map has the shape {trajectory.tangent.shape} instead of {(n, d, d)}")
    if not isinstance(trajectory.provenance, Mapping):
        raise ValueError("provenance is not a mapping")
    if trajectory.save_every < 1:
        raise ValueError("save_every is not positive")
    if not all(isinstance(x, (int, float)) for x in asdict(trajectory.stats).values()):
        raise ValueError("stats are not numbers")
    _check_rotations(trajectory)
    return trajectory


def _check_rotations(trajectory: Trajectory) -> None:
    """With a method that stays on the group, every sample is as near to it as the first one was; with another method, only
    the first sample has to be near."""
    system, method, n = trajectory.system, trajectory.method, len(trajectory)
    layout = system.representations[method.representation].layout
    flat = np.concatenate([trajectory.values[v.name].reshape(n, -1) for v in layout.variables], axis=1)
    count = n if method.preserves_group else 1
    off = layout.defect(flat[:count])
    proper = True
    if "R" in system.fields:
        R = system.derive("R", {name: array[:count] for name, array in trajectory.values.items()})
        proper = bool(np.all(np.linalg.det(R) > 0.0))
    if not proper or not off[0] <= FARTHEST_START or not np.all(off <= NEAR + 10.0 * off[0]):
        raise ValueError("attitudes are not rotations")
