"""Fields over space that act on the points of a body: a scalar V(x), and a vector A(x) with its curl.

A field is given as a formula (SymPy, or text, in x, y, z), as a kernel of a tuple of three numbers, or, for V alone, as a
Python function of an array. Formulas are derived and compiled, and so is what a kernel writes down (`tracing`). A kernel
that has no single formula, and a Python function, are taken as the potential `U(R) = Σ w V(Rρ)` of the attitude, whose
moment is found numerically (`attitude_potential`).
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
from ...scalars.fingerprint import plain
from .attitude_potential import CompiledPotential, Potential, PythonPotential
from .limits import limited
from .sympy_kernels import formula_kernel, has_corners, known_symbols, on_arrays, text_of
from .tracing import trace

Array = NDArray[np.float64]
ALLOWED_SCALAR = "a formula in x, y, z, a kernel V(x) of three numbers, or a Python function of an array of three"
ALLOWED_VECTOR = "three formulas in x, y, z, or a kernel A(x) of three numbers that gives three"


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
    """`Σ w ρ × Rᵀ field(Rρ)` over the `count` points that p holds from `at` on."""
    zero = 0.0 * R[0]
    M = (zero, zero, zero)
    for i in range(count):
        w, rho = weighted_point(S, p, at, i)
        M = add(M, scale(w, cross(rho, apply_transposed(R, field(apply(R, rho))))))
    return M


class ScalarField:
    """V(x). `negative_gradient` is the kernel of −∇V, or None where there is no formula; then `potential` gives the moment."""

    def __init__(self, given: Any, field: str, weights: Array, positions: Array) -> None:
        import sympy

        xyz = place_symbols()
        self.given, self.negative_gradient, self.potential = given, None, None
        expression = None
        if isinstance(given, str) or hasattr(given, "free_symbols"):
            expression = known_symbols(field, given, xyz)
        elif isinstance(given, (Kernel, Dispatcher)):
            found = trace(given, xyz, count=1)
            if found:
                (expression,) = found
            else:
                self.given = kernel(plain(given))
                self.potential = compiled_energy(self.given, field, weights, positions)
        elif callable(given):
            self.potential = python_energy(given, field, weights, positions)
        else:
            raise InvalidInputError(field, given, ALLOWED_SCALAR)
        self.expression = expression
        if expression is not None:
            with limited(field, given):
                self.negative_gradient = formula_kernel(field, [-sympy.diff(expression, x) for x in xyz], xyz)
                self._V = formula_kernel(field, [expression], xyz)

    potential: Potential | None

    def at(self, x: Array) -> Array:
        """V at points (..., 3)."""
        shape = x.shape[:-1]
        if self.expression is not None:
            return on_arrays(self._V, np.moveaxis(x, -1, 0))[0] + np.zeros(shape)
        if isinstance(self.given, Kernel):
            return self.given((x[..., 0], x[..., 1], x[..., 2])) + np.zeros(shape)
        return np.array([float(self.given(place)) for place in x.reshape(-1, 3)]).reshape(shape)

    def symmetric(self, axes: Array, radii: Array) -> NDArray[np.bool_]:
        """About which of `axes` (k, 3) V is known to be symmetric: `n·(x × ∇V) = 0` to rounding at points of these distances,
        drawn once and for all. Of functions that are not formulas, or have corners or pieces, nothing is known."""
        if self.expression is None or self.negative_gradient is None or has_corners(self.expression):
            return np.zeros(len(axes), dtype=bool)
        x = np.random.default_rng(1).normal(size=(8, len(radii), 3))
        x *= radii[:, None] / np.linalg.norm(x, axis=-1, keepdims=True)
        negative_gradient = np.stack(
            np.broadcast_arrays(*self.negative_gradient((x[..., 0], x[..., 1], x[..., 2]))), axis=-1
        )
        size = np.linalg.norm(x, axis=-1) * np.linalg.norm(negative_gradient, axis=-1)
        return np.all(np.abs(np.cross(x, negative_gradient) @ axes.T) <= 1e-12 * size[..., None], axis=(0, 1))

    def describe(self) -> str:
        """The formula, or the function's name."""
        return (
            text_of(self.expression) if self.expression is not None else getattr(self.given, "__name__", "a function")
        )


def compiled_energy(V: Any, field: str, weights: Array, positions: Array) -> Potential:
    """`U(R) = Σ w V(Rρ)` of a kernel V."""
    points = tuple((float(w), (float(a), float(b), float(c))) for w, (a, b, c) in zip(weights, positions, strict=True))

    def energy(R: Any) -> Any:
        total = 0.0 * R[0]
        for point in points:
            total = total + point[0] * V(apply(R, point[1]))
        return total

    return CompiledPotential(kernel(energy), 1, field)


def python_energy(V: Any, field: str, weights: Array, positions: Array) -> Potential:
    """The same of a Python function."""

    def energy(R: Array) -> float:
        return float(sum(w * V(R @ rho) for w, rho in zip(weights, positions, strict=True)))

    energy.__name__ = getattr(V, "__name__", "a Python function")
    return PythonPotential(energy, 1, field)


class VectorField:
    """A(x): the kernels `vector`, `slopes` (∂Aᵢ/∂xⱼ, row by row) and `curl`."""

    def __init__(self, given: Any, field: str) -> None:
        import sympy

        xyz = place_symbols()
        if isinstance(given, (Kernel, Dispatcher)):
            parts = trace(given, xyz)
            if parts is None:
                raise InvalidInputError(
                    field, given, f"{ALLOWED_VECTOR}; a kernel without comparisons, so as to be derived"
                )
        elif isinstance(given, str) or not isinstance(given, (Sequence, sympy.MatrixBase)):
            raise InvalidInputError(field, given, ALLOWED_VECTOR)
        else:
            parts = list(given)
        if len(parts) != 3:
            raise InvalidInputError(field, given, f"{ALLOWED_VECTOR}, not {len(parts)}")
        with limited(field, given):
            self.expressions = [known_symbols(f"{field}[{i}]", e, xyz) for i, e in enumerate(parts)]
            D = [[sympy.diff(A, x) for x in xyz] for A in self.expressions]
            self.vector = formula_kernel(field, self.expressions, xyz)
            self.slopes = formula_kernel(field, [D[i][j] for i in range(3) for j in range(3)], xyz)
            self.curl = formula_kernel(field, [D[2][1] - D[1][2], D[0][2] - D[2][0], D[1][0] - D[0][1]], xyz)

    def at(self, x: Array) -> Array:
        """A at points (..., 3)."""
        return np.stack(on_arrays(self.vector, np.moveaxis(x, -1, 0)), axis=-1)

    def describe(self) -> list[str]:
        """The three formulas as text."""
        return [text_of(e) for e in self.expressions]
