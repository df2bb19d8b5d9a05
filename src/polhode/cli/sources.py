"""`polhode reproduce`: the sources' numbers beside the ones found here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InvalidInputError
from .base import fail, main, plainly, show_table


@main.command()
@plainly
def reproduce(
    source: Annotated[str, typer.Argument(metavar="[SOURCE]", help="Whose numbers; default: all of them.")] = "all",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Draw the source's figures into this folder too.")
    ] = None,
) -> None:
    """Print the sources' numbers beside the ones found here; fails if one that should agree does not."""
    from ..reproduce import brief, failing, figures, reasons, sources
    from ..tables import Table
    from ..view.figures.catalogue import write_figures

    known = sources()
    if source not in ("all", *known):
        raise InvalidInputError("SOURCE", source, f"all, or one of {', '.join(known)}")
    chosen = list(known) if source == "all" else [source]
    wrong = 0
    for name in chosen:
        rows = known[name]()
        wrong += len(failing(rows))
        show_table(Table(f"{name}: printed and found", [brief(row) for row in rows]))
        for reason in reasons(rows):
            typer.echo(reason)
        for path in write_figures(figures(name), out) if out else []:
            typer.echo(f"wrote {path}")
    if wrong:
        fail(f"{wrong} of the printed numbers should agree and do not", 1)
