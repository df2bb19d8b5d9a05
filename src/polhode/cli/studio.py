"""`polhode studio`: a page to change a scenario, run it and see what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .base import exit_on_error, main, serve


@main.command()
@exit_on_error
def studio(
    scenario: Annotated[
        str, typer.Argument(metavar="[SCENARIO]", help="A TOML file in this folder, or the name of an example.")
    ] = "tumbling_middle_axis",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port to serve the studio at; 0: any free one.")
    ] = 8080,
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the studio in the browser.")] = True,
) -> None:
    """Open the studio: change a scenario in the browser, run it, see the motion, compare methods."""
    from ..studio.server import Studio

    server = Studio(Path.cwd(), scenario, port)
    serve(server, "the studio", server.link, show=show)
