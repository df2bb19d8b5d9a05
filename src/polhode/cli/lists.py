"""`polhode systems`, `methods`, `examples`, `describe` and `new`: what polhode has, and how to begin."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Annotated

import typer

from .base import exit_on_error, file_or_terminal, main, say, show_table


@main.command()
@exit_on_error
def systems() -> None:
    """List the systems: what moves."""
    from ..tables import list_systems as table

    show_table(table())


@main.command()
@exit_on_error
def methods() -> None:
    """List the methods: how time is discretised, and what each conserves."""
    from ..tables import list_methods as table

    show_table(table())


@main.command()
@exit_on_error
def examples(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Print the file of this example.")] = None,
) -> None:
    """List the example scenarios, or print one; `polhode run NAME` runs it."""
    from ..io.scenario.document import load_scenario
    from ..io.scenario.examples import example_scenarios, find_example
    from ..tables import Table

    if name is not None:
        say(find_example(name).read_text(encoding="utf-8").rstrip())
        return
    found = example_scenarios().items()
    show_table(Table("Examples", [{"name": name, "what": load_scenario(file).document.title} for name, file in found]))


@main.command()
@exit_on_error
def describe(system: Annotated[str, typer.Argument(metavar="SYSTEM", help="A name from `polhode systems`.")]) -> None:
    """Describe a system: its equations, arguments, fields and conserved quantities, and the methods that fit it."""
    import inspect

    from ..io.scenario.template import find_system
    from ..tables import Table, system_row

    cls = find_system(system)
    row = system_row(system, cls)
    body = cls.example().system
    width = file_or_terminal().width
    say(f"{system}: {cls.summary}\n\n{_in_lines(inspect.getdoc(cls) or '', width)}\n")
    fields = [
        {"field": name, "meaning": field.meaning, "unit": field.unit or "—"} for name, field in body.fields.items()
    ]
    kept = [{"conserved": name, "meaning": quantity.meaning} for name, quantity in body.conserved.items()]
    show_table(Table("Fields of a state and a trajectory", fields))
    show_table(Table("Conserved quantities of the example", kept))
    for name in ("arguments", "methods", "reference"):
        text = row[name] if name == "reference" else ", ".join(row[name])
        say(fill(text, width, initial_indent=f"{name + ':':11}", subsequent_indent=" " * 11, break_on_hyphens=False))


def _in_lines(text: str, width: int) -> str:
    """Paragraphs in lines of this width; those that hold code or are indented stay as they are."""
    return "\n\n".join(
        paragraph
        if paragraph.startswith(">>>") or "\n " in f"\n{paragraph}"
        else fill(paragraph, width, break_on_hyphens=False, break_long_words=False)
        for paragraph in text.split("\n\n")
    )


@main.command()
@exit_on_error
def new(
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="A name from `polhode systems`.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to put it; default: SYSTEM.toml.")
    ] = None,
) -> None:
    """Write a scenario with remarks to begin with: the example of a system."""
    from ..errors import InvalidInputError
    from ..io.atomic_files import replacing
    from ..io.scenario.template import scenario_template

    text, path = scenario_template(system), out or Path(f"{system}.toml")
    if path.exists():
        raise InvalidInputError("out", str(path), problem="this file exists already")
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
    say(f"wrote {path}; polhode run {path}")
