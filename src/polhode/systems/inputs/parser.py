"""Formulas as text, read without evaluating anything but arithmetic: what SymPy writes, it reads again."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby, pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np

from ...errors import InvalidInputError
from .limits import FLOATS, LARGEST_POWER, check_text, float_of, in_doubles, is_long

ARITHMETIC: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
OPERATORS: dict[type, Callable[..., Any]] = ARITHMETIC | {
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
SAME_NAME = (
    "sqrt cbrt sin cos tan asin acos atan atan2 sinh cosh tanh exp log sign Heaviside Abs Min Max Piecewise Eq Ne"
)
OTHER_NAME = {"abs": "Abs", "min": "Min", "max": "Max"}


@cache
def functions() -> dict[str, Any]:
    """What may be called, by name."""
    import sympy

    names = {name: name for name in SAME_NAME.split()} | OTHER_NAME
    return {name: getattr(sympy, of) for name, of in names.items()}


def is_formula(given: Any) -> bool:
    """Whether a user gave a formula: a text, or an expression of SymPy, which need not be imported to know."""
    return isinstance(given, str) or hasattr(given, "free_symbols")


def expression_of(field: str, given: Any) -> Any:
    """The SymPy expression that `given` is: a number or an expression. `sympy.sympify` would evaluate text as Python
    code, also text inside a list, so nothing that may come from a file is handed to it.

    >>> expression_of("potential", 2)
    2
    """
    import sympy

    if isinstance(given, (sympy.Basic, sympy.MatrixBase)):
        return given
    if isinstance(given, (bool, np.bool_)):
        return sympy.true if given else sympy.false
    if isinstance(given, Integral):
        return sympy.Integer(int(given))
    if isinstance(given, Real):
        return sympy.Float(float(given))
    raise InvalidInputError(field, given, "a formula: text, a number or a SymPy expression")


def names_of(known: Sequence[Any], parameters: Sequence[Any] | None) -> str:
    """The symbols that a formula may use, in short.

    >>> import sympy
    >>> names_of(sympy.symbols("omega1:4 R11 R12 R13 t"), sympy.symbols("k c"))
    'omega1 … omega3, R11 … R13, t and the parameters k, c'
    """
    families = [list(each) for _, each in groupby(map(str, known), lambda name: name.rstrip("0123456789"))]
    short = ", ".join(each[0] if len(each) == 1 else f"{each[0]} … {each[-1]}" for each in families)
    return f"{short} and the parameters {', '.join(map(str, parameters))}" if parameters else short


def advice(parameters: Sequence[Any] | None) -> str:
    """What to do about an unknown name, where named parameters are possible."""
    return "" if parameters is None else ": give it a value in parameters"


def parsed(field: str, text: str, known: Sequence[Any], parameters: Sequence[Any] | None = None) -> Any:
    """The expression that `text` is: numbers, the known symbols, those of parameters (None where there can be none),
    `+ − * / **`, comparisons, and `functions()`. Nothing else is evaluated."""
    import sympy

    check_text(field, text)
    names: dict[str, Any] = {x.name: x for x in (*known, *(parameters or ()))} | {"pi": sympy.pi, "E": sympy.E}
    calls = ", ".join(name for name in functions() if name not in OTHER_NAME.values() and name[0].islower())
    allowed = f"a formula in {names_of(known, parameters)}, numbers, + - * / **, {calls} and Piecewise"

    def combined(operation: Callable[..., Any], on_doubles: Callable[..., Any], *arguments: Any) -> Any:
        """The operation in SymPy; of numbers, only if doubles can hold the result: exact ones may fill the memory."""
        try:
            if all(getattr(x, "is_number", False) and x.is_extended_real for x in arguments):
                float_of(on_doubles, *map(float, arguments))
        except OverflowError:
            raise InvalidInputError(field, text, f"numbers up to {np.finfo(float).max:.1e}") from None
        found = operation(*arguments)
        factor, rest = found.as_coeff_Mul() if isinstance(found, sympy.Expr) else (sympy.S.One, found)
        return in_doubles(factor) * rest if is_long(factor) else found

    def power(base: Any, exponent: Any) -> Any:
        if exponent.is_number and abs(exponent) > LARGEST_POWER:
            raise InvalidInputError(field, text, f"powers of at most {LARGEST_POWER}")
        return combined(operator.pow, operator.pow, base, exponent)

    def condition(node: ast.AST) -> Any:
        """A comparison, some of them, or True: for SymPy a symbol may stand for a truth value; a number may not."""
        found = value(node)
        if isinstance(found, sympy.Expr) or not isinstance(found, sympy.logic.boolalg.Boolean):
            raise InvalidInputError(field, text, "comparisons such as a > b as conditions, not numbers")
        return found

    def value(node: ast.AST) -> Any:
        match node:
            case ast.Expression(body):
                return value(body)
            case ast.Constant(bool() | int() | float() as number):
                return expression_of(field, number)
            case ast.Name(name) if name in names:
                return names[name]
            case ast.BinOp(left, ast.Pow(), right):
                return power(value(left), value(right))
            case ast.BinOp(left, ast.BitAnd() | ast.BitOr() as op, right):
                return OPERATORS[type(op)](condition(left), condition(right))
            case ast.BinOp(left, op, right) if type(op) in OPERATORS:
                return combined(OPERATORS[type(op)], OPERATORS[type(op)], value(left), value(right))
            case ast.UnaryOp(op, operand) if type(op) in OPERATORS:
                return OPERATORS[type(op)](value(operand))
            case ast.Compare(first, ops, others) if all(type(op) in OPERATORS for op in ops):
                sides = pairwise(map(value, [first, *others]))
                return sympy.And(*(OPERATORS[type(op)](*pair) for op, pair in zip(ops, sides, strict=True)))
            case ast.BoolOp(op, conditions):
                return (sympy.And if isinstance(op, ast.And) else sympy.Or)(*map(condition, conditions))
            case ast.Tuple([expression, where]):  # a piece of Piecewise
                return value(expression), condition(where)
            case ast.Call(ast.Name(name), arguments, []) if name in functions():
                return combined(functions()[name], FLOATS.get(name, lambda *x: None), *map(value, arguments))
            case ast.Name(name):
                raise InvalidInputError(field, text, f"{allowed}; {name} is not among them{advice(parameters)}")
            case ast.Call(ast.Name(name)):
                raise InvalidInputError(field, text, f"{allowed}; {name} is not among them")
        raise InvalidInputError(field, text, allowed)

    try:
        found = value(ast.parse(text.strip().replace("^", "**"), mode="eval"))
    except (SyntaxError, RecursionError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InvalidInputError):
            raise
        said = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
        raise InvalidInputError(field, text, f"{allowed} ({said if text.strip() else 'it is empty'})") from error
    if not isinstance(found, sympy.Expr):
        raise InvalidInputError(field, text, allowed)
    return found
