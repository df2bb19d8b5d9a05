"""The JSON Schema of scenario files, from the tables that validate them and the signatures of systems and methods.

With it an editor completes keys and marks mistakes while a scenario is typed. It covers names and types; whether moments
of inertia are those of a body, or a step is small enough, is checked by `polhode check`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_origin, get_type_hints

from ...bodies import KINDS, Body, Part, Polyhedron
from ...bodies.compound import PLACES
from ...core.method import known_methods
from ...core.system import System
from ...systems.environment.magnetic_field import MagneticField
from ...systems.environment.orbit import Orbit
from ...systems.environment.parts import KINDS as PARTS
from ...systems.environment.parts import GravityGradient
from ...systems.environment.plates import Plate
from ...systems.registry import known_systems
from .bodies import body_key
from .document import Document
from .key_meanings import meaning
from .quantities import RUN, STATE, SYSTEM
from .validation import arguments_table, members

Schema = dict[str, Any]
QUANTITY = r"^\s*[+-]?[0-9.](?![0-9_.eE+-]*\s*$)"  # a number with a unit

# keys that any body of a scenario may have, see `bodies.py`
MESH: Schema = {
    "mesh": {"type": "string", "description": "a shape file: the body is the homogeneous one inside it"},
    "mesh_scale": {"type": "number", "description": "multiplies the coordinates of the file"},
}


def scenario_schema() -> Schema:
    """The schema of a scenario file, as plain data.

    >>> found = scenario_schema()
    >>> sorted(found["$defs"]["LGVI"]["properties"])
    ['form', 'order', 'type']
    """
    schema = _without_titles(Document.model_json_schema())
    parts: dict[str, Schema] = schema.setdefault("$defs", {})
    bodies = [*(_body_schema(kind, cls) for kind, cls in KINDS.items()), _mesh_file_schema()]
    parts["body"], parts["part"] = {"oneOf": bodies}, {"oneOf": [_placed_schema(body) for body in bodies]}
    parts |= _environment_schemas()
    systems, methods = known_systems(), known_methods()
    for name, system in systems.items():
        parts[name] = _typed_schema(name, system.__init__, system.summary)
        parts[f"{name}.state"] = _state_schema(system)
    for name, method in methods.items():
        parts[name] = _typed_schema(name, method.__init__, method.summary)
    for table, known in (("system", list(systems)), ("method", list(methods))):
        kind = {"enum": known, "description": meaning(table, "type")}
        schema["properties"][table] |= {"required": ["type"], "properties": {"type": kind}}
    for table, keys in ((schema["$defs"]["RunTable"], RUN), *((parts[f"{name}.state"], STATE) for name in systems)):
        _allow_quantities(table, keys)
    for name in systems:
        _allow_quantities(parts[name], SYSTEM)
    for body in [*parts["body"]["oneOf"], *parts["part"]["oneOf"]]:
        _allow_quantities(body, SYSTEM)
    schema["allOf"] = [_if_type("system", name, system=name, state=f"{name}.state") for name in systems]
    schema["allOf"] += [_if_type("method", name, method=name) for name in methods]
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "A polhode scenario"} | schema


def _allow_quantities(table: Schema, keys: Mapping[str, str]) -> None:
    """Let keys of a table be quantities with their units, too, or lists in which there are some."""
    for name in set(table.get("properties", {})) & set(keys):
        plain = table["properties"][name]
        text = {"type": "string", "pattern": QUANTITY, "description": f"a quantity of {keys[name]} with its unit"}
        several = {"type": "array", "items": {"anyOf": [{"type": ["number", "array"]}, text]}}
        own = {"description": plain["description"]} if "description" in plain else {}
        table["properties"][name] = {"anyOf": [plain, text, several], **own}


def _if_type(table: str, name: str, **tables: str) -> Schema:
    """The schemas of tables that apply if `table` has the type `name`."""
    chosen = {"properties": {"type": {"const": name}}, "required": ["type"]}
    then = {key: {"$ref": f"#/$defs/{part}"} for key, part in tables.items()}
    return {"if": {"properties": {table: chosen}, "required": [table]}, "then": {"properties": then}}


def _arguments_schema(owner: str, function: Callable[..., Any]) -> Schema:
    """The schema of a table that holds the arguments of a function of the type `owner`."""
    schema = _without_titles(arguments_table(function).model_json_schema())
    schema.pop("description", None)
    for name, hint in get_type_hints(function).items():
        key = body_key(name, hint)
        if name in schema.get("properties", {}) and key is not None:
            one = {"$ref": f"#/$defs/{'part' if Part in members(hint) else 'body'}"}
            is_list = get_origin(hint) is Sequence
            schema["properties"][key] = {"type": "array", "items": one, "minItems": 1} if is_list else one
            if key != name and name in schema.get("required", []):  # one of the two
                schema["required"].remove(name)
                schema.setdefault("allOf", []).append({"oneOf": [{"required": [name]}, {"required": [key]}]})
        if name in schema.get("properties", {}) and Orbit in members(hint):
            schema["properties"][name] = {"$ref": "#/$defs/orbit"}
        if name in schema.get("properties", {}) and GravityGradient in members(hint):
            schema["properties"][name] = {"type": "array", "items": {"$ref": "#/$defs/environment"}}
    for name, key in schema.get("properties", {}).items():
        if (text := meaning(owner, name)) is not None:
            key["description"] = text
    return schema


def _without_titles(schema: Any) -> Any:
    """Drop the titles that pydantic makes from the names."""
    if isinstance(schema, dict):
        return {k: _without_titles(v) for k, v in schema.items() if k != "title" or not isinstance(v, str)}
    return [_without_titles(part) for part in schema] if isinstance(schema, list) else schema


def _typed_schema(name: str, function: Callable[..., Any], what: str) -> Schema:
    """The schema of a table whose `type` is `name`."""
    schema = _arguments_schema(name, function)
    properties = {"type": {"const": name, "description": what}} | schema.get("properties", {})
    return schema | {"description": what, "properties": properties, "required": ["type", *schema.get("required", [])]}


def _environment_schemas() -> dict[str, Schema]:
    """The orbit of a spacecraft, and what acts on it there."""
    plate, field = (_arguments_schema(kind.__name__, kind.__init__) for kind in (Plate, MagneticField))
    field["properties"] |= {"igrf": {"type": "string", "description": "a day: the reference field then"}}
    field["properties"] |= {"degree": {"type": "integer", "description": "of the reference field, at most 13"}}
    kinds = []
    for name, kind in PARTS.items():
        part = _typed_schema(name, kind.__init__, (inspect.getdoc(kind) or name).split("\n")[0])
        for key, more in (("plates", {"type": "array", "items": plate, "minItems": 1}), ("field", field)):
            if key in part["properties"]:
                part["properties"][key] = more | {"description": meaning(name, key)}
        kinds.append(part)
    orbit = _arguments_schema("Orbit", Orbit.__init__) | {"description": "an elliptic orbit about a planet"}
    return {"orbit": orbit, "environment": {"oneOf": kinds}}


def _state_schema(system: type[System]) -> Schema:
    schema = _arguments_schema(system.__name__, system.state)
    for name, info in system.example().system.fields.items():  # of some classes only instances have fields
        if name in schema.get("properties", {}):
            schema["properties"][name]["description"] = f"{info.meaning} [{info.unit}]" if info.unit else info.meaning
    return schema


def _body_schema(kind: str, cls: type[Body]) -> Schema:
    schema = _typed_schema(kind, cls.__init__, (inspect.getdoc(cls) or kind).split("\n")[0])
    schema["properties"] |= MESH
    return schema


def _placed_schema(body: Schema) -> Schema:
    """The part of a compound: a body and its place."""
    place = _arguments_schema("Part", Part.__init__)["properties"]
    return body | {"properties": body["properties"] | {name: place[name] for name in PLACES}}


def _mesh_file_schema() -> Schema:
    """A polyhedron from a file: the argument `path` is the key `file` in a scenario."""
    schema = _typed_schema(Polyhedron.kind, Polyhedron.from_file.__func__, "a polyhedron from a mesh file")  # type: ignore[attr-defined]
    schema["properties"]["file"] = schema["properties"].pop("path") | {
        "type": "string",
        "description": meaning(Polyhedron.kind, "file"),
    }
    schema["required"] = ["type", "file"]
    return schema
