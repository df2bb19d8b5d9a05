"""`polhode run` and `polhode check`: from a scenario to a result."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from ..errors import ConvergenceError, InvalidInputError, RunInterruptedError
from .base import Changes, Folder, ScenarioName, fail, finishing, main, open_scenario, plainly

if TYPE_CHECKING:
    from ..io.scenario.document import Plan, Scenario
    from ..simulation.trajectory import Trajectory

REHEARSAL = 1000  # steps that a dry run does, to see that they work and how fast


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
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Write report.html, and a copy of the scenario.")
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing unless something is wrong.")] = False,
    earlier: Annotated[
        Path | None, typer.Option("--from", metavar="RESULT", help="Go on with an earlier, interrupted run of it.")
    ] = None,
) -> None:
    """Run a scenario: progress, the table of what was kept, the result as NetCDF, plots, and a report."""
    from ..io.atomic_files import check_files, check_folder, make_folder
    from ..io.trajectory_file import load
    from ..view.figures.catalogue import save_figures
    from ..view.summary import mesh_reports

    chosen = open_scenario(scenario, changes)
    plan = chosen.plan()
    figures = _figures(chosen, plan) if plots else []
    file = check_folder(out) / chosen.output_name
    page, copy = (out / "report.html", file.with_suffix(".scenario.toml")) if report else (None, None)
    drawings = [out / f"{file.stem}-{name}.png" for name in figures]
    check_files(path for path in (file, file.with_suffix(".partial.nc"), page, copy, *drawings) if path)
    if dry_run:
        _show_plan(chosen, plan, figures)
        return
    say = (lambda text: None) if quiet else typer.echo
    say(chosen.document.title or chosen.name)
    say(_summary(plan))
    for name, text in mesh_reports(plan.system).items():
        say(f"{name}: {text}")
    try:
        trajectory = chosen.run(progress=not quiet, earlier=load(earlier) if earlier else None)
    except ConvergenceError as error:
        _keep_part(error, file.with_suffix(".partial.nc"))
    except RunInterruptedError as error:
        part = file.with_suffix(".partial.nc")
        _keep_interrupted(error, part, ["polhode", "run", scenario, *_again(changes, out), "--from", str(part)])
    try:
        with finishing():
            make_folder(out)
            trajectory.save(file)
    except KeyboardInterrupt:
        fail(f"interrupted; the result is in {file}", 130)
    if not quiet:
        _show_kept(trajectory)
    for event in trajectory.events:
        say(f"{event}{': the run ended there' * event.stopped}")
    say(f"wrote {file}")
    drawn = save_figures(trajectory, out, figures, prefix=f"{file.stem}-")
    written = _save_report(chosen, trajectory, file, dict(zip(figures, drawn, strict=True))) if report else []
    for path in [*drawn, *written]:
        say(f"wrote {path}")


@main.command()
@plainly
def check(scenario: ScenarioName, changes: Changes = None) -> None:
    """Check a scenario without running more of it than the first step."""
    chosen = open_scenario(scenario, changes)
    plan = chosen.plan()
    _figures(chosen, plan)
    _try_step(chosen, plan)
    typer.echo(f"{chosen.name} is fine: {_summary(plan)}")


def _try_step(scenario: Scenario, plan: Plan) -> None:
    """Refuse a step that is too large for an implicit method at the start, by trying it."""
    from ..io.scenario.validation import ScenarioError

    if not plan.method.implicit or not plan.steps:
        return
    try:
        scenario.run(steps=1)
    except ConvergenceError as error:
        step = scenario.document.run.step
        raise ScenarioError(scenario.name, "run.step", step, f"a step that can be taken ({error})") from error


def _figures(scenario: Scenario, plan: Plan) -> list[str]:
    """The names of the figures that a scenario asks for."""
    from ..io.scenario.validation import ScenarioError
    from ..view.figures.catalogue import check_figures, figures_of

    asked = scenario.document.output.plots
    if isinstance(asked, bool):
        return figures_of(plan.system) if asked else []
    try:
        return check_figures(asked, plan.system)
    except InvalidInputError as error:
        raise ScenarioError(scenario.name, "output.plots", error.value, error.allowed) from error


def _save_report(scenario: Scenario, trajectory: Trajectory, file: Path, figures: dict[str, Path]) -> list[Path]:
    """The report beside the result, and the scenario under a name that no file of the user's has."""
    from ..io.atomic_files import write_text
    from ..view.figures.catalogue import FIGURES
    from ..view.html.report import save_report

    changed = "".join(f"# run with --set {shlex.quote(change)}\n" for change in scenario.overrides)
    copy = write_text(file.with_suffix(".scenario.toml"), changed + scenario.text)
    page = file.parent / "report.html"
    save_report(trajectory, page, {FIGURES[name].shows: path for name, path in figures.items()})
    return [copy, page]


