"""Fields over space that act on the points of a body: a scalar V(x), and a vector A(x) with its curl.

A field is given as a formula (SymPy, or text, in x, y, z), or as a function of three numbers: for A one that has a
formula, for V a kernel, or a Python function of an array. Formulas are differentiated and compiled, and so is what a function
writes down (`tracing`). A kernel V that has no single formula, and a Python function, are taken as the potential
`U(R) = Σ w V(Rρ)` of the attitude, whose moment is found numerically (`attitude_potential`). Each may use named parameters
(`named_parameters`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

from ...core.parameters import ParameterLayout
from ...errors import InvalidInputError
from ...geometry.vectors import Matrix, Vector, add, apply, apply_transposed, cross, scale
from ...scalars import kernel, par, par3
from ...scalars.compile import Kernel
from .attitude_potential import CompiledPotential, Potential, PythonPotential
from .limits import limited
from .named_parameters import NONE, NamedParameters
from .parser import is_formula
from .sympy_kernels import formula_kernel, has_corners, kernel_from_text, known_symbols, on_arrays, text_of
from .tracing import trace
from .user_functions import UserFunction, taken_parameters, with_arguments, with_values

Array = NDArray[np.float64]
ALLOWED_SCALAR = "a formula in x, y, z, a kernel V(x) of three numbers, or a Python function of an array of three"
ALLOWED_VECTOR = "three formulas in x, y, z, or a function A(x) of three numbers that gives three"


def place_symbols() -> Any:
    """x, y, z."""
    import sympy

    return sympy.symbols("x y z", real=True)


POINT = ParameterLayout(weight=1, place=3)  # of each point: a mass or a charge, and ρ
WEIGHT, PLACE = POINT.offsets("weight", "place")
POINT_SIZE = POINT.size


@kernel
def weighted_point(S: Any, p: Any, at: Any, i: Any) -> tuple[Any, Vector]:
    """w and ρ of point i of the list that p holds from `at` on."""
    k = at + POINT_SIZE * i
    return par(p, k + WEIGHT, S), par3(p, k + PLACE, S)


@kernel
def points_moment(S: Any, R: Matrix, p: Any, at: Any, count: Any, field: Any) -> Vector:
    """`Σ w ρ × Rᵀ field(S, p, Rρ)` over the `count` points that p holds from `at` on."""
    zero = 0.0 * R[0]
    M = (zero, zero, zero)
    for i in range(count):
        w, rho = weighted_point(S, p, at, i)
        M = add(M, scale(w, cross(rho, apply_transposed(R, field(S, p, apply(R, rho))))))
    return M


class ScalarField:
    """V(x). `pull` is the kernel `(S, p, x)` of −∇V, or None where there is no formula; then `potential` gives the moment."""

    def __init__(
        self, given: Any, field: str, weights: Array, positions: Array, parameters: NamedParameters = NONE
    ) -> None:
        import sympy

        xyz = place_symbols()
        self.given, self.pull, self.potential, self.parameters = given, None, None, parameters
        self._compiled: Any = None
        expression = None
        if is_formula(given):
            expression = known_symbols(field, given, xyz, parameters)
        elif isinstance(given, (Kernel, Dispatcher)):
            found = trace(given, xyz, count=1, field=field, parameters=parameters)
            if found:
                (expression,) = found
            else:
                user, (_, taken) = UserFunction(given), taken_parameters(field, given, parameters, (1,))
                self._compiled = with_values(user, "x_", "x_", taken, parameters)
                self.potential = compiled_energy(given, field, weights, positions, parameters)
        elif callable(given):
            self.potential = python_energy(given, field, weights, positions, parameters)
        else:
            raise InvalidInputError(field, given, ALLOWED_SCALAR)
        self.expression = expression
        if expression is not None:
            every = [*xyz, *parameters.symbols]
            with limited(field, given):
                self._slope = formula_kernel(field, [-sympy.diff(expression, x) for x in xyz], every)
                self.pull = parameters.bind(self._slope)
                self._V = formula_kernel(field, [expression], every)

    potential: Potential | None

    def at(self, x: Array) -> Array:
        """V at points (..., 3)."""
        shape = x.shape[:-1]
        if self.expression is not None:
            return on_arrays(self._V, [*np.moveaxis(x, -1, 0), *self.parameters.values])[0] + np.zeros(shape)
        if self._compiled is not None:
            return self._compiled((x[..., 0], x[..., 1], x[..., 2]), self.parameters.values) + np.zeros(shape)
        _, taken = taken_parameters("potential", self.given, self.parameters, (1,))
        values = {name: self.parameters.value(name) for name in taken}
        return np.array([float(self.given(place, **values)) for place in x.reshape(-1, 3)]).reshape(shape)

    def symmetric(self, axes: Array, radii: Array) -> NDArray[np.bool_]:
        """About which of `axes` (k, 3) V is known to be symmetric: `n·(x × ∇V) = 0` to rounding at points of these distances,
        drawn once and for all. Of functions that are not formulas, or have corners or pieces, nothing is known."""
        if self.expression is None or has_corners(self.expression):
            return np.zeros(len(axes), dtype=bool)
        x = np.random.default_rng(1).normal(size=(8, len(radii), 3))
        x *= radii[:, None] / np.linalg.norm(x, axis=-1, keepdims=True)
        pull = self._slope((x[..., 0], x[..., 1], x[..., 2], *self.parameters.values))
        pull = np.stack(np.broadcast_arrays(*pull), axis=-1)
        size = np.linalg.norm(x, axis=-1) * np.linalg.norm(pull, axis=-1)
        return np.all(np.abs(np.cross(x, pull) @ axes.T) <= 1e-12 * size[..., None], axis=(0, 1))

    def describe(self) -> str:
        """The formula, or the function's name."""
        return (
            text_of(self.expression) if self.expression is not None else getattr(self.given, "__name__", "a function")
        )


