"""Potentials U(θ) and torques τ(t, θ, ω) on the circle that a user gives.

A potential is one of
    a formula            in theta, as text or a SymPy expression: "1 - cos(theta) + 0.3*sin(2*theta)"
    a kernel             `U(theta)`; one that neither compares nor chooses writes down its own formula
    a Python function    `U(theta)`, which then must have a formula too, or is slow

θ is taken from −π to π; a potential that is not periodic has a jump at π. A torque is a number or a kernel of the time, or
of the time, the angle and the rate.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from ...core.checks import check_finite
from ...errors import InvalidInputError
from ...scalars import double, kernel
from ...scalars.compile import Kernel
from ...scalars.fingerprint import plain
from .attitude_function import warn_of_slowness
from .limits import limited
from .numerical_derivatives import kernel_derivatives, python_derivatives
from .parser import is_formula
from .sympy_kernels import formula_kernel, known_symbols, on_arrays, text_of
from .tracing import trace
from .transient_flow import reason

Array = NDArray[np.float64]
POTENTIAL = 'a formula in theta such as "1 - cos(theta)", a kernel U(theta), or a Python function U(theta)'
TORQUE = "a number, or a function of (t) or of (t, theta, omega) that Numba can compile"


class AnglePotential:
    """U(θ): `slope` is the kernel dU/dθ, on any scalar."""

    expression: Any = None
    value: Callable[..., Any]
    slope: Any

    def __init__(self, given: Any, field: str = "potential") -> None:
        import sympy

        theta = sympy.Symbol("theta", real=True)
        if is_formula(given):
            self.expression = known_symbols(field, given, [theta])
        elif callable(given):
            found = trace(_of_group(plain(given)), [theta], count=1)
            self.expression = found[0] if found else None
        else:
            raise InvalidInputError(field, given, POTENTIAL)
        if self.expression is not None:
            with limited(field, given):
                value = formula_kernel(field, [self.expression], [theta])
                derived = formula_kernel(field, [sympy.diff(self.expression, theta)], [theta])
            self.value = lambda angle: on_arrays(value, [angle])[0]

            @kernel
            def slope(angle: Any) -> Any:
                return derived((angle,))[0]

            self.slope = slope
        else:
            self._from_function(given)
        self.name = getattr(given, "__name__", "a Python function")
        self._check(field, given)
        if self.expression is None and not isinstance(given, (Kernel, Dispatcher)):
            warn_of_slowness(field)

    def _from_function(self, given: Any) -> None:
        """As a function of an attitude and a vector whose first component is the angle."""
        if isinstance(given, (Kernel, Dispatcher)):
            user = kernel(plain(given))
            value, first, _ = kernel_derivatives(lambda R, v: user(v[0]))
        else:
            value, first, _ = python_derivatives(lambda R, v: given(float(v[0])))

        @kernel
        def slope(angle: Any) -> Any:
            zero = 0.0 * angle
            one = 1.0 + zero
            return first((one, zero, zero, zero, one, zero, zero, zero, one, angle, zero, zero))[0]

        self.slope = slope
        self.value = lambda angle: value((*np.eye(3).reshape(9), angle, 0.0, 0.0))

    def _check(self, field: str, given: Any) -> None:
        try:
            value = np.asarray(self(np.array(0.3)), dtype=float)
        except Exception as error:
            raise InvalidInputError(field, given, f"{POTENTIAL} ({type(error).__name__}: {error})") from error
        if value.shape != () or not np.isfinite(value):
            raise InvalidInputError(field, given, f"a function with one finite number as its value, not {value}")

    def __call__(self, theta: Array) -> Array:
        """U at angles."""
        return np.asarray(self.value(theta), dtype=np.float64) + np.zeros(np.shape(theta))

    def describe(self) -> str:
        """The formula, or the name of the function."""
        return text_of(self.expression) if self.expression is not None else self.name


def _of_group(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one number as one of a tuple, as `trace` calls it."""

    def of_group(group: Any) -> Any:
        return function(group[0])

    return of_group


class Torque:
    """A torque: `law` is the kernel `(t, theta, omega)`."""

    law: Any

    def __init__(self, given: Any, field: str = "torque") -> None:
        self.given = given
        if callable(given):
            self.law = _law(given, field)
            return
        number = float(check_finite(field, given, ()))

        @kernel
        def constant(t: Any, theta: Any, omega: Any) -> Any:
            return number + 0.0 * omega

        self.law = constant

    def compile(self, kind: types.Type = double, time: types.Type = double) -> None:
        """Compile it for this scalar: where that fails, Numba says why."""
        self.law.dispatcher.compile((time, kind, kind))

    def describe(self) -> str | float:
        """The number, or the name of the function."""
        return getattr(self.given, "__name__", "a function") if callable(self.given) else float(self.given)


def _law(given: Any, field: str) -> Any:
    """The kernel of a function of the time, or of the time, the angle and the rate."""
    function = plain(given)
    try:
        alone = len(inspect.signature(function).parameters) == 1
    except (TypeError, ValueError):
        alone = False
    user: Any = kernel(function)
    arguments = (double,) if alone else (double, double, double)
    try:
        user.dispatcher.compile(arguments)
    except (NumbaError, AttributeError, TypeError) as error:
        raise InvalidInputError(field, given, f"{TORQUE}; Numba: {reason(error)}") from error
    result = user.dispatcher.overloads[arguments].signature.return_type
    if not isinstance(result, types.Number):
        raise InvalidInputError(field, given, f"{TORQUE}; it returns {result}")
    # of the scalar's type, also where the function gives a plain number
    if alone:
        return kernel(lambda t, theta, omega: user(t) + 0.0 * omega)
    return kernel(lambda t, theta, omega: user(t, theta, omega) + 0.0 * omega)
