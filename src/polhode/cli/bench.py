"""`polhode bench`: how fast the methods are, beside other programs and beside C."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .base import exit_on_error, file_or_terminal, main, say


@main.command()
@exit_on_error
def bench(
    problem: Annotated[
        list[str] | None, typer.Option("--problem", metavar="NAME", help="Measure this one. Repeatable; default: all.")
    ] = None,
    peer: Annotated[
        list[str] | None,
        typer.Option(
            "--peer",
            metavar="NAME",
            help="Compare with this program (c, heyoka, diffrax, rebound, numbalsoda, scipy). Repeatable; default: all.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small problems, few rounds: to see that it runs.")] = False,
    json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write what was measured.")] = None,
    figure: Annotated[
        Path | None, typer.Option("--figure", metavar="FILE", help="Draw error against time (PNG, SVG or PDF).")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE", help="List what changed by more than 5 % since this JSON file."),
    ] = None,
    list_problems: Annotated[bool, typer.Option("--list", help="Only list the problems and the programs.")] = False,
) -> None:
    """Measure polhode side by side with other programs and with C that is compiled for it, as ratios in one run.

    Programs that are not installed are left out. All problems take about twenty minutes on one core."""
    from ..bench.peers import PEERS
    from ..bench.problems import PROBLEMS
    from ..bench.report import Report, changes
    from ..bench.run import run_benchmark
    from ..bench.tables import change_lines, tables
    from ..io.atomic_files import check_files, replacing
    from ..view.figures.style import check_matplotlib

    if list_problems:
        for each in PROBLEMS.values():
            say(f"{each.name:18} {each.title}")
        say("")
        for program in PEERS.values():
            say(f"{program.name:18} {program.missing() or program.version or 'is there'}")
        return
    before = Report.read(against) if against is not None else None
    check_files([file for file in (json, figure) if file is not None])
    if figure is not None:
        check_matplotlib()
    found = run_benchmark(problem or (), peer or (), quick=quick, tell=say)
    console = file_or_terminal()
    for table in tables(found):
        console.print()
        console.print(table)
    if json is not None:
        found.write(json)
        say(f"wrote {json}")
    if figure is not None:
        from ..bench.figure import draw

        with replacing(figure) as beside:
            draw(found).savefig(beside, dpi=130)
        say(f"wrote {figure}")
    if before is not None:
        say(f"Compared with {against} (polhode {before.machine.get('polhode', '')}):")
        console.print(change_lines(changes(found, before)))
