"""Quantities of a state given as text: fields of the system with indices, and arithmetic, as in "omega[0] - 0.2*R[2, 2]".

Nothing but arithmetic is evaluated, so that text from a file is safe to read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.system import State, System
from ..errors import InvalidInputError
from ..systems.inputs.parser import ARITHMETIC

Array = NDArray[np.float64]
Quantity = Callable[[State], Array]

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan2": np.arctan2,
    "exp": np.exp,
    "log": np.log,
    "abs": np.abs,
}
Evaluate = Callable[[State], Any]


def quantity(system: System, given: str | Quantity, field: str = "quantity") -> Quantity:
    """The function of a state that `given` is: text, or already a function of states with axes in front.

    >>> import polhode as ph
    >>> state = ph.FreeRigidBody([1, 2, 3]).state(omega=[0.5, 0, 2])
    >>> float(quantity(state.system, "omega[2]**2 - 2*omega[0]*R[0, 0]")(state))
    3.0
    """
    if callable(given):
        return given
    if not isinstance(given, str):
        raise InvalidInputError(field, given, "a function of a state, or text such as 'omega[0]'")
    names = ", ".join(system.fields)
    allowed = f"numbers, fields with indices ({names}), + - * / ** and {', '.join(FUNCTIONS)}"

    def built(node: ast.AST) -> Evaluate:
        match node:
            case ast.Expression(body):
                return built(body)
            case ast.Constant(int() | float() as number) if not isinstance(number, bool):
                return lambda state: float(number)
            case ast.Name("pi"):
                return lambda state: np.pi
            case ast.Name(name) if name in system.fields:
                return _entry(name, ())
            case ast.Subscript(ast.Name(name), index) if name in system.fields:
                return _entry(name, _indices(index))
            case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
                return _applied(ARITHMETIC[type(op)], built(left), built(right))
            case ast.UnaryOp(op, operand) if type(op) in ARITHMETIC:
                return _applied(ARITHMETIC[type(op)], built(operand))
            case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
                return _applied(FUNCTIONS[name], *map(built, arguments))
            case ast.Name(name) | ast.Call(ast.Name(name)) | ast.Subscript(ast.Name(name)):
                raise InvalidInputError(field, given, f"{allowed}; {name} is not among them")
        raise InvalidInputError(field, given, allowed)

    def _entry(name: str, index: tuple[int, ...]) -> Evaluate:
        shape = system.fields[name].shape
        if len(index) != len(shape) or any(not -n <= i < n for i, n in zip(index, shape, strict=True)):
            wanted = ", ".join(f"0…{n - 1}" for n in shape)
            problem = f"{name} needs the indices [{wanted}]" if shape else f"{name} is a number: it has no index"
            raise InvalidInputError(field, given, problem=problem)
        return lambda state: getattr(state, name)[(..., *index)]

    def _indices(node: ast.AST) -> tuple[int, ...]:
        match node:
            case ast.Constant(int() as i):
                return (i,)
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as i)):
                return (-i,)
            case ast.Tuple(parts):
                return tuple(i for part in parts for i in _indices(part))
        raise InvalidInputError(field, given, problem="an index is a whole number, as in omega[0] or R[2, 2]")

    try:
        return built(ast.parse(given.strip().replace("^", "**"), mode="eval"))
    except (SyntaxError, RecursionError, ValueError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(field, given, f"{allowed} ({error})") from error


def _applied(function: Callable[..., Any], *arguments: Evaluate) -> Evaluate:
    return lambda state: function(*(argument(state) for argument in arguments))
