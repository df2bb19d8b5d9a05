"""Validation of a scenario's tables: each failure is one message with its place, the value, and what is allowed."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Unpack, get_args, get_origin, get_type_hints

from numpy.typing import ArrayLike
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema, create_model
from pydantic_core import ErrorDetails, PydanticCustomError

from ...bodies import Body
from ...core.checks import NO_UNITS
from ...errors import InvalidInputError

# pydantic's types of error, in words
EXPECTED = {
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "bool_type": "true or false",
    "string_type": "text in quotes",
    "is_instance_of": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "literal_error": "{expected}",
}
SIMPLE = {bool, int, float, str}

# the JSON Schema of a number or nested lists of numbers; no argument has more than four axes
NUMBERS: dict[str, Any] = {"type": "number"}
for _ in range(4):
    NUMBERS = {"type": ["number", "array"], "items": NUMBERS}
OF_A_BODY = "three moments or a 3×3 matrix; or give a body with a shape, as in [system.body]"


class ScenarioError(InvalidInputError):
    """A scenario that cannot be used. `where` is the file's name and `field` the path of the key in it.

    >>> raise ScenarioError("body.toml", "run.step", "fast", "a number")
    Traceback (most recent call last):
    ...
    polhode.io.scenario.validation.ScenarioError: body.toml: run.step = 'fast': expected a number

    Where there is no value to show, `message` is the whole sentence.
    """

    def __init__(
        self, where: str, field: str, value: Any = None, allowed: str = "", *, problem: str = "", message: str = ""
    ) -> None:
        super().__init__(field, value, allowed, problem=problem)
        self.where = where
        self.args = (f"{where}: {message or self.args[0]}",)

    @classmethod
    def located(cls, where: str, field: str, error: InvalidInputError) -> ScenarioError:
        """The error about an argument as an error about its key in a scenario."""
        allowed = error.allowed.replace(NO_UNITS, "; it takes no unit")
        return cls(where, field, error.value, allowed, problem=error.problem)


class Table(BaseModel):
    """A table of a scenario: unknown keys, text for numbers, and NaN are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


AnyTable = TypeVar("AnyTable", bound=Table)


def validate(where: str, path: tuple[str, ...], model: type[AnyTable], data: Any) -> AnyTable:
    """`data`, found at `path` in the scenario called `where`, as an instance of `model`."""
    try:
        return model.model_validate(data)
    except ValidationError as failure:
        # a misspelt key also leaves the right one missing: the misspelling is the useful error
        errors = sorted(failure.errors(), key=lambda error: error["type"] != "extra_forbidden")
        raise _first_error(where, path, model, errors) from None


def arguments(where: str, path: str, function: Callable[..., Any], data: dict[str, Any]) -> dict[str, Any]:
    """`data` as keyword arguments of `function`: the keys of its signature, of the types it is annotated with.

    >>> from polhode import LGVI
    >>> arguments("body.toml", "method", LGVI.__init__, {"ordre": 4})
    Traceback (most recent call last):
    ...
    polhode.io.scenario.validation.ScenarioError: body.toml: method.ordre is unknown; did you mean 'order'? Allowed: order, form
    """
    given = validate(where, (path,), arguments_table(function), data)
    return {name: getattr(given, name) for name in data}


@cache
def arguments_table(function: Callable[..., Any]) -> type[Table]:
    """The table of a scenario that holds the arguments of a method `function`."""
    hints = get_type_hints(function)
    fields: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):  # a class without its own __init__,
            if get_origin(hints.get(name)) is Unpack:  # or arguments that several functions share
                for key, hint in get_type_hints(get_args(hints[name])[0]).items():
                    fields[key] = (_argument_type(hint), None)
            continue
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (_argument_type(hints.get(name, Any)), default)
    return create_model("Arguments", __base__=Table, **fields)


def members(hint: Any) -> list[Any]:
    """The types that an annotation is made of, at any depth."""
    return [hint, *(inner for part in get_args(hint) for inner in members(part))]


def nearest(name: str, known: Iterable[str]) -> str:
    """A question that suggests the known name of nearest spelling; empty if none is near.

    >>> nearest("freerigidbdy", ["FreeRigidBody", "Pendulum3D"])
    "; did you mean 'FreeRigidBody'?"
    """
    by_lower_case = {each.lower(): each for each in known}
    found = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
    return f"; did you mean {by_lower_case[found[0]]!r}?" if found else ""


