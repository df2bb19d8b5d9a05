"""Trajectories as CSV files: one row per sample, every number with all its digits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInputError
from ...simulation.trajectory import Trajectory
from ..atomic_files import replacing
from ..scenario.validation import nearest

Array = NDArray[np.float64]


def columns(trajectory: Trajectory, fields: Sequence[str] | None = None) -> dict[str, Array]:
    """The time and every component of the given fields, or of all, by name: `R_0_1` is `traj.R[:, 0, 1]`.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> list(columns(ph.simulate(start, step=0.1, steps=2), ["omega"]))
    ['time', 'omega_0', 'omega_1', 'omega_2']
    """
    known = trajectory.system.fields
    found: dict[str, Array] = {"time": trajectory.t}
    for name in known if fields is None else fields:
        if name not in known:
            raise InvalidInputError("field", name, f"one of {', '.join(known)}{nearest(name, known)}")
        array = getattr(trajectory, name)
        for index in product(*map(range, array.shape[1:])):
            found["_".join([name, *map(str, index)])] = array[(slice(None), *index)]
    return found


def write_csv(trajectory: Trajectory, path: str | PathLike[str], fields: Sequence[str] | None = None) -> None:
    """Write the columns under a line with their names; 17 significant digits hold every bit of a number."""
    table = columns(trajectory, fields)
    with replacing(path) as beside, beside.open("w", encoding="ascii", newline="") as stream:
        stream.write(",".join(table) + "\n")
        np.savetxt(stream, np.column_stack(list(table.values())), fmt="%.17g", delimiter=",")
