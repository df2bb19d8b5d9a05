"""The JSON Schema of scenario files, from the tables that check them and the signatures of systems and methods.

An editor that knows it completes keys and marks mistakes while a scenario is typed. It says what can be said of types
and names; whether moments are those of a body, or a step is small enough, is said by `polhode check`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, get_origin, get_type_hints

from ...bodies import KINDS, Body, Polyhedron
from ...core.method import known_methods
from ...core.system import System
from ...systems.registry import known_systems
from .document import Document
from .validation import arguments_table, members

Schema = dict[str, Any]

# any body of a scenario may have them, see `body_tables`
MESH: Schema = {
    "mesh": {"type": "string", "description": "a shape file: the homogeneous body inside it takes this one's place"},
    "mesh_scale": {"type": "number", "description": "multiplies the coordinates of the file"},
}


def scenario_schema() -> Schema:
    """The schema of a scenario file, as plain data.

    >>> found = scenario_schema()
    >>> sorted(found["$defs"]["LGVI"]["properties"])
    ['form', 'order', 'type']
    """
    schema = _untitled(Document.model_json_schema())
    parts: dict[str, Schema] = schema.setdefault("$defs", {})
    parts["body"] = {"oneOf": [*(_body(kind, cls) for kind, cls in KINDS.items()), _mesh_file()]}
    systems, methods = known_systems(), known_methods()
    for name, system in systems.items():
        parts[name] = _named(name, system.__init__, system.summary)
        parts[f"{name}.state"] = _state(system)
    for name, method in methods.items():
        parts[name] = _named(name, method.__init__, method.summary)
    for table, known in (("system", list(systems)), ("method", list(methods))):
        schema["properties"][table] |= {"required": ["type"], "properties": {"type": {"enum": known}}}
    schema["allOf"] = [_when("system", name, system=name, state=f"{name}.state") for name in systems]
    schema["allOf"] += [_when("method", name, method=name) for name in methods]
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "A polhode scenario"} | schema


def _when(table: str, name: str, **tables: str) -> Schema:
    """What tables look like if one of them is of this type."""
    chosen = {"properties": {"type": {"const": name}}, "required": ["type"]}
    then = {key: {"$ref": f"#/$defs/{part}"} for key, part in tables.items()}
    return {"if": {"properties": {table: chosen}, "required": [table]}, "then": {"properties": then}}


def _table(function: Callable[..., Any]) -> Schema:
    """The schema of a table that holds the arguments of a function."""
    schema = _untitled(arguments_table(function).model_json_schema())
    schema.pop("description", None)
    for name, hint in get_type_hints(function).items():
        if name in schema.get("properties", {}) and Body in members(hint):
            one = {"$ref": "#/$defs/body"}
            several = get_origin(hint) is Sequence
            schema["properties"][name] = {"type": "array", "items": one, "minItems": 1} if several else one
    return schema


def _untitled(schema: Any) -> Any:
    """Without the titles that are made from the names."""
    if isinstance(schema, dict):
        return {k: _untitled(v) for k, v in schema.items() if k != "title" or not isinstance(v, str)}
    return [_untitled(part) for part in schema] if isinstance(schema, list) else schema


def _named(name: str, function: Callable[..., Any], what: str) -> Schema:
    """A table that is chosen by its `type`."""
    schema = _table(function)
    properties = {"type": {"const": name}} | schema.get("properties", {})
    return schema | {"description": what, "properties": properties, "required": ["type", *schema.get("required", [])]}


def _state(system: type[System]) -> Schema:
    schema = _table(system.state)
    for name, info in system.example().system.fields.items():  # some have them only once they are made
        if name in schema.get("properties", {}):
            schema["properties"][name]["description"] = f"{info.meaning} [{info.unit}]" if info.unit else info.meaning
    return schema


def _body(kind: str, cls: type[Body]) -> Schema:
    schema = _named(kind, cls.__init__, (inspect.getdoc(cls) or kind).split("\n")[0])
    schema["properties"] |= MESH
    return schema


def _mesh_file() -> Schema:
    """A polyhedron from a file: the argument `path` is called `file` in a description."""
    schema = _named(Polyhedron.kind, Polyhedron.from_file.__func__, "a polyhedron from a mesh file")  # type: ignore[attr-defined]
    schema["properties"]["file"] = schema["properties"].pop("path") | {"type": "string"}
    schema["required"] = ["type", "file"]
    return schema
