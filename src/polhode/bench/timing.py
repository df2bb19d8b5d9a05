"""Fair timing on a machine that others use too: short runs in turn, many times over, and the best of each.

What counts is the processor's time for this process, all its threads together: being set aside for another process costs
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter, process_time


def timed(run: Callable[[], object], *, on_the_wall: bool = False) -> float:
    """The processor time of one call, or the time on the wall, in seconds."""
    clock = perf_counter if on_the_wall else process_time
    began = clock()
    run()
    return clock() - began


def best_times(runs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The shortest time in seconds of each of `runs`."""
    found = best_of([lambda run=run: timed(run) for run in runs.values()], [rounds] * len(runs))  # type: ignore[misc]
    return dict(zip(runs, found, strict=True))


def best_of(clocks: Sequence[Callable[[], float]], rounds: Sequence[int]) -> list[float]:
    """The shortest of the times that each of `clocks` returns in its number of rounds.

    They take turns, so that what disturbs one disturbs all; with enough rounds each has met a quiet moment.
    """
    best = [float("inf")] * len(clocks)
    for turn in range(max(rounds, default=0)):
        for i, clock in enumerate(clocks):
            if turn < rounds[i]:
                best[i] = min(best[i], clock())
    return best
