"""The sizes by which the iteration of a step judges its changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.methods.gauss.loops import set_sizes
from polhode.scalars import lanes, loop

GROUPS = np.array([0, 2, 0, 2, 3])


@loop
def find_sizes(S: Any, sizes: Any, groups: Any, w: Any, L: Any, n: int) -> None:
    set_sizes(S, sizes, groups, w, L, n)


def test_a_size_is_the_largest_of_its_group_in_any_unit() -> None:
    """`|w| + |Σ L|` over the stages, whatever was there; numbers that are not moved and empty groups have none."""
    L = np.random.default_rng(3).normal(size=(5, 4))
    w = np.array([0.3, -2.0, -0.7, 1.1, 9.0])
    for unit in (1.0, 2.0**-60, 2.0**50):
        sizes = np.full(4, 123.0)
        find_sizes.on(lanes(4), sizes, GROUPS, unit * w, (unit * L).ravel(), 4)
        each = unit * (np.abs(w) + np.abs(L.sum(axis=1)))
        expected = [1.0 / max(each[0], each[2]), 0.0, 1.0 / max(each[1], each[3]), 0.0]
        np.testing.assert_allclose(sizes, expected, rtol=1e-14)
