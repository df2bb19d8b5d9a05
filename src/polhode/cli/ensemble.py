"""`polhode ensemble`: many members of one scenario."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.callbacks import treat_termination_as_interrupt
from .base import Changes, Folder, ScenarioName, exit_on_error, fail, main, open_scenario, say

if TYPE_CHECKING:
    from ..ensemble import Ensemble

SUFFIX = ".ensemble.nc"
SHOWN_FAILURES = 5
LARGEST_FIELDS = 2**27  # doubles of which figures are drawn


@main.command()
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
    plots: Annotated[bool, typer.Option("--plots/--no-plots", help="Draw fans, histograms and maps.")] = True,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write ensemble.html.")] = True,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a result that is there already.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Run the ensemble of a scenario: progress, a table, the result as NetCDF, figures, and a report."""
    from ..io.atomic_files import check_files, check_folder, make_folder
    from ..io.scenario.ensemble import build_ensemble

    count = [f"ensemble.members={members}"] if members is not None else []
    chosen = open_scenario(scenario, [*(changes or []), *count])
    plan = build_ensemble(chosen)
    file = check_folder(out) / (Path(chosen.output_name).stem + SUFFIX)
    check_files([file])
    if file.exists() and not overwrite:
        fail(f"{file} exists already: give another --out, or --overwrite", 2)
    tell = (lambda text: None) if quiet else say
    tell(chosen.document.title or chosen.name)
    tell(f"{type(plan.members.first.system).__name__}, {len(plan.members):,} members")
    treat_termination_as_interrupt()
    found = plan.run(progress=not quiet, workers=threads)
    make_folder(out)
    found.save(file)
    if not quiet:
        show_members(found)
    tell(f"wrote {file}")
    drawn = save_ensemble_figures(found, file) if plots else {}
    for path in drawn.values():
        tell(f"wrote {path}")
    if report:
        from ..view.html.ensemble_report import save_ensemble_report

        page = file.with_suffix(".html")
        save_ensemble_report(found, page, drawn)
        tell(f"wrote {page}")


def save_ensemble_figures(found: Ensemble, file: Path) -> dict[str, Path]:
    """Draw what an ensemble has to show, beside its file; by caption."""
    from ..io.atomic_files import replacing
    from ..view.figures.ensembles import CAPTIONS, figures_of

    drawn: dict[str, Path] = {}
    if found.states.size > LARGEST_FIELDS:
        say("no figures: the ensemble is too large to draw all of it")
        return drawn
    for name in figures_of(found):
        path = file.with_name(f"{file.stem}-{name}.png")
        with replacing(path) as beside:
            found.plot(name).savefig(beside)
        drawn[CAPTIONS[name]] = path
    return drawn


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
    say(f"{done:,} members finished, {len(found.failures):,} failed, in {found.seconds:.2f} s")
    for failure in found.failures[:SHOWN_FAILURES]:
        say(str(failure))
    if len(found.failures) > SHOWN_FAILURES:
        say(f"… and {len(found.failures) - SHOWN_FAILURES:,} more")
