"""Fair timing on a machine that others use too: short runs in turn, many times over, and the best of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter


def best_times(runs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The shortest time in seconds of each of `runs`.

    They take turns, so that what disturbs one disturbs all; with enough rounds each has met a quiet moment.
    """
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            began = perf_counter()
            run()
            best[name] = min(best[name], perf_counter() - began)
    return best
