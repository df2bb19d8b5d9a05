"""Potentials that a user gives, and the moments that follow from them: `Mᵢ·η = −d/dε U(…, Rᵢ exp(εS(η)), …)`.

A potential of n attitudes is one of
    a kernel               `U(R1, …, Rn)` of tuples of nine entries, row by row, written with `+ − * /` and the functions
                           of `polhode.scalars`. One that neither compares nor chooses writes down its own formula
                           (`tracing`) and is then a SymPy expression. The moments of any other come from the same
                           function on dual numbers; tangent maps from differences of order 8 of these (13 digits or
                           so for a smooth potential).
    a SymPy expression     in the entries of `symbols()`, or its text, as in "0.5*R33**2 − R13": differentiated, simplified by
                           common subexpressions, and compiled for doubles, lanes and duals, as if written by hand.
    a Python function      `U(R1, …, Rn)` of 3×3 arrays. The moments are differences of order 8: slow, and it says so.

Each may use named parameters (`named_parameters`): formulas as symbols, functions as further arguments.
"""

from __future__ import annotations

import ctypes
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

from ...core import callbacks
from ...core.finite_differences import OFFSETS, WEIGHTS
from ...errors import InvalidInputError
from ...geometry import so3
from ...geometry.unchecked import rotation_exp
from ...geometry.vectors import Matrix, Vector, add, cross
from ...scalars import double, duals, kernel, par, partial, seeded
from ...scalars.compile import Kernel
from .dual_gradients import SPACING, moments_at, write_moments
from .limits import limited
from .named_parameters import NONE, NamedParameters, Signature, by_name
from .parser import is_formula
from .sympy_kernels import (
    attitude_symbols,
    formula_kernel,
    kernel_from_text,
    known_symbols,
    moment_of,
    on_arrays,
    statements,
    text_of,
)
from .tracing import trace
from .user_flow import check_differentiable
from .user_functions import UserFunction, called_function, remembered, taken_parameters, with_values

Array = NDArray[np.float64]
ALLOWED = (
    "a kernel U(R) of nine numbers, a SymPy expression in polhode.systems.symbols(), its text such as "
    '"0.5*R33**2 - R13", or a Python function of 3×3 arrays'
)


class Potential(ABC):
    """U of `bodies` attitudes. `write` is the kernel `(S, y, p)` that puts the moments into the force slots of a state
    that holds the attitudes, then the momenta, then the slots; named parameters are read from p."""

    bodies: int
    write: Any

    @abstractmethod
    def energy(self, *R: Array) -> Array:
        """U at attitudes (..., 3, 3), one array per body."""

    @abstractmethod
    def describe(self) -> str:
        """What it is: a formula that can be read again, or a function's name."""


def potential_of(
    given: Any, bodies: int = 1, field: str = "potential", parameters: NamedParameters = NONE
) -> Potential:
    """Whatever a user gave, as a `Potential`."""
    if is_formula(given):
        return SymbolicPotential(given, bodies, field, parameters)
    if isinstance(given, (Kernel, Dispatcher)):
        groups = [list(R) for R in attitude_symbols(bodies)]
        formula = trace(given, *groups, count=1, field=field, parameters=parameters)
        if formula:
            return SymbolicPotential(formula[0], bodies, field, parameters)
        return CompiledPotential(given, bodies, field, parameters)
    if callable(given):
        return PythonPotential(given, bodies, field, parameters)
    raise InvalidInputError(field, given, ALLOWED)


# --- (a) kernels ------------------------------------------------------------------------------------------------------


@kernel
def moved(R: Matrix, e: Vector) -> Matrix:
    """`R (1 + S(e))`: row r becomes r + r × e."""
    x, y, z = R[0:3], R[3:6], R[6:9]
    return add(x, cross(x, e)) + add(y, cross(y, e)) + add(z, cross(z, e))


