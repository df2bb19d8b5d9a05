"""Zeros of sums of Chebyshev's polynomials and of functions of an angle, against those that they are made to have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev, polynomial

from polhode.systems.planar.roots import POINTS, angles_of_zero, chebyshev_roots

UNITS = (1.0, 1e-8, 1e8)  # what is zero does not depend on them
OFFSET = 1e-3 / POINTS  # of the points from −π on


def with_roots(*roots: float) -> np.ndarray:
    """The polynomial with these roots, in Chebyshev's."""
    return np.asarray(chebyshev.poly2cheb(polynomial.polyfromroots(roots)))


@pytest.mark.parametrize(
    ("roots", "expected"),
    [
        ([0.3], [0.3]),
        ([-0.7, 0.1, 0.8], [-0.7, 0.1, 0.8]),
        ([-1.0, 0.25, 1.0], [-1.0, 0.25, 1.0]),
        ([0.25, 0.25], [0.25]),
        ([0.5, 1.5, -1.25], [0.5]),
        ([1.5, -1.25], []),
    ],
)
@pytest.mark.parametrize("unit", UNITS)
def test_roots_of_polynomials(unit: float, roots: list[float], expected: list[float]) -> None:
    found = chebyshev_roots(unit * with_roots(*roots))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_a_constant_has_no_roots() -> None:
    assert chebyshev_roots(np.array([0.7])) == []


@pytest.mark.parametrize("n", [2, 7, 12])
def test_a_chebyshev_polynomial_has_its_own_roots(n: int) -> None:
    expected = np.sort(np.cos(np.pi * (np.arange(n) + 0.5) / n))
    np.testing.assert_allclose(chebyshev_roots(np.eye(n + 1)[n]), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("zeros", [[0.5], [-2.0, 0.25], [-1.0, 0.25, 3.0], [0.1, 0.11]])
def test_where_the_sign_changes(zeros: list[float]) -> None:
    """sin (a − z) changes its sign at z and opposite to it."""
    both = sorted([*zeros, *(z - np.copysign(np.pi, z) for z in zeros)])
    found = angles_of_zero(lambda a: np.prod([np.sin(a - z) for z in zeros], axis=0))
    np.testing.assert_allclose(found, both, rtol=0, atol=1e-12)


@pytest.mark.parametrize("unit", UNITS)
def test_zeros_that_are_no_changes_of_sign(unit: float) -> None:
    found = angles_of_zero(lambda a: unit * (1.0 - np.cos(a - 0.7)) * (2.0 + np.sin(a)))
    np.testing.assert_allclose(found, [0.7], rtol=0, atol=1e-7)


@pytest.mark.parametrize("unit", UNITS)
def test_what_comes_near_to_zero_is_none(unit: float) -> None:
    assert angles_of_zero(lambda a: unit * (1.0 - np.cos(a - 0.7) + 1e-7)) == []
    assert angles_of_zero(lambda a: unit * (2.0 + np.sin(a))) == []


@pytest.mark.parametrize("k", [0, 700, POINTS - 1])
def test_a_zero_at_one_of_the_points(k: int) -> None:
    """There the function is exactly zero: neither of the two intervals beside it sees a change of sign."""
    at = float((np.linspace(-np.pi, np.pi, POINTS + 1) + OFFSET)[k])

    def function(a: Any) -> Any:
        return np.sin(0.5 * (a - at)) * np.cos(0.5 * (a - at)) * (3.0 + np.cos(a))

    assert function(at) == 0.0
    expected = sorted([at, at - np.copysign(np.pi, at)])
    np.testing.assert_allclose(angles_of_zero(function), expected, rtol=0, atol=1e-12)


def test_a_zero_beyond_half_a_turn_is_given_from_below() -> None:
    """The points begin a little after −π and end as much after π; angles are from −π to π."""
    for beyond in (2e-7, 0.9 * OFFSET):
        found = angles_of_zero(lambda a, z=beyond: np.sin(a - z))  # type: ignore[misc]
        np.testing.assert_allclose(found, [-np.pi + beyond, beyond], rtol=0, atol=1e-13)


def test_half_a_turn_itself_is_found_once() -> None:
    found = angles_of_zero(np.sin)
    assert len(found) == 2
    np.testing.assert_allclose(np.sin(found), 0.0, rtol=0, atol=1e-12)
