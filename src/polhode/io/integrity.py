"""Validate a loaded trajectory: every variable of the state has its shape, all numbers are finite, attitudes are rotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from ..geometry.array_api import NEAR
from ..simulation.records import Commands, Stats
from ..simulation.trajectory import Trajectory

# a run may start from the end of one whose method leaves the group, but |RᵀR − 1| = 1 is not an attitude any more
FARTHEST_START = 1.0
MOST_COUNTED = 1 << 63


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
        shape = (n, sum(v.manifold.dimension for v in variables), len(trajectory.tangent_names))
        if trajectory.tangent.shape != shape:
            raise ValueError(f"the tangent map has the shape {trajectory.tangent.shape} instead of {shape}")
    check_provenance(trajectory.provenance)
    if trajectory.save_every < 1:
        raise ValueError("save_every is not positive")
    if trajectory.step == 0.0:
        raise ValueError("the step is zero")
    _check_stats(trajectory.stats)
    _check_commands(trajectory.commands)
    _check_rotations(trajectory)
    _check_carry(trajectory)
    return trajectory


def check_provenance(provenance: object) -> None:
    """A `ValueError` if what a file says of its run is not what a run says."""
    if not isinstance(provenance, Mapping):
        raise ValueError("provenance is not a mapping")
    changes = provenance.get("overrides", [])
    if not isinstance(changes, list) or not all(isinstance(text, str) for text in changes):
        raise ValueError("the changes to the scenario are not a list of texts")


def _check_commands(commands: Commands | None) -> None:
    """Every command is finite and has its time."""
    if commands is None:
        return
    t = commands.t
    if t.ndim != 1 or not np.all(np.isfinite(t)):
        raise ValueError("the times of the commands are not finite numbers")
    for name, array in commands.values.items():
        if array.shape[:1] != t.shape or not np.all(np.isfinite(array)):
            raise ValueError(f"the commands of {name} are not finite, one for each of their times")


def _check_stats(stats: Stats) -> None:
    for name, value in asdict(stats).items():
        whole = name in ("steps", "evaluations", "max_iterations")
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            raise ValueError("stats are not numbers")
        if not 0 <= value < (MOST_COUNTED if whole else np.inf) or float(value) == np.inf:
            raise ValueError(f"stats: {name} = {value} is not a count or a finite amount")


def _check_carry(trajectory: Trajectory) -> None:
    """A run that can be continued has all its samples, at their times, and carries the state of the last of them."""
    carry, t, every, steps = trajectory.carry, trajectory.t, trajectory.save_every, trajectory.stats.steps
    if carry is None:  # ended by an event, or taken at times of its own
        return
    if carry.ndim != 1 or not np.all(np.isfinite(carry)):
        raise ValueError("what the method carried is not finite")
    if trajectory.reached is not None:  # at times of its own, and under way: the run that goes on knows these
        if not np.isfinite(trajectory.reached):
            raise ValueError("the time reached is not finite")
        return
    if len(t) != 1 + -(-steps // every):
        raise ValueError(f"{len(t)} samples cannot be those of {steps} steps with save_every = {every}")
    numbers = np.append(np.arange(0, steps, every), steps)
    expected = t[0] + numbers * trajectory.step
    if not np.all(np.abs(t - expected) <= 1e-9 * (np.abs(t[0]) + np.abs(numbers * trajectory.step))):
        raise ValueError("the times are not those of the steps")
    variables = trajectory.system.representations[trajectory.method.representation].layout.variables
    first = trajectory.values[variables[0].name][-1].ravel()
    checked = trajectory.method.carries_state and trajectory.tangent is None
    if checked and not np.array_equal(carry[: first.size], first):
        raise ValueError("what the method carried is not the state of the last sample")


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