class CompiledPotential(Potential):
    """A kernel: its moments are its own partial derivatives."""

    def __init__(self, function: Any, bodies: int, field: str, parameters: NamedParameters = NONE) -> None:
        user = UserFunction(function)
        _, taken = taken_parameters(field, function, parameters, (bodies,))
        attitudes = ", ".join(f"A{i}_" for i in range(bodies))
        self.formula = with_values(user, attitudes, attitudes, taken, parameters)
        self.bodies, self.parameters, self.name = bodies, parameters, user.function.__name__
        D = duals(3 * bodies)
        values = types.Tuple([each(double) for each in parameters.types])
        check_differentiable(field, function, self.formula, *[types.UniTuple(D, 9)] * bodies, values)
        lines = ["def gradient(R, V, M):"]
        for i in range(bodies):
            seeds = ", ".join(f"seeded(D, 0.0, {3 * i + j})" for j in range(3))
            entries = ", ".join(f"R[{9 * i + j}]" for j in range(9))
            lines.append(f"    A{i} = moved(({entries}), ({seeds}))")
        lines.append(f"    u = U({', '.join(f'A{i}' for i in range(bodies))}, {parameters.text('V[{}]')})")
        lines += [f"    M[{k}] = -partial(u, {k})" for k in range(3 * bodies)]
        names = {"moved": moved, "seeded": seeded, "partial": partial, "U": self.formula, "D": D}
        self.write = numerical_moments(
            kernel_from_text("gradient", lines, names), bodies, parameters.at, parameters.size
        )
        check_value(field, function, lambda *R: self.energy(*R), bodies)

    def energy(self, *R: Array) -> Array:
        return self.formula(*(entries(A) for A in R), self.parameters.values) + np.zeros(R[0].shape[:-2])

    def describe(self) -> str:
        return self.name


def entries(R: Array) -> tuple[Array, ...]:
    """The nine entries of rotations (..., 3, 3), as a kernel takes them."""
    return tuple(np.moveaxis(R.reshape(*R.shape[:-2], 9), -1, 0))


@remembered
def numerical_moments(gradient: Any, bodies: int, at: int, named: int) -> Any:
    """The kernel that writes the moments, given one `(R, V, M)` that computes them on plain doubles with the `named`
    parameters V that begin at `at`."""

    @kernel
    def write(S: Any, y: Any, p: Any) -> None:
        write_moments(S, y, p, at, named, gradient, bodies)

    return write


def check_value(field: str, given: Any, energy: Callable[..., Any], bodies: int) -> None:
    """A potential must give a finite number."""
    try:
        value = np.asarray(energy(*[so3.exp([0.1 * (i + 1), -0.2, 0.3]) for i in range(bodies)]), dtype=float)
    except Exception as error:
        raise InvalidInputError(field, given, f"{ALLOWED} ({type(error).__name__}: {error})") from error
    if value.shape != () or not np.isfinite(value):
        raise InvalidInputError(field, given, f"a function with one finite number as its value, not {value}")


# --- (b) Python functions ---------------------------------------------------------------------------------------------


class PythonPotential(Potential):
    """A Python function of 3×3 arrays, called back from compiled code."""

    def __init__(
        self, function: Callable[..., Any], bodies: int, field: str, parameters: NamedParameters = NONE
    ) -> None:
        self.bodies, self.parameters, self.function = bodies, parameters, function
        _, taken = taken_parameters(field, function, parameters, (bodies,))
        self._given = {name: parameters.value(name) for name in taken}
        check_value(field, function, lambda *R: function(*R, **self._given), bodies)
        warnings.warn(
            f"{field}: a Python function is called {24 * bodies} times per step, some hundred times slower than compiled "
            "code; mark it @polhode.scalars.kernel, or give a SymPy expression",
            stacklevel=4,
        )
        callback = python_gradient(called_function(function), bodies, tuple(taken), parameters.signature)
        self.write = numerical_moments(callback.gradient, bodies, parameters.at, parameters.size)

    def energy(self, *R: Array) -> Array:
        shape = R[0].shape[:-2]
        stacks = [A.reshape(-1, 3, 3) for A in R]
        values = [float(self.function(*matrices, **self._given)) for matrices in zip(*stacks, strict=True)]
        return np.array(values).reshape(shape)

    def describe(self) -> str:
        return getattr(self.function, "__name__", "a Python function")


