"""Quantities of a state given as text: fields of the system with indices, and arithmetic, as in "omega[0] - 0.2*R[2, 2]".

Nothing but arithmetic is evaluated, so that text from a file is safe to read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.system import State, System
from ..errors import InvalidInputError
from ..systems.inputs.limits import check_text
from ..systems.inputs.parser import ARITHMETIC

Array = NDArray[np.float64]
Quantity = Callable[[State], Array]

FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {  # by name, with the number of arguments
    "sqrt": (np.sqrt, 1),
    "sin": (np.sin, 1),
    "cos": (np.cos, 1),
    "tan": (np.tan, 1),
    "asin": (np.arcsin, 1),
    "acos": (np.arccos, 1),
    "atan2": (np.arctan2, 2),
    "exp": (np.exp, 1),
    "log": (np.log, 1),
    "abs": (np.abs, 1),
}


class Step(NamedTuple):
    """One step of an evaluation: a function of so many numbers, the last that are there; of the state, if there are none."""

    function: Callable[..., Any]
    operands: int
    constant: float | None = None  # what it gives, where that does not depend on the state


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
    check_text(field, given)
    text = given.strip().replace("^", "**")
    allowed = f"numbers, fields with indices ({', '.join(system.fields)}), + - * / ** and {', '.join(FUNCTIONS)}"
    if "#" in text:  # what Python would take as a remark
        raise InvalidInputError(field, given, allowed)
    try:
        nodes = _operands_first(ast.parse(text, mode="eval").body)
    except (SyntaxError, RecursionError, ValueError, MemoryError) as error:
        raise InvalidInputError(field, given, f"{allowed} ({error})") from error

    def step_of(node: ast.AST) -> Step:
        match node:
            case ast.Constant(int() | float() as number) if not isinstance(number, bool):
                return _constant(number)
            case ast.Name("pi"):
                return _constant(np.pi)
            case ast.Name(name) if name in system.fields:
                return _entry(name, ())
            case ast.Subscript(ast.Name(name), index) if name in system.fields:
                return _entry(name, _indices(index))
            case ast.BinOp(_, op, _) if type(op) in ARITHMETIC:
                return Step(ARITHMETIC[type(op)], 2)
            case ast.UnaryOp(op, _) if type(op) in ARITHMETIC:
                return Step(ARITHMETIC[type(op)], 1)
            case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
                function, count = FUNCTIONS[name]
                if len(arguments) != count:  # NumPy would write to a further one
                    wanted = "one argument" if count == 1 else f"{count} arguments"
                    raise InvalidInputError(field, given, problem=f"{name} has {wanted}, not {len(arguments)}")
                return Step(function, count)
            case ast.Name(name) | ast.Call(ast.Name(name)) | ast.Subscript(ast.Name(name)):
                raise InvalidInputError(field, given, f"{allowed}; {name} is not among them")
        raise InvalidInputError(field, given, allowed)

    def _constant(number: float) -> Step:
        try:
            value = float(number)
        except OverflowError:
            value = np.inf
        if not np.isfinite(value):
            raise InvalidInputError(
                field, given, problem="it holds a number that is not finite, such as 1/0 or 10**400"
            )
        return Step(lambda state: value, 0, value)

    def _entry(name: str, index: tuple[int, ...]) -> Step:
        shape = system.fields[name].shape
        if len(index) != len(shape) or any(not -n <= i < n for i, n in zip(index, shape, strict=True)):
            wanted = ", ".join(f"0…{n - 1}" for n in shape)
            problem = f"{name} needs the indices [{wanted}]" if shape else f"{name} is a number: it has no index"
            raise InvalidInputError(field, given, problem=problem)
        return Step(lambda state: getattr(state, name)[(..., *index)], 0)

    def _indices(node: ast.AST) -> tuple[int, ...]:
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        found = []
        for part in parts:
            match part:
                case ast.Constant(int() as i) if not isinstance(i, bool):
                    found.append(i)
                case ast.UnaryOp(ast.USub(), ast.Constant(int() as i)) if not isinstance(i, bool):
                    found.append(-i)
                case _:
                    problem = "an index is a whole number, as in omega[0] or R[2, 2]"
                    raise InvalidInputError(field, given, problem=problem)
        return tuple(found)

    steps: list[Step] = []
    for node in nodes:
        step = step_of(node)
        numbers = [each.constant for each in steps[len(steps) - step.operands :]]
        if step.operands and None not in numbers:  # computed once, as doubles are: 1/0 is not an error of Python
            del steps[len(steps) - step.operands :]
            with np.errstate(all="ignore"):
                step = _constant(step.function(*map(np.float64, numbers)))
        steps.append(step)
    return lambda state: _evaluated(steps, state)


def _operands_first(node: ast.AST) -> list[ast.AST]:
    """A formula and all that it is made of, each after its operands; without recursion, since a sum has a level per term."""
    found, pending = [], [node]
    while pending:
        found.append(node := pending.pop())
        match node:
            case ast.BinOp(left, _, right):
                pending += left, right
            case ast.UnaryOp(_, operand):
                pending.append(operand)
            case ast.Call(ast.Name(name), arguments) if name in FUNCTIONS:
                pending += arguments
    return found[::-1]


def _evaluated(steps: list[Step], state: State) -> Any:
    values: list[Any] = []
    for function, operands, _ in steps:
        arguments = values[len(values) - operands :] if operands else [state]
        del values[len(values) - operands :]
        values.append(function(*arguments))
    return values[0]
