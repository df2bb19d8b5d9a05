"""Functions that a user gives: which of them are the same, and how they take named parameters.

Compiling a function costs a second or more. What was compiled of one serves every other of the same code and constants,
so that a system that differs only in numbers (its inertia, its named parameters) is not compiled again. A function takes
named parameters as further arguments, by their names: `torque(t, R, omega, gain)` with `parameters={"gain": 2.0}`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any

import numpy as np
from numba import types

from ...errors import InvalidInputError
from ...scalars import double
from ...scalars.compile import Kernel
from ...scalars.fingerprint import contents, plain
from .named_parameters import NamedParameters
from .sympy_kernels import KEPT, kernel_from_text


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Remember what `function` made of the same arguments: flows and kernels, so that they are compiled once."""
    return lru_cache(maxsize=KEPT)(function)


class UserFunction:
    """A function that a user gave; equal to another whose code, constants and inner kernels are the same.

    >>> def scaled(factor):
    ...     return lambda t, R, omega: (factor * t, 0.0, 0.0)
    >>> UserFunction(scaled(2.0)) == UserFunction(scaled(2.0)), UserFunction(scaled(2.0)) == UserFunction(scaled(3.0))
    (True, False)
    """

    def __init__(self, function: Any, *further: Hashable) -> None:
        self.given, self.function = function, plain(function)
        readable = isinstance(self.function, FunctionType)
        # of what is not read, another object makes another function; kept alive, so that none gets the same address
        content, self._unread = contents(self.function) if readable else ("", [self.function])
        self._content = (*further, content, *map(id, self._unread))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._content == other._content  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self._content)

    @cached_property
    def kernel(self) -> Any:
        """The function as a kernel."""
        return _kernel_of(self)


def called_function(function: Any) -> UserFunction:
    """A function that Python calls in every step: equal to another only if both see the same variables, which may change.

    >>> def scaled(factor):
    ...     return lambda R: factor * R[2, 2]
    >>> called_function(scaled(2.0)) == called_function(scaled(2.0))
    False
    """
    read = plain(function)
    cells = getattr(read, "__closure__", None) or ()
    return UserFunction(function, id(getattr(read, "__globals__", None)), *map(id, cells))


class UserKernel(Kernel):
    """A kernel that a user wrote. Python calls it on arrays also where it branches on a value, or calls functions of one
    number: it is then called for each of their entries.

    >>> UserKernel(lambda x: x if x > 0.0 else 2.0 * x)(np.array([1.0, -1.0]))
    array([ 1., -2.])
    """

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self.function(*arguments)
        except (TypeError, ValueError):
            shape = np.broadcast_shapes(*map(np.shape, _leaves(arguments)))
            if not shape:
                raise
            found = np.array([self.function(*_entry(arguments, shape, i)) for i in np.ndindex(shape)])
            stacks = found.reshape(*shape, *found.shape[1:])
            return tuple(np.moveaxis(stacks, -1, 0)) if found.ndim > 1 else stacks


def _leaves(arguments: tuple[Any, ...]) -> list[Any]:
    """The numbers and arrays in tuples of tuples of them."""
    return [x for each in arguments for x in (_leaves(each) if isinstance(each, tuple) else [each])]


def _entry(arguments: tuple[Any, ...], shape: tuple[int, ...], i: tuple[int, ...]) -> tuple[Any, ...]:
    """The same tuples with entry i of each array."""
    return tuple(_entry(x, shape, i) if isinstance(x, tuple) else np.broadcast_to(x, shape)[i] for x in arguments)


@lru_cache(maxsize=KEPT)
def _kernel_of(user: UserFunction) -> Any:
    return UserKernel(user.function)


def taken_parameters(
    field: str, function: Any, parameters: NamedParameters, own: Sequence[int]
) -> tuple[int, list[str]]:
    """How many arguments a function has beside the named parameters, one of `own`, and which of these it takes."""
    try:
        arguments = list(inspect.signature(plain(function)).parameters.values())
    except (TypeError, ValueError):
        return own[-1], []
    if any(each.kind is each.VAR_POSITIONAL for each in arguments):
        return own[-1], []
    taken = [each.name for each in arguments if each.name in parameters.names]
    others = [each.name for each in arguments if each.name not in taken and each.default is each.empty]
    counts = " or ".join(map(str, own)) + (" arguments" if own[-1] > 1 else " argument")
    if len(others) > own[-1]:
        extra = ", ".join(others[own[-1] :])
        values = f"parameters with a value for each further argument: {extra}"
        raise InvalidInputError(field, function, f"a function of {counts}, or {values}")
    if taken and (len(others) not in own or [each.name for each in arguments][len(others) :][: len(taken)] != taken):
        raise InvalidInputError(field, function, f"a function of {counts}, and behind them its parameters")
    parameters.use(taken)
    return len(others), taken


def is_real(kind: Any) -> bool:
    """Whether it is Numba's type of a real number."""
    return isinstance(kind, (types.Integer, types.Float))


def said(kind: Any) -> str:
    """What a value of this type of Numba's is called.

    >>> said(types.UniTuple(types.float64, 2)), said(types.Array(types.float64, 1, "C"))
    ('a tuple of float64, float64', 'an array')
    """
    if isinstance(kind, types.BaseTuple):
        return f"a tuple of {', '.join(said(each) for each in kind.types)}"
    names = ((types.List, "a list"), (types.Array, "an array"), (types.NoneType, "nothing"))
    plain = types.unliteral(kind)
    return next((name for known, name in names if isinstance(kind, known)), str(plain))


def with_arguments(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """The function, said to have arguments of these names."""
    arguments = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    function.__signature__ = inspect.Signature(arguments)  # type: ignore[attr-defined]
    return function


def with_values(
    user: UserFunction, arguments: str, passed: str, taken: Sequence[str], parameters: NamedParameters
) -> Any:
    """The kernel `(arguments, values)` that calls the function with what is `passed` and the parameters that it takes."""
    values = "".join(f", values_[{parameters.names.index(name)}]" for name in taken)
    text = [f"def with_values({arguments}, values_):", f"    return function_({passed}{values})"]
    return kernel_from_text("with_values", text, {"function_": user.kernel})


class StateFunction(UserFunction):
    """A function of (t, R, omega) or of t alone, and of named parameters, that gives three numbers.

    `law` is the kernel `(t, R, omega, values)`.
    """

    def __init__(self, field: str, function: Any, parameters: NamedParameters) -> None:
        super().__init__(function, parameters.signature)
        count, taken = taken_parameters(field, function, parameters, (1, 3))
        self.law = with_values(self, "t, R, omega", "t" if count == 1 else "t, R, omega", taken, parameters)
        self._values = parameters.types

    def compile(self, kind: types.Type = double, time: types.Type = double) -> types.Type:
        """Compile it for this scalar and return the type of its result."""
        values = types.Tuple([each(kind) for each in self._values])
        arguments = (time, types.UniTuple(kind, 9), types.UniTuple(kind, 3), values)
        self.law.dispatcher.compile(arguments)
        return self.law.dispatcher.overloads[arguments].signature.return_type
