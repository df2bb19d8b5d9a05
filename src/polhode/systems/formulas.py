"""Formulas in SymPy, or as text, turned into kernels: differentiated, simplified, and written in the arithmetic that
kernels have. So they run on doubles, lanes and duals, as if written by hand."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..errors import InvalidInput
from ..scalars import absolute, atan2, cos, get, kernel, put, sin, sqrt

FUNCTIONS = {"get": get, "put": put, "sqrt": sqrt, "sin": sin, "cos": cos, "atan2": atan2, "absolute": absolute}


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


def known_symbols(field: str, given: Any, known: Sequence[Any]) -> Any:
    """The expression `given`, or that which its text says, in the `known` symbols and nothing else."""
    import sympy

    expression: Any = parsed(field, given, known) if isinstance(given, str) else sympy.sympify(given)
    # symbols made elsewhere by the same name, without the assumption of being real, are meant as these
    by_name = {x.name: x for x in known}
    expression = expression.subs({x: by_name[x.name] for x in expression.free_symbols if x.name in by_name})
    unknown = sorted(str(x) for x in expression.free_symbols - set(known))
    if unknown:
        raise InvalidInput(field, given, f"the symbols {known[0]} … {known[-1]} only, not {', '.join(unknown)}")
    return expression


def moment_of(U: Any, R: Any) -> list[Any]:
    """`M = Σ rᵢ × ∂U/∂rᵢ` over the rows rᵢ of R (problem 6.1 of [LLM17])."""
    import sympy

    slopes = R.applyfunc(lambda x: sympy.diff(U, x))
    rows = [R.row(i).cross(slopes.row(i)) for i in range(3)]
    return list(rows[0] + rows[1] + rows[2])


def statements(field: str, results: Iterable[Any]) -> tuple[list[str], list[str], set[Any]]:
    """Assignments of common subexpressions, the text of the results in terms of these, and the symbols that occur."""
    import sympy

    simplified: Any = sympy.cse(list(results), optimizations="basic")
    shared, reduced = simplified
    used: set[Any] = set().union(*(e.free_symbols for _, e in shared), *(e.free_symbols for e in reduced))
    return [f"{x} = {code(field, e)}" for x, e in shared], [code(field, e) for e in reduced], used


def made(name: str, lines: list[str], names: dict[str, Any]) -> Any:
    """The kernel `name` whose text is `lines`."""
    space = FUNCTIONS | names
    exec("\n".join(lines), space)
    return kernel(space[name])


def formula_kernel(field: str, results: Iterable[Any], arguments: Sequence[Any]) -> Any:
    """The kernel that takes a tuple of numbers, one for each of `arguments`, and returns the tuple of `results`."""
    shared, texts, used = statements(field, results)
    lines = ["def formula(given_):"]
    lines += [f"    {symbol} = given_[{k}]" for k, symbol in enumerate(arguments) if symbol in used]
    lines += [f"    {line}" for line in shared]
    # a result that is a plain number is given the scalar of the others
    lines.append(f"    return ({', '.join(f'{text} + 0.0 * given_[0]' for text in texts)},)")
    return made("formula", lines, {})


def code(field: str, e: Any) -> str:
    """A SymPy expression in the arithmetic that kernels have."""
    import sympy

    if e.is_Symbol:
        return str(e)
    if e.is_number:
        if not math.isfinite(number := float(e)):
            raise InvalidInput(field, e, "finite numbers")
        return f"({number!r})"
    if e.is_Add or e.is_Mul:
        return "(" + (" + " if e.is_Add else " * ").join(code(field, x) for x in e.args) + ")"
    if e.is_Pow and (2 * e.exp).is_Integer:
        base = code(field, e.base)
        whole, half = divmod(abs(int(2 * e.exp)), 2)
        product = "(" + " * ".join([base] * whole + ([f"sqrt({base})"] if half else [])) + ")"
        return product if e.exp > 0 else f"(1.0 / {product})"
    functions: dict[Any, str] = {sympy.sin: "sin", sympy.cos: "cos", sympy.Abs: "absolute", sympy.atan2: "atan2"}
    if e.func in functions:
        return f"{functions[e.func]}({', '.join(code(field, x) for x in e.args)})"
    raise InvalidInput(field, e, "sums, products, whole and half powers, sin, cos, atan2 and Abs")


def parsed(field: str, text: str, known: Sequence[Any]) -> Any:
    """The expression that `text` is: numbers, the known symbols, `+ − * / **` and sqrt, sin, cos, atan2, Abs. Nothing
    else is evaluated."""
    import sympy

    names: dict[str, Any] = {x.name: x for x in known} | {"pi": sympy.pi}
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
    allowed = f"a formula in {known[0]} … {known[-1]}, numbers, + - * / ** and {', '.join(functions)}"

    def value(node: ast.AST) -> Any:
        match node:
            case ast.Expression(body):
                return value(body)
            case ast.Constant(int() | float() as number) if not isinstance(number, bool):
                return sympy.sympify(number)
            case ast.Name(name) if name in names:
                return names[name]
            case ast.BinOp(left, ast.Pow(), right) if abs(float(value(right))) > 64:
                raise InvalidInput(field, text, "powers of at most 64")
            case ast.BinOp(left, op, right) if type(op) in operators:
                return operators[type(op)](value(left), value(right))
            case ast.UnaryOp(op, operand) if type(op) in operators:
                return operators[type(op)](value(operand))
            case ast.Call(ast.Name(name), arguments, []) if name in functions:
                return functions[name](*map(value, arguments))
        raise InvalidInput(field, text, allowed)

    try:
        return value(ast.parse(text.strip().replace("^", "**"), mode="eval"))
    except (SyntaxError, RecursionError, TypeError) as error:
        raise InvalidInput(field, text, f"{allowed} ({error})") from error
