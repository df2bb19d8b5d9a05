"""Rows of a run in other variables, with the partial derivatives that duals carry."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..core.complex_step import derivative_along
from ..core.scalar_packing import Directions
from ..core.system import System
from ..core.varied_parameters import VariedParameters

Array = NDArray[np.float64]


def with_partials(
    each: int, system: System, directions: Directions, change: Callable[[System, Array], Array], rows: Array
) -> Array:
    """`change(system, rows)` for rows of entries of `each` doubles: a value, and partial derivatives, carried along by complex
    steps; `directions` say by which parameters of the system there are some."""
    if each == 1:
        return change(system, rows)
    numbers = rows.reshape(len(rows), -1, each)
    values = numbers[..., 0]
    partials = [derivative_along(lambda x: change(system, x), values, numbers[..., k]) for k in range(1, each)]
    if isinstance(directions, VariedParameters):
        by_parameters = directions.derivatives(lambda other: change(other, values))
        for k in range(len(directions)):
            partials[k] = partials[k] + by_parameters[..., k]
    return np.stack([change(system, values), *partials], axis=-1).reshape(len(rows), -1)
