"""`polhode run` and `polhode check`: from a scenario to a result."""

from __future__ import annotations

import shlex
import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from ..core.callbacks import defer_signals, treat_termination_as_interrupt
from ..core.extras import missing
from ..errors import ConvergenceError, InvalidInputError, PolhodeError, RunInterruptedError, RunWarning
from .base import (
    Changes,
    Folder,
    Quiet,
    ScenarioCommand,
    ScenarioName,
    exit_on_error,
    fail,
    main,
    open_scenario,
    say,
    show_conservation,
    warn,
)

if TYPE_CHECKING:
    from ..io.checkpoint_folder import CheckpointFolder
    from ..io.scenario.build import Plan
    from ..io.scenario.document import Scenario
    from ..simulation.trajectory import Trajectory

CHECKPOINT = ".checkpoint"  # suffix of the folder in which a run stores what it has done


@main.command(cls=ScenarioCommand)
@exit_on_error
def run(
    scenario: ScenarioName,
    out: Folder = Path("out"),
    changes: Changes = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would run, from a trial of its first steps; write nothing.")
    ] = False,
    plots: Annotated[
        bool, typer.Option("--plots/--no-plots", help="Draw the figures that the scenario asks for.")
    ] = True,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Write report.html, and a copy of the scenario.")
    ] = True,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the result of another run that is there already.")
    ] = False,
    quiet: Quiet = False,
    every: Annotated[
        float, typer.Option("--checkpoint-every", min=0.0, metavar="SECONDS", help="How often to store a checkpoint.")
    ] = 60.0,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", metavar="ERROR", help="Choose method and step for this error at the end."),
    ] = None,
    earlier: Annotated[
        Path | None, typer.Option("--from", metavar="RESULT", help="Continue an earlier, interrupted run of it.")
    ] = None,
) -> None:
    """Run a scenario: progress, the table of conserved quantities, the result as NetCDF, plots, and a report."""
    if tolerance is not None:  # instead of what the file says of steps; --set can still name a method
        changes = ["run.step=", "run.save_every=", "method=", f"run.tolerance={tolerance!r}", *(changes or [])]
    again = ["polhode", "run", scenario, *_same_options(changes, out, overwrite)]
    options = _Options(out, dry_run, plots, report, overwrite, quiet, earlier, every, anew=overwrite)
    _run(open_scenario(scenario, changes), options, again)


@main.command()
@exit_on_error
def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run that did not finish.")],
    quiet: Quiet = False,
) -> None:
    """Continue the runs in a folder that were killed or interrupted, bit for bit, from their last checkpoints."""
    from ..io.checkpoint_folder import CheckpointFolder

    stores = [CheckpointFolder(path) for path in sorted(folder.glob(f"*{CHECKPOINT}"))]
    scenarios = [scenario for store in stores if (scenario := store.scenario())]
    if stores and not scenarios:
        fail(f"{folder}: a run was stopped here before it had stored anything: give the command that began it again", 2)
    if not scenarios:
        fail(f"{folder}: there is no unfinished run here: give the folder of a run that was stopped", 2)
    for chosen in scenarios:
        _run(chosen, _Options(folder, overwrite=True, quiet=quiet), ["polhode", "resume", str(folder)])


@dataclass(frozen=True)
class _Options:
    """How a run is done, as given on the command line."""

    out: Path
    dry_run: bool = False
    plots: bool = True
    report: bool = True
    overwrite: bool = False
    quiet: bool = False
    earlier: Path | None = None
    checkpoint_every: float = 60.0
    anew: bool = False

    def tell(self, text: str) -> None:
        """Say how the run goes on, unless it should be quiet."""
        if not self.quiet:
            say(text)


