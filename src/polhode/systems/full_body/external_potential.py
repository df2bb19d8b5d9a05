"""A potential that a user gives, acting on each body by itself: U(x, R), and the force and moment that follow from it.

a SymPy expression     in x, y, z, the entries R11 … R33 of the attitude and the time t, or its text: differentiated, and
                       compiled for doubles, lanes and duals, as if written by hand;
a kernel               `U(x, R)` of three and nine numbers, written with `+ − * /` and the functions of
                       `polhode.scalars`. One that neither compares nor chooses writes down its own formula (`tracing`)
                       and is then such an expression. Force and moment of any other come from the same function on
                       dual numbers; tangent maps from differences of order 8 of these.

Either may use named parameters: formulas as symbols, kernels as further arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

from ...core.checks import check_integer, check_positive
from ...core.finite_differences import OFFSETS, WEIGHTS
from ...errors import InvalidInputError
from ...geometry import so3
from ...geometry.vectors import Matrix, Vector
from ...scalars import Dual, Lanes, ParameterDual, double, duals, get, kernel, partial, put3, put9, seeded, value, width
from ...scalars.compile import Kernel
from ...scalars.functions import overloads
from ..inputs.attitude_potential import entries, moved
from ..inputs.limits import limited
from ..inputs.named_parameters import NamedParameters
from ..inputs.parser import is_formula
from ..inputs.sympy_kernels import (
    formula_kernel,
    kernel_from_text,
    known_symbols,
    moment_of,
    on_arrays,
    symbols,
    text_of,
)
from ..inputs.tracing import trace
from ..inputs.user_flow import check_differentiable
from ..inputs.user_functions import UserFunction, remembered, taken_parameters, with_values

Array = NDArray[np.float64]
ALLOWED = (
    "a SymPy expression in x, y, z, R11 … R33 and t, its text such as '0.5*x**2 + 0.1*R33', or a function U(x, R) "
    "marked @polhode.scalars.kernel"
)
SIX = duals(6)
SPACING = 0.02  # of an angle, and of a distance in units of the length over which the potential varies


class ExternalPotential:
    """An energy U(x, R) of each body by itself. `bodies`: the numbers of those it acts on, from 0; all by default.
    `length`: the distance over which a kernel's U varies by as much as itself, for tangent maps. `parameters`: values of
    the names in U.

    >>> spring = ExternalPotential("0.5*(x**2 + y**2 + z**2) + 0.1*R33*z")
    >>> spring.autonomous
    True
    """

    kind = "potential"

    def __init__(
        self,
        potential: Any,
        bodies: Sequence[int] | None = None,
        length: float = 1.0,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        named = self.named = NamedParameters(parameters)
        self.bodies = None if bodies is None else _indices("bodies", bodies)
        self.length, self.autonomous, self._given = check_positive("length", length), True, potential
        if is_formula(potential):
            self._from_formula(potential)
        elif isinstance(potential, (Kernel, Dispatcher)):
            formula = trace(potential, _places(), list(symbols()), count=1, field="potential", parameters=named)
            if formula:
                self._from_formula(formula[0])
            else:
                self._from_kernel(potential)
        else:
            raise InvalidInputError("potential", potential, ALLOWED)
        named.check_used()
        try:
            trial = np.asarray(self.energy(0.1, np.array([0.3, 0.5, -0.4]), so3.exp([0.1, -0.2, 0.3])), dtype=float)
        except Exception as error:
            raise InvalidInputError("potential", potential, f"{ALLOWED} ({type(error).__name__}: {error})") from error
        if trial.shape != () or not np.isfinite(trial):
            raise InvalidInputError("potential", potential, f"one finite number as its value, not {trial}")

    def __reduce__(self) -> tuple[Any, ...]:
        return ExternalPotential, (self._given, self.bodies, self.length, self.named.describe().get("parameters"))

    def _from_formula(self, given: Any) -> None:
        import sympy

        xyz, R, t, named = _places(), symbols(), sympy.Symbol("t", real=True), self.named
        every = [*xyz, *R, t]
        with limited("potential", given):
            U = known_symbols("potential", given, every, named)
            self.autonomous, self.text = t not in U.free_symbols, text_of(U)
            derived = [U, *(sympy.diff(U, x) for x in xyz), *moment_of(U, R)]
            formula = formula_kernel("potential", derived, [*every, *named.symbols])
            plain = formula_kernel("potential", [U], [*every, *named.symbols])
        self.evaluate = evaluation_by_formula(formula, named.read)
        self._plain = lambda t, x, R: on_arrays(plain, (*x, *R, t, *named.values))[0]

    def _from_kernel(self, function: Any) -> None:
        user, named = UserFunction(function), self.named
        _, taken = taken_parameters("potential", function, named, (2,))
        formula, self.text = with_values(user, "x_, R_", "x_, R_", taken, named), user.function.__name__
        numbers = types.Tuple([each(double) for each in named.types])
        check_differentiable("potential", function, formula, types.UniTuple(SIX, 3), types.UniTuple(SIX, 9), numbers)
        values = kernel_from_text("values", ["def values(V):", f"    return {named.text('V[{}]')}"], {})
        self.evaluate = evaluation_by_duals(formula, values, named.size, self.length)
        self._plain = lambda t, x, R: formula(x, R, named.values)

    def acts_on(self, n: int) -> Array:
        """For each of n bodies whether it acts on it."""
        if self.bodies is None:
            return np.ones(n)
        if max(self.bodies) >= n:
            raise InvalidInputError("bodies", list(self.bodies), f"numbers of bodies, 0 to {n - 1}")
        return np.isin(np.arange(n), self.bodies).astype(float)

    def energy(self, t: Any, x: Array, R: Array) -> Array:
        """U of a body at places (..., 3) and attitudes (..., 3, 3)."""
        lead = x.shape[:-1]
        return np.asarray(self._plain(t, tuple(np.moveaxis(x, -1, 0)), entries(R)), dtype=float) + np.zeros(lead)

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data, with the type."""
        data: dict[str, Any] = {"type": self.kind, "potential": self.text} | self.named.describe()
        return data if self.bodies is None else data | {"bodies": list(self.bodies)}


