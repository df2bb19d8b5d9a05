"""Rotations of matrices that are off the group: they are brought back, and what they are off by falls to its square."""

from __future__ import annotations

import numpy as np

from polhode.geometry import so3
from polhode.scalars import double
from polhode.systems.son.flows import off_the_axes, turning

N, M = 3, 9
OFF = 1e-6 * np.array([[1.0, -0.4, 0.3], [0.2, -0.8, 0.5], [-0.6, 0.9, 0.7]])
Q, U = so3.exp([0.4, -0.7, 1.1]), so3.exp([0.3, 0.5, -0.2])


def test_an_attitude_is_turned_and_brought_back() -> None:
    """By 1 + E; what is put is the change of it."""
    y = np.concatenate([(Q + OFF).ravel(), (U - np.eye(N)).ravel(), np.zeros(4 * M)])
    turning(double, y, 0, M, 2 * M, N)
    found = Q + OFF + y[2 * M : 3 * M].reshape(N, N)
    np.testing.assert_allclose(found @ found.T, np.eye(N), atol=1e-11)
    np.testing.assert_allclose(found, Q @ U, atol=3e-6)


def test_an_increment_off_axes_that_are_rounded_is_a_rotation() -> None:
    """V E Vᵀ, which is one only as far as V is."""
    V = Q + OFF
    y = np.concatenate([(U - np.eye(N)).ravel(), V.ravel(), V.T.ravel(), np.zeros(2 * M)])
    off_the_axes(double, y, 0, M, 3 * M, N)
    found = np.eye(N) + y[:M].reshape(N, N)
    np.testing.assert_allclose(found @ found.T, np.eye(N), atol=1e-11)
    np.testing.assert_allclose(found, Q @ U @ Q.T, atol=3e-6)
