"""`polhode plot`, `view`, `movie` and `info`: what a result looks like, and what it holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .base import exit_on_error, fail, main, say, serve, show_conservation
from .ensemble import save_ensemble_figures, show_member_warnings, show_members

if TYPE_CHECKING:
    from ..simulation.trajectory import Trajectory

Result = Annotated[Path, typer.Argument(metavar="RESULT", help="A NetCDF file or Zarr folder that polhode wrote.")]
FromTime = Annotated[
    str | None,
    typer.Option("--from-time", metavar="T", help='Leave out what is before this time, such as 3.5 or "3 days".'),
]
ToTime = Annotated[str | None, typer.Option("--to-time", metavar="T", help="Leave out what is after this time.")]


def load_part(result: Path, start: str | None, end: str | None) -> Trajectory:
    """The result from a time to a time, which are numbers or quantities such as "3 days"."""
    from ..io.trajectory_file import load

    trajectory = load(result)

    def time(option: str, text: str | None) -> float | None:
        if text is None:
            return None
        try:
            return float(text)
        except ValueError:
            return trajectory.units.number(option, text, "time")

    return trajectory.between(time("--from-time", start), time("--to-time", end))


@main.command()
@exit_on_error
def plot(
    result: Result,
    figure: Annotated[
        list[str] | None, typer.Option("--figure", metavar="NAME", help="Which figure. Repeatable; default: all.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where to put them; default: beside the result.")
    ] = None,
    kind: Annotated[str, typer.Option("--format", metavar="KIND", help="png, pdf, svg or eps.")] = "png",
    from_time: FromTime = None,
    to_time: ToTime = None,
) -> None:
    """Draw the figures of a result; of an ensemble: fan, histogram, map."""
    from ..io.ensemble_file import holds_ensemble
    from ..view.figures.catalogue import save_figures

    if holds_ensemble(result):
        from ..ensemble import Ensemble

        if from_time is not None or to_time is not None:
            fail("the figures of an ensemble show all of it: leave out --from-time and --to-time", 2)
        for path in save_ensemble_figures(Ensemble.load(result), result, figure, out, kind).values():
            say(f"wrote {path}")
        return
    trajectory = load_part(result, from_time, to_time)
    for path in save_figures(trajectory, out or result.parent, figure or None, prefix=f"{result.stem}-", kind=kind):
        say(f"wrote {path}")


@main.command()
@exit_on_error
def view(
    result: Result,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write one page that works offline, instead of serving the view."),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port to serve the view at; 0: any free one.")
    ] = 8080,
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the view in the browser.")] = True,
    from_time: FromTime = None,
    to_time: ToTime = None,
) -> None:
    """Show a result in the browser: the bodies move."""
    from ..errors import InvalidInputError
    from ..view.html.page import save_page

    if html is not None and html.suffix.lower() not in (".html", ".htm"):
        raise InvalidInputError("--html", str(html), "a name that ends in .html")
    trajectory = load_part(result, from_time, to_time)
    if html is not None:
        save_page(trajectory, html)
        say(f"wrote {html}")
        return
    from ..view.html.server import ViewServer

    server = ViewServer(trajectory, port)
    serve(server, "the view", server.address, show=show)


@main.command()
@exit_on_error
def movie(
    result: Result,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="An .mp4 or .gif file; default: RESULT.gif.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="How long the movie lasts; default: at most 20.")
    ] = None,
    from_time: FromTime = None,
    to_time: ToTime = None,
) -> None:
    """Write a movie of a result: the view, drawn without a browser."""
    from ..view.movie.writer import save_movie

    trajectory = load_part(result, from_time, to_time)
    path = out or result.with_suffix(".gif")
    save_movie(trajectory, path, seconds=seconds, progress=True)
    say(f"wrote {path}")


@main.command()
@exit_on_error
def info(result: Result) -> None:
    """List what a result holds: the run, what was conserved, the events; of an ensemble also the members that failed."""
    from ..io.ensemble_file import holds_ensemble
    from ..io.trajectory_file import load
    from ..view.summary import headline, time_span, title_of, units_text

    if holds_ensemble(result):
        from ..ensemble import Ensemble

        found = Ensemble.load(result)
        say(f"{found.provenance.get('title') or 'An ensemble'}\n{found!r}")
        show_members(found)
        show_member_warnings(found)
        return
    trajectory = load(result)
    span = f"t = {time_span(trajectory)}"
    say(f"{title_of(trajectory)}\n{headline(trajectory)}; {len(trajectory):,} samples, {span}")
    if trajectory.units:
        say(f"units: {units_text(trajectory)}; angles in rad")
    say(f"fields: {', '.join(trajectory.system.fields)}")
    show_conservation(trajectory)
    if trajectory.accuracy:
        say(str(trajectory.accuracy))
    for event in trajectory.events:
        say(str(event))
    if version := trajectory.provenance.get("polhode"):
        say(f"computed by polhode {version}")
