"""Trajectories made of others: two runs joined to one, one without its first sample, and what a run cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.method import Run
from .trajectory import Stats, Trajectory

Array = NDArray[np.float64]


def without_start(trajectory: Trajectory) -> Trajectory:
    """The trajectory without its first sample."""
    values = {name: array[1:] for name, array in trajectory.values.items()}
    tangent = None if trajectory.tangent is None else trajectory.tangent[1:]
    return replace(trajectory, t=trajectory.t[1:], values=values, tangent=tangent)


def join_runs(earlier: Trajectory, later: Trajectory) -> Trajectory:
    """Both runs as one. The first sample of `later` is the end of `earlier`; it stays only if it is a multiple of
    `save_every`."""
    last = earlier.stats.steps
    kept = len(earlier) - bool(last % earlier.save_every)
    a, b = earlier.stats, later.stats
    steps = a.steps + b.steps
    stats = Stats(
        steps=steps,
        seconds=a.seconds + b.seconds,
        evaluations=a.evaluations + b.evaluations,
        mean_iterations=(a.mean_iterations * a.steps + b.mean_iterations * b.steps) / max(steps, 1),
        max_iterations=max(a.max_iterations, b.max_iterations),
        worst_residual=max(a.worst_residual, b.worst_residual),
    )
    start = 1 if len(later) > 1 or kept == len(earlier) else 0

    def both(x: Array, y: Array) -> Array:
        return np.concatenate([x[:kept], y[start:]])

    tangent = None
    if earlier.tangent is not None and later.tangent is not None:
        tangent = both(earlier.tangent, later.tangent)
    values = {name: both(array, later.values[name]) for name, array in earlier.values.items()}
    return replace(later, t=both(earlier.t, later.t), values=values, stats=stats, tangent=tangent)


def run_stats(steps: int, seconds: float, run: Run) -> Stats:
    """What a run cost, from its report."""
    report = run.report
    return Stats(
        steps=steps,
        seconds=seconds,
        evaluations=report.evaluations,
        mean_iterations=report.mean_iterations,
        max_iterations=report.most_iterations,
        worst_residual=report.worst_residual,
    )
