"""A general term linear in the rate, `ω·A(R)` in the Lagrangian (6.4–6.5 of [LLM17]).

    Π = J ω + A(R),   Π̇ = Π × ω + B ω + M − D ω,   B = (∂A/∂ξ)ᵀ:  (Bv)·η = d/dε v·A(R exp(εS(η))).

The discrete Lagrangian is `½ Ā·v` with `v = vee(F − Fᵀ)` and `Ā = ½ (A_k + A_{k+1})`, the trapezoidal rule on the chord.
With D in the place of the damping and Ā in that of the rotor, F is found as ever; A_{k+1} depends on it, so the two are
iterated to convergence. Then

    h Π_k = vee(F Jd − Jd Fᵀ) + (h/2)(tr F − Fᵀ) Ā + (h/4)(D − B_k) v,   Π_{k+1} = Fᵀ(Π_k + ¼(B_k − D) v) + ¼(B_{k+1} − D) v.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInputError
from ...geometry.stable_products import compose, turned_back
from ...geometry.vectors import Matrix, Vector, add, apply, apply_symmetric, cross, scale, subtract
from ...scalars import Flow, Rate, kernel, par6
from ...scalars.protocol import NO_SOLUTION, SUCCESS
from ..inputs.limits import limited
from ..inputs.named_parameters import NONE, NamedParameters
from ..inputs.sympy_kernels import formula_kernel, known_symbols, moment_of, on_arrays, symbols, text_of
from ..inputs.user_flow import UserFlow, UserRate
from ..inputs.user_functions import remembered
from .base import INVERSE_INERTIA, attitude_and_momentum, put_attitude_and_momentum, put_rates
from .end_dependence import solve_with_end
from .forced import NO_CHARGE, NO_FIELD, linear_increment, rotor_and_damping

Array = NDArray[np.float64]


class LinearTerm:
    """A(R), given by three SymPy expressions in `symbols()` or their texts, and the flows that it makes."""

    def __init__(self, given: Any, field: str = "linear", parameters: NamedParameters = NONE) -> None:
        import sympy

        if isinstance(given, str) or not isinstance(given, (Iterable, sympy.MatrixBase, sympy.MatrixExpr)):
            raise InvalidInputError(field, given, "three expressions in the entries of R, or their texts")
        parts = list(sympy.Matrix(given)) if isinstance(given, sympy.MatrixExpr) else list(given)
        if len(parts) != 3:
            raise InvalidInputError(field, given, f"three expressions in the entries of R, not {len(parts)}")
        R, self.parameters = symbols(), parameters
        every = [*R, *parameters.symbols]
        with limited(field, given):
            self.expressions = [known_symbols(f"{field}[{i}]", e, list(R), parameters) for i, e in enumerate(parts)]
            self.vector = formula_kernel(field, self.expressions, every)
            # column j of B is the gradient of A_j, the opposite of the moment of a potential A_j
            gradients = [[-m for m in moment_of(A, R)] for A in self.expressions]
            self.slopes = formula_kernel(field, [gradients[j][i] for i in range(3) for j in range(3)], every)
        self.momentum = parameters.bind(self.vector)
        self.drift, self.rhs = _flows(self.momentum, parameters.bind(self.slopes))

    def at(self, R: Array) -> Array:
        """A at attitudes (..., 3, 3)."""
        entries = np.moveaxis(R.reshape(*R.shape[:-2], 9), -1, 0)
        return np.stack(on_arrays(self.vector, [*entries, *self.parameters.values]), axis=-1)

    def slopes_at(self, R: Array) -> Array:
        """B at attitudes (..., 3, 3)."""
        entries = np.moveaxis(R.reshape(*R.shape[:-2], 9), -1, 0)
        return np.stack(on_arrays(self.slopes, [*entries, *self.parameters.values]), axis=-1).reshape(R.shape)

    def describe(self) -> list[str]:
        """The three expressions as text."""
        return [text_of(e) for e in self.expressions]


@remembered
def _flows(vector: Any, slopes: Any) -> tuple[Flow, Rate]:
    """The drift and the continuous motion, from the kernels `(S, p, R)` of A and of B."""

    @kernel
    def increment(S: Any, p: Any, h: Any, Pi: Vector, mean: Vector, given: Any, report: Any) -> tuple[Vector, Any]:
        _, loss = given
        return linear_increment(S, p, subtract(Pi, mean), h, mean, NO_CHARGE, NO_FIELD, loss, report)

    @kernel
    def mean_term(S: Any, p: Any, R: Matrix, Q: Matrix, Pi: Vector, given: Any) -> Vector:
        here, _ = given
        return scale(0.5, add(here, vector(S, p, Q)))

    def drift(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        R, Pi = attitude_and_momentum(S, y)
        _, D = rotor_and_damping(p, S)
        here, slope = vector(S, p, R), slopes(S, p, R)
        loss = subtract(D[0:3], slope[0:3]) + subtract(D[3:6], slope[3:6]) + subtract(D[6:9], slope[6:9])  # D − B
        turn, _, failed = solve_with_end(S, p, h, R, Pi, here, (here, loss), report, increment, mean_term)
        if failed:
            return NO_SOLUTION
        v, Q = scale(0.5, turn[0:3]), compose(R, turn)
        after = subtract(apply(slopes(S, p, Q), v), apply(D, v))
        put_attitude_and_momentum(S, y, Q, add(turned_back(turn, subtract(Pi, apply(loss, v))), after))
        return SUCCESS

    def rhs(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
        R, Pi = attitude_and_momentum(S, y)
        _, D = rotor_and_damping(p, S)
        omega = apply_symmetric(par6(p, INVERSE_INERTIA, S), subtract(Pi, vector(S, p, R)))
        change = add(cross(Pi, omega), subtract(apply(slopes(S, p, R), omega), apply(D, omega)))
        put_rates(S, dy, R, omega, change)
        return SUCCESS

    return UserFlow(drift), UserRate(rhs)
