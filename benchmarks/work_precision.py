"""`python -m benchmarks.work_precision`: processor time against the error at the end, ours beside SciPy and heyoka.

Everything runs in one process on one core. What is timed is the integration alone: systems are compiled and integrators are
built before. The runs take turns, and the best time of each counts. Results go to a JSON file, from which the figure and
the table of the page are made (`--draw` makes only these). heyoka is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polhode as ph
from polhode.core.method import Method
from polhode.scalars import lane_width
from polhode.view.figures.style import GREY, PALETTE, styled

from .work_problems import End, Problem, error, problems

Array = NDArray[np.float64]
DOCS = Path(__file__).resolve().parents[1] / "docs"
TOLERANCES = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14)
OTHERS = ("heyoka", "SciPy DOP853")
LEVELS = (1e-6, 1e-8, 1e-10)
REFERENCE_STEPS = 4  # times as many as the finest run
LONGEST, SHARE, MOST_ROUNDS, FEWEST_ROUNDS = 3.0, 0.6, 40, 3  # seconds of a run, of all its rounds; rounds
BEGIN, END = "<!-- made by python -m benchmarks.work_precision -->", "<!-- end -->"
# how many steps the other methods of fixed step take, in units of GaussLegendre's fewest
MULTIPLES = {"LGVI(order=2)": 64, "LGVI(order=4)": 16, "LGVI(order=8)": 3}

Timed = tuple[str, str, Callable[[], Any], Callable[[Any], End]]  # solver, setting, run, and where the bodies are


class Steps:
    """Steps of one of our methods, from the start each time it is called."""

    def __init__(self, problem: Problem, method: Method, steps: int) -> None:
        self.problem, self.steps = problem, steps
        self.run = method.start(problem.state, problem.duration / steps)
        self._start = self.run.sample.copy()
        self._samples = np.empty((0, self.run.row_size))

    def __call__(self) -> bool:
        self.run.restore(self._start)
        status, _ = self.run.advance(0, self.steps, self.steps + 1, self._samples)
        return status == 0

    def end(self, done: bool) -> End:
        """Where the bodies are after a call."""
        if not done:
            raise ArithmeticError("a step has no solution")
        row = self.run.layout.unpack(self.run.states(self.run.row[None])[0])
        return self.problem.of_state(ph.State(self.problem.state.system, row, self.problem.duration))


def ours(problem: Problem) -> Iterator[Timed]:
    """Our methods, each with several steps or tolerances."""

    def timed(method: Method, name: str, setting: str, steps: int) -> Timed:
        steps_of = Steps(problem, method, steps)
        return name, setting, steps_of, steps_of.end

    for n in problem.steps:
        yield timed(ph.GaussLegendre(), "GaussLegendre(16)", f"{n} steps", n)
    for order in (2, 4, 8):
        method = ph.LGVI(order=order)
        first = problem.steps[0] * MULTIPLES[repr(method)]
        for doubling in range(6):
            n = first * 2**doubling
            yield timed(method, f"LGVI({order})", f"{n} steps", n)
    if ph.Splitting().why_not(problem.state.system) is None:
        for doubling in range(1, 7):
            n = problem.steps[0] * 2**doubling
            yield timed(ph.Splitting(order=6), "Splitting(6)", f"{n} steps", n)
    for tolerance in TOLERANCES:
        yield timed(ph.DOP853(rtol=tolerance, atol=tolerance), "DOP853", f"{tolerance:g}", 1)
    if problem.state.system.has_exact:
        yield timed(ph.Exact(), "Exact", "closed form", 1)


def scipy_runs(problem: Problem) -> Iterator[Timed]:
    """SciPy's DOP853 on equations in Python."""
    from scipy.integrate import solve_ivp

    def rates(t: float, y: Array) -> list[Any]:
        return problem.rates(y.tolist())

    def run(tolerance: float) -> Array:
        span = (0.0, problem.duration)
        found: Array = solve_ivp(rates, span, problem.start, "DOP853", [span[1]], rtol=tolerance, atol=tolerance).y[
            :, -1
        ]
        return found

    for tolerance in TOLERANCES[1:8:2]:
        yield "SciPy DOP853", f"{tolerance:g}", lambda tolerance=tolerance: run(tolerance), problem.of_numbers


def heyoka_runs(problem: Problem) -> Iterator[Timed]:
    """heyoka's Taylor method on the same equations; nothing where it is not installed."""
    try:
        import heyoka
    except ImportError:
        print("heyoka is not installed: its rows are left out")
        return
    names = heyoka.make_vars(*(f"y{i}" for i in range(problem.start.size)))
    rates = [heyoka.expression(0.0) + rate for rate in problem.rates(names)]

    def run(integrator: Any) -> Array:
        integrator.time = 0.0
        integrator.state[:] = problem.start
        integrator.propagate_until(problem.duration)
        found: Array = integrator.state.copy()
        return found

    for tolerance in (*TOLERANCES[1:], 1e-15):
        integrator = heyoka.taylor_adaptive(list(zip(names, rates, strict=True)), problem.start, tol=tolerance)
        yield "heyoka", f"{tolerance:g}", lambda integrator=integrator: run(integrator), problem.of_numbers


def truth_of(problem: Problem) -> End:
    """The end of the motion, by the closed form or by a fine run."""
    if problem.state.system.has_exact:
        return problem.of_state(ph.simulate(problem.state, step=problem.duration, steps=1, method=ph.Exact()).final)
    fine = Steps(problem, ph.GaussLegendre(), REFERENCE_STEPS * problem.steps[-1])
    return fine.end(fine())


