"""Fair timing on a machine that others use too: short runs in turn, many times over, and the best of each.

What counts is the processor's time for this thread: being set aside for another process costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import thread_time


def best_times(runs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The shortest time in seconds of each of `runs`.

    They take turns, so that what disturbs one disturbs all; with enough rounds each has met a quiet moment.
    """
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            began = thread_time()
            run()
            best[name] = min(best[name], thread_time() - began)
    return best
