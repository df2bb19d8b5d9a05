"""`python -m benchmarks`: one table of ratios to the yard-stick, with the bars that they should clear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import llvmlite.binding
import polhode as ph
from polhode.methods.composition import stages
from polhode.scalars import duals, lane_width, lanes
from rich.console import Console
from rich.table import Table

from .free_body import AGREEMENT, CJob, Job, NaiveJob, difference_from_c, same_as_doubles
from .timing import best_times
from .yardstick import FLAGS, STRICT, NoCompiler, Yardstick

STEP_SIZES = (0.2, 0.02)
STEPS = 10_000
NAIVE_SPAN = 10.0
ROUNDS = 40
WIDTHS = (4, 8, 16)
C, STRICT_C, LGVI = "C", "C without fused multiply-add", "LGVI order 2"


@dataclass(frozen=True)
class Bar:
    """What a row is compared with, and the ratio that it should reach."""

    row: str
    limit: float | None
    gain: bool = False

    def ratio(self, mine: float, other: float) -> float:
        return other / mine if self.gain else mine / other

    def clears(self, ratio: float) -> bool:
        return self.limit is None or (ratio >= self.limit if self.gain else ratio <= self.limit)

    def __str__(self) -> str:
        return "" if self.limit is None else f"{'≥' if self.gain else '≤'} {self.limit:g}"


@dataclass(frozen=True)
class Row:
    """One line of the table: what to run, how many steps of how many members that is, and its bar."""

    name: str
    run: Callable[[], object]
    work: float
    bar: Bar | None = None


def lane_bar() -> float:
    """How many members lanes should do in the time of one."""
    features = llvmlite.binding.get_host_cpu_features()
    return 6.0 if features.get("avx512f") else 3.0 if features.get("avx2") else 1.5


def rows(step: float, libraries: dict[str, Yardstick]) -> list[Row]:
    """Everything that is timed at this step size. Where there is no C, the first row is the yard-stick."""
    table = [Row(name, CJob(library, step, steps=STEPS), STEPS) for name, library in libraries.items()]
    table.append(Row(LGVI, Job(ph.LGVI(), step, steps=STEPS), STEPS, Bar(C, 1.3) if libraries else None))
    table.append(Row("QuaternionVI order 2", Job(ph.QuaternionVI(), step, steps=STEPS), STEPS))
    for order in (4, 6, 8):
        substeps = len(stages(order))
        job = Job(ph.LGVI(order=order), step, steps=STEPS // substeps)
        table.append(Row(f"LGVI order {order}, a substep", job, STEPS // substeps * substeps, Bar(LGVI, None)))
    for width in WIDTHS:
        default = width == lane_width()
        job = Job(ph.LGVI(), step, lanes(width), steps=STEPS)
        name = f"LGVI, {width} lanes{' (default)' if default else ''}, a member"
        table.append(Row(name, job, STEPS * width, Bar(LGVI, lane_bar() if default else None, gain=True)))
    for partials in (6, 8):
        job = Job(ph.LGVI(), step, duals(partials), steps=STEPS)
        table.append(Row(f"LGVI with {partials} partials", job, STEPS, Bar(LGVI, 2.5)))
    for method in (ph.RK4(), ph.Midpoint()):
        table.append(Row(type(method).__name__, Job(method, step, steps=STEPS), STEPS))
    table.append(Row("DOP853 of SciPy, plain NumPy", NaiveJob(NAIVE_SPAN), NAIVE_SPAN / step))
    return table


def check(step: float, libraries: dict[str, Yardstick]) -> None:
    """What is compared must be the same computation."""
    for name, library in libraries.items():
        difference = difference_from_c(library, step)
        assert difference <= AGREEMENT, f"polhode and {name} differ by {difference:.1e} at step {step}"
    for kind in (*map(lanes, WIDTHS), duals(6), duals(8)):
        assert same_as_doubles(ph.LGVI(), step, kind), f"{kind} is not bit for bit the run on doubles at step {step}"


def cells(row: Row, times: dict[str, float], first: str) -> tuple[str, str]:
    """Time a step relative to the yard-stick, and the row's own comparison."""
    relative = f"{times[row.name] / times[first]:.3g}"
    if row.bar is None:
        return relative, ""
    ratio = row.bar.ratio(times[row.name], times[row.bar.row])
    mark = "" if row.bar.limit is None else "green" if row.bar.clears(ratio) else "red"
    return relative, f"[{mark}]{ratio:.2f}[/]" if mark else f"{ratio:.2f}"


def main() -> None:
    console = Console()
    libraries: dict[str, Yardstick] = {}
    try:
        libraries = {C: Yardstick(), STRICT_C: Yardstick(STRICT)}
    except NoCompiler as error:
        console.print(f"{error}. The yard-stick is polhode's own run on doubles.")
    table = Table(title=f"time a step, {C if libraries else LGVI} = 1", caption=caption(libraries))
    table.add_column("what")
    columns: list[list[tuple[str, str]]] = []
    for step in STEP_SIZES:
        table.add_column(f"step {step:g}", justify="right")
    table.add_column("beside", justify="left")
    for step in STEP_SIZES:
        table.add_column(f"step {step:g}", justify="right")
        with console.status(f"step {step:g}: compiling and checking"):
            check(step, libraries)
            listed = rows(step, libraries)
        with console.status(f"step {step:g}: timing"):
            best = best_times({row.name: row.run for row in listed}, ROUNDS)
        times = {row.name: best[row.name] / row.work for row in listed}
        columns.append([cells(row, times, listed[0].name) for row in listed])
    table.add_column("bar")
    for row, *pairs in zip(listed, *columns, strict=True):
        relative, own = zip(*pairs, strict=True)
        table.add_row(row.name, *relative, beside(row.bar), *own, str(row.bar or ""))
    console.print(table)


def beside(bar: Bar | None) -> str:
    if bar is None:
        return ""
    return f"members in the time of one, {bar.row}" if bar.gain else f"time, {bar.row} = 1"


def caption(libraries: dict[str, Yardstick]) -> str:
    same = f"C: the same algorithm, cc {' '.join(FLAGS[:2])}. " if libraries else ""
    return f"{same}Best of {ROUNDS} runs of {STEPS} steps, taken in turn; lanes checked to be bit for bit the run on doubles."


if __name__ == "__main__":
    main()
