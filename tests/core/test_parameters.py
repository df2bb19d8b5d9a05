"""Layouts of parameters: where parts begin, and what is packed there."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.core.layout import Layout, Variable
from polhode.core.manifolds import Euclidean, Rotations
from polhode.core.parameters import ParameterLayout


def test_what_is_packed_is_found_at_the_offsets() -> None:
    first = ParameterLayout(mass=1, J=6)
    second = first.then(count=1, axis=3)
    p = np.concatenate([first.pack(J=np.arange(6.0), mass=9.0), second.pack(count=2, axis=[4.0, 5.0, 6.0])])
    mass, J = first.offsets("mass", "J")
    count, axis = second.offsets("count", "axis")
    assert p[mass] == 9.0
    assert p[count] == 2.0
    np.testing.assert_array_equal(p[J : J + 6], np.arange(6.0))
    np.testing.assert_array_equal(p[axis : axis + 3], [4.0, 5.0, 6.0])
    assert (first.end, second.end, second.size) == (7, p.size, 4)


@pytest.mark.parametrize(
    "values", [{"mass": 1.0}, {"mass": 1.0, "J": np.zeros(5)}, {"mass": 1, "J": np.zeros(6), "k": 1}]
)
def test_parts_that_are_missing_or_of_another_size_are_refused(values: dict) -> None:
    with pytest.raises(ValueError, match=r"J"):
        ParameterLayout(mass=1, J=6).pack(**values)


def test_offsets_of_variables_and_of_their_force_slots() -> None:
    layout = Layout(
        Variable("R", Rotations()), Variable("x", Euclidean(3), kicked=True), Variable("Pi", Euclidean(3), kicked=True)
    )
    y = np.arange(float(layout.size))
    for name, offset in zip(("R", "x", "Pi"), layout.offsets("R", "x", "Pi"), strict=True):
        assert layout.unpack(y)[name].ravel()[0] == y[offset]
    # the slots follow all variables, in the order of the kicked ones
    assert layout.force_slots("x", "Pi") == (layout.size, layout.size + 3)
    assert layout.forces == 6
