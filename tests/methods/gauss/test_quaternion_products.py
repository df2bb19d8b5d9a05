"""Products of quaternions of any length, against those of the geometry layer."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.geometry import quaternion
from polhode.methods.gauss import quaternion_products

RANDOM = np.random.default_rng(11)
U, V = RANDOM.normal(size=(2, 3))
Q, P = RANDOM.normal(size=(2, 4))


def pure(v: np.ndarray) -> np.ndarray:
    return np.append(v, 0.0)


def bar(q: np.ndarray) -> np.ndarray:
    return q * [-1.0, -1.0, -1.0, 1.0]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (quaternion_products.from_left(tuple(U), tuple(Q)), quaternion.multiply(pure(U), Q)),
        (quaternion_products.from_right(tuple(Q), tuple(U)), quaternion.multiply(Q, pure(U))),
        (quaternion_products.plus_left(tuple(P), tuple(U), tuple(Q)), P + quaternion.multiply(pure(U), Q)),
        (quaternion_products.plus_right(tuple(P), tuple(Q), tuple(U)), P + quaternion.multiply(Q, pure(U))),
        (quaternion_products.plus4(tuple(P), 0.3, tuple(Q)), P + 0.3 * Q),
        (quaternion_products.twice_momenta(tuple(Q), tuple(P))[0], quaternion.multiply(P, bar(Q))[:3]),
        (quaternion_products.twice_momenta(tuple(Q), tuple(P))[1], quaternion.multiply(bar(Q), P)[:3]),
    ],
)
def test_quaternions(found: tuple[float, ...], expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-14)


def test_the_rotation_of_a_quaternion_of_any_length() -> None:
    expected = quaternion.to_matrix(Q / np.linalg.norm(Q))
    np.testing.assert_allclose(
        np.reshape(quaternion_products.rotation(tuple(Q), 2.0 / (Q @ Q)), (3, 3)), expected, atol=1e-15
    )
