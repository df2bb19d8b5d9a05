"""What gives reason to look at members again: the warnings of `simulate`, from the samples that are kept and the first.

Of members that share their system many are looked at as if one had all their samples, at the cost of one trajectory; one by
one only if that finds something.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.system import System
from ..errors import RunWarning
from ..simulation.records import Stats
from ..simulation.run_warnings import (
    FEWEST_ENERGIES,
    LARGE_CHANGE,
    SMALLEST_DRIFT,
    most_samples,
    run_warnings,
    warnings_of_samples,
)
from ..simulation.trajectory import Trajectory
from .blocks import Block, Job, MemberWarning
from .result import Ensemble, named_views

Array = NDArray[np.float64]
ENERGIES = 8  # samples of the energy of one member
KINDS = {kind.__name__: kind for kind in RunWarning.__subclasses__()}


def find_warnings(job: Job, block: Block) -> list[MemberWarning]:
    """The warnings about the members of a block that came to their end, in their order."""
    if job.named_method is None:
        return block.warnings
    t, rows = job.times, block.states
    if t[0] != job.members.first.t:
        t, rows = np.append(job.members.first.t, t), np.concatenate([block.initial[:, None], rows], axis=1)
    good = np.flatnonzero(np.isfinite(rows).all(axis=(1, 2)))
    if len(t) < 2:
        return []
    found: list[MemberWarning] = []
    shared = job.members.system
    for k in good.tolist() if shared is None else _suspects(job, shared, t, rows, good):
        told = run_warnings(_run(job, shared or block.systems[k], t, rows[k]))
        found += [MemberWarning(block.numbers[k], type(each).__name__, str(each)) for each in told.values()]
    return found


def _run(job: Job, system: System, t: Array, rows: Array) -> Trajectory:
    """Samples as a run. How its equations were solved is not known."""
    assert job.method is not None
    stats = Stats(round(abs((t[-1] - t[0]) / (job.step or np.inf))), 0.0, 0, 0.0, 0, 0.0)
    values = named_views(system.representations[job.form].layout, rows)
    return Trajectory(system=system, method=job.method, t=t, values=values, step=job.step or 1.0, stats=stats)


def _suspects(job: Job, system: System, t: Array, rows: Array, good: NDArray[np.int64]) -> list[int]:
    """Those of the `good` members of one system that there may be warnings about."""
    found: list[int] = []
    at_once = max(1, most_samples(system) // len(t))
    for first in range(0, len(good), at_once):
        part = good[first : first + at_once]
        together = _run(job, system, np.tile(t, len(part)), rows[part].reshape(-1, rows.shape[-1]))
        if warnings_of_samples(together):
            found += part.tolist()
        elif system.conserves_energy:
            drifts = not together.method.symplectic and len(t) >= FEWEST_ENERGIES
            limit = SMALLEST_DRIFT if drifts else LARGE_CHANGE
            found += part[_energy_changes(system, together.values, len(part)) > limit].tolist()
    return found


def _energy_changes(system: System, values: Mapping[str, Array], members: int) -> Array:
    """By which part of its own size the energy of each member changes, which is no less than by which of its largest part."""
    samples = np.arange(len(next(iter(values.values())))).reshape(members, -1)
    some = samples[:, np.unique(np.linspace(0, samples.shape[1] - 1, ENERGIES).astype(int))]
    energy: Any = system.energy({name: array[some.ravel()] for name, array in values.items()}).reshape(some.shape)
    sizes = np.maximum(np.abs(energy).max(axis=1), np.finfo(np.float64).tiny)
    return np.asarray(np.ptp(energy, axis=1) / sizes)


def issued(ensemble: Ensemble) -> Ensemble:
    """The ensemble, after a warning of each kind about the first member that has one."""
    counts = Counter(warning.kind for warning in ensemble.warnings)
    for first in {warning.kind: warning for warning in reversed(ensemble.warnings)}.values():
        others = f" (so for {counts[first.kind]:,} of {len(ensemble):,} members)" if counts[first.kind] > 1 else ""
        warnings.warn(f"{first}{others}", KINDS.get(first.kind, RunWarning), stacklevel=3)  # the caller of ensemble
    return ensemble
