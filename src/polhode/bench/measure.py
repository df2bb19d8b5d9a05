"""Timing the entries of a problem in turn, with the yard-stick among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from .entries import YARDSTICK, Effort, Entry, Problem
from .report import Result, Row
from .timing import best_of, timed

SHORT = 2e-3  # seconds


def measure(problem: Problem, entries: Iterable[Entry], yardstick: Entry, effort: Effort) -> Result:
    """The rows of a problem. A solver whose run took more than `effort.longest` seconds is not given further settings."""
    kept: list[tuple[Entry, float | None]] = []
    clocks: list[Callable[[], float]] = []
    rounds: list[int] = []
    slow: set[str] = set()
    for entry in (yardstick, *entries):
        if entry.solver in slow:
            continue
        if problem.accuracy:
            entry.run()  # compiles
        first, result = _first(entry)
        try:
            wrong = entry.error(result) if entry.error is not None else None
        except ArithmeticError:
            continue
        if problem.accuracy and first > effort.longest:
            slow.add(entry.solver)
        kept.append((entry, wrong))
        clocks.append(entry.run if entry.own_time else partial(_warm, entry, 5 if first < SHORT else 1))
        rounds.append(effort.rounds(first))
    best = best_of(clocks, rounds)
    seconds = [found / entry.work for found, (entry, _) in zip(best, kept, strict=True)]
    place = {(entry.solver, entry.setting): k for k, (entry, _) in enumerate(kept)}
    rows = []
    for k, (entry, wrong) in enumerate(kept[1:], 1):
        row = Row(entry.solver, entry.setting, seconds[k], seconds[k] / seconds[0], wrong)
        bar = entry.bar
        if bar is not None:
            other = 0 if bar.solver == YARDSTICK else place.get((bar.solver, entry.setting))
            if other is not None:
                ratio = bar.ratio(seconds[k], seconds[other])
                row = Row(*row.measured, bar.solver, ratio, str(bar), bar.cleared(ratio))
        rows.append(row)
    return Result(problem.name, problem.title, problem.unit, problem.accuracy, seconds[0], tuple(rows))


def _warm(entry: Entry, repeats: int) -> float:
    """The best of some calls in a row: a short run after those of others finds its code and data in no cache."""
    return min(timed(entry.run, on_the_wall=entry.on_the_wall) for _ in range(repeats))


def _first(entry: Entry) -> tuple[float, Any]:
    """The time of a first call, and what it returned."""
    found: list[Any] = []
    seconds = timed(lambda: found.append(entry.run()), on_the_wall=entry.on_the_wall)
    return (float(found[0]) if entry.own_time else seconds), found[0]
