"""Potentials that a user gives, and the moments that follow from them: `Mᵢ·η = −d/dε U(…, Rᵢ exp(εS(η)), …)`.

A potential of n attitudes is one of
    a kernel               `U(R1, …, Rn)` of tuples of nine entries, row by row, written with `+ − * /` and the functions
                           of `polhode.scalars`. One that neither compares nor chooses writes down its own formula
                           (`tracing`) and is then a SymPy expression. The moments of any other come from the same
                           function on dual numbers; tangent maps from differences of order 8 of these (13 digits or
                           so for a smooth potential).
    a SymPy expression     in the entries of `symbols()`, or its text, as in "0.5*R33**2 − R13": derived, simplified by
                           common subexpressions, and compiled for doubles, lanes and duals, as if written by hand.
    a Python function      `U(R1, …, Rn)` of 3×3 arrays. The moments are differences of order 8: slow, and it says so.
"""

from __future__ import annotations

import ctypes
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

from ...core import callbacks
from ...core.finite_differences import OFFSETS, WEIGHTS
from ...errors import InvalidInputError
from ...geometry import so3
from ...geometry.unchecked import rotation_exp
from ...geometry.vectors import Matrix, Vector, add, cross
from ...scalars import duals, kernel, partial, seeded
from ...scalars.compile import Kernel
from ...scalars.fingerprint import plain
from .dual_gradients import SPACING, moments_at, write_moments
from .limits import limited
from .sympy_kernels import (
    attitude_symbols,
    formula_kernel,
    known_symbols,
    made,
    moment_of,
    on_arrays,
    statements,
    text_of,
)
from .tracing import trace

Array = NDArray[np.float64]
ALLOWED = (
    "a kernel U(R) of nine numbers, a SymPy expression in polhode.systems.symbols(), its text such as "
    '"0.5*R33**2 - R13", or a Python function of 3×3 arrays'
)


class Potential(ABC):
    """U of `bodies` attitudes. `write` is the kernel `(S, y)` that puts the moments into the force slots of a state
    that holds the attitudes, then the momenta, then the slots."""

    bodies: int
    write: Any

    @abstractmethod
    def energy(self, *R: Array) -> Array:
        """U at attitudes (..., 3, 3), one array a body."""

    @abstractmethod
    def describe(self) -> str:
        """What it is: a formula that can be read again, or a function's name."""


def potential_of(given: Any, bodies: int = 1, field: str = "potential") -> Potential:
    """Whatever a user gave, as a `Potential`."""
    if isinstance(given, str) or hasattr(given, "free_symbols"):
        return SymbolicPotential(given, bodies, field)
    if isinstance(given, (Kernel, Dispatcher)):
        formula = trace(given, *(list(R) for R in attitude_symbols(bodies)), count=1)
        return SymbolicPotential(formula[0], bodies, field) if formula else CompiledPotential(given, bodies, field)
    if callable(given):
        return PythonPotential(given, bodies, field)
    raise InvalidInputError(field, given, ALLOWED)


# --- (a) kernels ------------------------------------------------------------------------------------------------------


@kernel
def moved(R: Matrix, e: Vector) -> Matrix:
    """`R (1 + S(e))`: row r becomes r + r × e."""
    x, y, z = R[0:3], R[3:6], R[6:9]
    return add(x, cross(x, e)) + add(y, cross(y, e)) + add(z, cross(z, e))


class CompiledPotential(Potential):
    """A kernel: its moments are its own partial derivatives."""

    def __init__(self, function: Any, bodies: int, field: str) -> None:
        formula = plain(function)
        self.bodies, self.formula, self.name = bodies, kernel(formula), formula.__name__
        lines = ["def gradient(R, M):"]
        for i in range(bodies):
            seeds = ", ".join(f"seeded(D, 0.0, {3 * i + j})" for j in range(3))
            entries = ", ".join(f"R[{9 * i + j}]" for j in range(9))
            lines.append(f"    A{i} = moved(({entries}), ({seeds}))")
        lines.append(f"    u = U({', '.join(f'A{i}' for i in range(bodies))})")
        lines += [f"    M[{k}] = -partial(u, {k})" for k in range(3 * bodies)]
        names = {"moved": moved, "seeded": seeded, "partial": partial, "U": self.formula, "D": duals(3 * bodies)}
        self.write = numerical_moments(made("gradient", lines, names), bodies)
        check_value(field, function, lambda *R: self.energy(*R), bodies)

    def energy(self, *R: Array) -> Array:
        return self.formula(*(entries(A) for A in R)) + np.zeros(R[0].shape[:-2])

    def describe(self) -> str:
        return self.name