def _run(chosen: Scenario, options: _Options, command: list[str]) -> None:
    """Run a scenario as `run` does; `command` is the one that made it, to be shown if it is interrupted."""
    from ..io.atomic_files import check_files, check_folder, remove_leftovers
    from ..io.checkpoint_folder import CheckpointFolder
    from ..io.existing_result import check_copy_replaceable, check_replaceable, report_beside
    from ..io.scenario.build import build_plan
    from ..view.figures.catalogue import save_figures
    from ..view.figures.style import has_matplotlib
    from .compiling import say_when_compiling
    from .dry_run import show_plan

    treat_termination_as_interrupt()
    with say_when_compiling(not options.quiet):
        plan, out = build_plan(chosen), options.out
    figures = _figures(plan) if options.plots and has_matplotlib() else []
    file = check_folder(options.out) / chosen.output_name
    partial = file.with_suffix(".partial.nc")
    copy = file.with_suffix(".scenario.toml")
    pages = (report_beside(file, overwrite=options.overwrite), copy) if options.report else ()
    drawings = [out / f"{file.stem}-{name}.png" for name in figures]
    check_files((file, partial, *pages, *drawings))
    plan.check_room(out)
    if options.dry_run:
        with say_when_compiling(not options.quiet):
            show_plan(plan, figures)
        return
    store = CheckpointFolder(file.with_suffix(CHECKPOINT))
    with store.held():  # by nobody else: two runs at once would replace each other's result
        for path in {file, partial} - ({file, partial} if options.overwrite else {options.earlier}):
            check_replaceable(path, chosen)
        if pages and not options.overwrite:
            check_copy_replaceable(copy, _copy(chosen))
        for path in (file, partial):
            remove_leftovers(path)
        trajectory = _computed(plan, options, store, file, partial, command)
    tell = options.tell
    if plan.stored is not None:
        tell(f"{len(trajectory):,} of its samples are used for the table, the figures and the report")
    if not options.quiet:
        show_conservation(trajectory)
    if accuracy := trajectory.accuracy:
        missed = accuracy.estimated_error > accuracy.tolerance
        typer.secho(f"polhode: {accuracy}", err=True) if missed else tell(str(accuracy))
    _show_warnings(trajectory)
    for event in trajectory.events:
        tell(f"{event}{': the run ended there' * event.stopped}")
    tell(f"wrote {file}")
    drawn = save_figures(trajectory, out, figures, prefix=f"{file.stem}-") if figures else []
    if options.plots and not has_matplotlib():
        tell(f"no figures are drawn: {missing('matplotlib')}")
    written = _save_report(chosen, trajectory, file, dict(zip(figures, drawn, strict=True))) if pages else []
    for path in [*drawn, *written]:
        tell(f"wrote {path}")


def _computed(
    plan: Plan, options: _Options, store: CheckpointFolder, file: Path, partial: Path, command: list[str]
) -> Trajectory:
    """Do the run and save its result; if it does not finish, save what there is and exit."""
    from ..io.atomic_files import make_folder
    from ..io.streamed_file import overview, write_streamed
    from ..io.trajectory_file import load
    from ..view.summary import mesh_reports
    from .compiling import say_when_compiling

    chosen, out = plan.scenario, options.out
    tell, resumed = options.tell, ["polhode", "resume", str(options.out)]
    tell(chosen.document.title or chosen.name)
    tell(_summary(plan))
    for table, does in {"ensemble": "all members", "analysis": "the analysis"}.items():
        if getattr(chosen.document, table) is not None:
            command_of = {"ensemble": "ensemble", "analysis": "analyse"}[table]
            tell(f"this is one plain run: `polhode {command_of} {chosen.name}` runs {does} of its [{table}] table")
    for name, text in mesh_reports(plan.system).items():
        tell(f"{name}: {text}")
    if options.anew:
        store.remove()
    if plan.stored is not None:
        tell("there are more samples than fit into memory: they are written as they are computed")
        if options.earlier:
            fail(
                f"a run with more samples than fit into memory is not continued with --from: use polhode resume {out}",
                2,
            )
    try:
        progress, earlier = not options.quiet, options.earlier
        with warnings.catch_warnings(), say_when_compiling(progress):
            warnings.simplefilter("ignore", RunWarning)  # said below
            often: dict[str, Any] = {"progress": progress, "checkpoint_every": options.checkpoint_every}
            if not earlier:
                _note_scenario(plan, store)
            if plan.stored is not None:
                make_folder(out)
                noted = plan.run(**often, store=file).noted
                trajectory = replace(overview(file, plan.system), noted=noted)
            elif earlier:
                trajectory = plan.resume(load(earlier), progress=progress)
            else:
                trajectory = plan.run(**often, checkpoint=store.path)
    except ConvergenceError as error:
        if plan.stored is not None and store.segments:
            write_streamed(store, partial)
            store.remove()
            fail(f"{error}\nmost samples before it are in {partial}", 1)
        if plan.steps is None or not store.segments:  # the same search would fail again
            store.remove()
        _save_before_failure(error, partial)
    except RunInterruptedError as error:
        _forget_start(store)
        if plan.stored is not None:
            fail(f"{error}. To continue:\n{shlex.join(resumed)}", 130)
        from_result = plan.steps is not None and error.trajectory.carry is not None and command[1] != "resume"
        _save_interrupted(error, partial, [*command, "--from", str(partial)] if from_result else resumed)
    except KeyboardInterrupt:  # before there were samples
        _forget_start(store)
        if not store.notes():
            raise
        fail(f"interrupted. To continue:\n{shlex.join(resumed)}", 130)
    except PolhodeError as error:
        if not store.segments and not isinstance(error, InvalidInputError):
            store.remove()
        raise
    try:
        with defer_signals():
            make_folder(out)
            if plan.stored is None:
                trajectory.save(file)
            store.remove()
    except KeyboardInterrupt:
        fail(f"interrupted; the result is in {file}", 130)
    return trajectory


def _note_scenario(plan: Plan, store: CheckpointFolder) -> None:
    """Note what is run, so that `resume` finds it whenever it is killed; not where something is stored already, which may be of
    another run."""
    from ..io.scenario.build import provenance_of

    if store.segments or "search" in store.notes():
        return
    with suppress(OSError, PolhodeError):  # as on a full disk, which is no reason not to run
        store.note(store.notes() | {"provenance": provenance_of(plan.scenario)})


