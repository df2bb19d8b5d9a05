"""Random arguments for constructors, states and scenarios: right ones of which some are replaced by anything."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

CASES = int(os.environ.get("POLHODE_RANDOM_CASES", "1000"))  # of all tests together; make soak takes 100,000

numbers = st.one_of(
    st.floats(),
    st.floats(-2.0, 2.0),
    st.integers(-3, 12),
    st.sampled_from([0.0, -0.0, 1e-320, 1e308, -1e308, 2**70, True, np.float32(1.5), np.int8(3), 1j]),
)
words = st.one_of(
    st.sampled_from(
        ["", "0", "x", "R[0,0]", "exp(x)", "points", "polyhedron", "nan", "inf", "1/0", "\x1b[31m", "a" * 300]
    ),
    st.text(max_size=8),
)
arrays = st.one_of(
    st.lists(numbers, max_size=5),
    st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=4),
    st.lists(st.floats(0.1, 3.0), min_size=3, max_size=3),
    st.sampled_from([np.zeros(0), np.eye(3), -np.eye(3), np.ones((3, 3)), np.full(3, np.nan), np.zeros((2, 2, 2))]),
)
anything = st.one_of(
    st.none(),
    numbers,
    words,
    arrays,
    st.dictionaries(words, numbers, max_size=2),
    st.sampled_from([b"bytes", object(), print, len, {1, 2}, (), range(3), Ellipsis, np.array("x"), ValueError("no")]),
)


def changed(right: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """`right` with at most three entries replaced by anything."""
    if not right:
        return st.just({})
    names = st.lists(st.sampled_from(sorted(right)), max_size=3, unique=True)
    return names.flatmap(lambda chosen: st.fixed_dictionaries(dict.fromkeys(chosen, anything))).map(
        lambda new: right | new
    )


def cases(share: float) -> Callable[[Any], Any]:
    """The settings of a test that does this share of the cases: the same ones each time, none against the clock."""
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    fixed = CASES <= 10_000
    return settings(
        max_examples=max(1, round(share * CASES)),
        deadline=None,
        derandomize=fixed,
        database=None,
        phases=[Phase.generate],  # a smaller example is not worth the time that it takes to find
        suppress_health_check=checks,
    )