def _summary(plan: Plan) -> str:
    name, steps = type(plan.system).__name__, f"{plan.steps:,} step{'s' * (plan.steps != 1)}"
    return f"{name} by {plan.method!r}, {steps}, {plan.samples:,} samples"


def _keep_part(error: ConvergenceError, file: Path) -> NoReturn:
    """Save what was computed before a step failed; if that is nothing, the input was at fault."""
    from ..io.atomic_files import make_folder

    if error.trajectory is None or len(error.trajectory) < 2:
        raise error
    with finishing():
        make_folder(file.parent)
        error.trajectory.save(file)
    fail(f"{error}\nthe {len(error.trajectory):,} samples before it are in {file}", 1)


def _keep_interrupted(error: RunInterruptedError, file: Path, again: list[str]) -> NoReturn:
    """Save what was computed before an interruption, and say how to go on."""
    from ..io.atomic_files import make_folder

    if error.trajectory.carry is None or error.trajectory.stats.steps == 0:
        fail(f"{error}; there is nothing to keep", 130)
    with suppress(KeyboardInterrupt), finishing():  # who presses Ctrl-C again is told the same
        make_folder(file.parent)
        error.trajectory.save(file)
    fail(f"{error}; that part is in {file}. To go on:\n{shlex.join(again)}", 130)


def _again(changes: list[str] | None, out: Path) -> list[str]:
    """The options that make the same run."""
    sets = [part for change in changes or [] for part in ("--set", change)]
    return sets if out == Path("out") else [*sets, "--out", str(out)]


def _show_plan(scenario: Scenario, plan: Plan, figures: list[str]) -> None:
    """What would run, from a rehearsal of its first steps."""
    from ..simulation.step_limit import largest_step, rounded_down
    from ..view.summary import mesh_reports

    step = scenario.document.run.step
    rows = {
        "system": repr(plan.system),
        **mesh_reports(plan.system),
        "state": repr(plan.state),
        "method": repr(plan.method),
        "time": f"{plan.state.t:g} … {plan.state.t + plan.steps * step:.12g}: {plan.steps:,} steps of {step:g}",
        "samples": f"{plan.samples:,}, {plan.memory / 1e6:,.1f} MB",
        "output": ", ".join([scenario.output_name, *figures]),
    }
    if plan.method.implicit:
        limit = largest_step(plan.state, plan.method, near=step)
        rows["largest step"] = f"{rounded_down(limit)} from this state"
    if plan.steps:
        # the second time, everything is compiled
        seconds = min(scenario.run(steps=REHEARSAL).stats.seconds for _ in range(2))
        rows["estimated"] = f"{seconds * plan.steps / min(plan.steps, REHEARSAL):.2g} s"
    for name, text in rows.items():
        typer.echo(f"{name:13} {text}")


def _show_kept(trajectory: Trajectory) -> None:
    """The table of what was kept, and what it cost."""
    from rich.console import Console
    from rich.table import Table as RichTable

    from ..simulation.progress import rate_text

    table = RichTable(title="What was kept", title_justify="left")
    for heading in ("quantity", "first value", "worst deviation", "relative", "slope"):
        table.add_column(heading, justify="left" if heading == "quantity" else "right", no_wrap=True)
    for kept in trajectory.conservation():
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
