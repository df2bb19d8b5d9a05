"""The decorators of compiled code, and the one place that knows about Numba's cache.

`@kernel`    a small pure function over scalars and tuples. Called from compiled code it is inlined for whichever
             scalar it meets (double, lanes, dual). Called from Python it runs as written; NumPy arrays obey the same
             arithmetic, so the same formula then broadcasts over arrays.
`@flow`      a function `(S, y, p, t, h, report) -> status` on a state kept in the flat array `y`. `flow.on(S)` is that
             function compiled for the scalar `S`, as a first-class function: a loop takes it as an argument, is
             compiled once for all of them, and the next process finds both in the disk cache.
`@rate`      likewise a function `(S, y, p, t, dy, report) -> status` that writes the derivative of the state to `dy`.
`@compiled`  a function that Python calls, compiled and cached on disk; other compiled functions may call it too.
`@loop`      likewise one whose first argument, the type of a scalar, says what types the others have.

A function that is made inside another, and closes over kernels or flows, is compiled with them in it: nothing is called by
its pointer. The disk cache knows it by what it closes over.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar, ParamSpec, TypeVar, cast

import numpy as np
from numba import njit, types
from numba.extending import typeof_impl

from .aligned import FlowCompiler
from .callee import Callee
from .calls import FlowType
from .fingerprint import fingerprint, made_from
from .linked import LINKED
from .private_cache import PrivateCache

P = ParamSpec("P")
T = TypeVar("T")

# `error_model="numpy"`: a division by zero gives inf, as in C, so that compiled code never raises.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}


def dispatcher_of(function: Any, **options: Any) -> Any:
    """Numba's dispatcher of the function, which compiles it in every process."""
    return njit(**options, **_OPTIONS)(function)


def cached_dispatcher(function: Any, content: str | None = None, **options: Any) -> Any:
    """The same with the disk cache; functions made at one place in a file have their own entries in the cache. They are
    told apart by the names of what they close over, or, where that has no names of its own, by the `content`."""
    label = "-" + sha256((content or made_from(function)).encode()).hexdigest()[:12] if function.__closure__ else ""
    dispatcher = dispatcher_of(function, **options)
    with suppress(RuntimeError):  # typed at a prompt: there is no file whose cache it could have
        dispatcher._cache = PrivateCache(function, content or fingerprint(function), label)
    return dispatcher


class Compilable:
    """A function and, once it is needed, Numba's dispatcher of it: importing the package makes none."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(cast(Any, self), function)
        self.function = function

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher of the function, made when it is first asked for."""
        return cached_dispatcher(self.function)

    @property
    def linked(self) -> Any:
        """The dispatcher of which other compiled functions take it."""
        return self.dispatcher

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By its name, as functions are, or else by its function: machine code stays in the process that has it."""
        name, module = self.function.__qualname__, sys.modules.get(self.function.__module__)
        return name if getattr(module, name, None) is self else (type(self), (self.function,))

    @property
    def stats(self) -> Any:
        """Numba's counts of what was found in the disk cache and what was not."""
        return self.dispatcher.stats


@typeof_impl.register(Compilable)
def _typeof_compilable(value: Compilable, context: Any) -> types.Type:
    return Callee(value.linked)


