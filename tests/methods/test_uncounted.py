"""Loops that count no references: the same numbers, and machine code without counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from polhode.methods.uncounted import uncounted_kernel, uncounted_loop
from polhode.scalars import double
from polhode.scalars.compile import Compiled, loop

# without a file there is no disk cache, whose entries do not show their code
SOURCE = """
def total(S, pair):
    result = 0.0
    for i in range(pair.first.shape[0]):
        result += pair_sum(pair, i)
    return result
"""


class Pair(NamedTuple):
    """Two arrays."""

    first: np.ndarray
    second: np.ndarray


@uncounted_kernel
def pair_sum(pair: Pair, i: int) -> float:
    """The sum of both numbers at a place."""
    first, second = pair
    return first[i] + second[i]  # type: ignore[no-any-return]


def code_of(compiled: Compiled) -> str:
    """What was compiled."""
    (text,) = compiled.dispatcher.inspect_llvm().values()
    return str(text)


def test_they_compute_the_same_and_count_nothing() -> None:
    pair, names = Pair(np.arange(5.0), np.ones(5)), {"pair_sum": pair_sum}
    exec(SOURCE, names)
    total: Any = names["total"]
    counted, uncounted = loop(total), uncounted_loop(total)
    assert counted.on(double, pair) == uncounted.on(double, pair) == 15.0
    assert "NRT_decref" in code_of(counted)
    assert "NRT_" not in code_of(uncounted)


def test_they_count_nothing_inside_of_a_loop_that_counts() -> None:
    pair, names = Pair(np.arange(5.0), np.ones(5)), {}
    exec("def total(S, pair):\n    first, second = pair\n    return first.sum() + second[0]", names)
    for kind, counts in ((loop, True), (uncounted_loop, False)):
        inner = kind(names["total"])
        exec("def outer(S, pair):\n    return total(S, pair)", around := {"total": inner})
        assert loop(around["outer"]).on(double, pair) == 11.0
        (text,) = inner.linked.inspect_llvm().values()
        assert ("NRT_incref" in text) == counts
