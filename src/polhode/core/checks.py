"""Checks of input: each names the field that is wrong, its value, and what is allowed."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from ..geometry import so3
from ..geometry.array_api import as_array, doubles

Array = NDArray[np.float64]
T = TypeVar("T")
NO_UNITS = "; quantities with units are texts in scenario files only"


def check_array(field: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """`value` as an array of finite doubles whose last axes are `shape`."""
    array = as_array(field, value, shape)
    if not np.isfinite(array).all():
        raise InvalidInputError(field, value, "finite numbers")
    return array


def check_finite(field: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """`value` as an array of finite doubles of exactly this shape; SciPy's rotations count as their matrices."""
    try:
        array = np.array(doubles(value.as_matrix() if hasattr(value, "as_matrix") else value))
    except (TypeError, ValueError):
        remark = NO_UNITS if _has_text(value) else ""
        raise InvalidInputError(
            field, value, f"{f'numbers in the shape {shape}' if shape else 'a number'}{remark}"
        ) from None
    if array.shape != shape:
        raise InvalidInputError(field, value, f"shape {shape}, not {array.shape}" if shape else "a single number")
    if not np.isfinite(array).all():
        raise InvalidInputError(field, value, "finite numbers")
    return array


def _has_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list | tuple) and any(map(_has_text, value)))


def check_positive(field: str, value: Any, *, zero: bool = False) -> float:
    """`value` as a finite number above zero, or not below it where `zero` is allowed."""
    array = check_array(field, value, ())
    if array.ndim or array < 0.0 or (array == 0.0 and not zero):
        raise InvalidInputError(field, value, "a number not below zero" if zero else "a positive number")
    return float(array)


def check_nonzero(field: str, value: Any, allowed: str = "a nonzero number") -> float:
    """`value` as a finite number other than zero."""
    number = float(check_finite(field, value, ()))
    if number == 0.0:
        raise InvalidInputError(field, value, allowed)
    return number


def check_integer(field: str, value: Any, least: int, most: float = np.inf) -> int:
    """`value` as an integer from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        allowed = f"{least} or more" if most == np.inf else f"{least} to {most}"
        raise InvalidInputError(field, value, f"a whole number, {allowed}")
    return int(value)


def one_of(field: str, value: Any, allowed: Iterable[Any]) -> Any:
    """The entry of `allowed` that equals `value`; an error if there is none."""
    entries = list(allowed)
    if not isinstance(value, (str, int, float, np.generic, type(None))) or value not in entries:
        raise InvalidInputError(field, value, "one of " + ", ".join(map(repr, entries)))
    return entries[entries.index(value)]


def check_flag(field: str, value: Any) -> bool:
    """`value` as a truth value."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidInputError(field, value, "True or False")
    return bool(value)


def check_rotation(field: str, value: ArrayLike) -> Array:
    """`value` as a rotation matrix, brought to the nearest one if it is off by rounding only."""
    R = check_finite(field, value, (3, 3))
    off = np.abs(R.T @ R - np.eye(3)).max()
    if off > 1e-6:
        raise InvalidInputError(field, value, f"a rotation matrix (RᵀR differs from the identity by {off:.2g})")
    if np.linalg.det(R) < 0.0:
        raise InvalidInputError(field, value, "a rotation matrix (its determinant is −1: a reflection)")
    # A matrix orthogonal to rounding is kept bit for bit: projecting it again would only change its last digits.
    return R if off <= 1e-14 else so3.project(R)


def check_quaternion(field: str, value: ArrayLike) -> Array:
    """`value` as a unit quaternion, scalar last; any nonzero one is scaled to length 1."""
    q = check_finite(field, value, (4,))
    if not np.any(q):
        raise InvalidInputError(
            field, value, f"a nonzero quaternion [{'w, x, y, z' if field == 'q_wxyz' else 'x, y, z, w'}]"
        )
    power = int(np.frexp(np.abs(q).max())[1])
    near_one = np.ldexp(q, -power)  # exactly, so that the length neither overflows nor vanishes
    length = float(np.linalg.norm(near_one))
    return q if abs(math.ldexp(length, min(power, 1000)) - 1.0) <= 1e-14 else near_one / length


def check_vectors(field: str, value: ArrayLike, what: str) -> Array:
    """A list of at least one vector of three finite numbers; `what` says what they are."""
    try:
        rows = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or rows.shape[1] != 3 or not len(rows) or not np.isfinite(rows).all():
        raise InvalidInputError(field, value, f"a list of {what}, three numbers each")
    return rows


def from_table(field: str, make: Callable[..., T], table: Any) -> T:
    """What `make` makes from a table of its arguments; errors name the key in the table.

    >>> from polhode.bodies import Sphere
    >>> from_table("moon", Sphere, {"mass": 2.0, "radios": 1.0})
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: moon.radios = 1.0: unknown key; the keys are mass, radius, colour, name
    """
    known = inspect.signature(make).parameters
    if not isinstance(table, Mapping):
        raise InvalidInputError(field, table, f"a table with {', '.join(known)}")
    for key in table:
        if key not in known:
            raise InvalidInputError(
                f"{field}.{key}", table[key], problem=f"unknown key; the keys are {', '.join(known)}"
            )
    missing = [name for name, each in known.items() if each.default is each.empty and name not in table]
    if missing:
        raise InvalidInputError(field, dict(table), problem=f"missing: {', '.join(missing)}")
    try:
        return make(**table)
    except InvalidInputError as error:
        raise error.renamed(f"{field}.{error.field}") from error


def one_from(field: str, kinds: Mapping[str, type[T]], given: Any) -> T:
    """`given` itself if it is of one of the kinds; else the one that a table with its `type` describes."""
    if isinstance(given, tuple(kinds.values())):
        return cast(T, given)
    if not isinstance(given, Mapping):
        names = ", ".join(kind.__name__ for kind in kinds.values())
        raise InvalidInputError(field, given, f"one of {names}, or a table with its type")
    arguments = dict(given)
    kind = arguments.pop("type", None)
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidInputError(f"{field}.type", kind, f"one of {', '.join(kinds)}")
    return from_table(field, kinds[kind], arguments)


def check_ends(field: str, path: str | PathLike[str]) -> Path:
    """Check that a path is not a pipe or a device, which may be read for ever."""
    file = Path(path)
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise InvalidInputError(field, fspath(path), problem="this is a pipe or a device, not a file")
    return file