class Compiled(Compilable):
    """A function that Python calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._entries: dict[int, tuple[types.Type, Any]] = {}

    def __call__(self, *args: Any) -> Any:
        return self.dispatcher(*args)

    @cached_property
    def linked(self) -> Any:
        """One that makes no machine code, and has none in the cache: those who take it have it in theirs."""
        return dispatcher_of(self.function, **LINKED)

    def entered_on(self, kind: types.Type) -> bool:
        """Whether `on` has been called with this scalar, so that the next call compiles nothing."""
        return id(kind) in self._entries

    def on(self, kind: types.Type, *args: Any) -> Any:
        """Call it with the scalar's type and further arguments. Their types must follow from `kind`: Numba looks at them
        the first time only, which for a call with many arguments is most of its cost."""
        for argument in args:
            if type(argument) is np.ndarray and not argument.flags.c_contiguous:
                return self.dispatcher(kind, *args)
        found = self._entries.get(id(kind))
        if found is None:  # the type is kept, so that no other can get its id
            found = kind, self.dispatcher.compile((kind_type(kind), *map(self.dispatcher.typeof_pyval, args)))
            self._entries[id(kind)] = found
        return found[1](kind, *args)


class Kernel(Compilable):
    """A formula written once: plain Python outside compiled code, inlined machine code inside it."""

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, which inlines."""
        return dispatcher_of(self.function, forceinline=True, **LINKED)

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile `function` on first call, and keep the result on disk."""
    return cast(Callable[P, T], Compiled(function))


def loop(function: Callable[..., Any]) -> Compiled:
    """Compile a function whose first argument is a scalar's type, which says what types the other arguments have."""
    return Compiled(function)


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Make `function` a `Kernel`; for the type checker it keeps its own signature."""
    return cast(Callable[P, T], Kernel(function))


ARRAY = types.float64[::1]


def kind_type(kind: types.Type) -> types.Type:
    """The type that the token `kind` has when it is passed to compiled code."""
    return types.NumberClass(kind) if isinstance(kind, types.Number) else types.TypeRef(kind)


class BoundFlow:
    """A flow compiled for one scalar: what loops are given."""

    def __init__(self, dispatcher: Any, kind: types.Type, rest: tuple[types.Type, ...]) -> None:
        arguments = (kind_type(kind), ARRAY, ARRAY, *rest)
        dispatcher.compile(types.int64(*arguments))
        result = dispatcher.overloads[arguments]
        self._library = result.library  # keeps the machine code alive
        self.numba_type = FlowType(arguments)
        self.address: int = result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)


@typeof_impl.register(BoundFlow)
def _typeof_bound_flow(value: BoundFlow, context: Any) -> types.Type:
    return value.numba_type


class Flow(Compilable):
    """A function of the fixed signature `(S, y, p, t, h, report) -> status`, compiled for each scalar when asked for.

    `S` the scalar's type, `y` the state, `p` the parameters, `t` the time at the start, `h` the step, `report` where
    implicit solves are counted. `polhode.scalars.protocol` has the status codes and the slots of the report. On failure
    `y` is left as it was.
    """

    _rest: ClassVar[tuple[types.Type, ...]] = (types.float64, types.float64, ARRAY)
    fusible: ClassVar[bool] = True
    """Whether loops may be compiled together with it: one of few, each of which has its own name."""

    def __init__(self, function: Callable[..., int]) -> None:
        super().__init__(function)
        self._bound: dict[tuple[types.Type, types.Type], BoundFlow] = {}

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, with aligned arrays."""
        return cached_dispatcher(self.function, pipeline_class=FlowCompiler)

    @cached_property
    def linked(self) -> Any:
        """One that makes no machine code, for a loop that has it in itself, inlined where it is short."""
        return dispatcher_of(self.function, **LINKED)

    @cached_property
    def inlined(self) -> Kernel:
        """The same as a kernel, for a loop that is to have it in itself."""
        return Kernel(self.function)

    def on(self, kind: types.Type, time: types.Type = types.float64) -> BoundFlow:
        """The flow for this scalar; `time` is the type of t, lanes where each lane is at another time."""
        bound = self._bound.get((kind, time))
        if bound is None:
            bound = self._bound[kind, time] = BoundFlow(self.dispatcher, kind, (time, *self._rest[1:]))
        return bound


def flow(function: Callable[..., int]) -> Flow:
    """Make `function` a `Flow`."""
    return Flow(function)


class Rate(Flow):
    """A function of the fixed signature `(S, y, p, t, dy, report) -> status` that writes dy/dt at (t, y) to `dy`."""

    _rest = (types.float64, ARRAY, ARRAY)


def rate(function: Callable[..., int]) -> Rate:
    """Make `function` a `Rate`."""
    return Rate(function)
