"""The decorators of compiled code, and the one place that knows about Numba's cache.

`@kernel`    a small pure function over scalars and tuples. Called from compiled code it is inlined for whichever
             scalar it meets (double, lanes, dual). Called from Python it runs as written; NumPy arrays obey the same
             arithmetic, so the same formula then broadcasts over arrays.
`@flow`      a function `(S, y, p, t, h, out) -> status` on a state kept in the flat array `y`. `flow.on(S)` is that
             function compiled for the scalar `S`, as a first-class function: a loop takes it as an argument, is
             compiled once for all of them, and the next process finds both in the disk cache.
`@compiled`  a function that Python calls, compiled and cached on disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit, types
from numba.core.dispatcher import Dispatcher
from numba.extending import typeof_impl

P = ParamSpec("P")
T = TypeVar("T")

# `error_model="numpy"`: a division by zero gives inf, as in C, so that compiled code never raises.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}

PACKAGE = Path(__file__).resolve().parent.parent


@cache
def source_stamp() -> str:
    """A fingerprint of every source file of the package.

    Numba notices a change in the file of a cached function, but not in a file whose kernels were inlined into it. With
    this stamp on every cache entry, any edit or upgrade makes all of them stale.
    """
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        status = path.stat()
        digest.update(f"{path.relative_to(PACKAGE)} {status.st_mtime_ns} {status.st_size}\n".encode())
    return digest.hexdigest()


def _cached(function: Callable[..., Any]) -> Dispatcher:
    try:
        dispatcher = njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # typed at a prompt: there is no file whose cache it could have
        return njit(**_OPTIONS)(function)
    dispatcher._cache._cache_file._source_stamp = source_stamp()
    return dispatcher


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile `function` on first call, and keep the result on disk."""
    return cast(Callable[P, T], _cached(function))


class Kernel:
    """A formula written once: plain Python outside compiled code, inlined machine code inside it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.formula = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self.__wrapped__ = function

    @cached_property
    def dispatcher(self) -> Dispatcher:
        return njit(forceinline=True, **_OPTIONS)(self.formula)

    def __call__(self, *args: Any) -> Any:
        return self.formula(*args)


@typeof_impl.register(Kernel)
def _typeof_kernel(value: Kernel, context: Any) -> types.Type:
    return types.Dispatcher(value.dispatcher)


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Make `function` a `Kernel`; for the type checker it keeps its own signature."""
    return cast(Callable[P, T], Kernel(function))


ARRAY = types.float64[::1]


def kind_type(kind: types.Type) -> types.Type:
    """The type that the token `kind` has when it is passed to compiled code."""
    return types.NumberClass(kind) if isinstance(kind, types.Number) else types.TypeRef(kind)


class BoundFlow(types.WrapperAddressProtocol):
    """A flow compiled for one scalar: what loops are given."""

    def __init__(self, dispatcher: Dispatcher, kind: types.Type) -> None:
        token = kind_type(kind)
        arguments = (token, ARRAY, ARRAY, types.float64, types.float64, ARRAY)
        self._signature = types.int64(*arguments)
        dispatcher.compile(self._signature)
        result = dispatcher.overloads[arguments]
        self._library = result.library  # keeps the machine code alive
        self._address = result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self) -> Any:
        return self._signature


class Flow:
    """A function of the fixed signature `(S, y, p, t, h, out) -> status`, compiled for each scalar when asked for.

    `S` the scalar's type, `y` the state, `p` the parameters, `t` the time at the start, `h` the step,
    `out` what the flow reports (see its docstring). Status 0 means success; on failure `y` is left as it was.
    """

    def __init__(self, function: Callable[..., int]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._bound: dict[types.Type, BoundFlow] = {}

    @cached_property
    def dispatcher(self) -> Dispatcher:
        return _cached(self.function)

    def on(self, kind: types.Type) -> BoundFlow:
        if kind not in self._bound:
            self._bound[kind] = BoundFlow(self.dispatcher, kind)
        return self._bound[kind]


def flow(function: Callable[..., int]) -> Flow:
    """Make `function` a `Flow`."""
    return Flow(function)
