"""Named arrays with named dimensions and attributes: what a result file holds.

It is as much of a dataset as files need. `to_xarray` makes the full one of it, for which xarray must be installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.extras import extra

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Variable:
    """An array with the names of its dimensions, and attributes such as its units."""

    dims: tuple[str, ...]
    values: Array
    attrs: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Dataset:
    """Variables by name, some of which are `coordinates` of the others, and attributes.

    >>> data = Dataset({"x": Variable(("time", "xyz"), np.zeros((5, 3)))}, {"title": "at rest"})
    >>> "x" in data, data["x"].shape, data.sizes
    (True, (5, 3), {'time': 5, 'xyz': 3})
    """

    variables: dict[str, Variable]
    attrs: dict[str, Any]
    coordinates: tuple[str, ...] = ()

    def __contains__(self, name: object) -> bool:
        return name in self.variables

    def __getitem__(self, name: str) -> Array:
        return self.variables[name].values

    def named(self, prefix: str) -> dict[str, Array]:
        """The arrays whose names begin with `prefix`, without it."""
        found = {name: variable.values for name, variable in self.variables.items() if name.startswith(prefix)}
        return {name.removeprefix(prefix): values for name, values in found.items()}

    @property
    def sizes(self) -> dict[str, int]:
        """The lengths of all dimensions."""
        return {d: n for v in self.variables.values() for d, n in zip(v.dims, v.values.shape, strict=True)}

    def coordinates_of(self, dims: Iterable[str]) -> list[str]:
        """The coordinates, other than those named like their dimension, of what has these dimensions."""
        here = set(dims)
        return [name for name in self.coordinates if name not in here and here.issuperset(self.variables[name].dims)]

    def to_xarray(self) -> xarray.Dataset:
        """The same as a dataset of xarray."""
        parts: dict[str, Any] = {name: (v.dims, v.values, dict(v.attrs)) for name, v in self.variables.items()}
        coordinates = {name: parts.pop(name) for name in self.coordinates}
        return extra("xarray").Dataset(parts, coords=coordinates, attrs=self.attrs)

    @classmethod
    def of_xarray(cls, data: xarray.Dataset) -> Dataset:
        """What a dataset of xarray holds."""
        variables = {
            str(name): Variable(tuple(map(str, v.dims)), v.to_numpy(), v.attrs) for name, v in data.variables.items()
        }
        return cls(variables, dict(data.attrs), tuple(map(str, data.coords)))
