"""Checks of what a body is made from: each says which field is wrong, its value, and what is allowed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from ..geometry.front import as_array

Array = NDArray[np.float64]
T = TypeVar("T")


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


def whole(field: str, value: Any, least: int, most: float = np.inf) -> int:
    """`value` as an integer from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        allowed = f"{least} or more" if most == np.inf else f"{least} to {most}"
        raise InvalidInput(field, value, f"a whole number, {allowed}")
    return int(value)


def from_table(field: str, make: Callable[..., T], table: Any) -> T:
    """What `make` makes from a table of its arguments; errors name the key in the table.

    >>> from polhode.bodies import Sphere
    >>> from_table("moon", Sphere, {"mass": 2.0, "radios": 1.0})
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInput: moon.radios = 1.0: expected no such key; there are mass, radius
    """
    known = inspect.signature(make).parameters
    if not isinstance(table, Mapping):
        raise InvalidInput(field, table, f"a table with {', '.join(known)}")
    for key in table:
        if key not in known:
            raise InvalidInput(f"{field}.{key}", table[key], f"no such key; there are {', '.join(known)}")
    missing = [name for name, each in known.items() if each.default is each.empty and name not in table]
    if missing:
        raise InvalidInput(field, dict(table), f"a table that has {', '.join(missing)} too")
    try:
        return make(**table)
    except InvalidInput as error:
        raise InvalidInput(f"{field}.{error.field}", error.value, error.allowed) from error
