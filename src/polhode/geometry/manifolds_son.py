"""Matrices as variables of a state: rotations in n dimensions, skew matrices, and matrices without a constraint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import son, unchecked
from .layout import Manifold

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Square(Manifold):
    n: int = 3

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.n, self.n)

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return self.n * (self.n - 1) // 2

    def _matrix(self, x: Array) -> Array:
        return x.reshape(*x.shape[:-1], self.n, self.n)


@dataclass(frozen=True)
class SpecialOrthogonal(_Square):
    """SO(n) as matrices; ξ are the coordinates `son.vee` of `Qᵀ δQ`."""

    def basis(self, x: Array) -> Array:
        return (self._matrix(x) @ son.hat(np.eye(self.dimension))).reshape(self.dimension, self.size).T

    def coordinates(self, x: Array, dx: Array) -> Array:
        return unchecked.son_vee(np.swapaxes(self._matrix(x), -1, -2) @ self._matrix(dx))

    def retract(self, x: Array, xi: Array) -> Array:
        return (self._matrix(x) @ unchecked.son_exp(son.hat(xi))).reshape(-1)

    def bracket(self, v: Array, xi: Array) -> Array:
        A, B = son.hat(v), son.hat(xi)
        return unchecked.son_vee(A @ B - B @ A)

    def defect(self, x: Array) -> Array:
        Q = self._matrix(x)
        return np.linalg.norm(np.swapaxes(Q, -1, -2) @ Q - np.eye(self.n), axis=(-2, -1))

    def distance(self, x: Array, y: Array) -> Array:
        """Along the group; in a straight line where a matrix is far off it, as after an unstable run."""
        with np.errstate(all="ignore"):
            straight = np.linalg.norm(x - y, axis=-1) / np.sqrt(2.0)
            near = (self.defect(x) < 0.5) & (self.defect(y) < 0.5)
        return unchecked.son_distance(self._matrix(x), self._matrix(y)) if np.all(near) else straight


@dataclass(frozen=True)
class Skew(_Square):
    """so(n) as skew matrices, with the coordinates `son.vee`."""

    def basis(self, x: Array) -> Array:
        return son.hat(np.eye(self.dimension)).reshape(self.dimension, self.size).T

    def coordinates(self, x: Array, dx: Array) -> Array:
        return unchecked.son_vee(self._matrix(dx))

    def retract(self, x: Array, xi: Array) -> Array:
        return x + son.hat(xi).reshape(-1)

    def defect(self, x: Array) -> Array:
        M = self._matrix(x)
        return np.linalg.norm(M + np.swapaxes(M, -1, -2), axis=(-2, -1))

    def distance(self, x: Array, y: Array) -> Array:
        return np.linalg.norm(x - y, axis=-1) / np.sqrt(2.0)


@dataclass(frozen=True)
class Matrices(Manifold):
    """Real matrices of `rows` × `columns`."""

    rows: int
    columns: int

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.rows, self.columns)

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return self.size

    def basis(self, x: Array) -> Array:
        return np.eye(self.size)

    def coordinates(self, x: Array, dx: Array) -> Array:
        return dx

    def retract(self, x: Array, xi: Array) -> Array:
        return x + xi
