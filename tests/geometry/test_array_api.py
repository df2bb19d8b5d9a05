"""From kernels to arrays."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from polhode.errors import InvalidInputError
from polhode.geometry import se3, so2, so3, unchecked
from polhode.geometry.array_api import (
    MATRIX,
    NEAR,
    ROUGH,
    SCALAR,
    VECTOR,
    assembled,
    components,
    doubles,
    front,
    rotations,
)
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
    with pytest.raises(InvalidInputError) as caught:
        front(dot, VECTOR, VECTOR, SCALAR, names=("a", "b"))(*args)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "value", ["1", ["1.0", "2.0", "3.0"], [1.0, True, 0.0], np.array([True, False, True]), [1, 2, 3j], [[1, 2, 3], [1]]]
)
def test_what_looks_like_a_number_and_is_none(value: object) -> None:
    with pytest.raises(TypeError):
        doubles(value)
    with pytest.raises(InvalidInputError):
        front(dot, VECTOR, VECTOR, SCALAR, names=("a", "b"))(value, [1, 2, 3])


def test_numbers_of_all_kinds() -> None:
    given = [1, np.float32(2.0), np.int8(3), Fraction(1, 2), 10**30]
    np.testing.assert_array_equal(doubles(given), [1.0, 2.0, 3.0, 0.5, 1e30])
    with pytest.raises(ValueError, match="too large"):
        doubles(10**400)


@pytest.mark.parametrize(("group", "shape"), [(so2, ()), (so3, (3,)), (se3, (6,))])
def test_a_batch_may_be_empty(group: Any, shape: tuple[int, ...]) -> None:
    x = np.zeros((0, *shape))
    g = group.exp(x)
    assert len(g) == 0
    for result in (group.log(g), group.vee(group.hat(x))):
        assert result.shape == x.shape
    for result in (group.inverse(g), group.compose(g, g), group.project(g), group.cayley(x)):
        assert result.shape == g.shape


def test_near_rotations_pass_and_others_do_not() -> None:
    R = so3.exp([0.1, 0.2, 0.3])
    for near, good, worse in ((NEAR, 1e-7, 1e-5), (ROUGH, 1e-2, 1.0)):
        np.testing.assert_array_equal(rotations("R", R * (1.0 + good), MATRIX, near), R * (1.0 + good))
        for bad in (R * (1.0 + worse), -R, np.full((3, 3), np.nan)):
            with pytest.raises(InvalidInputError, match="rotation matrix"):
                rotations("R", np.stack([R, bad]), MATRIX, near)


def test_one_of_each_gives_the_same_numbers_as_one_of_many() -> None:
    """Which are computed on numbers, and on arrays."""
    R = so3.exp([[0.3, -2.0, 0.5], [0.1, 0.2, -3.0], [0.0, 0.0, 0.0]])
    for function in (unchecked.from_matrix, unchecked.rotation_log):
        np.testing.assert_allclose(function(R)[1], function(R[1]), rtol=1e-14)
    assert unchecked.from_matrix(R[None, 1:2]).shape == (1, 1, 4)
    assert unchecked.rotation_distance(R, R[:1])[1] == pytest.approx(float(unchecked.rotation_distance(R[1], R[0])))
    assert unchecked.rotation_distance(R[1], R[None, :1]).shape == (1, 1)


@pytest.mark.parametrize(
    "q", [[0.1, -0.7, 0.3, 0.6], [0.0, 0.0, 0.0, 0.0], [np.inf, 0.0, 0.0, 1.0], [np.nan, 0.0, 0.0, 1.0]]
)
def test_one_of_them_has_the_bits_of_one_among_many(q: list[float]) -> None:
    """Also where something is divided by zero, which Python's numbers refuse."""
    q_array = np.array(q)
    for function in (unchecked.normalized, unchecked.to_matrix):
        np.testing.assert_array_equal(function(q_array), function(np.array([q, q]))[0])
    R = unchecked.to_matrix(q_array)
    np.testing.assert_array_equal(unchecked.from_matrix(R), unchecked.from_matrix(np.stack([R, R]))[0])
    np.testing.assert_array_equal(unchecked.from_matrix(R[None])[0], unchecked.from_matrix(R))
