"""Orbital elements: there and back, against known orbits, and in the cases where an angle has no meaning."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.gravity.kepler import anomaly_from_mean, cartesian, elements, mean_anomaly, orbit_from

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("mu", [1.0, 3.986e14])
def test_random_states_come_back(mu: float) -> None:
    """Ellipses and hyperbolas in every direction; near-radial ones, which lose digits in r × v, are left out."""
    r, v = RNG.normal(size=(2, 20_000, 3))
    sine = np.linalg.norm(np.cross(r, v), axis=1) / (np.linalg.norm(r, axis=1) * np.linalg.norm(v, axis=1))
    r, v = r[sine > 0.02], v[sine > 0.02] * np.sqrt(mu)
    orbit = elements(r, v, mu)
    assert 0.2 < np.mean(orbit.e < 1.0) < 0.9
    back, speed = cartesian(orbit)
    assert np.max(np.linalg.norm(back - r, axis=1) / np.linalg.norm(r, axis=1)) < 1e-12
    assert np.max(np.linalg.norm(speed - v, axis=1) / np.linalg.norm(v, axis=1)) < 1e-12


@pytest.mark.parametrize("e", [0.0, 1e-15, 1e-8, 0.3, 0.999999, 1.0, 1.000001, 1.7, 20.0])
@pytest.mark.parametrize("inclination", [0.0, 1e-16, 1e-9, 1.0, np.pi / 2, np.pi - 1e-9, np.pi])
def test_every_regime_comes_back(e: float, inclination: float) -> None:
    for true_anomaly in (-1.4, 0.0, 0.7):
        given = orbit_from(2.5, q=1.3, e=e, inclination=inclination, node=1.1, periapsis=4.0, true_anomaly=true_anomaly)
        r, v = cartesian(given)
        found = elements(r, v, 2.5)
        np.testing.assert_allclose([found.q, found.e, found.inclination], [1.3, e, inclination], atol=2e-14, rtol=1e-13)
        back, speed = cartesian(found)
        np.testing.assert_allclose(back, r, atol=3e-14)
        np.testing.assert_allclose(speed, v, atol=3e-13)


def test_what_has_no_meaning_has_a_convention() -> None:
    flat = elements([0.0, 1.0, 0.0], [-1.1, 0.0, 0.0], 1.0)  # in the plane: node along x
    assert (flat.inclination, flat.node) == (0.0, 0.0)
    assert flat.periapsis == pytest.approx(np.pi / 2)
    assert elements([0.0, 1.0, 0.0], [1.1, 0.0, 0.0], 1.0).inclination == pytest.approx(np.pi)
    circle = elements([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], 1.0)  # periapsis at the node
    assert (circle.e, circle.periapsis) == (0.0, 0.0)
    assert circle.true_anomaly == pytest.approx(np.pi / 2)


def test_energy_momentum_and_period_of_an_ellipse() -> None:
    orbit = elements([1.0, 0.2, -0.3], [0.1, 1.0, 0.4], 1.0)
    r, v = np.array([1.0, 0.2, -0.3]), np.array([0.1, 1.0, 0.4])
    assert 0.5 * v @ v - 1.0 / np.linalg.norm(r) == pytest.approx(-0.5 / orbit.a, rel=1e-13)
    assert np.sum(np.cross(r, v) ** 2) == pytest.approx(orbit.a * (1 - orbit.e**2), rel=1e-13)
    assert orbit.period == pytest.approx(2 * np.pi * orbit.a**1.5, rel=1e-13)


def test_open_orbits() -> None:
    hyperbola = elements([1.0, 0.0, 0.0], [0.3, 2.0, 0.0], 1.0)
    assert hyperbola.a < 0.0
    assert hyperbola.period == np.inf
    parabola = orbit_from(1.0, q=1.0, e=1.0, mean_anomaly=0.4)
    assert (parabola.a, parabola.period) == (np.inf, np.inf)
    assert parabola.mean_anomaly == pytest.approx(0.4, rel=1e-14)


@pytest.mark.parametrize("e", [0.0, 0.1, 0.7, 0.99, 1.0, 1.01, 1.5, 30.0])
def test_the_mean_anomaly_grows_with_time(e: float) -> None:
    """dM/dt = n: against the derivative of the true anomaly, √(mu q (1+e))/r²."""
    orbit = orbit_from(1.7, q=0.8, e=e)
    limit = np.pi if e < 1.0 else np.arccos(-1.0 / e)
    nu, h = np.linspace(-0.9, 0.9, 9) * limit, 1e-5
    change = (mean_anomaly(nu + h, e) - mean_anomaly(nu - h, e)) / (2 * h)
    r = 0.8 * (1 + e) / (1 + e * np.cos(nu))
    np.testing.assert_allclose(change * np.sqrt(1.7 * 0.8 * (1 + e)) / r**2, orbit.mean_motion, rtol=1e-6)


def test_keplers_equation_is_solved_for_every_shape() -> None:
    e = np.concatenate(
        [RNG.uniform(0.0, 1.0, 2000), 1.0 + RNG.exponential(size=2000), 1 - 10.0 ** RNG.uniform(-9, -2, 500)]
    )
    M = RNG.normal(size=e.size) * 3.0
    M[e < 1.0] = np.mod(M[e < 1.0] + np.pi, 2 * np.pi) - np.pi
    back = mean_anomaly(anomaly_from_mean(M, e), e)
    # near a parabola the true anomaly of an ellipse's far end holds fewer digits
    assert np.max(np.abs(back - M) / (1.0 + np.abs(M)) * np.minimum(1.0, np.abs(1.0 - e))) < 1e-12


NEAR_ONE = [1.0 + sign * 10.0**-k for k in range(2, 16) for sign in (-1.0, 1.0)]


@pytest.mark.parametrize(
    "e", [0.0, 1e-9, 0.3, 0.9, *NEAR_ONE, np.nextafter(1.0, 0.0), 1.0, np.nextafter(1.0, 2.0), 1.5, 3.0]
)
def test_both_anomalies_hold_all_their_digits_near_a_parabola_too(e: float) -> None:
    """E − e sin E, e sinh H − H and D + D³/3 in 60 digits."""
    limit = np.pi if e < 1.0 else np.arccos(-1.0 / e)
    nu = np.array([-0.4, 1e-9, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95]) * limit
    with mpmath.workdps(60):
        exact = [mean_in_digits(mpmath.mpf(float(angle)), mpmath.mpf(float(e))) for angle in nu]
    expected = np.array([float(M) for M in exact])
    np.testing.assert_allclose(mean_anomaly(nu, e), expected, rtol=4e-15)
    np.testing.assert_allclose(anomaly_from_mean(expected, e), nu, rtol=2e-15)


def mean_in_digits(nu: mpmath.mpf, e: mpmath.mpf) -> mpmath.mpf:
    D = mpmath.tan(nu / 2)
    if e == 1:
        return D + D**3 / 3
    root = mpmath.sqrt(abs(1 - e) / (1 + e)) * D
    if e < 1:
        return 2 * mpmath.atan(root) - e * mpmath.sin(2 * mpmath.atan(root))
    return e * mpmath.sinh(2 * mpmath.atanh(root)) - 2 * mpmath.atanh(root)


def test_a_parabola_found_from_its_motion_keeps_its_time() -> None:
    orbit = orbit_from(1.0, q=1.0, e=1.0, true_anomaly=1.5)
    found = elements(*cartesian(orbit), 1.0)
    assert found.e != 1.0  # a rounding away
    time = orbit.mean_anomaly / orbit.mean_motion
    assert time == pytest.approx(1.698609943701796, rel=1e-15)
    assert found.mean_anomaly / found.mean_motion == pytest.approx(time, rel=1e-14)


def test_the_semi_major_axis_is_that_of_the_energy() -> None:
    """1/a = 2/r − v²/mu, where 1 − e has lost its digits; e that is changed changes it."""
    orbit = elements([1.0, 0.0, 0.0], [1.0, 1e-6, 0.0], 1.0)
    a = 1.0 / (2.0 - (1.0 + 1e-12))
    assert orbit.a == pytest.approx(a, rel=1e-15)
    assert orbit.period == pytest.approx(2.0 * np.pi * a**1.5, rel=1e-15)
    assert anomaly_from_mean(orbit.mean_anomaly, orbit.e, orbit.gap) == pytest.approx(orbit.true_anomaly, rel=1e-15)
    assert replace(orbit, true_anomaly=np.asarray(0.3)).a == orbit.a
    assert replace(orbit, e=np.asarray(0.5)).a == 2.0 * orbit.q


@pytest.mark.parametrize(
    ("r", "v", "field"),
    [
        ([np.nan, 0, 0], [0, 1, 0], "r"),
        ([1, 0, 0], [0, np.inf, 0], "v"),
        ([1, 0], [0, 1], "r"),
        ([0, 0, 0], [0, 1, 0], "r"),
    ],
)
def test_what_is_no_motion_is_named(r: list, v: list, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        elements(r, v, 1.0)
    assert caught.value.field == field


def test_what_has_no_mean_anomaly_is_named() -> None:
    with pytest.raises(ph.InvalidInputError, match="inside the asymptotes"):
        mean_anomaly(3.0, 2.0)
    with pytest.raises(ph.InvalidInputError, match="finite"):
        anomaly_from_mean(np.nan, 0.5)
    with pytest.raises(ph.InvalidInputError, match=r"e = -0\.1"):
        mean_anomaly(1.0, -0.1)


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ({}, "a"),
        ({"a": 1.0, "q": 1.0}, "a"),
        ({"a": -1.0}, "a"),
        ({"a": 1.0, "e": 1.5}, "a"),
        ({"a": 1.0, "e": 1.0}, "a"),
        ({"q": 0.0}, "q"),
        ({"a": 1.0, "e": -0.1}, "e"),
        ({"a": float("nan")}, "a"),
        ({"a": 1.0, "node": "north"}, "node"),
        ({"a": 1.0, "true_anomaly": 1.0, "mean_anomaly": 1.0}, "mean_anomaly"),
        ({"q": 1.0, "e": 2.0, "true_anomaly": 2.2}, "true_anomaly"),
    ],
)
def test_what_is_no_orbit_is_named(table: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        orbit_from(1.0, **table)
    assert caught.value.field == field


def test_a_fall_along_the_line_has_no_plane() -> None:
    with pytest.raises(ph.InvalidInputError, match="line of centres"):
        elements([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], 1.0)


def test_what_is_not_said_is_zero() -> None:
    orbit = orbit_from(1.0, q=2.0)
    assert (orbit.e, orbit.inclination, orbit.node, orbit.periapsis, orbit.true_anomaly) == (0.0, 0.0, 0.0, 0.0, 0.0)
