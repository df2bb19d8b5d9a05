"""The command: `polhode run SCENARIO.toml`, and what goes with it.

Whatever a user can get wrong ends in one message on stderr and exit code 2; a run that had to stop on the way keeps what
it has and exits with 1; Ctrl-C exits with 130. What is slow to import is imported by the commands that need it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, ParamSpec

import typer

from ._version import __version__
from .errors import ConvergenceError, InvalidInput, PolhodeError

if TYPE_CHECKING:
    from .io.scenario import Plan, Scenario
    from .tables import Table
    from .trajectory import Trajectory

REHEARSAL = 1000  # steps that a dry run does, to see that they work and how fast
P = ParamSpec("P")

main = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The motion of rigid bodies, computed so that what nature keeps is kept.",
)

ScenarioName = Annotated[str, typer.Argument(metavar="SCENARIO", help="A TOML file, or the name of an example.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change an entry, as in run.step=0.01. Repeatable."),
]
Folder = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to put the results.")]


def plainly(command: Callable[P, None]) -> Callable[P, None]:
    """A command whose errors are one message and an exit code."""

    @wraps(command)
    def inner(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except PolhodeError as error:
            fail(str(error), 2)
        except MemoryError:
            fail("not enough memory; a larger run.save_every keeps fewer samples", 2)
        except KeyboardInterrupt:
            fail("interrupted", 130)

    return inner


def fail(message: str, code: int) -> NoReturn:
    """End with one message on stderr."""
    typer.secho(f"polhode: {message}", err=True, fg=typer.colors.RED)
    raise typer.Exit(code)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"polhode {__version__}")
        raise typer.Exit


@main.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@main.command()
@plainly
def run(
    scenario: ScenarioName,
    out: Folder = Path("out"),
    changes: Changes = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would run, and run nothing.")] = False,
    plots: Annotated[
        bool, typer.Option("--plots/--no-plots", help="Draw the figures that the scenario asks for.")
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing unless something is wrong.")] = False,
) -> None:
    """Run a scenario: progress, the table of what was kept, the result as NetCDF, and plots."""
    from .io.files import check_folder, make_folder
    from .view.plots import save_figures

    chosen = _open(scenario, changes)
    plan = chosen.plan()
    figures = _figures(chosen, plan) if plots else []
    check_folder(out)
    if dry_run:
        _show_plan(chosen, plan, figures)
        return
    say = (lambda text: None) if quiet else typer.echo
    say(chosen.document.title or chosen.name)
    say(_summary(plan))
    file = out / chosen.output_name
    try:
        trajectory = chosen.run(progress=not quiet)
    except ConvergenceError as error:
        _keep_part(error, file.with_suffix(".partial.nc"))
    make_folder(out)
    trajectory.save(file)
    if not quiet:
        _show_kept(trajectory)
    say(f"wrote {file}")
    for path in save_figures(trajectory, out, figures, prefix=f"{file.stem}-"):
        say(f"wrote {path}")


@main.command()
@plainly
def check(scenario: ScenarioName, changes: Changes = None) -> None:
    """Check a scenario without running it."""
    chosen = _open(scenario, changes)
    plan = chosen.plan()
    _figures(chosen, plan)
    typer.echo(f"{chosen.name} is fine: {_summary(plan)}")


@main.command()
@plainly
def systems() -> None:
    """List the systems: what moves."""
    from .tables import systems as table

    _show_table(table())


@main.command()
@plainly
def methods() -> None:
    """List the methods: how time is discretised, and what each keeps."""
    from .tables import methods as table

    _show_table(table())


@main.command()
@plainly
def examples() -> None:
    """List the example scenarios; `polhode run NAME` runs one."""
    from .io.examples import example_scenarios
    from .io.scenario import load_scenario
    from .tables import Table

    found = example_scenarios().items()
    _show_table(Table("Examples", [{"name": name, "what": load_scenario(file).document.title} for name, file in found]))


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
    from .io.netcdf import load
    from .view.plots import save_figures

    trajectory = load(result)
    for path in save_figures(trajectory, out or result.parent, figure or None, prefix=f"{result.stem}-"):
        typer.echo(f"wrote {path}")


@main.command()
@plainly
def reproduce(
    source: Annotated[str, typer.Argument(metavar="[SOURCE]", help="Whose numbers; default: all of them.")] = "all",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Draw the source's figures into this folder too.")
    ] = None,
) -> None:
    """Print the sources' numbers beside the ones found here; fails if one that should agree does not."""
    from .reproduce import failing, figures, sources
    from .tables import Table

    known = sources()
    if source not in ("all", *known):
        raise InvalidInput("SOURCE", source, f"all, or one of {', '.join(known)}")
    chosen = list(known) if source == "all" else [source]
    wrong = 0
    for name in chosen:
        rows = known[name]()
        wrong += len(failing(rows))
        shown = [row.plain() | {"difference": f"{row.difference:.1e}"} for row in rows]
        _show_table(Table(f"{name}: printed and found", shown))
        for path in figures()[name](out) if out else []:
            typer.echo(f"wrote {path}")
    if wrong:
        fail(f"{wrong} of the printed numbers should agree and do not", 1)