def compiled_energy(given: Any, field: str, weights: Array, positions: Array, parameters: NamedParameters) -> Potential:
    """`U(R) = Σ w V(Rρ)` of a kernel V."""
    points = tuple((float(w), (float(a), float(b), float(c))) for w, (a, b, c) in zip(weights, positions, strict=True))
    _, taken = taken_parameters(field, given, parameters, (1,))
    lines = [f"def energy({', '.join(['R_', *taken])}):", "    total_ = 0.0 * R_[0]", "    for point_ in points_:"]
    passed = "".join(f", {name}" for name in taken)
    lines += [f"        total_ = total_ + point_[0] * V_(apply_(R_, point_[1]){passed})", "    return total_"]
    names = {"points_": points, "V_": UserFunction(given).kernel, "apply_": apply}
    return CompiledPotential(kernel_from_text("energy", lines, names), 1, field, parameters)


def python_energy(given: Any, field: str, weights: Array, positions: Array, parameters: NamedParameters) -> Potential:
    """`U(R) = Σ w V(Rρ)` of a Python function V."""
    _, taken = taken_parameters(field, given, parameters, (1,))

    def energy(R: Array, **values: Any) -> float:
        return float(sum(w * given(R @ rho, **values) for w, rho in zip(weights, positions, strict=True)))

    energy.__name__ = getattr(given, "__name__", "a Python function")
    try:
        return PythonPotential(with_arguments(energy, "R", *taken), 1, field, parameters)
    except InvalidInputError as error:
        if error.__cause__ is None:
            raise
        why = f"{type(error.__cause__).__name__}: {error.__cause__}"
        raise InvalidInputError(field, given, f"{ALLOWED_SCALAR} ({why})") from error.__cause__


class VectorField:
    """A(x): the kernels `vector`, `slopes` (∂Aᵢ/∂xⱼ, row by row) and `curl`, of `(S, p, x)`."""

    def __init__(self, given: Any, field: str, parameters: NamedParameters = NONE) -> None:
        import sympy

        self.parameters = parameters
        xyz = place_symbols()
        if callable(given) and not is_formula(given):
            parts = trace(given, xyz, field=field, parameters=parameters)
            if parts is None:
                raise InvalidInputError(
                    field,
                    given,
                    f"{ALLOWED_VECTOR}, written with arithmetic and without comparisons: it has to be differentiated",
                )
        elif isinstance(given, str) or not isinstance(given, (Sequence, sympy.MatrixBase)):
            raise InvalidInputError(field, given, ALLOWED_VECTOR)
        else:
            parts = list(given)
        if len(parts) != 3:
            raise InvalidInputError(field, given, f"{ALLOWED_VECTOR}, not {len(parts)}")
        with limited(field, given):
            self.expressions = [known_symbols(f"{field}[{i}]", e, xyz, parameters) for i, e in enumerate(parts)]
            every = [*xyz, *parameters.symbols]
            D = [[sympy.diff(A, x) for x in xyz] for A in self.expressions]
            self._A = formula_kernel(field, self.expressions, every)
            slopes = formula_kernel(field, [D[i][j] for i in range(3) for j in range(3)], every)
            curl = formula_kernel(field, [D[2][1] - D[1][2], D[0][2] - D[2][0], D[1][0] - D[0][1]], every)
        self.vector, self.slopes, self.curl = map(parameters.bind, (self._A, slopes, curl))

    def at(self, x: Array) -> Array:
        """A at points (..., 3)."""
        return np.stack(on_arrays(self._A, [*np.moveaxis(x, -1, 0), *self.parameters.values]), axis=-1)

    def describe(self) -> list[str]:
        """The three formulas as text."""
        return [text_of(e) for e in self.expressions]
