"""`polhode systems`, `polhode methods`, `polhode examples`: lists of what polhode has."""

from __future__ import annotations

from .base import exit_on_error, main, show_table


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
def examples() -> None:
    """List the example scenarios; `polhode run NAME` runs one."""
    from ..io.scenario.document import load_scenario
    from ..io.scenario.examples import example_scenarios
    from ..tables import Table

    found = example_scenarios().items()
    show_table(Table("Examples", [{"name": name, "what": load_scenario(file).document.title} for name, file in found]))
