"""Where the bodies of a system are and how they move, in inertial coordinates, whatever its own coordinates are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.system import System

Array = NDArray[np.float64]


class Placements:
    """Positions and velocities (..., n, 3), attitudes body to inertial (..., n, 3, 3), body rates (..., n, 3): each is
    derived when it is asked for."""

    def __init__(self, system: System, values: Mapping[str, Array]) -> None:
        self._system, self._values = system, values
        self._pair = "x1" in system.fields

    @cached_property
    def x(self) -> Array:
        """Positions."""
        return self._derive("x", ("x1", "x2"), -2)

    @cached_property
    def v(self) -> Array:
        """Velocities."""
        return self._derive("v", ("v1", "v2"), -2)

    @cached_property
    def R(self) -> Array:
        """Attitudes, body to inertial."""
        return self._derive("R", ("R1", "R2"), -3)

    @cached_property
    def omega(self) -> Array:
        """Body rates."""
        return self._derive("omega", ("Omega1", "Omega2"), -2)

    def _derive(self, name: str, both: tuple[str, str], axis: int) -> Array:
        if self._pair:
            return np.stack([self._system.derive(one, self._values) for one in both], axis=axis)
        return self._system.derive(name, self._values)


def placements(system: System, values: Mapping[str, Array]) -> Placements:
    """Where the `bodies` of a system are (leading axes allowed)."""
    return Placements(system, values)
