"""Functions that are called with numbers written in are compiled once for all of them, unless they must know them."""

from __future__ import annotations

from typing import Any

from polhode.scalars import kernel
from polhode.scalars.compile import dispatcher_of


@kernel
def shifted(x: float, by: int) -> float:
    return x + by


@kernel
def chosen(pair: Any, which: int) -> Any:
    return pair[which]


@dispatcher_of  # in every process: what is in the disk cache needs no kernels
def sums(x: float) -> float:
    return shifted(x, 1) + 2.0 * shifted(x, by=20) + shifted(x, 300)


@dispatcher_of  # in every process: what is in the disk cache needs no kernels
def parts(x: float, n: int) -> tuple[float, int]:
    return chosen((x, n), 0), chosen((x, n), 1)


def test_one_form_serves_all_integers() -> None:
    assert sums(0.5) == 1.5 + 41.0 + 300.5
    assert len(shifted.linked.overloads) == 1


def test_a_function_that_must_know_the_number_has_a_form_for_each() -> None:
    assert parts(0.5, 7) == (0.5, 7)
    assert len(chosen.linked.overloads) == 2
