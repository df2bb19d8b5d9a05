"""The orbit of a spacecraft: Kepler's ellipse, its velocity, and the precession by oblateness against the equations of motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from polhode import Orbit
from polhode.errors import InvalidInputError
from polhode.gravity.kepler import cartesian, elements, orbit_from
from polhode.systems.environment.orbit import EARTH_J2, EARTH_MU, EARTH_RADIUS, EARTH_RATE, relative_to_rotating_air

ANGLES = {"inclination": 1.1, "node": 0.4, "periapsis": 2.0}


def test_without_oblateness_it_is_a_kepler_ellipse() -> None:
    orbit = Orbit(9.0e6, 0.25, anomaly=0.7, **ANGLES)
    for t in (0.0, 1234.5, -800.0, 5e5):
        kepler = orbit_from(EARTH_MU, a=9.0e6, e=0.25, mean_anomaly=0.7 + orbit.mean_motion * t, **ANGLES)
        for found, expected in zip(orbit.at(t), cartesian(kepler), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-9 * np.linalg.norm(expected))
    assert orbit.period == pytest.approx(2 * np.pi * np.sqrt(9.0e6**3 / EARTH_MU))


def test_the_velocity_is_the_derivative_of_the_position() -> None:
    orbit = Orbit(7.2e6, 0.05, J2=0.05, anomaly=0.3, **ANGLES)  # an oblateness that no planet has
    t = np.linspace(0.0, 2.0 * orbit.period, 11)
    ahead, behind = orbit.at(t + 0.05)[0], orbit.at(t - 0.05)[0]
    v = orbit.at(t)[1]
    np.testing.assert_allclose((ahead - behind) / 0.1, v, atol=1e-7 * np.linalg.norm(v, axis=-1).max())


def test_precession_is_that_of_the_equations_of_motion() -> None:
    """Twenty turns by DOP853 with the true field of J2: the mean node and periapsis move as the secular rates say, up to
    terms of the order J2 of them and the osculating element in place of the mean one."""
    orbit = Orbit(8.0e6, 0.1, inclination=0.6, node=0.4, periapsis=2.0, J2=EARTH_J2)
    k = 1.5 * EARTH_J2 * EARTH_MU * EARTH_RADIUS**2

    def motion(t: float, y: np.ndarray) -> np.ndarray:
        r = y[:3]
        d = np.linalg.norm(r)
        z2 = 5.0 * (r[2] / d) ** 2
        oblate = -k / d**5 * r * np.array([1 - z2, 1 - z2, 3 - z2])
        return np.concatenate([y[3:], -EARTH_MU / d**3 * r + oblate])

    t = np.linspace(0.0, 20 * orbit.period, 20 * 60 + 1)
    run = solve_ivp(motion, (0.0, t[-1]), np.concatenate(orbit.at(0.0)), "DOP853", t, rtol=1e-10, atol=1e-4)
    found = elements(run.y[:3].T, run.y[3:].T, EARTH_MU)
    for angle, rate in zip((found.node, found.periapsis), orbit.rates[:2], strict=True):
        slope = np.polyfit(t, np.unwrap(angle), 1)[0]
        assert slope == pytest.approx(rate, rel=0.02)


def test_air_that_turns_with_the_planet() -> None:
    """A satellite over the equator in a geostationary orbit is at rest in it."""
    orbit = Orbit((EARTH_MU / EARTH_RATE**2) ** (1 / 3))
    r, v = orbit.at(3000.0)
    relative = np.array(relative_to_rotating_air(EARTH_RATE, tuple(r), tuple(v)))
    assert np.linalg.norm(relative) < 1e-9 * np.linalg.norm(v)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"semimajor": 6.0e6}, "outside the planet"),
        ({"semimajor": 9.0e6, "eccentricity": 1.0}, "from 0 to below 1"),
        ({"semimajor": 9.0e6, "mu": -1.0}, "a positive number"),
    ],
)
def test_what_is_no_orbit_is_refused(given: dict[str, float], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        Orbit(**given)
