"""The momentum of a gyrostat's rotors as a given function of time, ρ(t)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from ...errors import InvalidInputError
from ...scalars import double, kernel
from ..inputs.limits import limited
from ..inputs.named_parameters import NamedParameters
from ..inputs.parser import is_formula
from ..inputs.sympy_kernels import formula_kernel, known_symbols, text_of
from ..inputs.user_flow import reason
from ..inputs.user_functions import UserFunction, is_real, remembered, said, taken_parameters, with_values

Array = NDArray[np.float64]


def is_of_time(rho: Any) -> bool:
    """Whether ρ was given as a function of time or as formulas, not as numbers."""
    texts = isinstance(rho, Sequence) and any(is_formula(x) for x in rho)
    return callable(rho) or texts


class GivenMomentum:
    """ρ(t): a function of time that returns three numbers, or three formulas in t.

    `kernel` is the kernel `(S, p, t)`. Two are equal that differ in numbers only.
    """

    def __init__(self, given: Any, parameters: NamedParameters) -> None:
        self.given, self.parameters = given, parameters
        self.texts: list[str] = []
        self._law = self._from_function(given) if callable(given) else self._from_formulas(given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GivenMomentum) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def _content(self) -> tuple[Any, ...]:
        return self._law, self.parameters.signature

    @cached_property
    def kernel(self) -> Any:
        """ρ at time t, with the values of named parameters among p."""
        return _from_parameters(self._law, self.parameters.read, self.parameters.at)

    def _from_formulas(self, given: Sequence[Any]) -> Any:
        import sympy

        t, parts = sympy.Symbol("t", real=True), list(given)
        if len(parts) != 3:
            raise InvalidInputError("rho", given, f"three numbers, or three formulas in t, not {len(parts)}")
        with limited("rho", parts):
            expressions = [known_symbols(f"rho[{i}]", e, [t], self.parameters) for i, e in enumerate(parts)]
            formula = formula_kernel("rho", expressions, [t, *self.parameters.symbols])
        self.texts = [text_of(e) for e in expressions]
        return _law_of_formulas(formula)

    def _from_function(self, function: Any) -> Any:
        user, parameters = UserFunction(function), self.parameters
        _, taken = taken_parameters("rho", function, parameters, (1,))
        law = with_values(user, "t_", "t_", taken, parameters)
        try:
            result: Any = self._compile(law, double, double)
        except (NumbaError, AttributeError, TypeError) as error:
            allowed = f"a function of time that Numba can compile ({reason(error)})"
            raise InvalidInputError("rho", function, allowed) from error
        kinds = getattr(result, "types", ())
        if len(kinds) != 3 or not all(is_real(kind) for kind in kinds):
            raise InvalidInputError(
                "rho", function, f"a function that returns a tuple of three numbers, not {said(result)}"
            )
        return law

    def compile(self, kind: types.Type = double, time: types.Type = double) -> None:
        """Compile it for this scalar: where that fails, Numba says why."""
        self._compile(self._law, kind, time)

    def _compile(self, law: Any, kind: types.Type, time: types.Type) -> types.Type:
        """Compile the law and return the type of its result."""
        arguments = (time, types.Tuple([each(kind) for each in self.parameters.types]))
        law.dispatcher.compile(arguments)
        return law.dispatcher.overloads[arguments].signature.return_type

    def at(self, t: Array) -> Array:
        """ρ (..., 3) at times t."""
        flat = [self._once(float(x)) for x in np.reshape(t, -1)]
        return np.array(flat, dtype=np.float64).reshape(*np.shape(t), 3)

    def _once(self, t: float) -> Any:
        try:
            return self._law(t, self.parameters.values)
        except (ValueError, ArithmeticError):  # where compiled code has NaN
            return (np.nan,) * 3

    def describe(self) -> str | list[str]:
        """The formulas, or the function's name."""
        return self.texts or getattr(self.given, "__name__", "a function")


@remembered
def _law_of_formulas(formula: Any) -> Any:
    @kernel
    def law(t: Any, values: Any) -> Any:
        return formula((t,) + values)

    return law


@remembered
def _from_parameters(law: Any, read: Any, at: int) -> Any:
    @kernel
    def rho(S: Any, p: Any, t: Any) -> Any:
        return law(t, read(S, p, at))

    return rho
