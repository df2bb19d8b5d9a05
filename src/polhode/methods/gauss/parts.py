"""The parts of a system's state, found from its layout: attitudes, angles and places with their momenta, and the rest.

The k-th configuration of a layout belongs to the k-th of its momenta; configurations come first. From rows of the system's own variables to the
canonical ones, and back: an attitude R with momentum Π is `q`, `p = 2 q Π` in T*R⁴; an angle z with momentum j is `u = z`,
`p = j i z` in T*R².
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Layout
from ...core.manifolds import Circle, Copies, Euclidean, Manifold, Rotations
from ...geometry import unchecked
from .picture import (
    ANGLE,
    AT,
    COLUMNS,
    CONFIGURATION,
    CONSTANTS,
    KIND,
    MOMENTUM,
    OTHER,
    PLACE,
    ROTATION,
    ROTATION_CONSTANTS,
    ROTATION_WORK,
    SIZE,
    WORK,
)

Array = NDArray[np.float64]
WIDTHS = {ROTATION: 8, ANGLE: 4}  # of a part in w


@dataclass(frozen=True)
class Parts:
    """`rows` as `picture` describes them, and how many of them, and of the numbers of w, something acts on; how many numbers
    w, the constants and the workspace have; and for each number of w the group in which sizes are compared: a
    configuration or a momentum."""

    rows: NDArray[np.int64]
    active_rows: int
    active: int
    size: int
    constants: int
    work: int
    groups: NDArray[np.int64]


def pieces(manifold: Manifold) -> list[Manifold] | None:
    """The attitudes, angles or numbers that a variable is made of; None if it is of another kind."""
    if isinstance(manifold, Copies):
        inner = pieces(manifold.of)
        return None if inner is None else inner * manifold.count
    known = isinstance(manifold, (Rotations, Circle, Euclidean)) or manifold.dimension == 0
    return [manifold] if known else None


@lru_cache(64)
def parts_of(layout: Layout, free: tuple[str, ...] = ()) -> Parts | None:
    """The parts of this layout; None if it has a variable of another kind. On the places named in `free` nothing acts."""
    kinds = {variable.name: pieces(variable.manifold) for variable in layout.variables}
    if any(found is None for found in kinds.values()):
        return None
    first = layout.kicked.start if layout.kicked.stop else 0
    moved, carried = _Rows(), []
    last, momentum = _Rows(), layout.kicked.start
    for variable in layout.variables:
        at = layout.slices[variable.name].start
        for piece in kinds[variable.name] or []:
            kind = ROTATION if isinstance(piece, Rotations) else ANGLE if isinstance(piece, Circle) else PLACE
            if at >= first and kind == PLACE:
                carried.append((at, piece.size, variable.kicked))
            elif momentum + piece.dimension > layout.kicked.stop:
                return None
            else:
                rows = last if variable.name in free else moved
                rows.add(kind, at, momentum, piece.dimension)
                momentum += piece.dimension
            at += piece.size
    for at, size, kicked in carried:  # numbers without a configuration: momenta of rotors, a damper, a clock
        start = max(at, momentum) if kicked else at
        if start < at + size:
            moved.add(OTHER, start, start, at + size - start)
    return moved.joined(last)


class _Rows:
    """The rows of parts, as they are found."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, int, int]] = []

    def add(self, kind: int, configuration: int, momentum: int, count: int) -> None:
        self.rows.append((kind, configuration, momentum, count))

    def joined(self, free: _Rows) -> Parts:
        """All of them, those on which nothing acts last."""
        table, groups = [], []
        size = constants = work = active = 0
        for k, (kind, configuration, momentum, count) in enumerate(self.rows + free.rows):
            row = [0] * COLUMNS
            row[KIND], row[AT], row[CONFIGURATION], row[MOMENTUM] = kind, size, configuration, momentum
            row[SIZE], row[CONSTANTS], row[WORK] = count, constants, work
            table.append(row)
            half = WIDTHS[kind] // 2 if kind in WIDTHS else count
            groups += [2 * k] * half + ([2 * k + 1] * half if kind != OTHER else [])
            size += half if kind == OTHER else 2 * half
            constants += ROTATION_CONSTANTS if kind == ROTATION else 0 if kind == OTHER else count
            work += ROTATION_WORK if kind == ROTATION else 1
            if k < len(self.rows):
                active = size
        rows = np.array(table, dtype=np.int64)
        return Parts(rows, len(self.rows), active, size, constants, work, np.array(groups, dtype=np.int64))


def to_canonical(parts: Parts, y: Array) -> Array:
    """w of rows (..., size) of the system's variables; complex rows carry a tangent vector in their imaginary part."""
    w = np.zeros((*y.shape[:-1], parts.size), dtype=y.dtype)
    for row in parts.rows:
        at, c, m, count = row[AT], row[CONFIGURATION], row[MOMENTUM], row[SIZE]
        if row[KIND] == ROTATION:
            q = unchecked.from_matrix(y[..., c : c + 9].reshape(*y.shape[:-1], 3, 3))
            w[..., at : at + 4] = q
            w[..., at + 4 : at + 8] = 2.0 * multiply_vector(q, y[..., m : m + 3])
        elif row[KIND] == ANGLE:
            u, v, j = y[..., c], y[..., c + 1], y[..., m]
            w[..., at], w[..., at + 1], w[..., at + 2], w[..., at + 3] = u, v, -j * v, j * u
        else:
            w[..., at : at + count] = y[..., c : c + count]
            if row[KIND] == PLACE:
                w[..., at + count : at + 2 * count] = y[..., m : m + count]
    return w


def from_canonical(parts: Parts, w: Array, size: int) -> Array:
    """Rows (..., size) of the system's variables; the inverse of `to_canonical`."""
    y = np.zeros((*w.shape[:-1], size), dtype=w.dtype)
    for row in parts.rows:
        at, c, m, count = row[AT], row[CONFIGURATION], row[MOMENTUM], row[SIZE]
        if row[KIND] == ROTATION:
            q, p = w[..., at : at + 4], w[..., at + 4 : at + 8]
            R = unchecked.to_matrix(q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True)))
            y[..., c : c + 9] = R.reshape(*w.shape[:-1], 9)
            y[..., m : m + 3] = 0.5 * (
                q[..., 3:] * p[..., :3] - p[..., 3:] * q[..., :3] - cross(q[..., :3], p[..., :3])
            )
        elif row[KIND] == ANGLE:
            u, p = w[..., at : at + 2], w[..., at + 2 : at + 4]
            y[..., c : c + 2] = u / np.sqrt(np.sum(u * u, axis=-1, keepdims=True))
            y[..., m] = u[..., 0] * p[..., 1] - u[..., 1] * p[..., 0]
        else:
            y[..., c : c + count] = w[..., at : at + count]
            if row[KIND] == PLACE:
                y[..., m : m + count] = w[..., at + count : at + 2 * count]
    return y


def cross(a: Array, b: Array) -> Array:
    """a × b of rows of three numbers: NumPy's own, for vectors of any length and axis, takes five times as long."""
    found: Array = a[..., (1, 2, 0)] * b[..., (2, 0, 1)] - a[..., (2, 0, 1)] * b[..., (1, 2, 0)]
    return found


def multiply_vector(q: Array, v: Array) -> Array:
    """The product q (v, 0) of rows, scalar last."""
    a, w = q[..., :3], q[..., 3:]
    return np.concatenate([w * v + cross(a, v), -np.sum(a * v, axis=-1, keepdims=True)], axis=-1)