def entries(R: Array) -> tuple[Array, ...]:
    """The nine entries of rotations (..., 3, 3), as a kernel takes them."""
    return tuple(np.moveaxis(R.reshape(*R.shape[:-2], 9), -1, 0))


def numerical_moments(gradient: Any, bodies: int) -> Any:
    """The kernel that writes the moments, given one `(R, M)` that computes them on plain doubles."""

    @kernel
    def write(S: Any, y: Any) -> None:
        write_moments(S, y, gradient, bodies)

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

    def __init__(self, function: Callable[..., Any], bodies: int, field: str) -> None:
        self.bodies, self.function = bodies, function
        check_value(field, function, function, bodies)
        warnings.warn(
            f"{field}: a Python function is called {24 * bodies} times per step, some hundred times slower than compiled "
            "code; mark it @polhode.scalars.kernel, or give a SymPy expression",
            stacklevel=4,
        )
        signature = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
        self._callback = signature(self._moments)
        callback = self._callback

        @kernel
        def gradient(R: Any, M: Any) -> None:
            callback(R.ctypes, M.ctypes)

        self.write = numerical_moments(gradient, bodies)

    def _moments(self, R_address: int, M_address: int) -> None:
        n = self.bodies
        R = np.ctypeslib.as_array((ctypes.c_double * (9 * n)).from_address(R_address)).reshape(n, 3, 3)
        M = np.ctypeslib.as_array((ctypes.c_double * (3 * n)).from_address(M_address))
        M[:] = np.nan  # what stays if the function fails: the run then stops with its error
        callbacks.call(self._write_moments, R, M)

    def _write_moments(self, R: Array, M: Array) -> None:
        for i in range(self.bodies):
            for j, e in enumerate(np.eye(3)):
                slope = 0.0
                for offset, weight in zip(OFFSETS, WEIGHTS, strict=True):
                    attitudes = [A.copy() for A in R]
                    attitudes[i] = R[i] @ rotation_exp(offset * SPACING * e)
                    slope += weight / SPACING * float(self.function(*attitudes))
                M[3 * i + j] = -slope

    def energy(self, *R: Array) -> Array:
        shape = R[0].shape[:-2]
        stacks = [A.reshape(-1, 3, 3) for A in R]
        return np.array([float(self.function(*matrices)) for matrices in zip(*stacks, strict=True)]).reshape(shape)

    def describe(self) -> str:
        return getattr(self.function, "__name__", "a Python function")


# --- (c) SymPy ----------------------------------------------------------------------------------------------------------


class SymbolicPotential(Potential):
    """A SymPy expression or its text, differentiated and compiled."""

    _moment: Any = None

    def __init__(self, given: Any, bodies: int, field: str) -> None:
        self.bodies = bodies
        matrices = attitude_symbols(bodies)
        every = [x for R in matrices for x in R]
        with limited(field, given):
            self.expression = known_symbols(field, given, every)
            shared, moments, used = statements(field, [M for R in matrices for M in moment_of(self.expression, R)])
            lines = ["def write(S, y):"]
            lines += [f"    {x} = get(y, {k}, S)" for k, x in enumerate(every) if x in used]
            lines += [f"    {line}" for line in shared]
            lines += [f"    put(y, {moments_at(bodies) + k}, S, {text})" for k, text in enumerate(moments)]
            self.write = made("write", lines, {})
            self._energy = formula_kernel(field, [self.expression], every)
        check_value(field, given, self.energy, bodies)

    def energy(self, *R: Array) -> Array:
        values = [x for A in R for x in entries(A)]
        return on_arrays(self._energy, values)[0] + np.zeros(R[0].shape[:-2])

    def moment(self, R: Array) -> Array:
        """The moment of one body at attitudes (..., 3, 3)."""
        if self._moment is None:
            (symbols,) = attitude_symbols(self.bodies)
            self._moment = formula_kernel("potential", moment_of(self.expression, symbols), list(symbols))
        return np.stack(np.broadcast_arrays(*on_arrays(self._moment, entries(R))), axis=-1)

    def describe(self) -> str:
        return text_of(self.expression)
