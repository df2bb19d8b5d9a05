"""What kernels read of distant bodies: places, for every scalar, and named parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polhode.scalars import double, lanes, loop, put3
from polhode.systems import DistantBody, FullTwoBodyProblem, KeplerOrbit
from polhode.systems.full_body.perturbation_kernels import FIRST, NAMED, place_of, put_place
from polhode.systems.full_body.relative_flows import PERTURBATIONS


@loop
def write(S: Any, p: Any) -> None:
    put_place(S, p, 1, (1.0, 2.0, 3.0))


@loop
def find(S: Any, p: Any, at: int, t: float, found: Any) -> None:
    put3(found, 0, S, place_of(S, p, at, t, 0.0))


@pytest.mark.parametrize(("kind", "members"), [(double, 1), (lanes(4), 4)], ids=["double", "lanes"])
def test_every_member_has_the_place(kind: Any, members: int) -> None:
    p = np.zeros(5 * members)
    write.on(kind, p)
    np.testing.assert_array_equal(p.reshape(5, members), np.outer([0.0, 1.0, 2.0, 3.0, 0.0], np.ones(members)))


def test_named_parameters_lie_where_the_numbers_say() -> None:
    """Behind the shapes of the bodies."""
    far = DistantBody(3.0, ["a*cos(t)", "b", "0"], parameters={"a": 7.25, "b": -6.5})
    first, second = FullTwoBodyProblem.example().system.bodies
    p = FullTwoBodyProblem(first, second, perturbations=[far]).parameters()
    own = int(p[int(p[PERTURBATIONS]) + FIRST])
    named = int(p[own + NAMED])
    np.testing.assert_array_equal(p[named : named + 2], [7.25, -6.5])


def test_a_body_on_an_orbit_is_where_the_orbit_says() -> None:
    orbit = KeplerOrbit(semimajor=6.0, period=40.0, eccentricity=0.6, inclination=0.4, periapsis=1.0, anomaly=0.2)
    found = np.zeros(3)
    find.on(double, np.append(np.zeros(20), DistantBody(3.0, orbit).numbers(1.0)), 20, 7.0, found)
    np.testing.assert_allclose(found, orbit.at(7.0), atol=1e-14)
