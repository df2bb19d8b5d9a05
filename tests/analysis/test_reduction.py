"""Multipliers across symmetries, against a linear Hamiltonian motion whose frequencies are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from polhode.analysis.reduction import across_motion, eigenvalues_and_conditions, without_kernel

FREQUENCIES = np.array([0.31, 0.77, 1.3])


def motion(error: float = 0.0) -> tuple[np.ndarray, ...]:
    """Three oscillators beside two cyclic coordinates, in a basis that mixes all: the change after a period, the slopes of the
    two momenta and the symmetries along the two coordinates. The second pair is disturbed, as a conserved energy is by a
    method that conserves another one."""
    random = np.random.default_rng(3)
    J = np.kron(np.eye(5), [[0.0, 1.0], [-1.0, 0.0]])
    H = np.diag(np.concatenate([np.repeat(FREQUENCIES, 2), [0.0, 5.0, 0.0, 3.0]]))  # p² for what is cyclic
    mixed = np.eye(10) + 0.3 * random.standard_normal((10, 10))
    matrix = mixed @ expm(J @ H) @ np.linalg.inv(mixed)
    rows, columns = np.linalg.inv(mixed)[[7, 9]], mixed[:, [6, 8]]
    rows[1] += error * random.standard_normal(10)
    columns[:, 1] += error * random.standard_normal(10)
    return matrix - np.eye(10), rows[:1], columns[:, :1], rows[1:], columns[:, 1]


@pytest.mark.parametrize("error", [0.0, 1e-3])
def test_multipliers_without_the_ones_of_symmetries(error: float) -> None:
    across, left = across_motion(*motion(error))
    found, conditions = eigenvalues_and_conditions(across)
    expected = np.exp(1j * np.concatenate([FREQUENCIES, -FREQUENCIES]))
    assert len(found) == 6
    assert max(np.abs(1.0 + found - x).min() for x in expected) < 1e-12
    assert left < 1e-12
    assert np.all(conditions >= 1.0 - 1e-12)


def test_eigenvalues_of_a_jordan_block_are_known_badly() -> None:
    block = np.array([[1.0, 1.0], [1e-12, 1.0]])  # the eigenvalues 1 ± 1e-6
    values, conditions = eigenvalues_and_conditions(block)
    assert np.abs(values - 1.0).max() == pytest.approx(1e-6, rel=1e-3)
    assert np.all(conditions * 1e-12 > 0.3e-6)
    assert without_kernel(block - np.eye(2), 1e-9).size == 0
