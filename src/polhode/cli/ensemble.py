"""`polhode ensemble`: many members of one scenario."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.callbacks import treat_termination_as_interrupt
from ..errors import RunWarning
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
    warn,
)

if TYPE_CHECKING:
    from ..ensemble import Ensemble
    from ..io.ensemble_store import EnsembleStore
    from ..io.scenario.ensemble import EnsemblePlan

SUFFIX, STORE = ".ensemble.nc", ".ensemble.zarr"
SHOWN = 5  # failures and warnings
LARGEST_LOADED = 2**26  # doubles of a store that is summarised and drawn: half a gigabyte
LARGEST_FIELDS = 2**27  # doubles of which figures are drawn


@main.command(cls=ScenarioCommand)
@exit_on_error
def ensemble(
    scenario: ScenarioName,
    out: Folder = Path("out"),
    changes: Changes = None,
    members: Annotated[
        int | None, typer.Option("--members", min=1, help="How many members, instead of what the scenario says.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="How many threads compute; default: one per processor.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Start this many worker processes; the result is a Zarr folder."),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="Compute on the workers of this dask scheduler."),
    ] = None,
    plots: Annotated[bool, typer.Option("--plots/--no-plots", help="Draw fans, histograms and maps.")] = True,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write ensemble.html.")] = True,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a result that is there already.")] = False,
    quiet: Quiet = False,
) -> None:
    """Run the ensemble of a scenario: progress, a table, the result as NetCDF, figures, and a report.

    With --workers or --scheduler the result is a Zarr folder, written as members finish: the same command goes on where it
    was interrupted."""
    from ..io.atomic_files import check_files, check_folder, make_folder
    from ..io.scenario.ensemble import build_ensemble
    from ..view.figures.style import has_matplotlib

    if workers is not None and scheduler is not None:
        fail("--workers and --scheduler exclude each other: a scheduler has workers of its own", 2)
    count = [f"ensemble.members={members}"] if members is not None else []
    chosen = open_scenario(scenario, [*(changes or []), *count])
    plan = build_ensemble(chosen)
    on_cluster = workers is not None or scheduler is not None
    file = check_folder(out) / (Path(chosen.output_name).stem + (STORE if on_cluster else SUFFIX))
    check_files([] if on_cluster else [file])
    if file.exists() and not overwrite and not on_cluster:
        fail(f"{file} exists already: give another --out, or --overwrite", 2)
    tell = (lambda text: None) if quiet else say
    tell(chosen.document.title or chosen.name)
    tell(f"{type(plan.members.first.system).__name__}, {len(plan.members):,} members")
    treat_termination_as_interrupt()
    make_folder(out)
    if on_cluster:
        found = _on_cluster(plan, file, workers, scheduler, overwrite, not quiet)
        if found.numbers > LARGEST_LOADED:
            tell(
                f"wrote {file}, which is too large to be summarised here: EnsembleStore(...).parts() reads it in parts"
            )
            return
        result = found.load()
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # said below
            result = plan.run(progress=not quiet, workers=threads)
        result.save(file)
    if not quiet:
        show_members(result)
    show_member_warnings(result)
    tell(f"wrote {file}")
    drawn = save_ensemble_figures(result, file) if plots and has_matplotlib() else {}
    for path in drawn.values():
        tell(f"wrote {path}")
    if report:
        from ..view.html.ensemble_report import save_ensemble_report

        page = file.with_suffix(".html")
        save_ensemble_report(result, page, drawn)
        tell(f"wrote {page}")


def _on_cluster(
    plan: EnsemblePlan, folder: Path, workers: int | None, scheduler: str | None, overwrite: bool, progress: bool
) -> EnsembleStore:
    """Compute on worker processes, or on the workers of a scheduler; what is in the folder already is not done again."""
    import shutil

    from ..ensemble.cluster import local_cluster
    from ..io.ensemble_store import EnsembleStore

    if overwrite and folder.exists():
        EnsembleStore(folder).header  # noqa: B018  only what is such a folder is removed
        shutil.rmtree(folder)
    if scheduler is not None:
        return plan.stream(folder, client=scheduler, progress=progress)
    with local_cluster(workers or 1) as client:
        return plan.stream(folder, client=client, progress=progress)


def save_ensemble_figures(
    found: Ensemble, file: Path, names: list[str] | None = None, folder: Path | None = None, kind: str = "png"
) -> dict[str, Path]:
    """Draw some figures of an ensemble, or all that it has to show, beside its file or in a folder; by caption."""
    from ..view.figures.catalogue import write_figures
    from ..view.figures.ensembles import CAPTIONS, figures_of

    if found.states.size > LARGEST_FIELDS:
        say("no figures: the ensemble is too large to draw all of it")
        return {}
    wanted = names or figures_of(found)
    drawings = {f"{file.stem}-{name}": partial(found.plot, name) for name in wanted}
    paths = write_figures(drawings, folder or file.parent, kind)
    return {CAPTIONS[name]: path for name, path in zip(wanted, paths, strict=True)}


def show_members(found: Ensemble) -> None:
    """Print the conserved quantities over the members, and who failed."""
    from rich.console import Console
    from rich.table import Table

    from ..view.ensemble_summary import HEADINGS, drift_rows

    table = Table(title="Largest deviation of conserved quantities", title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == HEADINGS[0] else "right", no_wrap=True)
    for row in drift_rows(found):
        table.add_row(*row)
    if table.row_count:
        Console().print(table)
    done = len(found) - len(found.failures)
    took = f", in {found.seconds:.2f} s" if found.seconds else ""  # of a store, which may be the work of several runs
    say(f"{done:,} members finished, {len(found.failures):,} failed{took}")
    for failure in found.failures[:SHOWN]:
        say(str(failure))
    if len(found.failures) > SHOWN:
        say(f"… and {len(found.failures) - SHOWN:,} more")


def show_member_warnings(found: Ensemble) -> None:
    """What gives reason to look at members again, on standard error."""
    for warning in found.warnings[:SHOWN]:
        warn(warning)
    if len(found.warnings) > SHOWN:
        warn(f"… and {len(found.warnings) - SHOWN:,} more")
