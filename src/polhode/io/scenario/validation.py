"""Checks of a scenario's tables, each failure as one message: where it is, the value, and what is allowed."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from numpy.typing import ArrayLike
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, WithJsonSchema, create_model
from pydantic_core import ErrorDetails, PydanticCustomError

from ...errors import InvalidInputError

# what pydantic calls its complaints, in words
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

# how JSON Schema says "a number, or lists of them"; no array of ours has more axes
NUMBERS: dict[str, Any] = {"type": "number"}
for _ in range(4):
    NUMBERS = {"type": ["number", "array"], "items": NUMBERS}


class ScenarioError(InvalidInputError):
    """A scenario that cannot be used.

    `field` is the path in the file. `problem` replaces the sentence where there is no value to show.

    >>> raise ScenarioError("body.toml", "run.step", "fast", "a number")
    Traceback (most recent call last):
    ...
    polhode.io.scenario.validation.ScenarioError: body.toml: run.step = 'fast': expected a number
    """

    def __init__(self, where: str, field: str, value: Any = None, allowed: str = "", problem: str = "") -> None:
        super().__init__(field, value, allowed)
        self.where = where
        self.args = (f"{where}: {problem or self.args[0]}",)


class Table(BaseModel):
    """A table of a scenario: no key but its own, no conversion from text, no NaN."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


AnyTable = TypeVar("AnyTable", bound=Table)


def validate(where: str, path: tuple[str, ...], model: type[AnyTable], data: Any) -> AnyTable:
    """`data`, found at `path` in the scenario called `where`, as a `model`."""
    try:
        return model.model_validate(data)
    except ValidationError as failure:
        # a misspelt key also leaves the right one missing: it is the spelling that helps
        errors = sorted(failure.errors(), key=lambda error: error["type"] != "extra_forbidden")
        raise _located(where, path, model, errors) from None


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


def arguments_table(function: Callable[..., Any]) -> type[Table]:
    """The table of a scenario that holds the arguments of a method `function`."""
    hints = get_type_hints(function)
    fields: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):  # a class without its own __init__
            continue
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (_argument_type(hints.get(name, Any)), default)
    return create_model("Arguments", __base__=Table, **fields)


def members(hint: Any) -> list[Any]:
    """The types that an annotation is made of, however deep."""
    return [hint, *(inner for part in get_args(hint) for inner in members(part))]


def nearest(name: str, known: Iterable[str]) -> str:
    """The nearest right spelling as a question, or nothing.

    >>> nearest("freerigidbdy", ["FreeRigidBody", "Pendulum3D"])
    "; did you mean 'FreeRigidBody'?"
    """
    spelling = {right.lower(): right for right in known}
    found = difflib.get_close_matches(name.lower(), spelling, n=1)
    return f"; did you mean {spelling[found[0]]!r}?" if found else ""


def expect(good: bool, value: Any, allowed: str) -> Any:
    """`value` if it is good, else pydantic's error that says what is allowed."""
    if not good:
        raise PydanticCustomError("polhode", "{allowed}", {"allowed": allowed})
    return value


def _keys(model: type[BaseModel], error: ErrorDetails) -> tuple[list[str], str]:
    """The keys that lead to an error, and where in a list it is; what pydantic adds, which type of several did not fit,
    is in no file."""
    keys: list[str] = []
    fields: Any = model.model_fields
    for key in error["loc"]:
        if fields is None:
            break
        keys.append(str(key))
        fields = getattr(fields[key].annotation, "model_fields", None) if key in fields else None
    return keys, "".join(f"[{key}]" for key in error["loc"][len(keys) :] if isinstance(key, int))


def _located(where: str, path: tuple[str, ...], model: type[BaseModel], errors: list[ErrorDetails]) -> ScenarioError:
    """The first of pydantic's errors as ours, with what else is allowed at its place."""
    error = errors[0]
    keys, index = _keys(model, error)
    place = ".".join([*path, *keys]) + index
    if error["type"] not in ("extra_forbidden", "missing"):
        here = [other for other in errors if _keys(model, other) == (keys, index)]
        allowed = [EXPECTED.get(other["type"], other["msg"]).format(**other.get("ctx", {})) for other in here]
        return ScenarioError(where, place, error["input"], " or ".join(dict.fromkeys(allowed)))
    for key in keys[:-1]:
        model = model.model_fields[key].annotation  # type: ignore[assignment]
    known = model.model_fields
    if error["type"] == "missing":
        meaning = known[keys[-1]].description
        return ScenarioError(where, place, problem=f"{place} is missing" + (f": {meaning}" if meaning else ""))
    hint = nearest(keys[-1], known) or "."
    return ScenarioError(where, place, error["input"], problem=f"{place} is unknown{hint} Allowed: {', '.join(known)}")


def _argument_type(hint: Any) -> Any:
    """What a scenario may hold for an argument annotated with `hint`."""
    parts = set(get_args(hint)) - {type(None)}
    if parts == set(get_args(ArrayLike)):
        return Annotated[Any, BeforeValidator(_numbers), WithJsonSchema(NUMBERS)]
    if hint in SIMPLE or get_origin(hint) is Literal or (parts and parts <= SIMPLE):
        return hint
    return Any


def _numbers(value: Any) -> Any:
    """A finite number, or lists of them, however deep: no text, no truth values."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(item)
            continue
        try:
            finite = math.isfinite(item) and not isinstance(item, bool)
        except (TypeError, OverflowError):
            finite = False
        expect(finite, value, "finite numbers")
    return value
