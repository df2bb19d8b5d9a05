"""The rotation of the free body in closed form: against Taylor series in multiprecision, for every kind of body."""

from itertools import product

import mpmath
import numpy as np
import pytest

from polhode.bodies.inertia import Inertia
from polhode.geometry.increments.free_rotation import (
    LONGEST,
    WIDEST,
    compose_where,
    free_turn,
    parts_of_time,
    sine_series,
)
from polhode.geometry.so3 import cayley
from tests.tiers import later


def taylor(b, P, h, order=60):
    """The rotation in the time h by the series of `Ṙ = R S(bP)`, `Ṗ = P × bP`, the principal axes being those of the body."""
    with mpmath.workdps(40):
        b, h = [mpmath.mpf(x) for x in b], mpmath.mpf(h)
        vectors = [[[mpmath.mpf(x) for x in v]] for v in (P, *np.eye(3).tolist())]  # P and the rows of R: v̇ = v × bP
        for k in range(order):
            new = []
            for v in vectors:
                total = [mpmath.mpf(0)] * 3
                for j in range(k + 1):
                    u, w = v[j], [b[i] * vectors[0][k - j][i] for i in range(3)]
                    for i in range(3):
                        total[i] += u[(i + 1) % 3] * w[(i + 2) % 3] - u[(i + 2) % 3] * w[(i + 1) % 3]
                new.append([x / (k + 1) for x in total])
            for v, x in zip(vectors, new, strict=True):
                v.append(x)
        return np.array([[float(mpmath.polyval([c[i] for c in v[::-1]], h)) for i in range(3)] for v in vectors[1:]])


BODIES = {
    "asymmetric": [0.4, 0.7, 0.9],
    "prolate": [0.3, 0.9, 0.9],
    "oblate": [0.5, 0.5, 0.9],
    "sphere": [0.7, 0.7, 0.7],
    "nearly symmetric": [0.5, 0.5 + 1e-12, 0.9],
    "slender": [1e-3, 1.0, 1.0005],
}
MOMENTA = {
    "general": [0.5, -0.6, 0.4],
    "about the first axis": [0.9, 0.0, 0.0],
    "about the second axis": [0.0, 0.9, 0.0],
    "near the second axis": [1e-9, 0.9, -2e-9],
    "about the third axis": [0.0, 0.0, -0.9],
    "slow": [1e-6, -3e-6, 2e-6],
    "at rest": [0.0, 0.0, 0.0],
}


def numbers(moments):
    entries = Inertia.of(moments, allow_unphysical=True).principal_entries()
    return tuple(entries[:9]), tuple(entries[9:12]), entries[12]


def turned(moments, P, h):
    """The rotation in the time h, which the series must serve."""
    with np.errstate(all="ignore"):
        c = free_turn(*numbers(moments), tuple(P), h)
    return cayley(np.array([float(x) for x in c]))


def parts(moments, P, h):
    axes, b, r = numbers(moments)
    return parts_of_time(b, r, tuple(np.asarray(P) @ np.reshape(axes, (3, 3))), h)


@pytest.mark.parametrize(
    ("body", "momentum"), later(product(BODIES, MOMENTA), lambda case: case[0] != "asymmetric" and case[1] != "general")
)
def test_against_series(body, momentum):
    moments, P = np.array(BODIES[body]), np.array(MOMENTA[momentum])
    for h in (0.2, -0.07, 1e-4):
        short = h / parts(moments, P, h)
        assert parts(moments, P, short) == 1.0
        np.testing.assert_allclose(turned(moments, P, short), taylor(1 / moments, P, short), rtol=0, atol=2e-15)


def test_separatrix():
    """Nothing happens there: 1/J equidistant, P₁ = P₃."""
    moments, P = np.array([3.0, 4.0, 6.0]) / 8, np.array([0.3, 0.2, 0.3])
    np.testing.assert_allclose(turned(moments, P, 0.2), taylor(1 / moments, P, 0.2), rtol=0, atol=2e-15)


def test_long_times_are_divided():
    assert parts([0.4, 0.7, 0.9], [0.5, -0.6, 0.4], 0.1) == 1.0
    assert parts([0.4, 0.7, 0.9], [5.0, -6.0, 4.0], -1.0) >= 16.0


@pytest.mark.parametrize("axis", range(3))
def test_no_part_turns_further_than_the_series_serve(axis):
    """About a principal axis the turn in the time h is h P/J; parts are halved as long as they turn by more than WIDEST. (Of a
    body that is nearly a sphere: others swing faster than they turn.)"""
    moments, P = np.array([0.4, 0.42, 0.44]), np.zeros(3)
    P[axis] = 0.9
    rate = 0.9 / moments[axis]
    for turns, expected in ((0.99, 1.0), (1.01, 2.0), (3.9, 4.0), (4.1, 8.0)):
        assert parts(moments, P, turns * WIDEST / rate) == expected


def test_one_increment_after_another():
    E1, E2 = np.random.default_rng(5).standard_normal((2, 3, 3))
    both = compose_where(tuple(E1.ravel()), tuple(E2.ravel()), True)
    np.testing.assert_allclose(np.reshape(both, (3, 3)), (np.eye(3) + E1) @ (np.eye(3) + E2) - np.eye(3), atol=1e-14)
    assert np.array_equal(np.reshape(compose_where(tuple(E1.ravel()), tuple(E2.ravel()), False), (3, 3)), E1)


@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("part", [1.0, 0.8, 0.2])
def test_the_series_of_the_sine_up_to_where_it_is_used(part, ratio):
    """`sn(u | m)/u` with u = √α h and m = β/α, against Jacobi's function in multiprecision."""
    u, m = part * LONGEST, ratio
    exact = mpmath.ellipfun("sn", u=u, m=m) / u
    assert sine_series((1.0 + m) * u * u, m * u**4) == pytest.approx(float(exact), rel=0, abs=3e-16)
