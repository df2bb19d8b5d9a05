"""What was measured, as tables for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from .report import Change, Report, Result, Row

LEVELS = (1e-6, 1e-8, 1e-10)
OTHERS = ("heyoka", "diffrax", "REBOUND", "numbalsoda", "SciPy")


def is_ours(solver: str) -> bool:
    """Whether a solver is one of polhode's."""
    return not solver.startswith((*OTHERS, "C++"))


def tables(report: Report) -> Iterator[Table]:
    """One per problem."""
    for result in report.results:
        yield accuracy_table(result) if result.accuracy else cost_table(result)


def _new_table(result: Result, headings: Iterable[str], caption: str) -> Table:
    table = Table(title=result.title, title_justify="left", caption=caption, caption_justify="left", box=box.SIMPLE)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("solver", "setting", "compared with") else "right")
    return table


def cost_table(result: Result) -> Table:
    """The time per unit of work as a ratio to the yard-stick, and as compared with what has a bar."""
    settings, errors = any(row.setting for row in result.rows), any(row.error is not None for row in result.rows)
    headings = ["solver", *["setting"] * settings, "ratio", *["error"] * errors, "compared with", "ratio to it", "bar"]
    caption = f"time per {result.unit}; the yard-stick, {1e9 * result.yardstick:.3g} ns, is 1"
    table = _new_table(result, headings, caption)
    for row in result.rows:
        cells = [row.solver, *[row.setting] * settings, brief(row.ratio)]
        cells += ["" if row.error is None else f"{row.error:.0e}"] * errors
        table.add_row(*cells, row.compared_with or "", _compared(row), row.bar)
    return table


def _compared(row: Row) -> Text:
    if row.compared is None:
        return Text("")
    colour = {True: "green", False: "red", None: ""}[row.cleared]
    return Text(brief(row.compared) + (" missed" if row.cleared is False else ""), style=colour)


def brief(ratio: float) -> str:
    """Three digits.

    >>> brief(0.1234), brief(12.345), brief(123456.0)
    ('0.123', '12.3', '123,456')
    """
    return f"{ratio:.3g}" if ratio < 1000.0 else f"{ratio:,.0f}"


def accuracy_table(result: Result) -> Table:
    """The time in which each solver reaches an error, the fastest of ours being 1."""
    caption = (
        "time to an error at the end, the fastest method of polhode = 1; – where no run was as accurate; "
        f"in brackets the milliseconds of processor time per {result.unit}"
    )
    table = _new_table(result, ["solver", *(f"{level:.0e}" for level in LEVELS)], caption)
    ours = [
        min((t for s in result.solvers if is_ours(s) and (t := result.time_for(s, level)) is not None), default=None)
        for level in LEVELS
    ]
    for solver in result.solvers:
        cells = []
        for level, unit in zip(LEVELS, ours, strict=True):
            found = result.time_for(solver, level)
            ratio = "" if found is None or unit is None else f"{brief(found / unit)} "
            cells.append("–" if found is None else f"{ratio}({brief(1e3 * found)})")
        table.add_row(solver, *cells)
    return table


def markdown(report: Report) -> str:
    """The times of all accuracy problems in milliseconds, for a page; the shortest in bold."""
    results = [result for result in report.results if result.accuracy]
    solvers = sorted(dict.fromkeys(s for r in results for s in r.solvers), key=lambda s: not is_ours(s))
    lines = ["| problem | error | " + " | ".join(solvers) + " |", "|---|---|" + "---|" * len(solvers)]
    for result in results:
        for level in LEVELS:
            times = [result.time_for(solver, level) for solver in solvers]
            cells = ["–" if t is None else f"{1e3 * t:.2g}" if t < 0.1 else f"{1e3 * t:,.0f}" for t in times]
            quickest = min((t for t in times if t is not None), default=None)
            marked = [f"**{c}**" if t is not None and t == quickest else c for c, t in zip(cells, times, strict=True)]
            lines.append(f"| {result.title} | {level:.0e} | " + " | ".join(marked) + " |")
    return "\n".join(lines)


def change_lines(found: Iterable[Change]) -> Group:
    """What changed, a line each."""
    lines = [str(change) for change in found]
    return Group(*(Text(line) for line in lines or ["No ratio changed by more than 5 %."]))
