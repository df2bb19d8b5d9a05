"""From kernels to arrays."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.errors import InvalidInput
from polhode.geometry.front import MATRIX, SCALAR, VECTOR, assembled, components, front
from polhode.geometry.vectors import apply, dot


def test_leading_axes_broadcast() -> None:
    act = front(apply, MATRIX, VECTOR, VECTOR, names=("A", "x"))
    A, x = np.random.default_rng(0).normal(size=(4, 1, 3, 3)), np.random.default_rng(1).normal(size=(5, 3))
    np.testing.assert_allclose(act(A, x), np.einsum("...ij,...j->...i", A, x), rtol=1e-15, atol=1e-15)
    assert front(dot, VECTOR, VECTOR, SCALAR, names=("a", "b"))([1, 2, 3], [4, 5, 6]) == 32.0


def test_components_and_back() -> None:
    A = np.arange(18.0).reshape(2, 3, 3)
    np.testing.assert_array_equal(assembled(components(A, MATRIX), MATRIX), A)


@pytest.mark.parametrize(
    ("args", "field"), [(([1, 2], [1, 2, 3]), "a"), (("x", [1, 2, 3]), "a"), ((np.ones((5, 3)), np.ones((4, 3))), "b")]
)
def test_what_does_not_fit_is_named(args: tuple, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        front(dot, VECTOR, VECTOR, SCALAR, names=("a", "b"))(*args)
    assert caught.value.field == field
