"""Kernels that write down their own formula.

A kernel computes with `+ − * /` and NumPy's functions, and never branches on a value. Called with `Traced` numbers in the
place of doubles it therefore returns, in SymPy, the expression that it computes, which can then be differentiated exactly. One
that compares or chooses (`where`, `largest`) has no single formula; for such a one there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partialmethod
from typing import Any

from ...errors import InvalidInputError
from ...scalars.fingerprint import plain
from .named_parameters import NONE, NamedParameters
from .parser import expression_of
from .sympy_kernels import known_symbols
from .user_functions import taken_parameters

LONGEST = 4000  # operations up to which an expression is worth differentiating


class Traced:
    """A SymPy expression in the place of a number, and of how many operations it is made."""

    __slots__ = ("expression", "operations")

    def __init__(self, expression: Any, *operands: Any) -> None:
        self.expression = expression
        self.operations: int = sum(x.operations + 1 for x in operands if isinstance(x, Traced))
        if self.operations > LONGEST:
            raise ValueError("a formula that is too long")

    def __add__(self, other: Any) -> Traced:
        return Traced(self.expression + _plain(other), self, other)

    def __sub__(self, other: Any) -> Traced:
        return Traced(self.expression - _plain(other), self, other)

    def __rsub__(self, other: Any) -> Traced:
        return Traced(_plain(other) - self.expression, self)

    def __mul__(self, other: Any) -> Traced:
        return Traced(self.expression * _plain(other), self, other)

    def __truediv__(self, other: Any) -> Traced:
        return Traced(self.expression / _plain(other), self, other)

    def __rtruediv__(self, other: Any) -> Traced:
        return Traced(_plain(other) / self.expression, self)

    def __pow__(self, power: Any) -> Traced:
        return Traced(self.expression ** _plain(power), self, power)

    def __rpow__(self, base: Any) -> Traced:
        return Traced(_plain(base) ** self.expression, self)

    def __abs__(self) -> Traced:
        return _of("Abs", self)

    def __neg__(self) -> Traced:
        return Traced(-self.expression, self)

    def __pos__(self) -> Traced:
        return self

    __radd__, __rmul__ = __add__, __mul__

    def __bool__(self) -> bool:
        raise TypeError("a formula has no value to branch on")


def _plain(x: Any) -> Any:
    """The expression of a traced number, or the number itself."""
    return x.expression if isinstance(x, Traced) else float(x) if isinstance(x, float) else x


def _of(name: str, *arguments: Any) -> Traced:
    """SymPy's function `name` of these."""
    import sympy

    return Traced(getattr(sympy, name)(*map(_plain, arguments)), *arguments)


# NumPy's functions call the methods of their names of what is not a number
NUMPY_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"}
NUMPY_NAMES |= {name: name for name in ("sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log")}
for _numpy, _sympy in NUMPY_NAMES.items():
    setattr(Traced, _numpy, partialmethod(lambda self, *others, name: _of(name, self, *others), name=_sympy))


def trace(
    function: Any,
    *arguments: Sequence[Any],
    count: int | None = None,
    field: str = "kernel",
    parameters: NamedParameters = NONE,
) -> list[Any] | None:
    """The expressions that a kernel or a function computes from tuples of SymPy symbols, one or several, and from named
    parameters; None if it has none, not so many as asked for, or one that formulas cannot hold.

    >>> import sympy
    >>> x, y = sympy.symbols("x y")
    >>> trace(lambda p: 2 * p[0] * p[1] - p[0], (x, y))
    [2*x*y - x]
    >>> trace(lambda p: p[0] if p[0] > 0 else p[1], (x, y)) is None
    True
    """
    _, taken = taken_parameters(field, function, parameters, (len(arguments),))
    if any(isinstance(parameters.value(name), tuple) for name in taken):  # formulas take numbers
        return None
    symbols = {x.name: Traced(x) for x in parameters.symbols if x.name in taken} if taken else {}
    try:
        found = plain(function)(*(tuple(Traced(x) for x in group) for group in arguments), **symbols)
    except (TypeError, AttributeError, ValueError, ZeroDivisionError):
        return None
    results = list(found) if isinstance(found, (tuple, list)) else [found]
    if len(results) != (count or len(results)):
        return None
    known = [x for group in arguments for x in group]
    try:
        return [known_symbols("kernel", expression_of("kernel", _plain(x)), known, parameters) for x in results]
    except InvalidInputError:
        return None
