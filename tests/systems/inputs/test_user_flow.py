"""Flows around what users give are found again by their content, and only by all of it."""

from __future__ import annotations

import ctypes
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

from polhode.scalars import Flow, double, kernel, sin
from polhode.scalars.fingerprint import LARGE, lasting_fingerprint
from polhode.systems.inputs.user_flow import UserFlow


def scaled(factor: Any) -> Any:
    """A user's function: all have the same name."""
    return kernel(lambda x: factor * sin(x))


def around(first: Any, second: Any, third: Any) -> Any:
    """A flow made of three of them."""

    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        y[0] = first(t) + 2.0 * second(t) + 4.0 * third(t)
        return 0

    return force


def test_functions_of_the_same_content_have_the_same_fingerprint() -> None:
    a, b = scaled(2.0), scaled(3.0)
    found = {lasting_fingerprint(around(*given)) for given in [(a, b, a), (scaled(2.0), scaled(3.0), scaled(2.0))]}
    assert len(found) == 2, "the same function twice, and two equal ones"
    assert lasting_fingerprint(around(a, b, a)) == lasting_fingerprint(around(a, b, a)) is not None


def test_each_difference_is_seen() -> None:
    def shifted(x: Any, by: Any = 1.0) -> Any:
        return x + by

    def by_two(x: Any, by: Any = 2.0) -> Any:
        return x + by

    a, b, table = scaled(2.0), scaled(3.0), np.arange(3.0)
    given = [(a, b, a), (a, b, b), (b, a, a), (a, a, b), (a, a, a), (scaled(0), a, a), (scaled(0.0), a, a)]
    given += [(kernel(lambda x: table[0]), a, a), (kernel(shifted), a, a), (kernel(by_two), a, a)]
    given += [(kernel(lambda x: 0.0), a, a), (kernel(lambda x, y=0.0: 0.0), a, a)]
    found = [lasting_fingerprint(around(*each)) for each in given]
    table[0] = 5.0
    found.append(lasting_fingerprint(around(*given[7])))
    assert None not in found
    assert len(set(found)) == len(found)


class Anything:
    """What no fingerprint looks into."""


def elsewhere(x: float) -> float:
    return x


@pytest.mark.parametrize(
    "unknown",
    [
        ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(abs),
        Anything(),
        Anything,
        elsewhere,  # a plain function: Numba asks for what is registered for it
        np.zeros(LARGE // 8 + 1),  # whose address is in the code
        {"a": 1.0},
    ],
    ids=["callback", "object", "class", "function", "large array", "table"],
)
def test_what_cannot_be_told_again_has_none(unknown: Any) -> None:
    assert lasting_fingerprint(around(scaled(2.0), scaled(3.0), kernel(lambda x: unknown))) is None


def test_what_is_taken_from_a_module_within_another_counts() -> None:
    outer, inner = ModuleType("own"), ModuleType("own.constants")
    outer.constants, inner.own = inner, outer  # each in the other, as packages and their parts are
    found = []
    for inner.factor in (2.0, 3.0, 2.0):
        found.append(
            lasting_fingerprint(around(scaled(2.0), scaled(3.0), kernel(lambda x: outer.constants.factor * x)))
        )
    assert None not in found
    assert found[0] == found[2] != found[1]


def run(flow: Flow) -> float:
    bound, y = flow.on(double), np.zeros(1)
    once(bound, y)
    return float(y[0])


@numba.njit
def once(flow: Any, y: Any) -> None:
    flow(double, y, y, 0.5, 1.0, y)


def test_the_next_process_finds_what_has_the_same_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    for factors, hits in (((2.0, 3.0, 4.0), 0), ((2.0, 4.0, 3.0), 0), ((2.0, 3.0, 4.0), 1), ((2.0, 4.0, 3.0), 1)):
        # made anew, as the next process would
        flow = UserFlow(around(*map(scaled, factors)))
        assert run(flow) == pytest.approx(np.sin(0.5) * (factors @ np.array([1.0, 2.0, 4.0])), rel=1e-15)
        assert sum(flow.stats.cache_hits.values()) == hits


def test_what_calls_back_is_compiled_in_every_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    callback = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: x + 1.0)
    flow = UserFlow(around(scaled(0.0), scaled(0.0), kernel(lambda x: callback(x))))
    assert run(flow) == pytest.approx(6.0)
    assert not list(tmp_path.rglob("*.nbc"))
