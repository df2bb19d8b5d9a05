"""The sine of an angle that lanes share has the bits of each lane's own, whether they share it or not."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.geometry.common_angle import common_sin
from polhode.scalars import compiled, get, lanes, put, sin


@compiled
def both_sines(S, x, common, each):
    put(common, 0, S, common_sin(get(x, 0, S)))
    put(each, 0, S, sin(get(x, 0, S)))


@pytest.mark.parametrize(
    "angles",
    [[0.3] * 4, [-0.0, 0.0, 0.0, -0.0], [0.3, 0.3, 0.3, 0.4], [0.1, np.nan, 0.1, 0.1], [np.nan] * 4, [1e9] * 4],
    ids=str,
)
def test_bits_are_those_of_each_lane(angles: list[float]) -> None:
    common, each = np.empty(4), np.empty(4)
    both_sines(lanes(4), np.array(angles), common, each)
    assert np.array_equal(common.view(np.int64), each.view(np.int64)) or np.isnan(angles).any()
    np.testing.assert_array_equal(common, each)
    np.testing.assert_allclose(common, np.sin(angles), rtol=1e-15)
