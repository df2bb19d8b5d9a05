"""The reference of scenario files, from their schema, and of the command, from its own declarations."""

from __future__ import annotations

from typing import Any

SCENARIO = """# Scenario files

A scenario is a TOML file that describes a run completely. This page is made from the tables that validate it; a key that is
not named here is refused. `polhode new SYSTEM` writes a scenario to begin with, `polhode check FILE` checks one, and
`polhode schema` prints all this as a <a href="../scenario.schema.json">JSON Schema</a> for editors.

{tables}

## [system] and [state]

The keys of `[system]` are its `type` and the arguments of that class, those of `[state]` the arguments of its `state`.

{systems}

## Orbit and environment

Of a gyrostat `orbit` is a table, and `environment` a list of tables, each with a `type`.

{surroundings}

## [method]

{methods}

## Bodies

`body1`, `body2` and each of `bodies` are tables with a `type`. Any of them may have the mesh of its shape: `mesh`, a file,
and `mesh_scale`, which multiplies its coordinates.

{bodies}
"""

COMMAND = """# The command

`polhode --help` lists the commands, and `polhode COMMAND --help` says what this page says of each.

`polhode --install-completion` lets your shell (bash, zsh, fish or PowerShell) complete commands and options with the Tab
key, from the next shell on; `polhode --show-completion` prints the script instead. Tables are as wide as the terminal, or 120
characters in a file or a pipe.

Wrong input ends with one message and the exit code 2, a run that fails on the way with 1 after it has saved what it has, and
Ctrl-C with 130.

{commands}
"""

MORE = ("mesh", "mesh_scale")  # keys of every body, told once


def scenario_page() -> str:
    """The page of scenario files."""
    from polhode.bodies import KINDS
    from polhode.core.method import known_methods
    from polhode.io.scenario.json_schema import scenario_schema
    from polhode.systems.registry import known_systems

    schema = scenario_schema()
    parts = schema["$defs"]
    tables = [("## The file", schema)]
    for name, key in schema["properties"].items():
        if (part := _named_table(key)) is not None:
            tables.append((f"## [{name}]", parts[part]))
    tables.append(("## [[ensemble.vary]]", parts["VaryTable"]))
    systems = []
    for name in known_systems():
        head = f"### {name}\n\n{_sentence(parts[name]['description'])}\n\n"
        systems.append(f"{head}{_keys(parts[name])}\n\n`[state]`:\n\n{_keys(parts[f'{name}.state'])}")
    surroundings = [("### [system.orbit]", parts["orbit"])]
    for table in parts["environment"]["oneOf"]:
        surroundings.append((f"### {table['properties']['type']['const']}", table))
        for key, inner in table["properties"].items():
            inner = inner.get("items", inner)
            if "properties" in inner:
                surroundings.append((f"#### {key} of {table['properties']['type']['const']}", inner))
    methods = [
        f"### {name}\n\n{_sentence(parts[name]['description'])}\n\n{_keys(parts[name])}" for name in known_methods()
    ]
    bodies = []
    for table in parts["body"]["oneOf"]:
        kind = table["properties"]["type"]["const"]
        title = f"{kind}, from a file" if "file" in table["properties"] else kind
        assert kind in KINDS
        bodies.append(f"### {title}\n\n{_sentence(table['description'])}\n\n{_keys(table, leave_out=MORE)}")
    return SCENARIO.format(
        tables="\n\n".join(f"{title}\n\n{_keys(table)}" for title, table in tables),
        systems="\n\n".join(systems),
        surroundings="\n\n".join(f"{title}\n\n{_keys(table)}" for title, table in surroundings),
        methods="\n\n".join(methods),
        bodies="\n\n".join(bodies),
    )


def _named_table(key: dict[str, Any]) -> str | None:
    """The name of the table that a key of the file holds, if it has one."""
    found = [part["$ref"] for part in [key, *key.get("anyOf", [])] if "$ref" in part]
    return found[0].rpartition("/")[2] if found else None


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].rstrip(".") + "."


def _keys(table: dict[str, Any], *, leave_out: tuple[str, ...] = ()) -> str:
    """The keys of a table with their kinds, defaults and meanings."""
    from polhode.tables import Table

    required = table.get("required", [])
    rows = [
        {
            "key": f"`{name}`",
            "kind": _kind(key),
            "default": "required" if name in required else _default(key.get("default")),
            "meaning": key["description"],
        }
        for name, key in table["properties"].items()
        if name not in leave_out and "const" not in key
    ]
    return Table("", rows).to_markdown() if rows else "It takes no keys but its `type`."


def _default(value: Any) -> str:
    from polhode.io.scenario.template import toml

    return "" if value is None or value == "" or isinstance(value, dict) else f"`{toml(value)}`"


def _kind(key: dict[str, Any]) -> str:
    """What a value has to be, in words."""
    if "enum" in key:
        values = key["enum"]
        return ", ".join(f'`"{value}"`' for value in values) if len(values) < 8 else "a name, see below"
    if "anyOf" in key:
        if any("pattern" in part for part in key["anyOf"]):  # quantities, and lists of them
            return f"{_kind(key['anyOf'][0])}, or with units"
        return " or ".join(dict.fromkeys(_kind(part) for part in key["anyOf"] if part.get("type") != "null"))
    if "$ref" in key:
        return "table"
    kind = key.get("type", "value")
    if isinstance(kind, list):
        return "numbers"
    inner = _kind(key["items"]) if kind == "array" and "items" in key else ""
    words = {"array": f"list of {inner}s" if inner and inner[-1] != "s" else f"list of {inner or 'values'}"}
    words |= {"object": "table", "boolean": "true or false", "integer": "whole number", "string": "text"}
    return words.get(kind, kind)


def command_page() -> str:
    """The page of the command."""
    from typer.main import get_command

    from polhode.cli import main

    group: Any = get_command(main)
    return COMMAND.format(commands="\n\n".join(_command(name, group.commands[name]) for name in sorted(group.commands)))


def _command(name: str, command: Any) -> str:
    import click

    from polhode.tables import Table

    context = click.Context(command, info_name=f"polhode {name}")
    usage, rows = [], []
    for parameter in command.get_params(context):
        if parameter.param_type_name == "argument":
            shown = (parameter.metavar or parameter.name.upper()).strip("[]")
            usage.append(shown if parameter.required else f"[{shown}]")
            rows.append({"": f"`{shown}`", "meaning": parameter.help or ""})
        elif "--help" not in parameter.opts and (record := parameter.get_help_record(context)):
            rows.append({"": f"`{record[0]}`", "meaning": record[1].replace("[", "\\[")})
    words = ["polhode", name, *usage, *["[OPTIONS]"] * (len(rows) > len(usage))]
    table = Table("", rows).to_markdown() if rows else ""
    return f"## polhode {name}\n\n```text\n{' '.join(words)}\n```\n\n{command.help}\n\n{table}"
