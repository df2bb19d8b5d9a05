"""The coefficient functions against fifty digits, across every switch."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from polhode.geometry import series
from polhode.scalars import compiled, duals, flow, get, put
from tests.geometry.reference import EPS


def _cot_defect(t):
    return (1 - t / 2 * mp.cot(t / 2)) / t**2


def _by_square(function):
    """The derivative of `function` by t², from the derivative by t."""
    return lambda t: mp.diff(function, t, h=mp.mpf(10) ** -25 * t) / (2 * t)


FUNCTIONS = {
    "sinc": lambda t: mp.sin(t) / t,
    "cosine": mp.cos,
    "versine": lambda t: (1 - mp.cos(t)) / t**2,
    "sine_defect": lambda t: (t - mp.sin(t)) / t**3,
    "sinc_less_cosine": lambda t: (mp.sin(t) / t - mp.cos(t)) / t**2,
    "cot_defect": _cot_defect,
    "versine_slope": _by_square(lambda t: (1 - mp.cos(t)) / t**2),
    "sine_defect_slope": _by_square(lambda t: (t - mp.sin(t)) / t**3),
    "cot_defect_slope": _by_square(_cot_defect),
}
AT_ZERO = {
    "sinc": 1, "cosine": 1, "versine": 1 / 2, "sine_defect": 1 / 6, "sinc_less_cosine": 1 / 3, "cot_defect": 1 / 12,
    "versine_slope": -1 / 24, "sine_defect_slope": -1 / 120, "cot_defect_slope": 1 / 720,
}  # fmt: skip
OVER_ZERO = {"sinc", "cosine"}  # they have a zero in (0, π]: their error is measured against 1
SLOPES = {name for name in FUNCTIONS if name.endswith("slope")}
LIMIT = 4e-16


def squares() -> np.ndarray:
    """Squares of angles from 1e-12 to π, and the doubles around each switch."""
    t = np.concatenate([np.geomspace(1e-12, 1.0, 40), np.linspace(0.05, np.pi, 150)])
    switches = np.array([1.0, 4.0, 9.0])
    around = switches[:, None] + np.arange(-3, 3) * np.spacing(0.5 * switches)[:, None]
    return np.concatenate([t * t, around.ravel()])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_to_the_last_digit(name):
    a = squares()
    values = getattr(series, name)(a)
    with mp.workdps(80):
        for square, value in zip(a, values, strict=True):
            expected = FUNCTIONS[name](mp.sqrt(mp.mpf(float(square))))
            size = 1 if name in OVER_ZERO else abs(expected)
            assert abs(mp.mpf(float(value)) - expected) <= LIMIT * size * (4 if name in SLOPES else 1), float(square)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_at_zero(name):
    function = getattr(series, name)
    for a in (0.0, 1e-300):
        assert abs(float(function(a)) / AT_ZERO[name] - 1.0) <= (EPS if name == "cot_defect_slope" else 0.0)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("switch", [1.0, 4.0, 9.0, 12.0, 16.0])
def test_no_step_at_a_switch(name, switch):
    below, above = (float(getattr(series, name)(a)) for a in (np.nextafter(switch, 0.0), switch))
    assert abs(above - below) < 16.0 * EPS * abs(above)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_beyond_pi(name):
    for t in (3.3, 3.6, 4.5, 6.0, 9.0, 30.0):
        expected = FUNCTIONS[name](mp.sqrt(mp.mpf(t * t)))
        tolerance = 200.0 * EPS * t * max(abs(expected), mp.mpf(t) ** -5)
        assert abs(mp.mpf(float(getattr(series, name)(t * t))) - expected) < tolerance


def test_half_angle():
    a = squares()
    s, c = series.half_angle(a)
    for i, square in enumerate(a):
        u = mp.sqrt(mp.mpf(float(square))) / 2
        assert abs(mp.mpf(float(s[i])) - mp.sin(u) / u) < LIMIT
        assert abs(mp.mpf(float(c[i])) - mp.cos(u)) < LIMIT


@pytest.mark.parametrize("c", [1.0, 0.3, 1e-3, 0.0, -1e-3, -0.3, -1.0])
def test_angle_ratio(c):
    edge = abs(c) * 0.2
    n = np.concatenate([np.geomspace(1e-12, 1.0, 60), edge * (1.0 + np.arange(-4, 5) * EPS)])
    n = n[n > 0.0]
    for square, value in zip(n * n, series.angle_ratio(n * n, c), strict=True):
        m = mp.sqrt(mp.mpf(float(square)))
        expected = mp.atan2(m, mp.mpf(c)) / m
        assert abs(mp.mpf(float(value)) - expected) <= LIMIT * expected


def test_angle_ratio_at_its_ends():
    assert float(series.angle_ratio(0.0, 2.0)) == 0.5
    with np.errstate(divide="ignore"):
        assert np.isinf(series.angle_ratio(np.float64(0.0), np.float64(-1.0)))


def test_kernels_run_on_plain_floats_without_warnings():
    for name in FUNCTIONS:
        for a in (0.0, 0.5, 2.0, 5.0, 20.0):
            assert np.isfinite(getattr(series, name)(a))


# --- derivatives ------------------------------------------------------------------------------------------------------


@flow
def coefficients(S, y, p, t, h, out):
    a = get(y, 0, S)
    half = series.half_angle(a)
    put(y, 1, S, series.sinc(a))
    put(y, 2, S, series.cosine(a))
    put(y, 3, S, series.versine(a))
    put(y, 4, S, series.sine_defect(a))
    put(y, 5, S, series.cot_defect(a))
    put(y, 6, S, half[0])
    put(y, 7, S, half[1])
    put(y, 8, S, series.angle_ratio(a, 2.0))
    return 0


@compiled
def once(step, S, y, p):
    return step(S, y, p, 0.0, 0.0, p)


DERIVATIVES = [
    FUNCTIONS["sinc"],
    FUNCTIONS["cosine"],
    FUNCTIONS["versine"],
    FUNCTIONS["sine_defect"],
    FUNCTIONS["cot_defect"],
    lambda t: mp.sin(t / 2) / (t / 2),
    lambda t: mp.cos(t / 2),
    lambda t: mp.atan(t / 2) / t,
]
SLOPES_AT_ZERO = [-1 / 6, -1 / 2, -1 / 24, -1 / 120, 1 / 720, -1 / 24, -1 / 8, -1 / 24]


@pytest.mark.parametrize("t", [0.0, 1e-150, 1e-6, 1e-3, 0.1, 0.39, 0.41, 0.999, 1.001, 1.999, 2.001, 3.0, 4.001])
def test_dual_numbers_carry_the_derivative(t):
    """The derivative of each coefficient by t², itself to nearly all digits: the closed form alone would lose ε/t²."""
    S = duals(1)
    y = np.zeros((9, 2))
    y[0] = t * t, 1.0
    assert once(coefficients.on(S), S, y.reshape(-1), np.zeros(1)) == 0
    for i, function in enumerate(DERIVATIVES):
        if t < 1e-100:
            expected = SLOPES_AT_ZERO[i]
        else:
            with mp.workdps(80):
                expected = float(_by_square(function)(mp.mpf(t)))
        assert abs(y[i + 1, 1] / expected - 1.0) < 100.0 * EPS, (i, t)
