"""Numbers that formulas and functions call by name: data among the parameters of a system, not part of compiled code.

`potential="k*R33", parameters={"k": 2.0}`. The values lie one after another in the flat parameter array, where lanes may
hold another value per member. `read(S, p, at)` gives them to compiled code as a tuple, in the order of the names. Another
value needs no compiling, and no formula is differentiated again.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import cached_property, lru_cache
from math import isfinite
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from ...core.checks import check_finite
from ...errors import InvalidInputError
from ...scalars import Lanes, ParameterDual, double, kernel, par
from ...scalars import value as without_partials
from .parser import functions
from .sympy_kernels import KEPT, SPACE, kernel_from_text

Array = NDArray[np.float64]
ALLOWED = 'a table of names and their values, such as {"k": 2.0}'
MOST = 1000  # numbers
Signature = tuple[tuple[str, int | None], ...]  # names, and how many numbers each list has
CONSTANTS = ("pi", "E")


class NamedParameters:
    """Names and values. A value is a number, or a list of numbers, which functions get as a tuple; formulas take numbers.
    `at`: where they begin in the parameters of the system.

    >>> given = NamedParameters({"k": 2, "axis": [0, 0, 1]})
    >>> given.values, given.numbers()
    ((2.0, (0.0, 0.0, 1.0)), array([2., 0., 0., 1.]))
    >>> NamedParameters({"sin": 2.0})
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: parameters.sin = 2.0: 'sin' has a meaning in formulas already: choose another name
    """

    def __init__(self, given: Mapping[str, Any] | None = None, at: int = 0, field: str = "parameters") -> None:
        if given is not None and not isinstance(given, Mapping):
            raise InvalidInputError(field, given, ALLOWED)
        self.at, self.field, self._used = at, field, set[str]()
        checked = {_check_name(field, name, value): value for name, value in (given or {}).items()}
        self.names = tuple(checked)
        self.values = tuple(_check_value(f"{field}.{name}", value) for name, value in checked.items())
        if self.numbers().size > MOST:
            raise InvalidInputError(field, list(self.names), f"at most {MOST} numbers in all")

    @cached_property
    def symbols(self) -> list[Any]:
        """SymPy's symbols of the names, in their order."""
        import sympy

        return [sympy.Symbol(name, real=True) for name in self.names]

    def numbers(self) -> Array:
        """The values one after another."""
        found: list[float] = []
        for value in self.values:
            found += value if isinstance(value, tuple) else (value,)
        return np.array(found, dtype=np.float64)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return int(self.numbers().size)

    @property
    def signature(self) -> Signature:
        """The names, and how many numbers each list has: what compiled code depends on."""
        return tuple(zip(self.names, map(_length, self.values), strict=True))

    @property
    def offsets(self) -> dict[str, int]:
        """Where each one begins in the parameters of the system."""
        sizes = [length or 1 for _, length in self.signature]
        return dict(zip(self.names, self.at + np.cumsum([0, *sizes]), strict=False))

    def value(self, name: str) -> float | tuple[float, ...]:
        """The value of one."""
        return self.values[self.names.index(name)]

    @property
    def types(self) -> list[Callable[[types.Type], types.Type]]:
        """For each name a function from the scalar of the state to the type of the value."""

        def type_of(length: int | None) -> Callable[[types.Type], types.Type]:
            def of(kind: types.Type) -> types.Type:
                number = kind if isinstance(kind, (Lanes, ParameterDual)) else double
                return number if length is None else types.UniTuple(number, length)

            return of

        return [type_of(length) for _, length in self.signature]

    def text(self, entry: str) -> str:
        """The code of the tuple of values, where `entry.format(k)` is the code of number k of all."""
        at, parts = 0, []
        for _, length in self.signature:
            entries = [entry.format(at + k) for k in range(length or 1)]
            parts.append(entries[0] if length is None else f"({', '.join(entries)},)")
            at += length or 1
        return f"({', '.join(parts)},)" if parts else "()"

    @property
    def read(self) -> Any:
        """The kernel `(S, p, at)` that gives the values where they begin at `at` in the parameters."""
        return kernel_from_text(
            "read", ["def read(S, p, at):", f"    return {self.text('par(p, at + {}, S)')}"], {"par": par}
        )

    @property
    def plain(self) -> Any:
        """The kernel that takes the partial derivatives off a tuple of values, all of them numbers."""
        entries = "".join(f"value(k[{i}]), " for i in range(len(self.names)))
        return kernel_from_text("plain", ["def plain(k):", f"    return ({entries})"], {"value": without_partials})

    def bind(self, formula: Any) -> Any:
        """The kernel `(S, p, x)` of a kernel of one tuple, numbers and then the values of the parameters, which it reads
        from p."""
        return _bound(formula, self.read, self.at)

    def checked(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values for some of these names, checked: as many numbers as each has now."""
        found = {name: _check_value(f"{self.field}.{name}", value) for name, value in values.items()}
        for name, value in found.items():
            if _length(value) != _length(self.value(name)):
                count = np.size(self.value(name))
                wanted = "a single number" if count == 1 else f"{count} numbers"
                raise InvalidInputError(f"{self.field}.{name}", values[name], f"{wanted}, as it was made with")
        return found

    def with_values(self, values: Mapping[str, Any]) -> NamedParameters:
        """The same names with other values, as `checked` gives them."""
        other = copy(self)
        other.values = tuple(values[name] for name in self.names)
        return other

    def use(self, names: Iterable[str]) -> None:
        """Note that a formula or a function uses these."""
        self._used.update(names)

    def use_in(self, field: str, given: Any, expression: Any) -> None:
        """Note which ones an expression uses; lists are refused."""
        found = {x.name for x in expression.free_symbols} & set(self.names)
        for name, value in zip(self.names, self.values, strict=True):
            if name in found and isinstance(value, tuple):
                raise InvalidInputError(field, given, f"numbers in formulas; {self.field}.{name} is a list")
        self.use(found)

    def check_used(self) -> None:
        """Refuse those that nothing uses: a misspelt name changes nothing, silently."""
        unused = [name for name in self.names if name not in self._used]
        if unused:
            where, value = f"{self.field}.{unused[0]}", self.values[self.names.index(unused[0])]
            raise InvalidInputError(where, value, problem="no formula and no function uses this name")

    def describe(self) -> dict[str, Any]:
        """The constructor's argument, where there are any."""
        pairs = zip(self.names, self.values, strict=True)
        data = {name: list(value) if isinstance(value, tuple) else value for name, value in pairs}
        return {self.field: data} if data else {}


@lru_cache(maxsize=KEPT)
def _bound(formula: Any, read: Any, at: int) -> Any:
    @kernel
    def bound(S: Any, p: Any, x: Any) -> Any:
        return formula(x + read(S, p, at))

    return bound


def by_name(signature: Signature, numbers: Array) -> dict[str, Any]:
    """The values by their names, from the numbers one after another."""
    found: dict[str, Any] = {}
    at = 0
    for name, length in signature:
        found[name] = float(numbers[at]) if length is None else tuple(numbers[at : at + length].tolist())
        at += length or 1
    return found


def _check_name(field: str, name: Any, value: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii() or name[0] == "_" or name[-1] == "_":
        raise InvalidInputError(
            field, name, "names of letters, digits and _ that begin with a letter and do not end with _"
        )
    if name in SPACE or name in functions() or name in CONSTANTS or keyword.iskeyword(name):
        problem = f"{name!r} has a meaning in formulas already: choose another name"
        raise InvalidInputError(f"{field}.{name}", value, problem=problem)
    return name


def _check_value(field: str, value: Any) -> float | tuple[float, ...]:
    if isinstance(value, float) and isfinite(value):  # NumPy's doubles are, too
        return float(value)
    shape = np.shape(np.asarray(value, dtype=object))
    if shape == ():
        return float(check_finite(field, value, ()))
    if len(shape) != 1 or shape == (0,):
        raise InvalidInputError(field, value, "a number, or a list of numbers")
    return tuple(check_finite(field, value, shape).tolist())


def _length(value: float | tuple[float, ...]) -> int | None:
    return len(value) if isinstance(value, tuple) else None


NONE = NamedParameters()
