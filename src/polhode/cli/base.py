"""What the commands share: the app, errors as one message and an exit code, scenarios by name, and tables."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec, TextIO

import typer
from typer.core import TyperCommand

from .._version import __version__
from ..errors import PolhodeError
from ..plain_text import printable

if TYPE_CHECKING:
    from rich.console import Console

    from ..io.scenario.document import Scenario
    from ..simulation.trajectory import Trajectory
    from ..tables import Table
    from ..view.html.server import LocalServer

P = ParamSpec("P")
FILE_WIDTH = 120  # characters in a line of a table that is written to a file or a pipe

main = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    help="Simulate the motion of rigid bodies, conserving what the exact motion conserves.",
)

ScenarioName = Annotated[str, typer.Argument(metavar="SCENARIO", help="A TOML file, or the name of an example.")]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Change an entry of the scenario, as in run.step=0.01. Repeatable."
    ),
]
Folder = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to put the results.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]


ENTRIES = {"step": "run.step", "steps": "run.steps", "t-end": "run.t_end", "save-every": "run.save_every"}
ENTRIES |= {"method": "method.type", "order": "method.order", "units": "units.time", "epoch": "epoch.date"}


class ScenarioCommand(TyperCommand):
    """A command on a scenario: for an option that stands in the scenario, the error says how it is changed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments of the command line, or the error."""
        sets = "--set" in args  # which are taken from the list as they are read
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            name = str(getattr(error, "option_name", "")).lstrip("-").replace("_", "-")
            if name in ENTRIES:
                wrong: Any = error
                wrong.possibilities = None
                wrong.message += f". This stands in the scenario: change it with --set {ENTRIES[name]}=VALUE"
            elif sets and "extra argument" in str(error):
                more: Any = error
                more.message += ". Write --set KEY=VALUE without spaces, or in quotes"
            raise


def exit_on_error(command: Callable[P, None]) -> Callable[P, None]:
    """The command with its errors turned into one message and an exit code."""

    @wraps(command)
    def inner(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with warnings.catch_warnings():
                # numbers that overflow show up in the result, or in the error that ends the run
                warnings.simplefilter("ignore", RuntimeWarning)
                warnings.showwarning = _show_warning
                command(*args, **kwargs)
        except PolhodeError as error:
            fail(str(error), 2)
        except MemoryError:
            fail("not enough memory; a larger run.save_every saves fewer samples", 2)
        except OSError as error:
            place = f"{error.filename}: " if error.filename is not None else ""
            fail(f"{place}{error.strerror or error}", 2)
        except KeyboardInterrupt:
            fail("interrupted", 130)

    return inner


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning without the place in the code that gave it."""
    warn(message)


def warn(message: object) -> None:
    """Print a warning on standard error, with control characters as escapes."""
    typer.echo(f"polhode: warning: {printable(str(message))}", err=True)


def say(text: str) -> None:
    """Print a text; control characters, which a title in a file may contain, are printed as escapes."""
    typer.echo(printable(text))


def serve(server: LocalServer, what: str, link: str, *, show: bool) -> None:
    """Say where the server is, open it in the browser if wanted, and serve until Ctrl-C."""
    import webbrowser

    try:
        say(f"{what} is at {link}; Ctrl-C ends it")
        if show:
            webbrowser.open(link)
        server.wait()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


def fail(message: str, code: int) -> NoReturn:
    """Print one message on stderr and exit with `code`."""
    typer.secho(f"polhode: {printable(message)}", err=True, fg=typer.colors.RED)
    raise typer.Exit(code)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"polhode {__version__}")
        raise typer.Exit


@main.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def open_scenario(name: str, changes: list[str] | None) -> Scenario:
    """The scenario in a file or, if there is no such file, the example of that name."""
    from ..io.scenario.document import load_scenario
    from ..io.scenario.examples import example_scenarios, find_example

    path = Path(name)
    # a name with a suffix or a folder means a file: if there is none, the error should say so; an example wins over a folder
    looks_like_a_file = path.is_file() or path.suffix or len(path.parts) > 1
    looks_like_a_file = looks_like_a_file or (path.exists() and name not in example_scenarios())
    return load_scenario(path if looks_like_a_file else find_example(name), changes or ())


def file_or_terminal() -> Console:
    """Where tables are printed: as wide as the terminal, or as a file."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = FILE_WIDTH
    return console


def show_table(table: Table) -> None:
    """Print a table, and below it what is too long for a column: the arguments and the reference of each row.

    Where the terminal is too narrow for its columns, each row is a paragraph."""
    below = ("arguments", "reference")
    console = file_or_terminal()
    if table.least_width(leave_out=below) > console.width:
        say(table.to_records(console.width))
        return
    console.print(table.to_rich(console.width, leave_out=below))
    lines = {
        f"{next(iter(row.values()))}({', '.join(row[below[0]])})": row[below[1]] for row in table if below[0] in row
    }
    for call, reference in lines.items():
        say(fill(call, console.width, subsequent_indent="  ", break_on_hyphens=False))
        say(fill(reference, console.width, initial_indent=" " * 4, subsequent_indent=" " * 4, break_on_hyphens=False))


def show_conservation(trajectory: Trajectory) -> None:
    """Print the table of conserved quantities, and what the run cost."""
    from rich.console import Console
    from rich.table import Table as RichTable

    from ..simulation.progress import rate_text
    from ..view.summary import NOTHING_CONSERVED, conservation_rows

    table = RichTable(title="Conserved quantities", title_justify="left")
    headings = ("quantity", "first value", "worst deviation", "relative", "slope")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "quantity" else "right", no_wrap=True)
    for row in conservation_rows(trajectory):
        table.add_row(*(row[heading] for heading in headings))
    Console().print(table if table.row_count else NOTHING_CONSERVED)
    if trajectory.units and table.row_count:
        say(f"in units made of {', '.join(trajectory.units.describe().values())}")
    stats = trajectory.stats
    line = f"{stats.steps:,} steps in {stats.seconds:.2f} s: {rate_text(stats.steps_per_second)}"
    if stats.max_iterations:
        iterations = f"{stats.mean_iterations:.2f} on average, {stats.max_iterations} at most"
        line += f"; {trajectory.method.iteration} {iterations}, worst relative residual {stats.worst_residual:.1e}"
    if stats.retries:
        line += f"; {stats.retries:,} steps done again in shorter pieces"
    say(line)
