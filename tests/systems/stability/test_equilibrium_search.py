"""The search for attitudes at which moments balance, on a moment that is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from polhode.geometry import so3
from polhode.systems.stability.equilibrium_search import attitude_distance, balanced_attitudes


def hanging(R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The moment n × e₃ of a body whose third axis hangs from the direction n = Rᵀe₃, and its derivative (n × ξ) × e₃."""
    n, axis = R[0, 2], np.array([0.0, 0.0, 1.0])
    return np.cross(n, axis), np.stack([np.cross(np.cross(n, e), axis) for e in np.eye(3)], axis=1)


@pytest.mark.parametrize("starts", [[[0.2, -0.4, 0.3]], [[0.0, 0.0, 0.1], [3.1, 0.0, 0.0]]])
def test_members_of_a_circle_of_solutions_are_well_apart(starts: list[list[float]]) -> None:
    """A turn about the vertical changes nothing: there is a circle of solutions upright, and another upside down."""
    given = [so3.exp(start)[None] for start in starts]
    found = balanced_attitudes(hanging, given, [], lambda R: float(R[0, 2, 2]), attitude_distance)
    heights = np.array([R[0, 2, 2] for R in found])
    np.testing.assert_allclose(np.abs(heights), 1.0, atol=1e-12)
    assert {-1.0, 1.0} == set(np.sign(heights))
    assert min(attitude_distance(one, other) for one, other in combinations(found, 2)) > 0.5
