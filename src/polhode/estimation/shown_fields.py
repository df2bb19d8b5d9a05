"""What an observer is shown of a state, as a function of its fields with exact derivatives by their entries.

A function is one of
    text         such as "sqrt(X[0]**2 + X[1]**2)": differentiated as a formula
    a kernel     whose arguments are named like fields of the system, `t` among them if time matters: an array comes as the
                 tuple of its entries, row by row. Compiled for dual numbers
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
from numba import njit
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from ..analysis.quantities import quantity
from ..core.system import State, System
from ..errors import InvalidInputError
from ..scalars import duals, partial, seeded, value
from ..scalars.fingerprint import plain
from ..systems.inputs.limits import limited
from ..systems.inputs.parser import expression_of
from ..systems.inputs.sympy_kernels import formula_kernel, in_reals, on_arrays
from ..systems.inputs.tracing import Traced
from ..systems.inputs.user_functions import UserFunction, remembered

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Slopes = Mapping[str, Array]
TIME = "t"


class Shown(Protocol):
    """A function of fields of a state."""

    def evaluate(self, states: State, times: Array, which: Indices) -> tuple[Array, Slopes]:
        """Its values (n,) at n states, and for each field that it depends on the derivatives (n, entries) by it; `which`
        are the numbers of their times among those of the observation."""
        ...


class ShownFormula:
    """The quantity that a text describes.

    >>> import polhode as ph
    >>> state = ph.FreeRigidBody([1, 2, 3]).state(omega=[0.5, 0, 2])
    >>> rows = ph.State(state.system, {name: array[None] for name, array in state.values.items()})
    >>> ShownFormula("omega[0]*omega[2]").evaluate(rows, np.zeros(1), np.zeros(1, dtype=int))
    (array([1.]), {'omega': array([[2. , 0. , 0.5]])})
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def evaluate(self, states: State, times: Array, which: Indices) -> tuple[Array, Slopes]:
        """See `Shown`."""
        used, derived = derived_formula(states.system, self.text)
        rows = {name: field_rows(states, name) for name in used}
        x = [rows[name][:, i] for name, entries in used.items() for i in entries]
        found = [np.broadcast_to(each, times.shape) for each in on_arrays(derived, x or [np.zeros(times.shape)])]
        slopes = {name: np.zeros(rows[name].shape) for name in used}
        places = ((name, i) for name, entries in used.items() for i in entries)
        for (name, i), slope in zip(places, found[1:], strict=True):
            slopes[name][:, i] = slope
        return np.array(found[0]), slopes


def derived_formula(system: System, text: str) -> tuple[dict[str, list[int]], Any]:
    """Which entries of which fields a text uses, and the kernel of these that gives its value and its derivatives."""
    import sympy

    symbols = {
        name: np.array([sympy.Symbol(f"{name}_{i}_", real=True) for i in range(size_of(system, name))], dtype=object)
        for name in system.fields
    }
    with limited("quantity", text):
        entries = {name: Entries(each.reshape(system.fields[name].shape)) for name, each in symbols.items()}
        found: Any = quantity(system, text)(SimpleNamespace(**entries))  # type: ignore[arg-type]
        formula = in_reals(found.expression if isinstance(found, Traced) else expression_of("quantity", found))
        used = {
            name: [i for i, x in enumerate(each) if x in formula.free_symbols]
            for name, each in symbols.items()
            if formula.free_symbols.intersection(each)
        }
        x = [symbols[name][i] for name, entries in used.items() for i in entries]
        return used, formula_kernel("quantity", [formula, *(sympy.diff(formula, each) for each in x)], x)


class Entries:
    """A field whose entries write down what is computed with them; read as `[..., i, j]`."""

    def __init__(self, symbols: Any) -> None:
        self.symbols = symbols

    def __getitem__(self, index: Any) -> Traced:
        return Traced(self.symbols[index[1:]])


class ShownKernel:
    """A kernel of fields."""

    def __init__(self, function: Any) -> None:
        self.user = UserFunction(function)
        self.names = tuple(inspect.signature(plain(function)).parameters)
        if not self.names:
            raise InvalidInputError("quantity", function, problem="a kernel of no fields shows nothing of a state")

    def evaluate(self, states: State, times: Array, which: Indices) -> tuple[Array, Slopes]:
        """See `Shown`."""
        system = states.system
        unknown = [name for name in self.names if name not in system.fields and name != TIME]
        if unknown:
            known = ", ".join(system.fields)
            problem = f"its argument {unknown[0]} is neither t nor a field of the system; these are {known}"
            raise InvalidInputError("quantity", getattr(self.user.given, "__name__", "kernel"), problem=problem)
        fields = [name for name in self.names if name in system.fields]
        rows = [field_rows(states, name) if name in fields else times[:, None] for name in self.names]
        shapes = tuple(None if name not in fields else system.fields[name].shape for name in self.names)
        out = np.empty((len(times), 1 + sum(size_of(system, name) for name in fields)))
        compiled_slopes(self.user, shapes)(np.ascontiguousarray(np.concatenate(rows, axis=1)), out)
        ends = np.cumsum([size_of(system, name) for name in fields])[:-1]
        return out[:, 0], dict(zip(fields, np.split(out[:, 1:], ends, axis=1), strict=True))


@remembered
def compiled_slopes(user: UserFunction, shapes: Sequence[tuple[int, ...] | None]) -> Any:
    """The compiled function `(x, out)` that takes rows of numbers, and for each gives the kernel's value and its partials
    by those that are of fields; arguments of these shapes, or None for the time."""
    arguments, at, partials = [], 0, 0
    for shape in shapes:
        size = int(np.prod(shape)) if shape is not None else 1
        entries = [
            f"seeded(KIND, x[k, {at + i}], {partials + i})" if shape is not None else f"x[k, {at + i}]"
            for i in range(size)
        ]
        arguments.append(f"({', '.join(entries)},)" if shape else entries[0])
        at, partials = at + size, partials + (size if shape is not None else 0)
    text = f"""
def slopes_of_rows(x, out):
    for k in range(len(x)):
        found = function({", ".join(arguments)}) + seeded(KIND, 0.0, -1)
        out[k, 0] = value(found)
        for i in range({partials}):
            out[k, 1 + i] = partial(found, i)
"""
    names = {"function": user.kernel, "KIND": duals(max(partials, 1)), "seeded": seeded, "value": value}
    space: dict[str, Any] = names | {"partial": partial}
    exec(text, space)
    compiled = njit(error_model="numpy")(space["slopes_of_rows"])
    try:
        compiled(np.zeros((0, at)), np.zeros((0, 1 + partials)))
    except NumbaError as error:
        name = getattr(user.given, "__name__", "kernel")
        problem = "this kernel does not return one number, or cannot be compiled for dual numbers"
        raise InvalidInputError("quantity", name, problem=problem) from error
    return compiled


def field_rows(states: State, name: str) -> Array:
    """A field of n states as (n, entries)."""
    array = np.asarray(getattr(states, name))
    return array.reshape(len(array), -1)


def size_of(system: System, name: str) -> int:
    """How many numbers a field has."""
    return int(np.prod(system.fields[name].shape))
