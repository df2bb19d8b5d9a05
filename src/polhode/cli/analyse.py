"""`polhode analyse`: what the [analysis] table of a scenario asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .base import Changes, Folder, Quiet, ScenarioCommand, ScenarioName, exit_on_error, fail, main, open_scenario, say

if TYPE_CHECKING:
    from ..io.scenario.analysis import AnalysisPlan
    from ..tables import Table

SHOWN_ROWS = 10  # of a table whose length is that of a map or of a section


@main.command(cls=ScenarioCommand)
@exit_on_error
def analyse(
    scenario: ScenarioName,
    out: Folder = Path("out"),
    changes: Changes = None,
    plots: Annotated[bool, typer.Option("--plots/--no-plots", help="Draw the figure.")] = True,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a result that is there already.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compute Lyapunov exponents, a chaos map, a section or a family: a table, a figure and the result as a file."""
    from ..io.atomic_files import check_files, check_folder, make_folder, replacing
    from ..io.scenario.analysis import build_analysis, check_axes
    from ..tables import Table

    chosen = open_scenario(scenario, list(changes or []))
    plan = build_analysis(chosen)
    check_axes(plan)
    suffix = ".json" if plan.table.kind == "family" else ".nc" if plan.table.kind == "section" else ".csv"
    file = check_folder(out) / f"{Path(chosen.output_name).stem}-{plan.table.kind}{suffix}"
    picture = file.with_suffix(".png")
    check_files([file, picture])
    if file.exists() and not overwrite:
        fail(f"{file} exists already: give another --out, or --overwrite", 2)
    tell = (lambda text: None) if quiet else say
    tell(chosen.document.title or chosen.name)
    result = plan.run()
    make_folder(out)
    tell(repr(result))
    table = _table(plan, result)
    long = plan.table.kind in ("chaos_map", "section") and len(table) > SHOWN_ROWS
    tell(repr(Table(table.title, table.rows[:SHOWN_ROWS]) if long else table))
    if long:
        tell(f"… and {len(table) - SHOWN_ROWS} more rows, which are in the file")
    _save(plan, result, table, file)
    tell(f"wrote {file}")
    if plots:
        with replacing(picture) as beside:
            _figure(plan, result).savefig(beside)
        tell(f"wrote {picture}")


def _table(plan: AnalysisPlan, result: Any) -> Table:
    """The result in rows."""
    from ..tables import Table

    kind = plan.table.kind
    if kind == "family":
        return result.table(plan.table.quantities)  # type: ignore[no-any-return]
    if kind == "exponents":
        pairs = zip(result.exponents.tolist(), result.uncertainty.tolist(), strict=True)
        return Table("Lyapunov exponents", [{"exponent": f"{x:.8g}", "uncertainty": f"{u:.2g}"} for x, u in pairs])
    if kind == "chaos_map":
        names = result.labels
        rows = [
            {names[0]: f"{x:.8g}", names[1]: f"{y:.8g}", result.indicator: f"{result.values[j, i]:.6g}"}
            for j, y in enumerate(result.y)
            for i, x in enumerate(result.x)
        ]
        return Table("chaos map", rows)
    columns = {name: result.values(name) for name in plan.table.axes}
    return Table(
        "crossings",
        [
            {"t": f"{result.t[i]:.8g}"} | {name: f"{values[i]:.8g}" for name, values in columns.items()}
            for i in range(len(result))
        ],
    )


def _save(plan: AnalysisPlan, result: Any, table: Table, file: Path) -> None:
    """Write the result: a family as JSON, the crossings as a trajectory, all else as a table."""
    from ..io.atomic_files import write_text

    if plan.table.kind == "family":
        result.save(file)
    elif plan.table.kind == "section":
        result.points.save(file)
    else:
        lines = [table.columns, *table.cells()]
        write_text(file, "".join(",".join(line) + "\n" for line in lines))


def _figure(plan: AnalysisPlan, result: Any) -> Any:
    """The figure of a result."""
    if plan.table.kind == "family":
        return result.plot(plan.table.quantities[0])
    if plan.table.kind == "section":
        return result.plot(*plan.table.axes)
    return result.plot()