@remembered
def evaluation_by_formula(formula: Any, read: Any) -> Any:
    """The kernel `(S, p, at, t, x, R)` of U, ∂U/∂x and the moment, from that of all seven numbers."""

    @kernel
    def evaluate(S: Any, p: Any, at: Any, t: float, x: Vector, R: Matrix) -> tuple[Any, Vector, Vector]:
        u = formula(x + R + (t + 0.0 * x[0],) + read(S, p, at))
        return u[0], (u[1], u[2], u[3]), (u[4], u[5], u[6])

    return evaluate


@remembered
def evaluation_by_duals(formula: Any, values: Any, named: int, length: float) -> Any:
    """The same from U on dual numbers; `values` makes a tuple of an array of the `named` parameters."""

    @kernel
    def gradient(x: Array, R: Array, V: Array, out: Array) -> None:
        place = seeded(SIX, x[0], 0), seeded(SIX, x[1], 1), seeded(SIX, x[2], 2)
        turn = seeded(SIX, 0.0, 3), seeded(SIX, 0.0, 4), seeded(SIX, 0.0, 5)
        u = formula(place, moved((R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), turn), values(V))
        out[0] = value(u)
        out[1], out[2], out[3] = partial(u, 0), partial(u, 1), partial(u, 2)
        out[4], out[5], out[6] = -partial(u, 3), -partial(u, 4), -partial(u, 5)

    @kernel
    def evaluate(S: Any, p: Any, at: Any, t: float, x: Vector, R: Matrix) -> tuple[Any, Vector, Vector]:
        u = differentiated(S, x, R, p, at, named, gradient, length)
        return u[0], (u[1], u[2], u[3]), (u[4], u[5], u[6])

    return evaluate