class PythonGradient:
    """The moments of a Python function of attitudes and named parameters; `gradient` is a kernel that calls it back."""

    def __init__(self, function: Callable[..., Any], bodies: int, taken: Sequence[str], signature: Signature) -> None:
        self.bodies, self.function, self.taken, self.signature = bodies, function, taken, signature
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        self._callback = kind(self._moments)
        callback = self._callback

        @kernel
        def gradient(R: Any, V: Any, M: Any) -> None:
            callback(R.ctypes, V.ctypes, M.ctypes)

        self.gradient = gradient

    def _moments(self, R_address: int, V_address: int, M_address: int) -> None:
        n, named = self.bodies, sum(length or 1 for _, length in self.signature)
        R = np.ctypeslib.as_array((ctypes.c_double * (9 * n)).from_address(R_address)).reshape(n, 3, 3)
        V = np.ctypeslib.as_array((ctypes.c_double * named).from_address(V_address)) if named else np.zeros(0)
        M = np.ctypeslib.as_array((ctypes.c_double * (3 * n)).from_address(M_address))
        M[:] = np.nan  # what stays if the function fails: the run then stops with its error
        callbacks.call(self._write_moments, R, V, M)

    def _write_moments(self, R: Array, V: Array, M: Array) -> None:
        given = {name: value for name, value in by_name(self.signature, V).items() if name in self.taken}
        for i in range(self.bodies):
            for j, e in enumerate(np.eye(3)):
                slope = 0.0
                for offset, weight in zip(OFFSETS, WEIGHTS, strict=True):
                    attitudes = [A.copy() for A in R]
                    attitudes[i] = R[i] @ rotation_exp(offset * SPACING * e)
                    slope += weight / SPACING * float(self.function(*attitudes, **given))
                M[3 * i + j] = -slope


@remembered
def python_gradient(user: UserFunction, bodies: int, taken: tuple[str, ...], signature: Signature) -> PythonGradient:
    """The moments of a Python function, compiled once for all functions that are the same and see the same variables."""
    return PythonGradient(user.given, bodies, taken, signature)


# --- (c) SymPy ----------------------------------------------------------------------------------------------------------


class SymbolicPotential(Potential):
    """A SymPy expression or its text, differentiated and compiled."""

    _moment: Any = None

    def __init__(self, given: Any, bodies: int, field: str, parameters: NamedParameters = NONE) -> None:
        self.bodies, self.parameters = bodies, parameters
        every = [x for R in attitude_symbols(bodies) for x in R]
        with limited(field, given):
            self.expression = known_symbols(field, given, every, parameters)
            self.write = symbolic_moments(field, self.expression, bodies, tuple(parameters.offsets.items()))
            self._energy = formula_kernel(field, [self.expression], [*every, *parameters.symbols])
        check_value(field, given, self.energy, bodies)

    def energy(self, *R: Array) -> Array:
        values = [x for A in R for x in entries(A)]
        return on_arrays(self._energy, [*values, *self.parameters.values])[0] + np.zeros(R[0].shape[:-2])

    def moment(self, R: Array) -> Array:
        """The moment of one body at attitudes (..., 3, 3)."""
        if self._moment is None:
            (symbols,) = attitude_symbols(self.bodies)
            every = [*symbols, *self.parameters.symbols]
            self._moment = formula_kernel("potential", moment_of(self.expression, symbols), every)
        values = [*entries(R), *self.parameters.values]
        return np.stack(np.broadcast_arrays(*on_arrays(self._moment, values)), axis=-1)

    def describe(self) -> str:
        return text_of(self.expression)


@remembered
def symbolic_moments(field: str, expression: Any, bodies: int, offsets: tuple[tuple[str, int], ...]) -> Any:
    """The kernel `(S, y, p)` that writes the moments of an expression; `offsets` tell where named parameters lie."""
    matrices = attitude_symbols(bodies)
    every = [x for R in matrices for x in R]
    shared, moments, used = statements(field, [M for R in matrices for M in moment_of(expression, R)])
    lines = ["def write(S_, y_, p_):"]
    lines += [f"    {x} = get(y_, {k}, S_)" for k, x in enumerate(every) if x in used]
    named = {x.name for x in used}
    lines += [f"    {name} = par(p_, {at}, S_)" for name, at in offsets if name in named]
    lines += [f"    {line}" for line in shared]
    lines += [f"    put(y_, {moments_at(bodies) + k}, S_, {text})" for k, text in enumerate(moments)]
    return kernel_from_text("write", lines, {"par": par})