def _forget_start(store: CheckpointFolder) -> None:
    """Leave nothing where nothing was found yet."""
    if not store.segments and "search" not in store.notes():
        store.remove()


@main.command(cls=ScenarioCommand)
@exit_on_error
def check(scenario: ScenarioName, changes: Changes = None) -> None:
    """Check a scenario, running at most its first step."""
    from ..io.scenario.build import build_plan

    plan = build_plan(open_scenario(scenario, changes))
    plan.check_room(Path())
    _figures(plan)
    _try_first_step(plan)
    say(f"{plan.scenario.name} is valid: {_summary(plan)}")


def _try_first_step(plan: Plan) -> None:
    """Refuse a step that is too large for an implicit method at the start, by trying it."""
    from ..io.scenario.validation import ScenarioError
    from .compiling import say_when_compiling

    if plan.method is None or not plan.method.implicit or not plan.steps:
        return
    try:
        with warnings.catch_warnings(), say_when_compiling():
            warnings.simplefilter("ignore", RunWarning)
            _show_warnings(plan.run(steps=1))
    except ConvergenceError as error:
        name, step = plan.scenario.name, plan.scenario.document.run.step
        raise ScenarioError(name, "run.step", step, problem=f"the first step fails: {error}") from error


def _show_warnings(trajectory: Trajectory) -> None:
    """What gives reason to look at a run again, on standard error."""
    for warning in trajectory.warnings:
        warn(warning)


def _figures(plan: Plan) -> list[str]:
    """The names of the figures that a scenario asks for."""
    from ..io.scenario.validation import ScenarioError
    from ..view.figures.catalogue import check_figures, figures_for

    asked = plan.scenario.document.output.plots
    if isinstance(asked, bool):
        return figures_for(plan.system) if asked else []
    try:
        return check_figures(asked, plan.system)
    except InvalidInputError as error:
        raise ScenarioError.located(plan.scenario.name, "output.plots", error) from error


def _save_report(scenario: Scenario, trajectory: Trajectory, file: Path, figures: dict[str, Path]) -> list[Path]:
    """Write the report beside the result, and a copy of the scenario under a name of its own."""
    from ..io.atomic_files import write_text
    from ..io.existing_result import mark_of, report_beside
    from ..view.figures.catalogue import FIGURES
    from ..view.html.report import save_report

    copy = write_text(file.with_suffix(".scenario.toml"), _copy(scenario))
    page = report_beside(file, overwrite=True)
    save_report(trajectory, page, {FIGURES[name].caption: path for name, path in figures.items()}, mark_of(file))
    return [copy, page]


def _copy(scenario: Scenario) -> str:
    """The text of a scenario, with what was changed of it."""
    return "".join(f"# run with --set {shlex.quote(change)}\n" for change in scenario.overrides) + scenario.text


def _summary(plan: Plan) -> str:
    from ..simulation.accuracy import DEFAULT_TOLERANCE

    name = type(plan.system).__name__ + (f" by {plan.method!r}" if plan.method is not None else "")
    samples = "" if plan.samples is None else f", {plan.samples:,} samples"
    if plan.steps is None:
        return f"{name} to a tolerance of {plan.scenario.document.run.tolerance or DEFAULT_TOLERANCE:g}{samples}"
    return f"{name}, {plan.steps:,} step{'s' * (plan.steps != 1)}{samples}"


def _save_before_failure(error: ConvergenceError, file: Path) -> NoReturn:
    """Save the samples before the step that failed; raise the error itself if there are none."""
    from ..io.atomic_files import make_folder

    if error.trajectory is None or len(error.trajectory) < 2:
        raise error
    with defer_signals():
        make_folder(file.parent)
        error.trajectory.save(file)
    fail(f"{error}\nthe {len(error.trajectory):,} samples before it are in {file}", 1)


def _save_interrupted(error: RunInterruptedError, file: Path, command: list[str]) -> NoReturn:
    """Save what was computed before an interruption, and print the `command` that continues it."""
    from ..io.atomic_files import make_folder

    if len(error.trajectory) == 1:
        fail(f"{error}; nothing was computed yet, so nothing is saved", 130)
    with suppress(KeyboardInterrupt), defer_signals():  # a second Ctrl-C ends with the same message
        make_folder(file.parent)
        error.trajectory.save(file)
    fail(f"{error}; the samples so far are in {file}. To continue:\n{shlex.join(command)}", 130)


def _same_options(changes: list[str] | None, out: Path, overwrite: bool) -> list[str]:
    """The options that make the same run."""
    sets = [part for change in changes or [] for part in ("--set", change)]
    folder = [] if out == Path("out") else ["--out", str(out)]
    return [*sets, *folder, *(["--overwrite"] if overwrite else [])]