def expect(valid: bool, value: Any, allowed: str) -> Any:
    """`value` if it is valid, else pydantic's error with what is allowed."""
    if not valid:
        raise PydanticCustomError("polhode", "{allowed}", {"allowed": allowed})
    return value


def _table_in(hint: Any) -> type[Table] | None:
    """The table that an annotation is, may be, or is a list of."""
    return next((part for part in members(hint) if inspect.isclass(part) and issubclass(part, Table)), None)


def _keys(model: type[BaseModel], error: ErrorDetails) -> tuple[str, str, type[BaseModel], str]:
    """The place of an error, its index in a list of values, the table that it is in and the key there. What pydantic adds,
    the type of a union that did not fit, is not part of the file and is left out."""
    place, last, used = "", "", 0
    inner: type[BaseModel] | None = model
    for key in error["loc"]:
        if inner is None:
            break
        used += 1
        if isinstance(key, int):
            place += f"[{key}]"
            continue
        model, last = inner, str(key)
        place += f".{key}" if place else last
        inner = _table_in(model.model_fields[last].annotation) if last in model.model_fields else None
    return place, "".join(f"[{key}]" for key in error["loc"][used:] if isinstance(key, int)), model, last


def _first_error(
    where: str, path: tuple[str, ...], model: type[BaseModel], errors: list[ErrorDetails]
) -> ScenarioError:
    """The first of pydantic's errors as a `ScenarioError`, with everything that is allowed at its place."""
    error = errors[0]
    found, index, table, last = _keys(model, error)
    place = ".".join(filter(None, [*path, found])) + index
    meaning = table.model_fields[last].description if last in table.model_fields else None
    if error["type"] in ("model_type", "dict_type") and meaning and not index:
        return ScenarioError(where, place, error["input"], meaning)  # such as "a table with the date"
    if error["type"] not in ("extra_forbidden", "missing"):
        here = [other for other in errors if _keys(model, other)[:2] == (found, index)]
        allowed = [EXPECTED.get(other["type"], other["msg"]).format(**other.get("ctx", {})) for other in here]
        return ScenarioError(where, place, error["input"], " or ".join(dict.fromkeys(allowed)))
    known = table.model_fields
    if error["type"] == "missing":
        return ScenarioError(where, place, message=f"{place} is missing" + (f": {meaning}" if meaning else ""))
    hint = nearest(last, known) or "."
    for name, field in known.items():  # a key of a table inside this one
        inner = _table_in(field.annotation)
        if inner is not None and last in inner.model_fields:
            hint = f"; did you mean '{name}.{last}'?"
            break
    return ScenarioError(where, place, error["input"], message=f"{place} is unknown{hint} Allowed: {', '.join(known)}")


def _argument_type(hint: Any) -> Any:
    """The type that a scenario's value must have for an argument annotated with `hint`."""
    parts = _alternatives(hint) - {type(None), Body}
    if parts == _alternatives(ArrayLike):
        numbers = Annotated[Any, BeforeValidator(_numbers), WithJsonSchema(NUMBERS)]
        return Annotated[numbers, Field(description=OF_A_BODY)] if Body in get_args(hint) else numbers
    if hint in SIMPLE or get_origin(hint) is Literal or (parts and parts <= SIMPLE):
        return hint
    return Any


def _alternatives(hint: Any) -> set[Any]:
    """The arguments of an annotation, such as the types of a union. A name for one (`type X = …`, which NumPy's `ArrayLike` is
    from 2.5 on) stands for what it names."""
    if hasattr(hint, "__value__"):
        return _alternatives(hint.__value__)
    each = (_alternatives(part) if hasattr(part, "__value__") else {part} for part in get_args(hint))
    return set().union(*each)


def optional_numbers(value: Any) -> Any:
    """Check for nothing, a finite number or nested lists of them."""
    return value if value is None else _numbers(value)


def _numbers(value: Any) -> Any:
    """Check for a finite number or nested lists of them; text and booleans are refused."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Body):  # made from its table before
            continue
        if isinstance(item, list):
            pending.extend(item)
            continue
        try:
            finite = math.isfinite(item) and not isinstance(item, bool)
        except (TypeError, OverflowError):
            finite = False
        expect(finite, value, "finite numbers")
    return value
