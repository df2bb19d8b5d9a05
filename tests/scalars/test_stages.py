"""Sums over lanes that are stages of one step, for every width that a method uses."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.scalars import compiled, get, lanes, multiply_add, put
from polhode.scalars.stages import columns, lane_sum, lane_top, mixed

WIDTHS = (2, 4, 6, 8)


@compiled
def _work(S, matrix, x, out, sums):
    A = columns(matrix, S)
    put(out, 0, S, mixed(A, x, 1))
    put(out, 1, S, multiply_add(get(x, 0, S), get(x, 1, S), 2.0))
    sums[0] = lane_sum(get(x, 1, S))
    sums[1] = lane_top(get(x, 1, S))


def _run(width, x):
    rng = np.random.default_rng(width)
    A = rng.normal(size=(width, width))
    out, sums = np.zeros(2 * width), np.zeros(2)
    _work(lanes(width), np.ascontiguousarray(A.T).ravel(), x, out, sums)
    return A, out.reshape(2, width), sums


@pytest.mark.parametrize("width", WIDTHS)
def test_sums_over_the_lanes(width: int) -> None:
    x = np.random.default_rng(1).normal(size=2 * width)
    A, out, sums = _run(width, x)
    first, second = x.reshape(2, width)
    np.testing.assert_allclose(out[0], A @ second, rtol=0, atol=1e-14)
    np.testing.assert_allclose(out[1], first * second + 2.0, rtol=1e-15)
    np.testing.assert_allclose(sums, [second.sum(), second.max()], rtol=0, atol=1e-14)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_number_that_is_none_is_not_lost(width: int) -> None:
    for lane in range(width):
        x = np.ones(2 * width)
        x[width + lane] = np.nan
        _, _, sums = _run(width, x)
        assert np.isnan(sums).all()
