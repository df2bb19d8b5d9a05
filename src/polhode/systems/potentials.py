"""Potentials that a user gives, and the moments that follow from them: `Mᵢ·η = −d/dε U(…, Rᵢ exp(εS(η)), …)`.

A potential of n attitudes is one of
    a kernel               `U(R1, …, Rn)` of tuples of nine entries, row by row, written with `+ − * /` and the functions
                           of `polhode.scalars`. The moments come from the same function on dual numbers; tangent maps
                           from differences of order 8 of these (13 digits or so for a smooth potential).
    a SymPy expression     in the entries of `symbols()`, or its text, as in "0.5*R33**2 − R13": derived, simplified by
                           common subexpressions, and compiled for doubles, lanes and duals, as if written by hand.
    a Python function      `U(R1, …, Rn)` of 3×3 arrays. The moments are differences of order 8: slow, and it says so.
"""

from __future__ import annotations

import ast
import ctypes
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..geometry import so3
from ..geometry.vectors import Matrix, Vector, add, cross
from ..scalars import absolute, atan2, cos, duals, get, kernel, partial, put, seeded, sin, sqrt
from ..scalars.compile import Kernel
from .differences import OFFSETS, SPACING, WEIGHTS, write_moments

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
    if isinstance(given, str):
        return SymbolicPotential(parsed(field, given, bodies), bodies, field)
    if isinstance(given, (Kernel, Dispatcher)):
        return CompiledPotential(given, bodies, field)
    if hasattr(given, "free_symbols"):
        return SymbolicPotential(given, bodies, field)
    if callable(given):
        return PythonPotential(given, bodies, field)
    raise InvalidInput(field, given, ALLOWED)


# --- (a) kernels ------------------------------------------------------------------------------------------------------


@kernel
def moved(R: Matrix, e: Vector) -> Matrix:
    """`R (1 + S(e))`: row r becomes r + r × e."""
    x, y, z = R[0:3], R[3:6], R[6:9]
    return add(x, cross(x, e)) + add(y, cross(y, e)) + add(z, cross(z, e))


class CompiledPotential(Potential):
    """A kernel: its moments are its own partial derivatives."""

    def __init__(self, function: Any, bodies: int, field: str) -> None:
        formula = function.py_func if isinstance(function, Dispatcher) else function.function
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


def made(name: str, lines: list[str], names: dict[str, Any]) -> Any:
    """The kernel `name` whose text is `lines`."""
    space = dict(names)
    exec("\n".join(lines), space)
    return kernel(space[name])


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
        raise InvalidInput(field, given, f"{ALLOWED} ({type(error).__name__}: {error})") from error
    if value.shape != () or not np.isfinite(value):
        raise InvalidInput(field, given, f"a function with one finite number as its value, not {value}")


# --- (b) Python functions ---------------------------------------------------------------------------------------------


