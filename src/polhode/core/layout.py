"""A state as a flat array of doubles with named views.

A `Layout` is a list of variables, such as `R` on SO(3) and `Pi` in R³. It knows where each lies in the flat array, how
to read a tangent vector in coordinates, and how far a point has drifted off the manifold. This is all that the driver,
the tangent maps and the files know about a state. Flows take the offsets that they read and write from it, by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .manifolds import Manifold

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Variable:
    """A named part of the state. `kicked` marks momenta, which a force changes at fixed configuration."""

    name: str
    manifold: Manifold
    kicked: bool = False


class Layout:
    """Variables one after another in a flat array.

    >>> from polhode.core.manifolds import Euclidean, Rotations
    >>> layout = Layout(Variable("R", Rotations()), Variable("Pi", Euclidean(3), kicked=True))
    >>> layout.size, layout.dimension
    (12, 6)
    >>> y = layout.pack({"R": np.eye(3), "Pi": [1.0, 2.0, 3.0]})
    >>> layout.unpack(y)["Pi"]
    array([1., 2., 3.])
    >>> R, PI = layout.offsets("R", "Pi")  # what flows read with, as in get3(y, PI, S)
    >>> R, PI, layout.force_slots("Pi")
    (0, 9, (12,))
    """

    def __init__(self, *variables: Variable) -> None:
        self.variables = variables
        self.size = sum(v.manifold.size for v in variables)
        self.dimension = sum(v.manifold.dimension for v in variables)
        ends = np.cumsum([0, *(v.manifold.size for v in variables)])
        self.slices = {v.name: slice(a, b) for v, a, b in zip(variables, ends[:-1], ends[1:], strict=True)}
        steps = np.cumsum([0, *(v.manifold.dimension for v in variables)])
        # where the coordinates of a variable's tangent vectors lie
        self.places = {v.name: slice(a, b) for v, a, b in zip(variables, steps[:-1], steps[1:], strict=True)}
        kicked = [self.slices[v.name] for v in variables if v.kicked]
        if any(a.stop != b.start for a, b in pairwise(kicked)):
            raise ValueError("kicked variables must lie side by side")
        self.kicked = slice(kicked[0].start, kicked[-1].stop) if kicked else slice(0, 0)

    def offsets(self, *names: str) -> tuple[int, ...]:
        """Where each of these variables begins in the flat array."""
        return tuple(int(self.slices[name].start) for name in names)

    @property
    def forces(self) -> int:
        """How many force slots there are: one for each kicked entry, behind all variables."""
        return int(self.kicked.stop - self.kicked.start)

    def force_slots(self, *names: str) -> tuple[int, ...]:
        """Where the slots begin for the forces on each of these kicked variables."""
        return tuple(self.size + int(self.slices[name].start - self.kicked.start) for name in names)

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

    def coordinates_at(self, y: Array, columns: Array) -> Array:
        """Coordinates (dimension, k) of tangent vectors at one point `y` (size,): the columns of (size, k)."""
        parts = ((v.manifold, self.slices[v.name]) for v in self.variables)
        return np.concatenate([manifold.coordinates_at(y[part], columns[part]) for manifold, part in parts])

    def retract(self, y: Array, xi: Array) -> Array:
        """The points reached from points `y` (..., size) along tangent vectors with coordinates `xi` (..., dimension); see
        `Manifold.retract`."""
        parts, j = [], 0
        for v in self.variables:
            d = v.manifold.dimension
            parts.append(v.manifold.retract(y[..., self.slices[v.name]], xi[..., j : j + d]))
            j += d
        return np.concatenate(parts, axis=-1)

    def difference(self, x: Array, y: Array) -> Array:
        """The coordinates (..., dimension) at points `x` (..., size) that lead to points `y`: rotation vectors for
        attitudes, angles for angles."""
        parts = [
            v.manifold.difference(x[..., self.slices[v.name]], y[..., self.slices[v.name]]) for v in self.variables
        ]
        return np.concatenate(parts, axis=-1)

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
