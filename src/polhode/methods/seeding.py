"""Flat arrays for the three scalars: one member, W members side by side, or one member with its tangent vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..geometry.layout import Layout
from ..scalars import Dual, Lanes

if TYPE_CHECKING:
    from numba import types

Array = NDArray[np.float64]


def spread(layout: Layout, y: Array, kind: types.Type) -> Array:
    """`y` (size,) as doubles; as lanes, (members ≤ W, size) or one for all; as duals, seeded with the tangent basis."""
    if isinstance(kind, Lanes):
        members = np.atleast_2d(y)
        # a short last block repeats its first member: computed like the others and left out of the results
        index = np.where(np.arange(kind.width) < len(members), np.arange(kind.width), 0)
        return members[index].T.reshape(-1).copy()
    if isinstance(kind, Dual):
        entries = np.zeros((layout.size, 1 + kind.partials))
        entries[:, 0] = y
        entries[:, 1 : 1 + layout.dimension] = layout.basis(y)
        return entries.reshape(-1)
    return y.copy()


def spread_parameters(p: Array, kind: types.Type) -> Array:
    """Parameters as the flows of this scalar read them (`par`): lanes hold one a member."""
    if not isinstance(kind, Lanes):
        return p.copy()
    members = np.atleast_2d(p)
    index = np.where(np.arange(kind.width) < len(members), np.arange(kind.width), 0)
    return members[index].T.reshape(-1).copy()


def tangent_maps(layout: Layout, samples: Array, kind: Dual) -> tuple[Array, Array]:
    """Values (n, size) and tangent maps (n, dimension, dimension) from the samples of a run on duals."""
    entries = samples.reshape(len(samples), -1, 1 + kind.partials)[:, : layout.size]
    y = entries[:, :, 0].copy()
    columns = np.moveaxis(entries[:, :, 1 : 1 + layout.dimension], -1, 0)
    maps = np.stack([layout.coordinates(y, dy) for dy in columns], axis=-1)
    return y, maps