class PythonPotential(Potential):
    """A Python function of 3×3 arrays, called back from compiled code."""

    def __init__(self, function: Callable[..., float], bodies: int, field: str) -> None:
        self.bodies, self.function = bodies, function
        check_value(field, function, function, bodies)
        warnings.warn(
            f"{field}: a Python function is called {24 * bodies} times a step, some hundred times slower than compiled "
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
        M[:] = np.nan  # what stays if the function fails: the run then stops with an error
        for i in range(n):
            for j, e in enumerate(np.eye(3)):
                slope = 0.0
                for offset, weight in zip(OFFSETS, WEIGHTS, strict=True):
                    attitudes = [A.copy() for A in R]
                    attitudes[i] = R[i] @ so3.exp(offset * SPACING * e)
                    slope += weight / SPACING * float(self.function(*attitudes))
                M[3 * i + j] = -slope

    def energy(self, *R: Array) -> Array:
        shape = R[0].shape[:-2]
        stacks = [A.reshape(-1, 3, 3) for A in R]
        return np.array([float(self.function(*matrices)) for matrices in zip(*stacks, strict=True)]).reshape(shape)

    def describe(self) -> str:
        return getattr(self.function, "__name__", "a Python function")


# --- (c) SymPy ----------------------------------------------------------------------------------------------------------


def symbols(body: int | None = None) -> Any:
    """The 3×3 SymPy matrix of the entries R11 … R33 of an attitude; of body 1, 2, … of several, R1_11 … R1_33.

    >>> symbols()[0, 2]
    R13
    """
    import sympy

    prefix = "R" if body is None else f"R{body}_"
    return sympy.Matrix(3, 3, lambda i, j: sympy.Symbol(f"{prefix}{i + 1}{j + 1}", real=True))


class SymbolicPotential(Potential):
    """A SymPy expression, differentiated and compiled."""

    def __init__(self, expression: Any, bodies: int, field: str) -> None:
        import sympy

        self.bodies = bodies
        matrices = [symbols()] if bodies == 1 else [symbols(i + 1) for i in range(bodies)]
        every = [x for A in matrices for x in A]
        # symbols made elsewhere by the same name, without the assumption of being real, are meant as these
        by_name = {x.name: x for x in every}
        given = sympy.sympify(expression)
        self.expression = given.subs({x: by_name[x.name] for x in given.free_symbols if x.name in by_name})
        unknown = sorted(str(x) for x in self.expression.free_symbols - set(every))
        if unknown:
            raise InvalidInput(
                field, expression, f"the symbols {every[0]} … {every[-1]} only, not {', '.join(unknown)}"
            )
        moments = []
        for A in matrices:
            slopes = A.applyfunc(lambda x: sympy.diff(self.expression, x))
            # M = Σ rᵢ × ∂U/∂rᵢ over the rows (problem 6.1 of [LLM17])
            rows = [A.row(i).cross(slopes.row(i)) for i in range(3)]
            moments += list(rows[0] + rows[1] + rows[2])
        shared, results = sympy.cse(moments, optimizations="basic")
        lines = ["def write(S, y):"]
        used = set().union(*(e.free_symbols for _, e in shared), *(e.free_symbols for e in results))
        lines += [f"    {x} = get(y, {k}, S)" for k, x in enumerate(every) if x in used]
        lines += [f"    {x} = {code(field, e)}" for x, e in shared]
        slots = 12 * bodies
        lines += [f"    put(y, {slots + k}, S, {code(field, e)})" for k, e in enumerate(results)]
        names = {"get": get, "put": put, "sqrt": sqrt, "sin": sin, "cos": cos, "atan2": atan2, "absolute": absolute}
        self.write = made("write", lines, names)
        self._energy = sympy.lambdify(every, self.expression, "numpy")
        check_value(field, expression, self.energy, bodies)

    def energy(self, *R: Array) -> Array:
        values = [x for A in R for x in entries(A)]
        return np.asarray(self._energy(*values), dtype=np.float64) + np.zeros(R[0].shape[:-2])

    def describe(self) -> str:
        return str(self.expression)


def code(field: str, e: Any) -> str:
    """A SymPy expression in the arithmetic that kernels have."""
    import sympy

    if e.is_Symbol:
        return str(e)
    if e.is_number:
        return f"({float(e)!r})"
    if e.is_Add or e.is_Mul:
        return "(" + (" + " if e.is_Add else " * ").join(code(field, x) for x in e.args) + ")"
    if e.is_Pow:
        base, exponent = code(field, e.base), e.exp
        if exponent.is_Integer or (2 * exponent).is_Integer:
            whole, half = divmod(abs(int(2 * exponent)), 2)
            factors = [base] * whole + ([f"sqrt({base})"] if half else [])
            product = "(" + " * ".join(factors) + ")"
            return product if exponent > 0 else f"(1.0 / {product})"
    functions = {sympy.sin: "sin", sympy.cos: "cos", sympy.Abs: "absolute", sympy.atan2: "atan2", sympy.sign: None}
    if functions.get(e.func):
        return f"{functions[e.func]}({', '.join(code(field, x) for x in e.args)})"
    raise InvalidInput(field, e, "sums, products, whole and half powers, sin, cos, atan2 and Abs")


def parsed(field: str, text: str, bodies: int) -> Any:
    """The expression that `text` is: numbers, the entries of R, `+ − * / **` and sqrt, sin, cos, atan2, Abs; nothing
    else is evaluated."""
    import sympy

    matrices = [symbols()] if bodies == 1 else [symbols(i + 1) for i in range(bodies)]
    names: dict[str, Any] = {x.name: x for A in matrices for x in A} | {"pi": sympy.pi}
    functions = {"sqrt": sympy.sqrt, "sin": sympy.sin, "cos": sympy.cos, "atan2": sympy.atan2, "Abs": sympy.Abs}
    operators: dict[type, Callable[..., Any]] = {
        ast.Add: lambda a, b: a + b,
        ast.Sub: lambda a, b: a - b,
        ast.Mult: lambda a, b: a * b,
        ast.Div: lambda a, b: a / b,
        ast.Pow: lambda a, b: a**b,
        ast.USub: lambda a: -a,
        ast.UAdd: lambda a: a,
    }

    def value(node: ast.AST) -> Any:
        match node:
            case ast.Expression(body):
                return value(body)
            case ast.Constant(int() | float() as number) if not isinstance(number, bool):
                return sympy.sympify(number)
            case ast.Name(name) if name in names:
                return names[name]
            case ast.BinOp(left, op, right) if type(op) in operators:
                return operators[type(op)](value(left), value(right))
            case ast.UnaryOp(op, operand) if type(op) in operators:
                return operators[type(op)](value(operand))
            case ast.Call(ast.Name(name), arguments, []) if name in functions:
                return functions[name](*map(value, arguments))
        raise InvalidInput(
            field, text, f"a formula in {next(iter(names))} …, numbers, + - * / ** and {', '.join(functions)}"
        )

    try:
        return value(ast.parse(text.replace("^", "**"), mode="eval"))
    except (SyntaxError, RecursionError, TypeError) as error:
        raise InvalidInput(field, text, f"a formula in the entries of R ({error})") from error
