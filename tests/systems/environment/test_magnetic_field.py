"""The magnetic field: a dipole by its formula, harmonics as the gradient of their potential, and the reference field."""

from __future__ import annotations

from math import factorial, sqrt

import numpy as np
import pytest
from scipy.special import lpmv

from polhode import MagneticField
from polhode.errors import InvalidInputError
from polhode.systems.environment.magnetic_field import DIPOLE_2025, LARGEST_DEGREE, magnetic_field_from

ROWS = [[1, 0, -3.0, 0.0], [1, 1, -0.2, 0.5], [2, 1, 0.3, -0.4], [3, 2, 0.1, 0.2], [4, 0, 0.3, 0.0], [4, 4, -0.2, 0.6]]


def potential(r: np.ndarray) -> float:
    """V of the harmonics above, by SciPy's Legendre functions, for a radius of 2."""
    d = np.linalg.norm(r)
    total, phi = 0.0, np.arctan2(r[1], r[0])
    for n, m, g, h in ROWS:
        schmidt = sqrt((1 if m == 0 else 2) * factorial(n - m) / factorial(n + m)) * (-1) ** m
        total += (2 / d) ** (n + 1) * (g * np.cos(m * phi) + h * np.sin(m * phi)) * schmidt * lpmv(m, n, r[2] / d)
    return 2.0 * total


def test_a_dipole_at_equator_and_pole() -> None:
    """|B| = B₀ (a/r)³ over the equator, along the axis, and twice that over the poles, the other way."""
    field = MagneticField([[1, 0, -3.1e-5, 0.0]])
    a = field.radius
    B = field.at(0.0, [[1.5 * a, 0, 0], [0, -1.5 * a, 0], [0, 0, 1.5 * a], [0, 0, -1.5 * a]])
    north = np.array([0.0, 0.0, 3.1e-5 / 1.5**3])
    np.testing.assert_allclose(B, [north, north, -2 * north, -2 * north], atol=1e-17)


def test_the_tilted_dipole_turns_with_the_planet() -> None:
    """B = (a/r)³ (3 (b·r̂) r̂ − b) with b = (g₁₁, h₁₁, g₁₀), turned by the angle."""
    field, t = MagneticField(angle=0.3), 5000.0
    (_, _, g10, _), (_, _, g11, h11) = DIPOLE_2025
    turn = 0.3 + field.rate * t
    c, s = np.cos(turn), np.sin(turn)
    b = np.array([c * g11 - s * h11, s * g11 + c * h11, g10])
    r = np.array([4e6, -5e6, 3e6])
    unit = r / np.linalg.norm(r)
    expected = (field.radius / np.linalg.norm(r)) ** 3 * (3 * (b @ unit) * unit - b)
    np.testing.assert_allclose(field.at(t, r), expected, atol=1e-12 * np.linalg.norm(expected))


@pytest.mark.parametrize("r", [[1.0, 2.0, 1.5], [-2.0, 0.3, -0.9], [1e-9, 0.0, 2.5]])
def test_the_field_is_the_gradient_of_the_potential(r: list[float]) -> None:
    field = MagneticField(ROWS, radius=2.0, rate=0.0)
    h, place = 1e-3, np.array(r)
    ways = h * np.eye(3)
    slopes = [
        (8 * (potential(place + w) - potential(place - w)) - potential(place + 2 * w) + potential(place - 2 * w))
        / (12 * h)
        for w in ways
    ]
    B = field.at(0.0, r)
    np.testing.assert_allclose(B, -np.array(slopes), atol=1e-8 * np.linalg.norm(B))


def test_the_highest_degree() -> None:
    """A zonal harmonic over the pole, `B = (n + 1) g (a/r)ⁿ⁺²` outward, of the largest degree and the one below."""
    for n in (LARGEST_DEGREE - 1, LARGEST_DEGREE):
        found = MagneticField([[n, 0, 0.3, 0.0]], radius=2.0, rate=0.0).at(0.0, [0.0, 0.0, 2.5])
        np.testing.assert_allclose(found, [0.0, 0.0, 0.3 * (n + 1) * 0.8 ** (n + 2)], atol=1e-12 * abs(found[2]))


def test_the_reference_field() -> None:
    """The same coefficients evaluated by ppigrf, in spherical components."""
    ppigrf = pytest.importorskip("ppigrf")
    from datetime import datetime

    assert MagneticField.igrf("2023-05-06", degree=1).degree == 1
    field = MagneticField.igrf("2023-05-06")
    latitude, longitude, d = np.radians(40.0), np.radians(-70.0), 6871.2e3
    up = np.array([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])
    east = np.array([-np.sin(longitude), np.cos(longitude), 0.0])
    B = field.at(0.0, d * up)
    radial, south, eastward = (float(x.item()) for x in ppigrf.igrf_gc(6871.2, 50.0, -70.0, datetime(2023, 5, 6)))
    expected = 1e-9 * (radial * up + south * np.cross(east, up) + eastward * east)
    np.testing.assert_allclose(B, expected, atol=1e-6 * np.linalg.norm(expected))


def test_tables_and_mistakes() -> None:
    field = MagneticField(ROWS, radius=2.0, rate=0.1, angle=0.5)
    assert magnetic_field_from("field", field.describe()) == field
    with pytest.raises(InvalidInputError, match=r"coefficients\[0\] = .*order m from 0 to n"):
        MagneticField([[1, 2, 0.1, 0.0]])
    for n, m in ((0, 0), (LARGEST_DEGREE + 1, 0), (2, -1), (2.5, 1), (2, 0.5)):
        with pytest.raises(InvalidInputError, match=r"coefficients\[1\] = .*a degree n from 1 to 30"):
            MagneticField([[1, 0, 0.1, 0.0], [n, m, 0.1, 0.0]])
    with pytest.raises(InvalidInputError, match="a list of"):
        MagneticField([1.0, 2.0])  # type: ignore[list-item]
    with pytest.raises(InvalidInputError, match=r"a day, such as|ppigrf"):
        MagneticField.igrf("May")
