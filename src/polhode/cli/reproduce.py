"""`polhode reproduce`: published values and ours, side by side."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InvalidInputError, RunWarning
from .base import exit_on_error, fail, main, say, show_table


@main.command()
@exit_on_error
def reproduce(
    source: Annotated[
        str, typer.Argument(metavar="[SOURCE]", help="The source of the values; default: all sources.")
    ] = "all",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Also draw the source's figures into this folder.")
    ] = None,
) -> None:
    """Print published values and ours side by side; exits with 1 if a value that should agree does not."""
    from ..reproduce import figures, misprint_reasons, sources, table_row, unexpected
    from ..tables import Table
    from ..view.figures.catalogue import write_figures

    warnings.simplefilter("ignore", RunWarning)  # some rows show what happens where steps are too long
    known = sources()
    if source not in ("all", *known):
        raise InvalidInputError("SOURCE", source, f"all, or one of {', '.join(known)}")
    chosen = list(known) if source == "all" else [source]
    wrong = 0
    for name in chosen:
        rows = known[name]()
        wrong += len(unexpected(rows))
        show_table(Table(f"{name}: published values and ours", [table_row(row) for row in rows]))
        for reason in misprint_reasons(rows):
            say(reason)
        for path in write_figures(figures(name), out) if out else []:
            say(f"wrote {path}")
    if wrong:
        fail(f"{wrong} of the published values should agree with ours and do not", 1)
