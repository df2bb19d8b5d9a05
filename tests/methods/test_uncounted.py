"""Loops that count no references: the same numbers, and machine code without counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from polhode.scalars import double
from polhode.scalars.compile import Compiled, loop
from polhode.methods.uncounted import uncounted_kernel, uncounted_loop


class Pair(NamedTuple):
    """Two arrays."""

    first: np.ndarray
    second: np.ndarray


@uncounted_kernel
def shifted(pair: Pair, i: int) -> float:
    first, second = pair
    return float(first[i] + second[i])


def total(S: Any, pair: Pair) -> float:
    result = 0.0
    for i in range(pair.first.shape[0]):
        result += shifted(pair, i)
    return result


def machine_code(compiled: Compiled, pair: Pair) -> str:
    compiled.on(double, pair)
    (text,) = compiled.dispatcher.inspect_llvm().values()
    return str(text)


def test_they_compute_the_same_and_count_nothing() -> None:
    pair = Pair(np.arange(5.0), np.ones(5))
    counted, uncounted = loop(total), uncounted_loop(total)
    assert counted.on(double, pair) == uncounted.on(double, pair) == 15.0
    assert "NRT_decref" in machine_code(counted, pair)
    assert "NRT_" not in machine_code(uncounted, pair)
