"""The text of a scenario from its tables, and changes to them: what `tomllib` reads from the text are the same tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any

from ...errors import InvalidInputError
from .template import toml
from .toml_reader import read_toml

PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
Place = Sequence[str | int]


def scenario_text(document: Mapping[str, Any]) -> str:
    """The tables of a scenario as TOML.

    >>> print(scenario_text({"title": "A body", "system": {"type": "FreeRigidBody", "inertia": [1.0, 2.0, 2.5]}}), end="")
    title = "A body"
    <BLANKLINE>
    [system]
    type = "FreeRigidBody"
    inertia = [1.0, 2.0, 2.5]
    """
    return "\n".join(_lines(document, "")).strip("\n") + "\n"


def changed(document: dict[str, Any], place: Place, value: str) -> None:
    """Put a value, as TOML or else as text, at a place in the tables: keys, and numbers for entries of lists. An empty
    value removes what is there.

    >>> tables = {"state": {"omega": [0.1, 0.2]}}
    >>> changed(tables, ["state", "omega", 1], "-1.5"); changed(tables, ["run", "step"], "0.1"); tables
    {'state': {'omega': [0.1, -1.5]}, 'run': {'step': 0.1}}
    """
    *outer, last = place
    owner: Any = document
    for key in outer:
        if isinstance(owner, dict) and isinstance(key, str):
            owner = owner.setdefault(key, {})
        else:
            owner = _entry(owner, key, place)
    if isinstance(owner, dict) and isinstance(last, str):
        if value.strip():
            owner[last] = _value(value)
        else:
            owner.pop(last, None)
    else:
        _entry(owner, last, place)
        owner[last] = _value(value)


def _entry(owner: Any, key: str | int, place: Place) -> Any:
    if not isinstance(owner, list) or not isinstance(key, int) or not 0 <= key < len(owner):
        raise InvalidInputError("place", list(place), problem="there is nothing at this place of the scenario")
    return owner[key]


def _value(text: str) -> Any:
    try:
        found = read_toml(f"value = {text}")
    except ValueError:
        return text
    return found["value"] if list(found) == ["value"] else text  # which several lines can make


def _lines(table: Mapping[str, Any], name: str) -> Iterator[str]:
    """The entries of a table, then the tables in it."""
    inner = {key: value for key, value in table.items() if _is_table(value) or _are_tables(value)}
    for key, value in table.items():
        if key not in inner and value is not None:
            yield f"{_key(key)} = {_text(value)}"
    for key, value in inner.items():
        path = f"{name}.{_key(key)}" if name else _key(key)
        for part in [value] if _is_table(value) else value:
            yield f"\n[{path}]" if _is_table(value) else f"\n[[{path}]]"
            yield from _lines(part, path)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, Mapping) for part in value)


def _key(key: str) -> str:
    return key if PLAIN_KEY.fullmatch(key) else json.dumps(key)


def _text(value: Any) -> str:
    if isinstance(value, date | time):  # a datetime is a date too
        return value.isoformat()
    if isinstance(value, str):
        plain = all(c.isprintable() or c == "\n" for c in value)
        if "\n" in value and plain and not re.search(r'\\|"""|"$', value):
            return f'"""\n{value}"""'
        text = json.dumps(value, ensure_ascii=False)
        return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
    if isinstance(value, list):
        return "[" + ", ".join(_text(part) for part in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_text(part)}" for key, part in value.items()) + "}"
    return toml(value)
