"""What the benchmark of gravity near contact times is what it says."""

from __future__ import annotations

import numpy as np

from polhode.bench.near_contact import TOWARDS, force_error, place, ridged
from polhode.bodies import Ellipsoid, separation


def test_meshes_have_twice_as_many_facets_a_ring() -> None:
    body = ridged(8, [1.0, 1.0, 0.9])
    assert len(body.faces) == 2 * 8 * 7
    assert body.radius > 1.02


def test_places_are_in_units_of_contact() -> None:
    first, second = Ellipsoid(1.0, [0.9, 0.8, 0.7]), Ellipsoid(2.0, [1.2, 1.1, 0.9])
    near, far = (place(first, second, apart) for apart in (1.001, 2.0))
    np.testing.assert_allclose(near @ TOWARDS, 0.5005 * far @ TOWARDS, rtol=1e-12)
    assert 0.0 < separation.separation(first, second, near) < 0.002 * np.linalg.norm(near)


def test_the_error_of_the_forces_is_small() -> None:
    first, second = Ellipsoid(1.0, [0.9, 0.8, 0.7]), Ellipsoid(2.0, [1.2, 1.1, 0.9])
    assert 0.0 < force_error(first, second, place(first, second, 1.001)) < 1e-8
