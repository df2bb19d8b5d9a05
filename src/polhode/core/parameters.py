"""The parameters of a system as a flat array of doubles with named parts.

A system says once which numbers its flows read: a name and a count for each part. The layout hands out where each part
begins, as constants for the flows, and packs the numbers in that order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class ParameterLayout:
    """Named parts one after another, each of so many numbers, from entry `start` of the parameters on.

    >>> BODY = ParameterLayout(J=6, J_inverse=6)
    >>> PENDULUM = BODY.then(weight=3)
    >>> (WEIGHT,) = PENDULUM.offsets("weight")  # what a flow reads with, as in par3(p, WEIGHT, S)
    >>> WEIGHT, PENDULUM.end
    (12, 15)
    >>> PENDULUM.pack(weight=[0.0, 0.0, -9.81])
    array([ 0.  ,  0.  , -9.81])
    """

    def __init__(self, start: int = 0, /, **sizes: int) -> None:
        self.start = start
        self.sizes = sizes
        self._offsets: dict[str, int] = {}
        at = start
        for name, size in sizes.items():
            self._offsets[name] = at
            at += size
        self.end = at

    @property
    def size(self) -> int:
        """How many numbers all parts have together."""
        return self.end - self.start

    def offsets(self, *names: str) -> tuple[int, ...]:
        """Where each of these parts begins in the parameters."""
        return tuple(self._offsets[name] for name in names)

    def then(self, **sizes: int) -> ParameterLayout:
        """The parts that lie behind these: those that a subclass adds."""
        return ParameterLayout(self.end, **sizes)

    def pack(self, **values: ArrayLike) -> Array:
        """The numbers of every part, in order; those before `start` belong to others."""
        if values.keys() != self.sizes.keys():
            raise ValueError(f"expected the parts {', '.join(self.sizes)}, not {', '.join(values)}")
        packed = np.empty(self.size)
        for name, size in self.sizes.items():
            part, first = np.asarray(values[name], dtype=np.float64).reshape(-1), self._offsets[name] - self.start
            if part.size != size:
                raise ValueError(f"{name} has {part.size} numbers, not {size}")
            packed[first : first + size] = part
        return packed
