"""Potentials U(θ) and torques τ(t, θ, ω) on the circle that a user gives.

A potential is one of
    a formula            in theta, as text or a SymPy expression: "1 - cos(theta) + 0.3*sin(2*theta)"
    a kernel             `U(theta)`; one that neither compares nor chooses writes down its own formula
    a Python function    `U(theta)`, which then must have a formula too, or is slow

θ is taken from −π to π; a potential that is not periodic has a jump at π. A torque is a number, a formula in t, theta and
omega, or a kernel of the time, or of the time, the angle and the rate. Each may use named parameters (`named_parameters`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from ...core.checks import check_finite
from ...errors import InvalidInputError
from ...geometry.vectors import Matrix, Vector
from ...scalars import double, kernel
from ...scalars.compile import Kernel
from ...scalars.fingerprint import plain
from .attitude_function import warn_of_slowness
from .limits import limited
from .named_parameters import NONE, NamedParameters
from .numerical_derivatives import kernel_derivatives, python_derivatives
from .parser import is_formula
from .sympy_kernels import formula_kernel, known_symbols, on_arrays, text_of
from .tracing import trace
from .user_flow import reason
from .user_functions import (
    UserFunction,
    is_real,
    remembered,
    said,
    taken_parameters,
    with_arguments,
    with_values,
)

Array = NDArray[np.float64]
POTENTIAL = 'a formula in theta such as "1 - cos(theta)", a kernel U(theta), or a Python function U(theta)'
TORQUE = (
    "a number, a formula in t, theta and omega, or a function of (t) or of (t, theta, omega) that Numba can compile"
)


class AnglePotential:
    """U(θ): `slope` is the kernel `(S, p, theta)` of dU/dθ, which reads named parameters from p."""

    expression: Any = None
    value: Callable[..., Any]
    slope_at: Callable[..., Any]
    slope: Any

    def __init__(self, given: Any, field: str = "potential", parameters: NamedParameters = NONE) -> None:
        import sympy

        theta = sympy.Symbol("theta", real=True)
        taken: list[str] = []
        if is_formula(given):
            self.expression = known_symbols(field, given, [theta], parameters)
        elif callable(given):
            _, taken = taken_parameters(field, given, parameters, (1,))
            found = trace(_of_group(given, taken), [theta], count=1, field=field, parameters=parameters)
            self.expression = found[0] if found else None
        else:
            raise InvalidInputError(field, given, POTENTIAL)
        if self.expression is not None:
            every = [theta, *parameters.symbols]
            with limited(field, given):
                value = formula_kernel(field, [self.expression], every)
                derived = formula_kernel(field, [sympy.diff(self.expression, theta)], every)
            self.slope = _slope_of(parameters.bind(derived))
            self.value = lambda angle: on_arrays(value, [angle, *parameters.values])[0]
            self.slope_at = lambda angle: on_arrays(derived, [angle, *parameters.values])[0]
        elif taken:
            problem = f"a function that takes named parameters ({', '.join(taken)}) and neither compares nor chooses"
            raise InvalidInputError(field, given, problem)
        else:
            self._from_function(field, given)
        self.name = getattr(given, "__name__", "a Python function")
        self._check(field, given)
        if self.expression is None and not isinstance(given, (Kernel, Dispatcher)):
            warn_of_slowness(field)

    def _from_function(self, field: str, given: Any) -> None:
        """As a function of an attitude and a vector whose first component is the angle."""
        if isinstance(given, (Kernel, Dispatcher)):
            value, first, _ = kernel_derivatives(_of_first(UserFunction(given).kernel), field, given)
        else:
            value, first, _ = python_derivatives(lambda R, v: given(float(v[0])))

        self.slope, self.slope_at = _slopes_of(first)
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


@remembered
def _of_first(user: Any) -> Any:
    """A kernel of one number as one of an attitude and a vector, whose first component it is."""

    @kernel
    def of_first(R: Matrix, v: Vector) -> Any:
        return user(v[0])

    return of_first


@remembered
def _slopes_of(first: Any) -> tuple[Any, Any]:
    """The kernels `(S, p, theta)` and `(theta)` of the slope, from the derivatives by an attitude and a vector."""

    @kernel
    def slope_at(angle: Any) -> Any:
        zero = 0.0 * angle
        one = 1.0 + zero
        return first((one, zero, zero, zero, one, zero, zero, zero, one, angle, zero, zero))[0]

    @kernel
    def slope(S: Any, p: Any, angle: Any) -> Any:
        return slope_at(angle)

    return slope, slope_at


@remembered
def _slope_of(derived: Any) -> Any:
    """The kernel `(S, p, theta)` of a kernel of parameters and a tuple."""

    @kernel
    def slope(S: Any, p: Any, angle: Any) -> Any:
        return derived(S, p, (angle,))[0]

    return slope


def _of_group(given: Any, taken: list[str]) -> Callable[..., Any]:
    """A function of one number and of the parameters that it takes as one of a tuple and these, as `trace` calls it."""
    function = plain(given)
    return with_arguments(lambda group, **values: function(group[0], **values), "group", *taken)


class Torque:
    """A torque: a `number`, or `law`, the kernel `(t, theta, omega, values)`, the last those of the named parameters. Two are
    equal that differ in numbers only."""

    law: Any = None
    number: float | None = None

    def __init__(self, given: Any, field: str = "torque", parameters: NamedParameters = NONE) -> None:
        self.given, self.parameters, self.text = given, parameters, ""
        if is_formula(given):
            self.law, self.text = _formula_law(given, field, parameters)
        elif callable(given):
            self.law = _law(given, field, parameters)
        else:
            self.given = self.number = float(check_finite(field, given, ()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Torque) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def _content(self) -> tuple[Any, ...]:
        return self.law, self.parameters.signature

    def compile(self, kind: types.Type = double, time: types.Type = double) -> None:
        """Compile it for this scalar: where that fails, Numba says why."""
        values = types.Tuple([each(kind) for each in self.parameters.types])
        self.law.dispatcher.compile((time, kind, kind, values))

    def at_rest(self, theta: Array) -> Array:
        """The torque at t = 0 on a body at rest, at angles."""
        if self.number is not None:
            return self.number + 0.0 * theta
        return np.asarray(self.law(0.0, theta, 0.0 * theta, self.parameters.values))

    def describe(self) -> str | float:
        """The number, the formula, or the name of the function."""
        return getattr(self.given, "__name__", "a function") if callable(self.given) else self.text or self.given


def _formula_law(given: Any, field: str, parameters: NamedParameters) -> tuple[Any, str]:
    """The kernel of a formula in t, theta and omega, and its text."""
    import sympy

    known = sympy.symbols("t theta omega", real=True)
    with limited(field, given):
        expression = known_symbols(field, given, known, parameters)
        formula = formula_kernel(field, [expression], [*known, *parameters.symbols])
    return _law_of_formula(formula), text_of(expression)


@remembered
def _law_of_formula(formula: Any) -> Any:
    @kernel
    def law(t: Any, theta: Any, omega: Any, values: Any) -> Any:
        return formula((t, theta, omega) + values)[0] + 0.0 * omega

    return law


def _law(given: Any, field: str, parameters: NamedParameters) -> Any:
    """The kernel of a function of the time, or of the time, the angle and the rate, and of named parameters."""
    count, taken = taken_parameters(field, given, parameters, (1, 3))
    user = with_values(
        UserFunction(given), "t, theta, omega", "t" if count == 1 else "t, theta, omega", taken, parameters
    )
    arguments = (double, double, double, types.Tuple([each(double) for each in parameters.types]))
    try:
        user.dispatcher.compile(arguments)
    except (NumbaError, AttributeError, TypeError) as error:
        raise InvalidInputError(field, given, f"{TORQUE}; Numba: {reason(error)}") from error
    result = user.dispatcher.overloads[arguments].signature.return_type
    if not is_real(result):
        raise InvalidInputError(field, given, f"{TORQUE}; it returns {said(result)}")
    return _of_one_type(user)


@remembered
def _of_one_type(user: Any) -> Any:
    """The kernel whose value is of the scalar's type, also where the user's function gives a plain number."""
    return kernel(lambda t, theta, omega, values: user(t, theta, omega, values) + 0.0 * omega)