def measure(problem: Problem, longest: float = LONGEST, share: float = SHARE) -> list[dict[str, Any]]:
    """A row of each run: solver, setting, best time in seconds, error. Runs of more than `longest` seconds are left out,
    and so is what a solver would do in more steps."""
    truth = truth_of(problem)
    rows: list[dict[str, Any]] = []
    timed: list[tuple[dict[str, Any], Callable[[], Any], int]] = []
    slow: set[str] = set()
    for source in (ours, heyoka_runs, scipy_runs):
        for solver, setting, run, where in source(problem):
            if solver in slow:
                continue
            run()  # compiles
            began = process_time()
            result = run()
            seconds = process_time() - began
            try:
                wrong = error(where(result), truth)
            except ArithmeticError:
                continue
            if seconds > longest:
                slow.add(solver)
            row = {"solver": solver, "setting": setting, "seconds": seconds, "error": wrong}
            rows.append(row)
            rounds = int(min(max(share / max(seconds, 1e-9), FEWEST_ROUNDS), MOST_ROUNDS))
            timed.append((row, run, rounds))
    for turn in range(max(rounds for *_, rounds in timed)):
        for row, run, rounds in timed:
            if turn < rounds:
                began = process_time()
                run()
                row["seconds"] = min(row["seconds"], process_time() - began)
    return rows


def time_for(rows: list[dict[str, Any]], solver: str, level: float) -> float | None:
    """The time in which a solver reaches an error of `level`: the best between two of its runs, on logarithmic scales;
    None if it does not.

    >>> rows = [{"solver": "a", "seconds": 1.0, "error": 1e-4}, {"solver": "a", "seconds": 4.0, "error": 1e-8}]
    >>> round(time_for(rows, "a", 1e-6), 6)
    2.0
    """
    points = sorted((row["seconds"], max(row["error"], 1e-17)) for row in rows if row["solver"] == solver)
    best = min((seconds for seconds, wrong in points if wrong <= level), default=None)
    for (s, e), (t, f) in itertools.pairwise(points):
        if best is not None and e > level >= f and t <= best:
            best = s * (t / s) ** (math.log(level / e) / math.log(f / e))
    return best


def solvers_of(found: dict[str, Any]) -> list[str]:
    """All solvers, ours first."""
    named = dict.fromkeys(row["solver"] for rows in found["problems"].values() for row in rows)
    return sorted(named, key=lambda solver: solver in OTHERS)


def table(found: dict[str, Any]) -> str:
    """The times for each error as a table in Markdown."""
    solvers = solvers_of(found)
    lines = ["| problem | error | " + " | ".join(solvers) + " |", "|---|---|" + "---|" * len(solvers)]
    for problem, rows in found["problems"].items():
        for level in LEVELS:
            times = [time_for(rows, solver, level) for solver in solvers]
            cells = ["–" if t is None else f"{1e3 * t:.2g}" if t < 0.1 else f"{1e3 * t:,.0f}" for t in times]
            quickest = min((t for t in times if t is not None), default=None)
            marked = [f"**{c}**" if t is not None and t == quickest else c for c, t in zip(cells, times, strict=True)]
            lines.append(f"| {problem} | {level:.0e} | " + " | ".join(marked) + " |")
    return "\n".join(lines)


@styled
def draw(found: dict[str, Any], file: Path) -> None:
    """One panel per problem: error against time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 8.4), layout="constrained")
    solvers = solvers_of(found)
    mine = [solver for solver in solvers if solver not in OTHERS]
    colours = dict(
        zip([*mine, *OTHERS], [*PALETTE[:-1], "#882255", "#44AA99"][: len(mine)] + [PALETTE[-1], GREY], strict=True)
    )
    markers = dict(zip([*mine, *OTHERS], "osD^vPXh<"[: len(mine)] + "*p", strict=True))
    for ax, (problem, rows) in zip(figure.subplots(2, 2).flat, found["problems"].items(), strict=True):
        for solver in solvers:
            points = [(1e3 * row["seconds"], max(row["error"], 1e-15)) for row in rows if row["solver"] == solver]
            if points:
                style: dict[str, Any] = {"color": colours[solver], "marker": markers[solver], "markersize": 5}
                ax.loglog(*zip(*points, strict=True), label=solver, **style)
        ax.set(title=problem, xlabel="processor time (ms)", ylabel="error at the end", ylim=(2e-16, 3.0))
    handles: dict[str, Any] = {}
    for ax in figure.axes:
        handles |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    figure.legend(
        [handles[solver] for solver in solvers], solvers, loc="outside lower center", ncols=math.ceil(len(solvers) / 2)
    )
    figure.savefig(file, dpi=130)


def with_table(page: str, text: str) -> str:
    """The page with the text between its two marks replaced."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the page is")
    parser.add_argument("--draw", action="store_true", help="only draw the figure and write the table again")
    options = parser.parse_args()
    file = options.docs / "images" / "work_precision.json"
    if not options.draw:
        found: dict[str, Any] = {"lanes": lane_width(), "problems": {}}
        for problem in problems():
            print(problem.name, flush=True)
            found["problems"][problem.name] = measure(problem)
        file.write_text(json.dumps(found, indent=1) + "\n")
    found = json.loads(file.read_text())
    draw(found, file.with_suffix(".png"))
    page = options.docs / "work_precision.md"
    page.write_text(with_table(page.read_text(), table(found)))
    print(table(found))


if __name__ == "__main__":
    main()
