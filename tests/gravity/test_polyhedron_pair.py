"""Two polyhedra: from which distance a rule for far facets serves."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.bodies import Polyhedron
from polhode.gravity.polyhedron_pair import BEYOND, FAR_DEGREES, LEFT_OUT, pair_numbers
from tests.bodies.shapes import CUBE, CUBE_FACES


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6, 1e-10, 1e-14])
def test_a_rule_serves_from_where_it_leaves_out_the_tolerance(tolerance: float) -> None:
    """`c ((a₁ + a₂)/2D)ᵈ⁺¹` for facets of radii a₁ and a₂ at the distance D, of which (D/(a₁ + a₂))² is kept."""
    cube = Polyhedron(0.5 * CUBE, CUBE_FACES, density=1.0)
    beyond = pair_numbers(cube, cube, 0, 1.0, tolerance)[BEYOND : BEYOND + len(FAR_DEGREES)]
    left_out = np.array(LEFT_OUT) * (0.5 / np.sqrt(beyond)) ** (np.array(FAR_DEGREES) + 1)
    np.testing.assert_allclose(left_out, tolerance, rtol=1e-12)
