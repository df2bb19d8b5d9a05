"""Checks of what a body is made from: each says which field is wrong, its value, and what is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from ..geometry.front import as_array

Array = NDArray[np.float64]


def finite(field: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """`value` as an array of finite doubles whose last axes are `shape`."""
    array = as_array(field, value, shape)
    if not np.all(np.isfinite(array)):
        raise InvalidInput(field, value, "finite numbers")
    return array


def positive(field: str, value: float, *, zero: bool = False) -> float:
    """`value` as a finite number above zero, or not below it where `zero` is allowed."""
    array = finite(field, value, ())
    if array.ndim or array < 0.0 or (array == 0.0 and not zero):
        raise InvalidInput(field, value, "a number not below zero" if zero else "a positive number")
    return float(array)


def whole(field: str, value: Any, least: int) -> int:
    """`value` as an integer that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidInput(field, value, f"a whole number, {least} or more")
    return int(value)
