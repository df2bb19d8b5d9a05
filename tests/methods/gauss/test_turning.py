"""The functions of a turn, from zero to the largest angle, against 40 digits."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp, mpf

from polhode.methods.gauss.turning import LARGEST_ANGLE, cosine_and_sine, doubled, half_turn, small_turn


def exact(a):
    """(1 − cos a)/a², (a − sin a)/a³ and sin a / a."""
    a = mpf(a)
    if a == 0:
        return 0.5, 1 / 6, 1.0
    return float((1 - mp.cos(a)) / a**2), float((a - mp.sin(a)) / a**3), float(mp.sin(a) / a)


@pytest.mark.parametrize("a", [0.0, 1e-9, 1e-3, 0.3, 0.9, LARGEST_ANGLE / 4])
def test_small_angles_and_their_doubles(a: float) -> None:
    with mp.workdps(40):
        c, k = small_turn(a * a)
        np.testing.assert_allclose([c, k], exact(a)[:2], rtol=4e-16)
        np.testing.assert_allclose(doubled(a * a, c, k), exact(2 * a)[:2], rtol=2e-15)


@pytest.mark.parametrize("a", [0.0, 1e-5, 0.7, 3.0, 2 * LARGEST_ANGLE])
def test_half_an_angle(a: float) -> None:
    with mp.workdps(40):
        c, _, s = exact(a / 2)
        np.testing.assert_allclose(half_turn(a * a), [s, c], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("a", [0.0, 1e-5, -0.7, 1.3, LARGEST_ANGLE / 2])
def test_cosine_and_sine(a: float) -> None:
    np.testing.assert_allclose(cosine_and_sine(a), [np.cos(a), np.sin(a)], rtol=1e-15, atol=4e-16)
