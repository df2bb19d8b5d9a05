"""`python -m benchmarks`: one table of ratios to the yard-stick, with the bars that they should clear."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import llvmlite.binding
from rich import box
from rich.console import Console
from rich.table import Table

import polhode as ph
from polhode.methods.composition import composition_stages
from polhode.scalars import duals, lane_width, lanes

from . import near_contact
from .free_body import AGREEMENT, CJob, NaiveJob, difference_from_c, job, same_as_doubles
from .full_body import LIMITS, MANY, cluster_job, pair_job
from .other_costs import costs
from .tangents import LIMIT, tangent_jobs
from .timing import best_times
from .yardstick import FLAGS, STRICT, ExplicitYardstick, NoCompilerError, Yardstick

STEP_SIZES = (0.2, 0.02)
STEPS = 30_000
NAIVE_SPAN = 10.0
ROUNDS = 50
WIDTHS = (4, 8, 16)
PARTIALS = 6
C, LGVI = "C", "LGVI 2"
EXPLICIT = (ph.RK4(), ph.Midpoint())


@dataclass(frozen=True)
class Bar:
    """What a row is compared with, whether that is a cost or a gain, and the ratio that it should reach, if any."""

    row: str
    limit: float | None = None
    gain: bool = False

    def ratio(self, mine: float, other: float) -> float:
        return other / mine if self.gain else mine / other

    def marked(self, ratio: float) -> str:
        if self.limit is None:
            return f"{ratio:.2f}"
        cleared = ratio >= self.limit if self.gain else ratio <= self.limit
        return f"[{'green' if cleared else 'red'}]{ratio:.2f}[/]"

    def __str__(self) -> str:
        return f"{'≥' if self.gain else '≤'} {self.limit:g}" if self.limit else ""


@dataclass(frozen=True)
class Row:
    """One line of the table: what to run, how many steps of how many members that is, and its bar."""

    name: str
    run: Callable[[], object]
    work: float
    bar: Bar | None = None


def explicit_yardstick(method: ph.Method) -> ExplicitYardstick:
    """The same method in C."""
    return ExplicitYardstick(type(method).__name__.lower())


def lane_bar() -> float:
    """How many members lanes should do in the time of one."""
    features = llvmlite.binding.get_host_cpu_features()
    return 6.0 if features.get("avx512f") else 3.0 if features.get("avx2") else 1.5


def rows(step: float, libraries: dict[str, Yardstick]) -> Iterator[Row]:
    """Everything that is timed at this step size; the first is the yard-stick."""
    for name, library in libraries.items():
        yield Row(name, CJob(library, step, steps=STEPS), STEPS)
    yield Row(LGVI, job(ph.LGVI(), step, steps=STEPS), STEPS, Bar(C, 1.3) if libraries else None)
    yield Row("QuaternionVI 2", job(ph.QuaternionVI(), step, steps=STEPS), STEPS)
    for order in (4, 6, 8):
        substeps = len(composition_stages(order))
        run = job(ph.LGVI(order=order), step, steps=STEPS // substeps)
        yield Row(f"LGVI {order}, a substep", run, run.steps * substeps, Bar(LGVI))
    for width in WIDTHS:
        default = width == lane_width()
        run = job(ph.LGVI(), step, lanes(width), steps=STEPS)
        bar = Bar(LGVI, lane_bar() if default else None, gain=True)
        yield Row(f"LGVI 2, {width} lanes{'*' if default else ''}", run, STEPS * width, bar)
    yield Row(f"LGVI 2, {PARTIALS} partials", job(ph.LGVI(), step, duals(PARTIALS), steps=STEPS), STEPS, Bar(LGVI, 2.5))
    for method in EXPLICIT:
        name = type(method).__name__
        if libraries:
            yield Row(f"{name} in C", CJob(explicit_yardstick(method), step, steps=STEPS), STEPS)
        yield Row(name, job(method, step, steps=STEPS), STEPS, Bar(f"{name} in C", 1.3) if libraries else None)
    yield Row("SciPy DOP853 on NumPy", NaiveJob(NAIVE_SPAN), NAIVE_SPAN / step)


def check(step: float, libraries: dict[str, Yardstick]) -> None:
    """What is compared must be the same computation."""
    for name, library in libraries.items():
        difference = difference_from_c(library, step)
        assert difference <= AGREEMENT, f"polhode and {name} differ by {difference:.1e} at step {step}"
    for method in EXPLICIT if libraries else ():
        difference = difference_from_c(explicit_yardstick(method), step, method=method)
        assert difference <= AGREEMENT, f"{method!r} and C differ by {difference:.1e} at step {step}"
    for kind in (*map(lanes, WIDTHS), duals(PARTIALS)):
        assert same_as_doubles(ph.LGVI(), step, kind), f"{kind} is not bit for bit the run on doubles at step {step}"


def measured(step: float, libraries: dict[str, Yardstick], console: Console) -> list[tuple[Row, str, str]]:
    """The rows with their times relative to the yard-stick, and with their own comparisons."""
    with console.status(f"step {step:g}: compiling and checking"):
        check(step, libraries)
        listed = list(rows(step, libraries))
    with console.status(f"step {step:g}: timing"):
        best = best_times({row.name: row.run for row in listed}, ROUNDS)
    times = {row.name: best[row.name] / row.work for row in listed}
    unit = times[listed[0].name]

    def own(row: Row) -> str:
        return row.bar.marked(row.bar.ratio(times[row.name], times[row.bar.row])) if row.bar else ""

    return [(row, brief(times[row.name] / unit), own(row)) for row in listed]


def brief(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 100.0 else f"{ratio:.0f}"


def full_body_table(libraries: dict[str, Yardstick], console: Console) -> Table:
    """The full body problem: two bodies to each order of their mutual gravity, and many bodies a pair."""
    with console.status("full body problem: compiling and timing"):
        yardstick: Callable[[], object] = (
            CJob(libraries[C], STEP_SIZES[1], steps=STEPS) if libraries else job(ph.LGVI(), STEP_SIZES[1], steps=STEPS)
        )
        pairs = {order: pair_job(order) for order in LIMITS}
        clusters = {n: cluster_job(n) for n in MANY}
        runs = {"yard-stick": yardstick} | {f"pair {k}": pair for k, pair in pairs.items()}
        best = best_times(runs | {f"cluster {n}": many for n, many in clusters.items()}, ROUNDS // 2)
    unit = best["yard-stick"] / STEPS
    table = Table(title="The full body problem: one step, the free body in C = 1", box=box.SIMPLE, show_edge=False)
    for heading in ("what", "ratio", "bar", "a pair"):
        table.add_column(heading, justify="left" if heading == "what" else "right", no_wrap=True)
    for order, pair in pairs.items():
        ratio, bar = best[f"pair {order}"] / pair.steps / unit, Bar("yard-stick", LIMITS[order])
        table.add_row(f"two bodies, order {order}", bar.marked(ratio), str(bar), "")
    for n, many in clusters.items():
        ratio = best[f"cluster {n}"] / many.steps / unit
        table.add_row(f"{n} bodies, order 2", brief(ratio), "", f"{ratio / (n * (n - 1) / 2):.2f}")
    return table


def contact_table(console: Console) -> Table:
    """Bodies near contact, by their true shapes."""
    caption = f"errors are those from the same with a tolerance of {near_contact.REFINED:g}"
    table = Table(title="Gravity near contact: one step", caption=caption, box=box.SIMPLE, show_edge=False)
    for heading in ("what", "distance/contact", "ms", "error of force", "error of moments"):
        table.add_column(heading, justify="left" if heading == "what" else "right", no_wrap=True)
    with console.status("gravity near contact: compiling and timing"):
        for cost in near_contact.costs(rounds=3):
            errors = f"{cost.force:.0e}", f"{cost.moments:.0e}"
            table.add_row(cost.what, f"{cost.apart:g}", f"{1e3 * cost.seconds:.3g}", *errors)
    return table


def tangent_table(console: Console) -> Table:
    """Spacecraft with their tangent maps."""
    with console.status("tangent maps: compiling and timing"):
        listed = list(tangent_jobs())
        runs = {f"{name}, plain": plain for name, _, plain, _ in listed} | {name: dual for name, *_, dual in listed}
        best = best_times(runs, ROUNDS // 2)
    table = Table(title="A step with its tangent map, a plain step = 1", box=box.SIMPLE, show_edge=False)
    for heading in ("what", "dimension", "ratio", "bar"):
        table.add_column(heading, justify="left" if heading == "what" else "right", no_wrap=True)
    for name, dimension, *_ in listed:
        bar = Bar(f"{name}, plain", LIMIT)
        table.add_row(name, str(dimension), bar.marked(best[name] / best[bar.row]), str(bar))
    return table


def other_table(console: Console) -> Table:
    """What else has a bar."""
    table = Table(title="Other costs", box=box.SIMPLE, show_edge=False)
    for heading in ("what", "in", "found", "bar"):
        table.add_column(heading, justify="right" if heading in ("found", "bar") else "left", no_wrap=True)
    with console.status("other costs: compiling and timing"):
        for cost in costs():
            bar = Bar(cost.unit, cost.limit)
            table.add_row(cost.what, cost.unit, bar.marked(cost.found), str(bar))
    return table


def main() -> None:
    console = Console()
    libraries: dict[str, Yardstick] = {}
    try:
        libraries = {C: Yardstick(), "C without FMA": Yardstick(STRICT)}
    except NoCompilerError as error:
        console.print(f"{error}; the yard-stick is polhode's own run on doubles")
    same = f"C: the same algorithm, cc {' '.join(FLAGS[:2])}\n" if libraries else ""
    table = Table(
        title=f"Time a step and member, {C if libraries else LGVI} = 1",
        caption=f"{same}best of {ROUNDS} runs of {STEPS} steps, in turn; * the default on this machine",
        box=box.SIMPLE,
        show_edge=False,
    )
    sizes = [f"h={step:g}" for step in STEP_SIZES]
    for heading in ("what", *sizes, "compared", *sizes, "bar"):
        table.add_column(heading, justify="right" if heading in sizes else "left", no_wrap=True)
    for lines in zip(*(measured(step, libraries, console) for step in STEP_SIZES), strict=True):
        row = lines[0][0]
        compared = "" if row.bar is None else "speed-up" if row.bar.gain else f"to {row.bar.row}"
        table.add_row(
            row.name, *(line[1] for line in lines), compared, *(line[2] for line in lines), str(row.bar or "")
        )
    console.print(table)
    console.print(tangent_table(console))
    console.print(full_body_table(libraries, console))
    console.print(contact_table(console))
    console.print(other_table(console))


if __name__ == "__main__":
    main()
