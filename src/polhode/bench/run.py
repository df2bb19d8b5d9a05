"""One run of the benchmark: the chosen problems, with those of the chosen peers that are there."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from typing import Any

from .._version import __version__
from ..errors import InvalidInputError
from ..scalars import lane_width
from .entries import Effort
from .measure import measure
from .peers import PEERS
from .problems import PROBLEMS, yardstick
from .report import Report


def run_benchmark(
    problems: Sequence[str] = (),
    peers: Sequence[str] = (),
    *,
    quick: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> Report:
    """Measure these problems with these peers, by default all of them. `tell` is called with what goes on.

    >>> run_benchmark(["juggling"])
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: problem = 'juggling': expected one of free_body, heavy_top, dumbbells, binary, binary_4, binary_6, binary_8, steps, two_bodies, many_bodies, contact, son, ensemble, lanes, accurate_ensemble, filters, tangents, formula, import
    """
    chosen = [PROBLEMS[name] for name in _known("problem", problems, list(PROBLEMS))]
    effort = Effort.small() if quick else Effort()
    notes, present = [], []
    for name in _known("peer", peers, list(PEERS)):
        why = PEERS[name].missing()
        if why:
            notes.append(why)
            tell(why)
        else:
            present.append(name)
    results = []
    for problem in chosen:
        tell(f"{problem.name}: {problem.title}")
        there = tuple(present)
        results.append(measure(problem, problem.entries(effort, there), yardstick(effort, there), effort))
    return Report(machine(present), tuple(results), tuple(notes))


def _known(what: str, names: Sequence[str], allowed: list[str]) -> list[str]:
    """The names, or all of them, in the order of the list."""
    for name in names:
        if name not in allowed:
            raise InvalidInputError(what, name, f"one of {', '.join(allowed)}")
    return [name for name in allowed if not names or name in names]


def machine(peers: Sequence[str]) -> dict[str, Any]:
    """On what it was measured, and with which versions."""
    import numba
    from llvmlite.binding import get_host_cpu_name

    return {
        "polhode": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "processor": get_host_cpu_name(),
        "lanes": lane_width(),
        "peers": {name: PEERS[name].version for name in peers if PEERS[name].module},
    }
