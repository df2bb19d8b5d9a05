"""Functions of an attitude and a vector, `f(R, v)`, that a user gives: a Lagrangian L(R, ω) or a Hamiltonian H(R, Π).

A function is one of
    a SymPy expression     in the entries of `symbols()` and omega1, omega2, omega3 or Pi1, Pi2, Pi3, or its text
    a kernel               `f(R, v)` of a tuple of nine entries, row by row, and one of three
    a Python function      `f(R, v)` of a 3×3 array and one of three numbers

Kernels and Python functions that neither compare nor choose write down their own formula (`tracing`). Formulas are differentiated
symbolically and compiled for doubles, lanes and duals. The derivatives of any other kernel come from dual numbers, those
of any other Python function from differences (`numerical_derivatives`).

With `∂ξ` the derivative along the group, `d/dε f(R exp(εS(e_j)), v)`, the kernels are

    first(x)    ∂f/∂v (3), ∂ξ f (3)
    second(x)   ∂²f/∂v² as a symmetric matrix (6), ∂ξ ∂f/∂v (9), row i that of component i

of the numbers x, those of R, of named parameters if there are any, and of v.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

from ...errors import InvalidInputError
from ...geometry import so3
from ...scalars.compile import Kernel
from .limits import limited
from .named_parameters import NONE, NamedParameters
from .numerical_derivatives import kernel_derivatives, python_derivatives
from .parser import is_formula
from .sympy_kernels import formula_kernel, known_symbols, moment_of, on_arrays, symbols, text_of
from .tracing import trace
from .user_functions import UserFunction, taken_parameters, with_arguments

Array = NDArray[np.float64]
SYMMETRIC = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))  # the order of six entries
TRIAL = so3.exp([0.1, -0.2, 0.3]), np.array([0.3, -0.2, 0.1])


class AttitudeFunction:
    """What a user gave as the argument `field`, with its derivatives; `vector` is the name of v."""

    expression: Any = None

    def __init__(self, given: Any, vector: str, field: str, parameters: NamedParameters = NONE) -> None:
        self.vector, self.field, self.parameters = vector, field, parameters
        _, taken = taken_parameters(field, given, parameters, (2,)) if callable(given) else (0, [])
        expression = self._expression(given, taken)
        if expression is not None:
            self.expression = expression
            self._derive(given)
        elif taken:
            problem = f"a function that takes named parameters ({', '.join(taken)}) and neither compares nor chooses"
            raise InvalidInputError(field, given, problem)
        elif isinstance(given, (Kernel, Dispatcher)):
            self.value, self.first, self.second = kernel_derivatives(UserFunction(given).kernel, field, given)
        else:
            self.value, self.first, self.second = python_derivatives(given)
        self.name = "" if self.expression is not None else getattr(given, "__name__", "a Python function")
        self._check(given)
        if self.expression is None and not isinstance(given, (Kernel, Dispatcher)):
            warn_of_slowness(field, 5)

    @property
    def _allowed(self) -> str:
        v = self.vector
        return (
            f"a formula in R11 … R33 and {v}1, {v}2, {v}3, a kernel of nine and three numbers, or a Python function of a "
            "3×3 array and three numbers"
        )

    @property
    def _symbols(self) -> tuple[Any, list[Any]]:
        import sympy

        return symbols(), [sympy.Symbol(f"{self.vector}{i}", real=True) for i in (1, 2, 3)]

    def _expression(self, given: Any, taken: list[str]) -> Any:
        """The formula that was given, or that a function wrote down; None where there is none."""
        R, v = self._symbols
        if is_formula(given):
            return known_symbols(self.field, given, [*R, *v], self.parameters)
        if not callable(given):
            raise InvalidInputError(self.field, given, self._allowed)
        function = given if isinstance(given, (Kernel, Dispatcher)) else on_tuples(given, taken)
        found = trace(function, list(R), v, count=1, field=self.field, parameters=self.parameters)
        return found[0] if found else None

    def _derive(self, given: Any) -> None:
        import sympy

        (R, v), f = self._symbols, self.expression
        every = [*R, *self.parameters.symbols, *v]
        with limited(self.field, given):
            slopes = [sympy.diff(f, x) for x in v]
            self.first = formula_kernel(self.field, slopes + [-m for m in moment_of(f, R)], every)
            bent = [sympy.diff(slopes[i], v[j]) for i, j in SYMMETRIC]
            mixed = [-m for slope in slopes for m in moment_of(slope, R)]
            self.second = formula_kernel(self.field, bent + mixed, every)
        formula = formula_kernel(self.field, [f], every)
        self.value = lambda x: on_arrays(formula, x)[0]

    def _check(self, given: Any) -> None:
        try:
            value = np.asarray(self(*TRIAL))
        except InvalidInputError:
            raise
        except Exception as error:
            raise InvalidInputError(self.field, given, f"{self._allowed} ({type(error).__name__}: {error})") from error
        if value.shape != () or not np.isfinite(value):
            raise InvalidInputError(self.field, given, f"a function with one finite number as its value, not {value}")

    def __call__(self, R: Array, v: Array) -> Array:
        """f at attitudes (..., 3, 3) and vectors (..., 3)."""
        x = numbers(R, v)
        return self.value(x[:9] + self.parameters.values + x[9:]) + np.zeros(np.shape(v)[:-1])

    def describe(self) -> str:
        """The formula, which can be read again, or the name of the function."""
        return text_of(self.expression) if self.expression is not None else self.name


def warn_of_slowness(field: str, level: int = 4) -> None:
    """Say that a Python function has no formula, to who gave it."""
    warnings.warn(
        f"{field}: this Python function has no formula, and is called some thousand times per step; mark it "
        "@polhode.scalars.kernel, or write it without comparisons",
        stacklevel=level,
    )


def on_tuples(function: Callable[..., Any], taken: list[str]) -> Callable[..., Any]:
    """A function of arrays, and of the parameters that it takes, as one of tuples, whose entries may be anything that has
    arithmetic."""

    def of_tuples(R: Any, v: Any, **values: Any) -> Any:
        return function(np.array(R, dtype=object).reshape(3, 3), np.array(v, dtype=object), **values)

    return with_arguments(of_tuples, "R", "v", *taken)


def numbers(R: Array, v: Array) -> tuple[Array, ...]:
    """The twelve numbers of R (..., 3, 3) and v (..., 3), as kernels take them."""
    lead = np.broadcast_shapes(R.shape[:-2], v.shape[:-1])
    nine = np.broadcast_to(R, (*lead, 3, 3)).reshape(*lead, 9)
    return tuple(np.moveaxis(np.concatenate([nine, np.broadcast_to(v, (*lead, 3))], axis=-1), -1, 0))
