"""The bodies of a scenario: each is a table with the body's `type` and its constructor's arguments.

A system that takes an inertia takes a body with a shape instead: `[system.body]` for the argument `inertia` or `inertia_cm`,
`[[system.bodies]]` for `inertias`, `[system.body1]` for `inertia1`. The parts of a compound are tables of bodies that have a
`position` and an attitude (`axis` or `R`) too.

A table with a `mesh`, the path of a shape file, gives the homogeneous body of its mass inside that mesh, on principal
axes; `mesh_scale` multiplies the file's coordinates and matters only together with `mesh`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, get_origin, get_type_hints

from ...bodies import KINDS, Body, Compound, Part, Polyhedron
from ...bodies.compound import PLACES
from ...core.checks import check_positive
from ...errors import InvalidInputError
from .validation import ScenarioError, arguments, members, nearest


def build_bodies(where: str, path: str, make: Any, table: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `make` in a table, with bodies in place of the tables that describe them."""
    found = dict(table)
    for name, key, many in arguments_for_bodies(make.__init__):
        if key != name and isinstance(table.get(name), dict):
            raise ScenarioError(where, f"{path}.{name}", problem=f"a body with a shape is described in [{path}.{key}]")
        if key not in table:
            continue
        if key != name and name in table:
            raise ScenarioError(
                where, f"{path}.{key}", problem=f"{key} and {name} exclude each other: give one of them"
            )
        given, place = found.pop(key), f"{path}.{key}"
        if not many:
            found[name] = build_body(where, place, given)
        elif not isinstance(given, list) or not given:
            raise ScenarioError(where, place, given, "a list of at least one body")
        else:
            found[name] = [build_body(where, f"{place}[{i}]", one) for i, one in enumerate(given)]
    return found


@cache
def arguments_for_bodies(function: Callable[..., Any]) -> list[tuple[str, str, bool]]:
    """The arguments of a function that take bodies: each with its key in scenarios, and whether it takes several."""
    keys = (
        (name, body_key(name, hint), get_origin(hint) is Sequence) for name, hint in get_type_hints(function).items()
    )
    return [(name, key, many) for name, key, many in keys if key is not None]


def body_key(name: str, hint: Any) -> str | None:
    """The key of a scenario for the bodies that an argument with this annotation takes; None if it takes none.

    >>> from polhode.bodies.inertia import InertiaLike
    >>> body_key("inertia_cm", InertiaLike), body_key("body1", Body), body_key("mass", float)
    ('body', 'body1', None)
    """
    if Body not in members(hint):
        return None
    return name.removesuffix("_cm").replace("inertias", "bodies").replace("inertia", "body")


def build_body(where: str, path: str, table: Any) -> Body:
    """The body that a table describes; `path` is its place in the scenario called `where`.

    >>> build_body("pair.toml", "system.body1", {"type": "sphere", "mass": 2.0, "radios": 1.0})
    Traceback (most recent call last):
    ...
    polhode.io.scenario.validation.ScenarioError: pair.toml: system.body1.radios is unknown; did you mean 'radius'? Allowed: mass, radius, colour, name
    """
    if not isinstance(table, dict):
        raise ScenarioError(where, path, table, f"a table with a type, one of {', '.join(KINDS)}")
    if table.get("type") == Compound.kind and isinstance(table.get("parts"), list):
        table = table | {"parts": [_build_part(where, f"{path}.parts[{i}]", p) for i, p in enumerate(table["parts"])]}
    given = {key: value for key, value in table.items() if key not in ("mesh", "mesh_scale")}
    kind = given.pop("type", None)
    try:
        scale = check_positive("mesh_scale", table.get("mesh_scale", 1.0))
    except InvalidInputError as error:
        raise ScenarioError(where, f"{path}.mesh_scale", error.value, "a positive number") from error
    if "mesh" in table:
        own = {key: given[key] for key in ("mass", "colour", "name") if key in given}
        given = {"file": table["mesh"], "scale": scale, "principal": True} | own
        kind = Polyhedron.kind
    if kind is None:
        raise ScenarioError(where, f"{path}.type", message=f"{path}.type is missing: one of {', '.join(KINDS)}")
    if not isinstance(kind, str) or kind not in KINDS:
        allowed = f"one of {', '.join(KINDS)}{nearest(str(kind), KINDS)}"
        raise ScenarioError(where, f"{path}.type", kind, allowed)
    names = {"path": "mesh", "scale": "mesh_scale"} if "mesh" in table else {"path": "file"}
    make: Any = KINDS[kind]
    function = make.__init__
    if kind == Polyhedron.kind and "file" in given:
        make, function = Polyhedron.from_file, Polyhedron.from_file.__func__  # type: ignore[attr-defined]
        given["path"] = given.pop("file")
        if not isinstance(given["path"], str):
            raise ScenarioError(where, f"{path}.{names['path']}", given["path"], "the path of a shape file, in quotes")
    try:
        return make(**arguments(where, path, function, given))
    except ScenarioError:
        raise
    except InvalidInputError as error:
        raise ScenarioError.located(where, f"{path}.{names.get(error.field, error.field)}", error) from error


def _build_part(where: str, path: str, table: Any) -> Part:
    """The part of a compound that a table describes."""
    given = table if isinstance(table, dict) else {}
    body = build_body(
        where, path, {key: value for key, value in given.items() if key not in PLACES} if given else table
    )
    try:
        return Part(body, **{key: value for key, value in given.items() if key in PLACES})
    except InvalidInputError as error:
        raise ScenarioError.located(where, f"{path}.{error.field}", error) from error
