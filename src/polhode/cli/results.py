"""`polhode plot`: what can be made of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .base import main, plainly


@main.command()
@plainly
def plot(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="A NetCDF file that polhode wrote.")],
    figure: Annotated[
        list[str] | None, typer.Option("--figure", metavar="NAME", help="Which figure. Repeatable; default: all.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where to put them; default: beside the result.")
    ] = None,
) -> None:
    """Draw the figures of a result."""
    from ..io.netcdf import load
    from ..view.plots import save_figures

    trajectory = load(result)
    for path in save_figures(trajectory, out or result.parent, figure or None, prefix=f"{result.stem}-"):
        typer.echo(f"wrote {path}")
