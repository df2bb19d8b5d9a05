"""Products with fused sums, against NumPy and the quaternions of the geometry layer."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.geometry import quaternion
from polhode.methods.gauss import fused

RANDOM = np.random.default_rng(11)
U, V = RANDOM.normal(size=(2, 3))
A = RANDOM.normal(size=(3, 3))
Q, P = RANDOM.normal(size=(2, 4))


def pure(v: np.ndarray) -> np.ndarray:
    return np.append(v, 0.0)


def bar(q: np.ndarray) -> np.ndarray:
    return q * [-1.0, -1.0, -1.0, 1.0]


def test_vectors_and_matrices() -> None:
    np.testing.assert_allclose(fused.dot(tuple(U), tuple(V)), U @ V, rtol=1e-14)
    np.testing.assert_allclose(fused.cross(tuple(U), tuple(V)), np.cross(U, V), rtol=1e-13)
    np.testing.assert_allclose(fused.apply(tuple(A.ravel()), tuple(U)), A @ U, rtol=1e-13)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (fused.from_left(tuple(U), tuple(Q)), quaternion.multiply(pure(U), Q)),
        (fused.from_right(tuple(Q), tuple(U)), quaternion.multiply(Q, pure(U))),
        (fused.plus_left(tuple(P), tuple(U), tuple(Q)), P + quaternion.multiply(pure(U), Q)),
        (fused.plus_right(tuple(P), tuple(Q), tuple(U)), P + quaternion.multiply(Q, pure(U))),
        (fused.plus4(tuple(P), 0.3, tuple(Q)), P + 0.3 * Q),
        (fused.twice_momenta(tuple(Q), tuple(P))[0], quaternion.multiply(P, bar(Q))[:3]),
        (fused.twice_momenta(tuple(Q), tuple(P))[1], quaternion.multiply(bar(Q), P)[:3]),
    ],
)
def test_quaternions(found: tuple[float, ...], expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-14)


def test_the_rotation_of_a_quaternion_of_any_length() -> None:
    expected = quaternion.to_matrix(Q / np.linalg.norm(Q))
    np.testing.assert_allclose(np.reshape(fused.rotation(tuple(Q), 2.0 / (Q @ Q)), (3, 3)), expected, atol=1e-15)
