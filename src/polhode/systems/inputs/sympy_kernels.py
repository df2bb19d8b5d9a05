"""Formulas in SymPy, or as text, turned into kernels: differentiated, simplified, and written in the arithmetic that
kernels have. So they run on doubles, lanes and duals, as if written by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import scalars
from ...core.complex_step import with_imaginary_part
from ...errors import InvalidInputError
from ...scalars import get, kernel, put
from .limits import check_depth, check_powers, check_size, in_doubles, limited
from .parser import advice, expression_of, names_of, parsed

if TYPE_CHECKING:
    from .named_parameters import NamedParameters

# SymPy's functions, and those of the scalar layer
SAME_NAME = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log")
CALLS = {name: name for name in SAME_NAME} | {"Abs": "absolute", "Max": "largest", "Min": "smallest"}
SPACE = {name: getattr(scalars, name) for name in (*CALLS.values(), "sqrt", "power", "where")}
SPACE |= {"get": get, "put": put, "nan": math.nan}
KEPT = 512  # so many kernels and flows of users' formulas and functions are remembered
ALLOWED = "finite numbers, sums, products, powers, " + ", ".join(CALLS) + ", sign, Heaviside and Piecewise"


def symbols(body: int | None = None) -> Any:
    """The 3×3 SymPy matrix of the entries R11 … R33 of an attitude; of body 1, 2, … of several, R1_11 … R1_33.

    >>> symbols()[0, 2]
    R13
    """
    import sympy

    prefix = "R" if body is None else f"R{body}_"
    return sympy.Matrix(3, 3, lambda i, j: sympy.Symbol(f"{prefix}{i + 1}{j + 1}", real=True))


def attitude_symbols(bodies: int) -> list[Any]:
    """The matrices of symbols of so many bodies."""
    return [symbols()] if bodies == 1 else [symbols(i + 1) for i in range(bodies)]


def known_symbols(field: str, given: Any, known: Sequence[Any], parameters: NamedParameters | None = None) -> Any:
    """The expression `given`, or that which its text says, in the `known` symbols, those of the `parameters`, and nothing
    else. A `MatrixSymbol` R stands for the matrix of the known entries R11 … R33."""
    import sympy

    further = None if parameters is None else parameters.symbols
    if parameters is not None and further is not None:
        for x in further:
            if x in known:
                problem = f"{x} has a meaning in {field} already: choose another name"
                raise InvalidInputError(f"parameters.{x}", parameters.value(x.name), problem=problem)
    with limited(field, given):
        expression = _known_symbols(field, given, known, further, sympy)
    if parameters is not None:
        parameters.use_in(field, given, expression)
    return expression


def _known_symbols(field: str, given: Any, known: Sequence[Any], further: Sequence[Any] | None, sympy: Any) -> Any:
    expression: Any = parsed(field, given, known, further) if isinstance(given, str) else expression_of(field, given)
    every = (*known, *(further or ()))
    by_name = {x.name: x for x in every}
    for matrix in expression.atoms(sympy.MatrixSymbol):
        for prefix in (matrix.name, f"{matrix.name}_"):
            if matrix.shape == (3, 3) and f"{prefix}33" in by_name:
                entries = sympy.Matrix(3, 3, lambda i, j, start=prefix: by_name[f"{start}{i + 1}{j + 1}"])
                expression = expression.subs(matrix, entries)
    expression = expression.doit()
    shape = getattr(expression, "shape", ())
    if shape not in ((), (1, 1)):
        raise InvalidInputError(field, given, f"one expression, not a matrix of shape {shape}")
    expression = expression[0, 0] if shape else expression
    # symbols made elsewhere by the same name, without the assumption of being real, are meant as these
    expression = expression.subs({x: by_name[x.name] for x in expression.free_symbols if x.name in by_name})
    unknown = sorted(str(x) for x in expression.free_symbols - set(every))
    if unknown:
        allowed = f"the symbols {names_of(known, further)} only, not {', '.join(unknown)}"
        raise InvalidInputError(field, given, f"{allowed}{advice(further)}")
    expression = in_doubles(in_reals(expression))
    check_size(field, given, [expression])
    if isinstance(given, str):
        check_powers(field, given, expression)
    try:
        code(field, expression)
    except InvalidInputError as error:
        infinite = error.value in (sympy.zoo, sympy.oo, -sympy.oo, sympy.nan)
        said = "an infinite number, as of a division by zero" if infinite else str(error.value)[:80]
        raise InvalidInputError(field, given, f"{ALLOWED}, not {said}") from error
    return expression


def in_reals(expression: Any) -> Any:
    """The expression with Abs and sign of what SymPy does not know to be real written so that SymPy can differentiate them."""
    import sympy

    def pieces(e: Any) -> Any:
        (u,) = e.args
        above, below = (u, -u) if e.func is sympy.Abs else (1, -1)
        return sympy.Piecewise((above, u > 0), (below, u < 0), (0, True))

    return expression.replace(
        lambda e: e.func in (sympy.Abs, sympy.sign) and e.args[0].is_extended_real is None, pieces
    )


def has_corners(expression: Any) -> bool:
    """Whether it is made of pieces, so that what holds at some places need not hold at all."""
    import sympy

    return bool(expression.has(sympy.Abs, sympy.sign, sympy.Heaviside, sympy.Min, sympy.Max, sympy.Piecewise))


def moment_of(U: Any, R: Any) -> list[Any]:
    """`M = Σ rᵢ × ∂U/∂rᵢ` over the rows rᵢ of R (problem 6.1 of [LLM17])."""
    import sympy

    slopes = R.applyfunc(lambda x: sympy.diff(U, x))
    rows = [R.row(i).cross(slopes.row(i)) for i in range(3)]
    return list(rows[0] + rows[1] + rows[2])


def text_of(expression: Any) -> str:
    """The text of an expression, from which `known_symbols` makes it again bit for bit: SymPy writes 15 digits.

    >>> import sympy
    >>> text_of(sympy.Symbol("x") * 0.1 / 3)
    '0.03333333333333333*x'
    """
    from sympy.printing.str import StrPrinter

    class Exact(StrPrinter):
        def _print_Float(self, number: Any) -> str:
            return repr(float(number))

    return str(Exact().doprint(expression))


def statements(field: str, results: Iterable[Any]) -> tuple[list[str], list[str], set[Any]]:
    """Assignments of common subexpressions, the text of the results in terms of these, and the symbols that occur."""
    import sympy

    # names that begin with _ are nobody's
    simplified: Any = sympy.cse(list(results), sympy.numbered_symbols("_"), optimizations="basic")
    shared, reduced = simplified
    check_size(field, "its derivative", [e for _, e in shared] + list(reduced))
    used: set[Any] = set().union(*(e.free_symbols for _, e in shared), *(e.free_symbols for e in reduced))
    lines, texts = [f"{x} = {code(field, e)}" for x, e in shared], [code(field, e) for e in reduced]
    check_depth(field, "its derivative", [*lines, *texts])
    return lines, texts, used


def kernel_from_text(name: str, lines: list[str], names: dict[str, Any]) -> Any:
    """The kernel `name` whose text is `lines`; the same text with the same names is the same kernel, compiled once."""
    return _made(name, "\n".join(lines), tuple(sorted(names.items(), key=lambda item: item[0])))


@lru_cache(maxsize=KEPT)
def _made(name: str, text: str, names: tuple[tuple[str, Any], ...]) -> Any:
    space = SPACE | dict(names)
    exec(text, space)
    return kernel(space[name])


def formula_kernel(field: str, results: Iterable[Any], arguments: Sequence[Any]) -> Any:
    """The kernel that takes a tuple of numbers, one for each of `arguments`, and returns the tuple of `results`."""
    return _formula_kernel(field, tuple(results), tuple(arguments))


@lru_cache(maxsize=KEPT)
def _formula_kernel(field: str, results: tuple[Any, ...], arguments: tuple[Any, ...]) -> Any:
    shared, texts, used = statements(field, results)
    lines = ["def formula(given_):"]
    lines += [f"    {symbol} = given_[{k}]" for k, symbol in enumerate(arguments) if symbol in used]
    lines += [f"    {line}" for line in shared]
    # a result that is a plain number is given the scalar of the others
    lines.append(f"    return ({', '.join(f'{text} + 0.0 * given_[0]' for text in texts)},)")
    return kernel_from_text("formula", lines, {})


def on_arrays(formula: Any, values: Iterable[Any]) -> list[Any]:
    """What the kernel `formula` gives on arrays, real or complex. Pieces that are not chosen are computed too, and may be no
    numbers."""
    with np.errstate(all="ignore"):
        found = formula(tuple(values))
    return [with_imaginary_part(each) for each in found]


def code(field: str, e: Any) -> str:
    """A SymPy expression in the arithmetic that kernels have."""
    import sympy

    def text(x: Any) -> str:
        return code(field, x)

    if e.is_Symbol:
        return str(e)
    if isinstance(e, sympy.Expr) and e.is_number and e.is_extended_real:
        if not math.isfinite(number := float(e)):
            raise InvalidInputError(field, e, "finite numbers")
        return f"({number!r})"
    if e.is_Add or e.is_Mul:
        return "(" + (" + " if e.is_Add else " * ").join(map(text, e.args)) + ")"
    if e.is_Pow and (2 * e.exp).is_Integer:
        base = text(e.base)
        whole, half = divmod(abs(int(2 * e.exp)), 2)
        product = "(" + " * ".join([base] * whole + ([f"sqrt({base})"] if half else [])) + ")"
        return product if e.exp > 0 else f"(1.0 / {product})"
    if e.is_Pow:
        return f"power({text(e.base)}, {text(e.exp)})"
    if e.is_Relational:
        return f"({text(e.lhs)} {e.rel_op} {text(e.rhs)})"
    match e.func.__name__, e.args:
        case "And" | "Or" as name, conditions:
            return "(" + (" & " if name == "And" else " | ").join(map(text, conditions)) + ")"
        case "Max" | "Min" as name, (first, *others):
            return reduce(lambda so_far, x: f"{CALLS[name]}({so_far}, {text(x)})", others, text(first))
        case name, arguments if name in CALLS:
            return f"{CALLS[name]}({', '.join(map(text, arguments))})"
        case "Piecewise", pieces:
            tail = text(pieces[-1].expr) if pieces[-1].cond == True else "nan"  # noqa: E712  (SymPy's own true)
            chosen = [piece for piece in pieces if piece.cond != True]  # noqa: E712  (the same)
            return reduce(
                lambda rest, piece: f"where({text(piece.cond)}, {text(piece.expr)}, {rest})", chosen[::-1], tail
            )
        case "sign", (x,):
            return f"where({text(x)} > 0.0, 1.0, where({text(x)} < 0.0, -1.0, 0.0))"
        case "Heaviside", (x, middle):
            return f"where({text(x)} > 0.0, 1.0, where({text(x)} < 0.0, 0.0, {text(middle)}))"
        case "DiracDelta", _:  # slopes are taken beside a jump, never in it
            return "(0.0)"
    raise InvalidInputError(field, e, ALLOWED)