def _places() -> Any:
    """The symbols x, y, z."""
    import sympy

    return sympy.symbols("x y z", real=True)


def _indices(field: str, given: Any) -> tuple[int, ...]:
    if not isinstance(given, (list, tuple)) or not given:
        raise InvalidInputError(field, given, "a list of numbers of bodies, counted from 0")
    return tuple(check_integer(f"{field}[{k}]", i, 0) for k, i in enumerate(given))


def differentiated(S: Any, x: Any, R: Any, p: Any, at: Any, named: Any, gradient: Any, length: Any) -> Any:
    """The seven numbers that `gradient(x, R, V, out)` computes on plain doubles, for any scalar; V are the `named`
    parameters that begin at `at` in p."""
    raise TypeError("differentiated works in compiled code only")


@overloads(differentiated)
def _differentiated(S: Any, x: Any, R: Any, p: Any, at: Any, named: Any, gradient: Any, length: Any) -> Any:
    kind = S.instance_type
    W = width(kind)
    K = kind.partials if isinstance(kind, Dual) else 0
    members = kind.width if isinstance(kind, Lanes) else 1
    stride = 1 + kind.partials if isinstance(kind, ParameterDual) else members  # of entries of p

    def on_any(S: Any, x: Any, R: Any, p: Any, at: Any, named: Any, gradient: Any, length: Any) -> Any:
        given, result = np.empty(12 * W), np.zeros(7 * W)
        put3(given, 0, S, x)
        put9(given, 3, S, R)
        here, there, V, out = np.empty(12), np.empty(12), np.empty(named), np.empty(7)
        for member in range(members):
            for i in range(named):
                V[i] = p[(at + i) * stride + member]
            for i in range(12):
                here[i] = given[i * W + member]
            gradient(here[:3], here[3:], V, out)
            for i in range(7):
                result[i * W + member] = out[i]
        for direction in range(6 if K else 0):
            axis = direction % 3
            a, b = (axis + 1) % 3, (axis + 2) % 3
            unit = SPACING * length if direction < 3 else SPACING
            slope = np.zeros(7)
            for n in range(8):
                there[:] = here
                if direction < 3:
                    there[axis] += OFFSETS[n] * unit
                else:
                    c, s = np.cos(OFFSETS[n] * unit), np.sin(OFFSETS[n] * unit)
                    for row in range(3, 12, 3):
                        there[row + a] = c * here[row + a] + s * here[row + b]
                        there[row + b] = c * here[row + b] - s * here[row + a]
                gradient(there[:3], there[3:], V, out)
                for i in range(7):
                    slope[i] += WEIGHTS[n] / unit * out[i]
            for k in range(K):
                # the tangent's component along this direction: of x itself, or of vee(Rᵀ δR)
                xi = given[axis * W + 1 + k] if direction < 3 else 0.0
                if direction >= 3:
                    for row in range(3, 12, 3):
                        xi += 0.5 * here[row + b] * given[(row + a) * W + 1 + k]
                        xi -= 0.5 * here[row + a] * given[(row + b) * W + 1 + k]
                for i in range(7):
                    result[i * W + 1 + k] += slope[i] * xi
        for j in range(named if K and stride > 1 else 0):
            value_here = V[j]
            unit = SPACING * (abs(value_here) if value_here != 0.0 else 1.0)
            slope = np.zeros(7)
            for n in range(8):
                V[j] = value_here + OFFSETS[n] * unit
                gradient(here[:3], here[3:], V, out)
                for i in range(7):
                    slope[i] += WEIGHTS[n] / unit * out[i]
            V[j] = value_here
            for k in range(K):
                for i in range(7):
                    result[i * W + 1 + k] += slope[i] * p[(at + j) * stride + 1 + k]
        return (
            get(result, 0, S),
            get(result, 1, S),
            get(result, 2, S),
            get(result, 3, S),
            get(result, 4, S),
            get(result, 5, S),
            get(result, 6, S),
        )

    return on_any
