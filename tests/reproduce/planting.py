"""Faults that are planted in the library, to see rows of published values turn red.

A fault changes what a function of the library returns, most often `uneven`ly: every number by up to a thousandth of itself,
each by its own factor. Compiled code is changed through what it reads, the parameters of its system.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import count
from typing import Any

import numpy as np
import pytest

from polhode.core.system import State
from polhode.methods import Method
from polhode.reproduce import Comparison, full_body, nontwisting, quaternion_experiments

Rows = Callable[[], list[Comparison]]
Change = Callable[[Any], Any]
SIZE = 1e-3
CALLS = count(1)


def uneven(found: Any) -> Any:
    """The same with every number changed; attitudes of states stay rotations."""
    if isinstance(found, (bool, str, int, np.integer, Method)) or found is None:
        return found
    if isinstance(found, (float, np.floating)):
        return found * (1.0 + SIZE)
    if isinstance(found, np.ndarray):
        factors = 1.0 + SIZE * np.cos(np.arange(found.size)).reshape(found.shape)
        return found * factors if found.dtype.kind in "fc" else found
    if isinstance(found, State):
        changed = {k: v if k in ("R", "R2", "Q", "q", "theta") else uneven(v) for k, v in found.values.items()}
        return State(found.system, changed, found.t)
    if isinstance(found, dict):
        return {name: uneven(value) for name, value in found.items()}
    return type(found)(uneven(x) for x in found) if type(found) in (list, tuple) else found


def turned(found: Any) -> Any:
    """The other sign."""
    return -found


def shortened(found: Any) -> Any:
    """Without the last one."""
    return found[:-1]


def reverse(found: Any) -> Any:
    """In the other order."""
    return found[::-1]


def loose(found: Any) -> Any:
    """Tolerances ten million times as large."""
    return type(found)(*(1e7 * x for x in found))


def smaller(found: Any) -> Any:
    """By a thousandth."""
    return (1.0 - SIZE) * found


def drifting(found: Any) -> Any:
    """A state and its tangent, which grows from call to call."""
    state, tangent = found
    return state, (1.0 + SIZE * next(CALLS)) * tangent


def one_more(found: Any) -> Any:
    """Of a count."""
    return found + 1


def threefold(found: Any) -> Any:
    """Three times as large."""
    return 3.0 * found


def stray(found: Any) -> Any:
    """A thousandth where there should be nothing."""
    return found + SIZE


def stiffer(found: Any) -> Any:
    """A rate and its matrix, which has no zeros any more."""
    rate, matrix = found
    return rate, matrix + SIZE


@dataclass(frozen=True)
class Fault:
    """What `owner.name` returns is changed; of the `rows` those whose place and quantity fit one of the patterns turn red.

    Where the function is asked for one of several fields by name, `of` says for which it is changed.
    """

    rows: Rows
    owner: Any
    name: str
    red: tuple[str, ...]
    change: Change = uneven
    of: str | None = None

    def __str__(self) -> str:
        rows = f"{self.rows.__module__.rpartition('.')[2]}.{self.rows.__name__.strip('_')}"
        return f"{rows}: {getattr(self.owner, '__name__', self.owner)}.{self.name}".replace("polhode.", "")

    def plant(self, patch: pytest.MonkeyPatch) -> None:
        """Change the function."""
        original = vars(self.owner)[self.name]
        function = original.fget if isinstance(original, property) else original

        def faulty(*args: Any, **options: Any) -> Any:
            found = function(*args, **options)
            return self.change(found) if self.of is None or self.of in args else found

        functools.update_wrapper(faulty, function)
        patch.setattr(self.owner, self.name, property(faulty) if function is not original else faulty)

    def covers(self, row: Comparison) -> bool:
        """Whether the row is one that must turn red."""
        return any(fits(row, pattern) for pattern in self.red)


def label(row: Comparison) -> str:
    """The place of a row and its quantity."""
    return f"{row.place} {row.quantity}"


def fits(row: Comparison, pattern: str) -> bool:
    """Whether place and quantity of a row fit a pattern."""
    return fnmatchcase(label(row), pattern)


def forget_runs() -> None:
    """Drop what the rows keep of the library's runs; what they are compared with may stay."""
    for module in (full_body, nontwisting, quaternion_experiments):
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear") and value.__module__ == module.__name__:
                value.cache_clear()
