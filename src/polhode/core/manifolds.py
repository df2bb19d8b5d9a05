"""The manifolds that variables of a state live on: vectors, rotations in the plane, in space and in n dimensions, unit
quaternions, matrices. Each knows how to read a tangent vector in coordinates, left-trivialised for groups: `δR = R S(ξ)`
is `ξ`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..geometry import son, unchecked
from ..geometry.so3 import hat
from ..geometry.unchecked import quaternion_distance, quaternion_exp, rotation_distance, rotation_exp

Array = NDArray[np.float64]


class Manifold:
    """Where a variable lives: `shape` of its array, `dimension` of its tangent space."""

    shape: tuple[int, ...]
    dimension: int

    @property
    def size(self) -> int:
        """How many numbers a point has."""
        return prod(self.shape)

    def basis(self, x: Array) -> Array:
        """The tangent vectors at `x` that the coordinates belong to, as columns: (size, dimension)."""
        raise NotImplementedError

    def coordinates(self, x: Array, dx: Array) -> Array:
        """Coordinates (..., dimension) of the tangent vector `dx` (..., size) at `x` (..., size)."""
        raise NotImplementedError

    def coordinates_at(self, x: Array, columns: Array) -> Array:
        """Coordinates (dimension, k) of tangent vectors at one point `x` (size,): the columns of (size, k)."""
        rows = columns.T
        return self.coordinates(np.broadcast_to(x, rows.shape), rows).T

    def retract(self, x: Array, xi: Array) -> Array:
        """The points reached from points `x` (..., size) along tangent vectors with coordinates `xi` (..., dimension), with
        the same axes in front; an imaginary part of these, made small, is carried along."""
        raise NotImplementedError

    def difference(self, x: Array, y: Array) -> Array:
        """The coordinates (..., dimension) at points `x` (..., size) that lead to points `y`: for rotations of space and
        of the plane the rotation vector or angle, else to first order."""
        return self.coordinates(x, y - x)

    def bracket(self, v: Array, xi: Array) -> Array:
        """`[v, ξ]` of two tangent vectors (dimension,) in the coordinates: zero where these commute."""
        return np.zeros(self.dimension)

    def defect(self, x: Array) -> Array:
        """How far `x` (..., size) is from the manifold."""
        return np.zeros(x.shape[:-1])

    def distance(self, x: Array, y: Array) -> Array:
        """Distance of two points."""
        return np.linalg.norm(x - y, axis=-1)


class LinearSpace(Manifold):
    """A space of arrays, whose tangent vectors are such arrays too."""

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return self.size

    def basis(self, x: Array) -> Array:
        return np.eye(self.size)

    def coordinates(self, x: Array, dx: Array) -> Array:
        return dx

    def coordinates_at(self, x: Array, columns: Array) -> Array:
        return columns

    def retract(self, x: Array, xi: Array) -> Array:
        return x + xi


@dataclass(frozen=True)
class Euclidean(LinearSpace):
    """Rⁿ as vectors of length n; n = 0 stands for a single number."""

    n: int = 3

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.n,) if self.n else ()


GENERATORS = hat(np.eye(3))  # of rotations about the axes
# which entry of R, counted from 1, stands where in the columns `R S(e_i)`, and with which sign; 0 for none
NUMBERED = (np.arange(1.0, 10.0).reshape(3, 3) @ GENERATORS).reshape(3, 9).T
PLACES, SIGNS = np.maximum(np.abs(NUMBERED).astype(int) - 1, 0), np.sign(NUMBERED)


@dataclass(frozen=True)
class Rotations(Manifold):
    """SO(3) as matrices."""

    shape = (3, 3)
    dimension = 3

    def basis(self, x: Array) -> Array:
        return np.asarray(x[PLACES] * SIGNS)

    def coordinates_at(self, x: Array, columns: Array) -> Array:
        return np.asarray(0.5 * self.basis(x).T @ columns)  # the columns of the basis are orthogonal, of length √2

    def coordinates(self, x: Array, dx: Array) -> Array:
        A = np.swapaxes(x.reshape(*x.shape[:-1], 3, 3), -1, -2) @ dx.reshape(*dx.shape[:-1], 3, 3)
        return 0.5 * (A[..., (2, 0, 1), (1, 2, 0)] - A[..., (1, 2, 0), (2, 0, 1)])  # vee

    def retract(self, x: Array, xi: Array) -> Array:
        return (x.reshape(*x.shape[:-1], 3, 3) @ rotation_exp(xi)).reshape(*xi.shape[:-1], 9)

    def difference(self, x: Array, y: Array) -> Array:
        A = np.swapaxes(x.reshape(*x.shape[:-1], 3, 3), -1, -2) @ y.reshape(*y.shape[:-1], 3, 3)
        return unchecked.rotation_log(A)

    def bracket(self, v: Array, xi: Array) -> Array:
        return np.cross(v, xi)

    def defect(self, x: Array) -> Array:
        R = x.reshape(*x.shape[:-1], 3, 3)
        return np.linalg.norm(np.swapaxes(R, -1, -2) @ R - np.eye(3), axis=(-2, -1))

    def distance(self, x: Array, y: Array) -> Array:
        return rotation_distance(x.reshape(*x.shape[:-1], 3, 3), y.reshape(*y.shape[:-1], 3, 3))


@dataclass(frozen=True)
class UnitQuaternions(Manifold):
    """S³ as scalar-last quaternions; ξ is the body rotation vector, `δq = ½ q ξ`."""

    shape = (4,)
    dimension = 3

    @staticmethod
    def _right(x: Array) -> Array:
        """The matrix of columns `q eᵢ` for i = 1, 2, 3."""
        a, b, c, w = (x[..., i] for i in range(4))
        rows = [np.stack(r, -1) for r in ((w, -c, b), (c, w, -a), (-b, a, w), (-a, -b, -c))]
        return np.stack(rows, -2)

    def basis(self, x: Array) -> Array:
        return 0.5 * self._right(x)

    def coordinates(self, x: Array, dx: Array) -> Array:
        return 2.0 * np.einsum("...ij,...i->...j", self._right(x), dx)

    def retract(self, x: Array, xi: Array) -> Array:
        return unchecked.quaternion_multiply(x, quaternion_exp(xi))

    def defect(self, x: Array) -> Array:
        return np.abs(np.linalg.norm(x, axis=-1) - 1.0)

    def distance(self, x: Array, y: Array) -> Array:
        return quaternion_distance(x, y)


@dataclass(frozen=True)
class Circle(Manifold):
    """Rotations of the plane as unit vectors z = (cos θ, sin θ); ξ is the change of θ."""

    shape = (2,)
    dimension = 1

    def basis(self, x: Array) -> Array:
        return np.array([[-x[1]], [x[0]]])

    def coordinates(self, x: Array, dx: Array) -> Array:
        return (x[..., 0] * dx[..., 1] - x[..., 1] * dx[..., 0])[..., None]

    def retract(self, x: Array, xi: Array) -> Array:
        c, s = np.cos(xi[..., 0]), np.sin(xi[..., 0])
        return np.stack([c * x[..., 0] - s * x[..., 1], s * x[..., 0] + c * x[..., 1]], axis=-1)

    def difference(self, x: Array, y: Array) -> Array:
        return np.arctan2(self.coordinates(x, y)[..., 0], np.sum(x * y, axis=-1))[..., None]

    def defect(self, x: Array) -> Array:
        return np.abs(np.linalg.norm(x, axis=-1) - 1.0)

    def distance(self, x: Array, y: Array) -> Array:
        return np.abs(self.difference(x, y)[..., 0])


@dataclass(frozen=True)
class Copies(Manifold):
    """`count` points of the same manifold."""

    of: Manifold
    count: int

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.count, *self.of.shape)

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return self.count * self.of.dimension

    def _split(self, x: Array, length: int) -> Array:
        return x.reshape(*x.shape[:-1], self.count, length)

    def basis(self, x: Array) -> Array:
        columns = np.zeros((self.count, self.of.size, self.count, self.of.dimension))
        for i, point in enumerate(self._split(x, self.of.size)):
            columns[i, :, i] = self.of.basis(point)
        return columns.reshape(self.size, self.dimension)

    def coordinates(self, x: Array, dx: Array) -> Array:
        parts = self.of.coordinates(self._split(x, self.of.size), self._split(dx, self.of.size))
        return parts.reshape(*parts.shape[:-2], self.dimension)

    def retract(self, x: Array, xi: Array) -> Array:
        moved = self.of.retract(self._split(x, self.of.size), self._split(xi, self.of.dimension))
        return moved.reshape(*xi.shape[:-1], self.size)

    def bracket(self, v: Array, xi: Array) -> Array:
        pairs = zip(self._split(v, self.of.dimension), self._split(xi, self.of.dimension), strict=True)
        return np.concatenate([self.of.bracket(a, b) for a, b in pairs])

    def defect(self, x: Array) -> Array:
        return np.max(self.of.defect(self._split(x, self.of.size)), axis=-1)

    def distance(self, x: Array, y: Array) -> Array:
        return np.max(self.of.distance(self._split(x, self.of.size), self._split(y, self.of.size)), axis=-1)


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
        return (self._matrix(x) @ unchecked.son_exp(unchecked.son_hat(xi))).reshape(*xi.shape[:-1], self.size)

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
        return x + unchecked.son_hat(xi).reshape(*xi.shape[:-1], self.size)

    def defect(self, x: Array) -> Array:
        M = self._matrix(x)
        return np.linalg.norm(M + np.swapaxes(M, -1, -2), axis=(-2, -1))

    def distance(self, x: Array, y: Array) -> Array:
        return np.linalg.norm(x - y, axis=-1) / np.sqrt(2.0)


@dataclass(frozen=True)
class Matrices(LinearSpace):
    """Real matrices of `rows` × `columns`."""

    rows: int
    columns: int

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.rows, self.columns)
