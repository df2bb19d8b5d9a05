"""The form of a scenario: its entries as fields with their meanings, and the methods that fit its system."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..core.method import Method, known_methods
from ..errors import PolhodeError
from ..io.scenario.build import build_object
from ..io.scenario.document import Scenario, scenario_from_text
from ..io.scenario.json_schema import scenario_schema
from ..io.scenario.text import changed, scenario_text
from ..io.scenario.toml_reader import read_toml
from ..systems.registry import known_systems
from ..tables import fits

Data = dict[str, Any]

NAME = "scenario"  # of a scenario in messages
MOST_CHANGES = 1000
FIXED = ("type",)  # what a form shows, but does not change: other types have other entries
CHOSEN_BY_METHOD = ("step", "tolerance")  # of [run]; they stand beside the method


def changed_text(text: str, changes: Any) -> str:
    """The text of a scenario with changes, each a place and a value as TOML."""
    if not isinstance(text, str) or not isinstance(changes, list) or len(changes) > MOST_CHANGES:
        raise PolhodeError("a scenario is a text, with a list of changes")
    scenario_from_text(NAME, text)  # which tells in words what is not TOML
    document = read_toml(text)
    for change in changes:
        if (
            not isinstance(change, list)
            or len(change) != 2
            or not _is_place(change[0])
            or not isinstance(change[1], str)
        ):
            raise PolhodeError("a change is a place in the scenario and a value")
        changed(document, change[0], change[1])
    return scenario_text(document)


def _is_place(place: Any) -> bool:
    parts = isinstance(place, list) and 0 < len(place) < 10
    return parts and all(isinstance(p, str) or (isinstance(p, int) and not isinstance(p, bool)) for p in place)


def scenario_form(text: str) -> Data:
    """What a page needs to show a scenario: the fields of its tables, the methods that fit, and how it is run.

    >>> from polhode.io.scenario.examples import find_example
    >>> form = scenario_form(find_example("free_rigid_body").read_text())
    >>> [(group["name"], [row["label"] for row in group["rows"]]) for group in form["groups"]]
    [('system', ['type', 'inertia']), ('state', ['omega']), ('run', ['steps', 'save_every'])]
    """
    scenario = scenario_from_text(NAME, text)
    document, schema = read_toml(text), _schema()
    parts, kind = schema["$defs"], str(document["system"].get("type"))
    tables = {
        "system": parts.get(kind, {}),
        "state": parts.get(f"{kind}.state", {}),
        "run": parts["RunTable"],
    }
    groups = [_group(name, document[name], part) for name, part in tables.items()]
    run = scenario.document.run
    return {
        "title": scenario.document.title,
        "description": scenario.document.description.strip(),
        "text": text,
        "groups": groups,
        "methods": _methods(scenario),
        "method": {key: _plain(value) for key, value in document.get("method", {}).items()},
        "step": run.step,
        "tolerance": run.tolerance,
    }


@cache
def _schema() -> Data:
    return scenario_schema()


def _group(name: str, table: Data, schema: Data) -> Data:
    rows = _rows([name], table, schema)
    properties: Data = schema.get("properties", {})
    absent = [
        {"key": key, "description": part.get("description", "")}
        for key, part in properties.items()
        if key not in table and not (name == "run" and key in CHOSEN_BY_METHOD)
    ]
    shown = [row for row in rows if not (name == "run" and row["label"] in CHOSEN_BY_METHOD)]
    return {"name": name, "description": schema.get("description", ""), "rows": shown, "absent": absent}


def _rows(place: list[str | int], table: Mapping[str, Any], schema: Data) -> list[Data]:
    properties: Data = schema.get("properties", {})
    return [_row([*place, key], key, value, properties.get(key, {})) for key, value in table.items()]


def _row(place: list[str | int], label: str, value: Any, schema: Data) -> Data:
    """One field: `kind` says how it is shown."""
    row: Data = {"place": place, "label": label, "description": schema.get("description", "")}
    if label in FIXED:
        return row | {"kind": "fixed", "value": str(value)}
    if isinstance(value, bool):
        return row | {"kind": "switch", "value": value}
    if _is_number(value) or _are_numbers(value):
        kinds = [schema.get("type"), *(part.get("type") for part in schema.get("anyOf", []))]
        return row | {"kind": "numbers", "value": value, "whole": "integer" in kinds}
    if "enum" in schema:
        return row | {"kind": "choice", "value": value, "choices": schema["enum"]}
    if isinstance(value, dict):
        return row | {"kind": "table", "rows": _rows(place, value, {})}
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        inner = [_row([*place, i], f"{label}[{i}]", part, {}) for i, part in enumerate(value)]
        return row | {"kind": "table", "rows": inner}
    return row | {"kind": "text", "value": value if isinstance(value, str) else scenario_text({"x": value})[4:].strip()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _are_numbers(value: Any) -> bool:
    if not isinstance(value, list) or not 0 < len(value) <= 40:
        return False
    return all(_is_number(part) for part in value) or all(_are_numbers(part) for part in value)


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | str) else str(value)


def _methods(scenario: Scenario) -> list[Data]:
    """The methods that fit the system, with their options; all of them if the system cannot be built."""
    known = known_methods()
    try:
        system = build_object(scenario.name, "system", scenario.document.system, known_systems())
    except PolhodeError:
        return [_method(name, cls) for name, cls in known.items()]
    return [_method(name, cls) for name, cls in known.items() if fits(cls, system)]


def _method(name: str, cls: type[Method]) -> Data:
    """A method's summary and options: each with its default and, where it is one of a few, all its values."""
    properties: Data = _schema()["$defs"][name]["properties"]
    variants = [variant.options() for variant in cls.variants()]
    options = []
    for key, part in properties.items():
        if key not in FIXED:
            found = list(dict.fromkeys(options[key] for options in variants if _is_simple(options.get(key))))
            options.append({"key": key, "default": part.get("default"), "choices": found if len(found) > 1 else []})
    return {"name": name, "summary": cls.summary, "options": options}


def _is_simple(value: Any) -> bool:
    return isinstance(value, bool | int | float | str)