def _open(name: str, changes: list[str] | None) -> Scenario:
    """The scenario in a file or, if there is no such file, the example of that name."""
    from .io.examples import find_example
    from .io.scenario import load_scenario

    path = Path(name)
    # a name with a suffix or a folder is meant as a file, and its absence should be told as that
    looks_like_a_file = path.exists() or path.suffix or len(path.parts) > 1
    return load_scenario(path if looks_like_a_file else find_example(name), changes or ())


def _figures(scenario: Scenario, plan: Plan) -> list[str]:
    """The names of the figures that a scenario asks for."""
    from .io.checks import ScenarioError
    from .view.plots import check_figures, figures_of

    asked = scenario.document.output.plots
    if isinstance(asked, bool):
        return figures_of(plan.system) if asked else []
    try:
        return check_figures(asked, plan.system)
    except InvalidInput as error:
        raise ScenarioError(scenario.name, "output.plots", error.value, error.allowed) from error


def _summary(plan: Plan) -> str:
    name, steps = type(plan.system).__name__, f"{plan.steps:,} step{'s' * (plan.steps != 1)}"
    return f"{name} by {plan.method!r}, {steps}, {plan.samples:,} samples"


def _keep_part(error: ConvergenceError, file: Path) -> NoReturn:
    """Save what was computed before a step failed; if that is nothing, the input was at fault."""
    from .io.files import make_folder

    if error.trajectory is None or len(error.trajectory) < 2:
        raise error
    make_folder(file.parent)
    error.trajectory.save(file)
    fail(f"{error}\nthe {len(error.trajectory):,} samples before it are in {file}", 1)


def _show_plan(scenario: Scenario, plan: Plan, figures: list[str]) -> None:
    """What would run, from a rehearsal of its first steps."""
    step = scenario.document.run.step
    rows = {
        "system": repr(plan.system),
        "state": repr(plan.state),
        "method": repr(plan.method),
        "time": f"{plan.state.t:g} … {plan.state.t + plan.steps * step:.12g}: {plan.steps:,} steps of {step:g}",
        "samples": f"{plan.samples:,}, {plan.memory / 1e6:,.1f} MB",
        "output": ", ".join([scenario.output_name, *figures]),
    }
    if plan.method.implicit:
        rows["largest step"] = f"{plan.system.largest_step(plan.state):.6g} from this state"
    if plan.steps:
        # the second time, everything is compiled
        seconds = min(scenario.run(steps=REHEARSAL).stats.seconds for _ in range(2))
        rows["estimated"] = f"{seconds * plan.steps / min(plan.steps, REHEARSAL):.2g} s"
    for name, text in rows.items():
        typer.echo(f"{name:14}{text}")


def _show_kept(trajectory: Trajectory) -> None:
    """The table of what was kept, and what it cost."""
    from rich.console import Console
    from rich.table import Table as RichTable

    from .progress import rate_text

    table = RichTable(title="What was kept", title_justify="left")
    for heading in ("quantity", "first value", "worst deviation", "relative", "slope"):
        table.add_column(heading, justify="left" if heading == "quantity" else "right", no_wrap=True)
    for kept in trajectory.kept():
        table.add_row(
            kept.name, f"{kept.first:.10g}", f"{kept.worst:.1e}", f"{kept.relative:.1e}", f"{kept.slope:+.1e}"
        )
    Console().print(table if table.row_count else "This system conserves nothing.")
    stats = trajectory.stats
    line = f"{stats.steps:,} steps in {stats.seconds:.2f} s: {rate_text(stats.steps_per_second)}"
    if stats.max_iterations:
        iterations = f"{stats.mean_iterations:.2f} on average, {stats.max_iterations} at most"
        line += f"; Newton iterations {iterations}, worst relative residual {stats.worst_residual:.1e}"
    typer.echo(line)


def _show_table(table: Table) -> None:
    """A table, and below it what is too long for a column: how to call each, and where it is from."""
    from rich.console import Console

    below = ("arguments", "reference")
    Console().print(table.to_rich(leave_out=below))
    lines = {
        f"{next(iter(row.values()))}({', '.join(row[below[0]])})": row[below[1]] for row in table if below[0] in row
    }
    for call, reference in lines.items():
        typer.echo(f"{call}\n    {reference}")


if __name__ == "__main__":
    main()
