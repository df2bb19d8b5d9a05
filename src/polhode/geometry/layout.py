"""A state as a flat array of doubles with named views, and the manifold each of its variables lives on.

A `Layout` is a list of variables, such as `R` on SO(3) and `Pi` in R³. It knows where each lies in the flat array, how
to read a tangent vector in coordinates (left-trivialised for groups: `δR = R S(ξ)` is `ξ`), and how far a point has
drifted off the manifold. This is all that the driver, the tangent maps and the files know about a state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .quaternion import multiply
from .so3 import hat
from .unchecked import quaternion_distance, quaternion_exp, rotation_distance, rotation_exp, rotation_vee

Array = NDArray[np.float64]


class Manifold:
    """Where a variable lives: `shape` of its array, `dimension` of its tangent space."""

    shape: tuple[int, ...]
    dimension: int

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))

    def basis(self, x: Array) -> Array:
        """The tangent vectors at `x` that the coordinates belong to, as columns: (size, dimension)."""
        raise NotImplementedError

    def coordinates(self, x: Array, dx: Array) -> Array:
        """Coordinates (..., dimension) of the tangent vector `dx` (..., size) at `x` (..., size)."""
        raise NotImplementedError

    def retract(self, x: Array, xi: Array) -> Array:
        """The point reached from `x` (size,) along the tangent vector with coordinates `xi` (dimension,)."""
        raise NotImplementedError

    def bracket(self, v: Array, xi: Array) -> Array:
        """`[v, ξ]` of two tangent vectors (dimension,) in the coordinates: zero where these commute."""
        return np.zeros(self.dimension)

    def defect(self, x: Array) -> Array:
        """How far `x` (..., size) is from the manifold."""
        return np.zeros(x.shape[:-1])

    def distance(self, x: Array, y: Array) -> Array:
        """Distance of two points."""
        return np.linalg.norm(x - y, axis=-1)


@dataclass(frozen=True)
class Euclidean(Manifold):
    """Rⁿ as vectors of length n; n = 0 stands for a single number."""

    n: int = 3

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.n,) if self.n else ()

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return self.size

    def basis(self, x: Array) -> Array:
        return np.eye(self.size)

    def coordinates(self, x: Array, dx: Array) -> Array:
        return dx

    def retract(self, x: Array, xi: Array) -> Array:
        return x + xi


@dataclass(frozen=True)
class Rotations(Manifold):
    """SO(3) as matrices."""

    shape = (3, 3)
    dimension = 3

    def basis(self, x: Array) -> Array:
        return (x.reshape(3, 3) @ hat(np.eye(3))).reshape(3, 9).T

    def coordinates(self, x: Array, dx: Array) -> Array:
        A = np.swapaxes(x.reshape(*x.shape[:-1], 3, 3), -1, -2) @ dx.reshape(*dx.shape[:-1], 3, 3)
        return rotation_vee(A)

    def retract(self, x: Array, xi: Array) -> Array:
        return (x.reshape(3, 3) @ rotation_exp(xi)).reshape(-1)

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
        return multiply(x, quaternion_exp(xi))

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
        c, s = np.cos(xi[0]), np.sin(xi[0])
        return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])

    def defect(self, x: Array) -> Array:
        return np.abs(np.linalg.norm(x, axis=-1) - 1.0)

    def distance(self, x: Array, y: Array) -> Array:
        return np.abs(np.arctan2(self.coordinates(x, y)[..., 0], np.sum(x * y, axis=-1)))


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
        pairs = zip(self._split(x, self.of.size), self._split(xi, self.of.dimension), strict=True)
        return np.concatenate([self.of.retract(point, step) for point, step in pairs])

    def bracket(self, v: Array, xi: Array) -> Array:
        pairs = zip(self._split(v, self.of.dimension), self._split(xi, self.of.dimension), strict=True)
        return np.concatenate([self.of.bracket(a, b) for a, b in pairs])

    def defect(self, x: Array) -> Array:
        return np.max(self.of.defect(self._split(x, self.of.size)), axis=-1)

    def distance(self, x: Array, y: Array) -> Array:
        return np.max(self.of.distance(self._split(x, self.of.size), self._split(y, self.of.size)), axis=-1)


@dataclass(frozen=True)
class Variable:
    """A named part of the state. `kicked` marks momenta, which a force changes at fixed configuration."""

    name: str
    manifold: Manifold
    kicked: bool = False


class Layout:
    """Variables one after another in a flat array.

    >>> layout = Layout(Variable("R", Rotations()), Variable("Pi", Euclidean(3), kicked=True))
    >>> layout.size, layout.dimension
    (12, 6)
    >>> y = layout.pack({"R": np.eye(3), "Pi": [1.0, 2.0, 3.0]})
    >>> layout.unpack(y)["Pi"]
    array([1., 2., 3.])
    """

    def __init__(self, *variables: Variable) -> None:
        self.variables = variables
        self.size = sum(v.manifold.size for v in variables)
        self.dimension = sum(v.manifold.dimension for v in variables)
        ends = np.cumsum([0, *(v.manifold.size for v in variables)])
        self.slices = {v.name: slice(a, b) for v, a, b in zip(variables, ends[:-1], ends[1:], strict=True)}
        kicked = [self.slices[v.name] for v in variables if v.kicked]
        if any(a.stop != b.start for a, b in pairwise(kicked)):
            raise ValueError("kicked variables must lie side by side")
        self.kicked = slice(kicked[0].start, kicked[-1].stop) if kicked else slice(0, 0)

    def pack(self, values: Mapping[str, object]) -> Array:
        """The flat array of the values by name."""
        return np.concatenate([np.asarray(values[v.name], dtype=np.float64).reshape(-1) for v in self.variables])

    def unpack(self, y: Array) -> dict[str, Array]:
        """The named values in flat arrays (..., size), as copies with their own shapes."""
        lead = y.shape[:-1]
        return {v.name: y[..., self.slices[v.name]].reshape(lead + v.manifold.shape).copy() for v in self.variables}

    def basis(self, y: Array) -> Array:
        """A basis of the tangent space at `y`, as columns: (size, dimension)."""
        columns = np.zeros((self.size, self.dimension))
        j = 0
        for v in self.variables:
            part, d = self.slices[v.name], v.manifold.dimension
            columns[part, j : j + d] = v.manifold.basis(y[part])
            j += d
        return columns

    def coordinates(self, y: Array, dy: Array) -> Array:
        """Coordinates (..., dimension) of tangent vectors `dy` (..., size) at `y` (..., size)."""
        parts = [
            v.manifold.coordinates(y[..., self.slices[v.name]], dy[..., self.slices[v.name]]) for v in self.variables
        ]
        return np.concatenate(parts, axis=-1)

    def retract(self, y: Array, xi: Array) -> Array:
        """The point reached from `y` (size,) along the tangent vector with coordinates `xi` (dimension,)."""
        parts, j = [], 0
        for v in self.variables:
            d = v.manifold.dimension
            parts.append(v.manifold.retract(y[self.slices[v.name]], xi[j : j + d]))
            j += d
        return np.concatenate(parts)

    def bracket(self, v: Array, xi: Array) -> Array:
        """`[v, ξ]` of two tangent vectors (dimension,)."""
        parts, j = [], 0
        for variable in self.variables:
            d = variable.manifold.dimension
            parts.append(variable.manifold.bracket(v[j : j + d], xi[j : j + d]))
            j += d
        return np.concatenate(parts)

    def defect(self, y: Array) -> Array:
        """The farthest that any variable is from its manifold."""
        return np.max([v.manifold.defect(y[..., self.slices[v.name]]) for v in self.variables], axis=0)

    def distance(self, x: Array, y: Array) -> Array:
        """The largest distance of any variable."""
        parts = [(v.manifold, self.slices[v.name]) for v in self.variables]
        return np.max([manifold.distance(x[..., part], y[..., part]) for manifold, part in parts], axis=0)
