"""Flat arrays for the three scalars: one member, W members side by side, or one member with its tangent vectors."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..scalars import Dual, Lanes, ParameterDual, duals, parameter_duals
from .layout import Layout
from .varied_parameters import VariedParameters

if TYPE_CHECKING:
    from numba import types

Array = NDArray[np.float64]
# what a run on duals differentiates by: vectors of the tangent basis, or parameters
Directions = slice | tuple[int, ...] | VariedParameters


def side_by_side(members: Array, kind: Lanes) -> Array:
    """Rows for up to W members, as lanes; a short block repeats its first member, which the results leave out."""
    rows = np.atleast_2d(members)
    index = np.where(np.arange(kind.width) < len(rows), np.arange(kind.width), 0)
    return rows[index].T.reshape(-1)


def spread(layout: Layout, y: Array, kind: types.Type, directions: Directions = slice(None)) -> Array:
    """`y` as a run on this scalar starts from it: (size,) for doubles, (members, size) or one for all for lanes, and
    for duals (size,), seeded with the vectors of the tangent basis that `directions` picks; it does not depend on
    parameters."""
    if isinstance(kind, Lanes):
        return side_by_side(y, kind)
    if isinstance(kind, Dual):
        seeds = np.zeros((layout.size, 0))
        if not isinstance(directions, VariedParameters):
            seeds = layout.basis(y)[:, directions if isinstance(directions, slice) else list(directions)]
        entries = np.zeros((layout.size, 1 + kind.partials))
        entries[:, 0], entries[:, 1 : 1 + seeds.shape[1]] = y, seeds
        return entries.reshape(-1)
    return y.copy()


def spread_parameters(p: Array, kind: types.Type, derivatives: Array | None = None) -> Array:
    """Parameters as the flows of this scalar read them (`par`): lanes hold one per member, duals that differentiate by
    parameters the `derivatives` (size, columns)."""
    if isinstance(kind, ParameterDual):
        entries = np.zeros((p.size, 1 + kind.partials))
        entries[:, 0] = p
        if derivatives is not None:
            entries[:, 1 : 1 + derivatives.shape[1]] = derivatives
        return entries.reshape(-1)
    return side_by_side(p, kind) if isinstance(kind, Lanes) else p.copy()


def blocks(dimension: int, most: int = 12) -> list[slice]:
    """The tangent directions in blocks of about equal size: a run on duals carries one block at a time."""
    count = -(-dimension // most)
    edges = [round(i * dimension / count) for i in range(count + 1)]
    return [slice(a, b) for a, b in pairwise(edges)]


def column_count(directions: Directions) -> int:
    """How many columns of a tangent map a block has."""
    return directions.stop - directions.start if isinstance(directions, slice) else len(directions)


def block_kind(directions: Directions) -> Dual:
    """The duals for a block; for parameters and chosen vectors in sizes of 4, 8, 12, so that few of them are ever compiled."""
    if isinstance(directions, slice):
        return duals(column_count(directions))
    count = 4 * -(-len(directions) // 4)
    return parameter_duals(count) if isinstance(directions, VariedParameters) else duals(count)


def tangent_columns(layout: Layout, states: Array, kind: Dual, directions: Directions) -> tuple[Array, Array]:
    """Values (n, size), and the columns `directions` of the tangent maps, (n, dimension, columns), of a run on duals."""
    entries = states.reshape(len(states), layout.size, 1 + kind.partials)
    y = entries[:, :, 0].copy()
    partials = np.moveaxis(entries[:, :, 1 : 1 + column_count(directions)], -1, 0)
    columns = layout.coordinates(np.broadcast_to(y, partials.shape), partials)
    return y, np.ascontiguousarray(np.moveaxis(columns, 0, -1))
