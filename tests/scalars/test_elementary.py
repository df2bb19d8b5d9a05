"""The elementary functions: the mathematical ones to the last digits, on every scalar the same, with their derivatives."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from polhode.scalars import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cosh,
    double,
    duals,
    exp,
    kernel,
    lanes,
    log,
    log1p,
    power,
    sinh,
    smallest,
    tan,
    tanh,
)
from tests.scalars.test_duals import EPS, K, check_partials, with_partials
from tests.scalars.test_lanes import REAL, WHOLE, WIDTHS, in_python, pairs, same_bits, sweep


@kernel
def anywhere(x, y, real, whole):
    return tan(x), atan(x), sinh(x), cosh(x), tanh(x), exp(x)


@kernel
def below_one(x, y, real, whole):
    return asin(x), acos(x), log1p(x), log(absolute(x)), asin(x * y)


@kernel
def powers(x, y, real, whole):
    u = absolute(x)
    return (
        power(u, y),
        power(u, real),
        power(real, y),
        power(x, whole),
        power(whole, y),
        power(u, -1.0 / 3.0),
        power(u, 2),
    )


@kernel
def operators(x, y, real, whole):
    u = absolute(x)
    v = 1.0 * x
    v **= 3
    some = x**2, v, x**1, x**7, x**12, (1.0 + u) ** -1, (1.0 + u) ** -3
    return *some, u**y, u**real, real**y, whole**y, u**0.5, u**2.5, u**-0.5, 2.0**y, 3**y


@kernel
def choices(x, y, real, whole):
    return smallest(x, y), smallest(x, real), smallest(whole, y)


def exact_anywhere(x: Any, y: Any) -> tuple[Any, ...]:
    return mpmath.tan(x), mpmath.atan(x), mpmath.sinh(x), mpmath.cosh(x), mpmath.tanh(x), mpmath.exp(x)


def exact_below_one(x: Any, y: Any) -> tuple[Any, ...]:
    return mpmath.asin(x), mpmath.acos(x), mpmath.log1p(x), mpmath.log(abs(x)), mpmath.asin(x * y)


def exact_powers(x: Any, y: Any) -> tuple[Any, ...]:
    u, real, third = abs(x), mpmath.mpf(REAL), mpmath.mpf(-1.0 / 3.0)
    return u**y, u**real, real**y, x**WHOLE, mpmath.mpf(WHOLE) ** y, u**third, u**2


def exact_operators(x: Any, y: Any) -> tuple[Any, ...]:
    u, real, whole = abs(x), mpmath.mpf(REAL), mpmath.mpf(WHOLE)
    some = x**2, x**3, x, x**7, x**12, (1 + u) ** -1, (1 + u) ** -3
    return (
        *some,
        u**y,
        u**real,
        real**y,
        whole**y,
        mpmath.sqrt(u),
        u**2.5,
        1 / mpmath.sqrt(u),
        2**y,
        mpmath.mpf(3) ** y,
    )


def uniform(bound: float, count: int = 64) -> np.ndarray:
    return np.random.default_rng(6).uniform(-bound, bound, size=(count, 2))


CASES = [
    pytest.param(anywhere, exact_anywhere, uniform(20.0), id="anywhere"),
    pytest.param(below_one, exact_below_one, uniform(0.999), id="below one"),
    pytest.param(powers, exact_powers, uniform(9.0), id="powers"),
]
EVERY = pytest.mark.parametrize("formula", [anywhere, below_one, powers, operators, choices], ids=lambda f: f.__name__)


@pytest.mark.parametrize(("formula", "exact", "rows"), CASES)
def test_values_are_the_mathematical_ones(formula, exact, rows):
    with mpmath.workdps(50):
        for row, results in zip(rows, sweep(formula, double, rows), strict=True):
            expected = exact(*(mpmath.mpf(float(x)) for x in row))
            for i, (result, value) in enumerate(zip(results, expected, strict=True)):
                room = 4.0 if exact is exact_below_one and i == 4 else 1.0  # of a product that is itself rounded
                assert abs(mpmath.mpf(float(result)) - value) <= room * EPS * abs(value), f"result {i} at {row}"


@EVERY
@pytest.mark.parametrize("width", WIDTHS)
def test_lanes_equal_doubles_bit_for_bit(formula, width):
    rows = np.concatenate([pairs(), uniform(0.999), uniform(20.0)])
    assert same_bits(sweep(formula, lanes(width), rows), sweep(formula, double, rows))


@EVERY
def test_values_of_duals_equal_doubles_bit_for_bit(formula):
    rows = np.concatenate([pairs(), uniform(0.999), uniform(20.0)])
    assert same_bits(sweep(formula, duals(K), with_partials(rows))[..., 0], sweep(formula, double, rows))


@EVERY
def test_python_gives_the_same_to_the_last_digits(formula):
    rows = np.concatenate([pairs(), uniform(0.999), uniform(20.0)])
    compiled, in_numpy = sweep(formula, double, rows), in_python(formula, rows)
    finite = np.isfinite(compiled)
    assert np.array_equal(finite, np.isfinite(in_numpy))
    assert np.array_equal(np.isnan(compiled), np.isnan(in_numpy))
    np.testing.assert_array_max_ulp(compiled[finite], in_numpy[finite], maxulp=16 if formula is operators else 4)


@pytest.mark.parametrize(("formula", "exact", "rows"), CASES)
def test_partials(formula, exact, rows):
    check_partials(formula, exact, rows[:16], ulps=8.0 if exact is exact_below_one else 4.0)


def test_partials_of_operators():
    check_partials(operators, exact_operators, uniform(9.0)[:16], ulps=16.0)  # a product of twelve is rounded as often


def test_partials_of_a_choice():
    check_partials(choices, lambda x, y: (min(x, y), min(x, REAL), min(WHOLE, y)), uniform(5.0)[:16], ulps=1.0)


def test_partials_far_out_keep_their_digits():
    """1 − tanh², 1 − x² and x ^ (y − 1), written like this, have lost theirs."""
    rows = np.array([[15.0, 0.5], [-18.0, 0.5]])
    check_partials(anywhere, exact_anywhere, rows, ulps=4.0)
    near = np.array([[1.0 - 2.0**-40, 0.5], [2.0**-40 - 1.0, 0.5]])
    check_partials(below_one, exact_below_one, near, ulps=8.0)
    check_partials(powers, exact_powers, np.array([[0.003, 120.3], [7.0, 200.7]]), ulps=4.0)


def test_powers_of_zero_have_partials():
    entries = with_partials(np.array([[0.0, 1.5]]))
    results = sweep(powers, duals(K), entries)[0]
    assert not results[0].any()  # 0 ^ y with y > 0: of either argument no slope
    assert not results[1].any()
    assert not results[3].any()


@kernel
def extremes(x, y, real, whole):
    return power(x, 0), power(x, 0.0), power(x, 2.0), atan2(x, y)


def test_partials_at_the_ends_of_the_range():
    entries = with_partials(np.array([[0.0, 1.0]]))
    assert np.array_equal(sweep(extremes, duals(K), entries)[0, :2], [[1.0] + [0.0] * K] * 2)
    rows = np.array([[1e-170, 3e-170], [1e160, 2e160], [1e-160, -1e-160]])
    entries = with_partials(rows)
    results = sweep(extremes, duals(K), entries)
    for (x, y), entry, result in zip(rows.tolist(), entries, results, strict=True):
        np.testing.assert_allclose(result[2, 1:], 2.0 * x * entry[0, 1:], rtol=1e-15)
        size = max(abs(x), abs(y))
        a, b = x / size, y / size
        expected = (b * entry[0, 1:] - a * entry[1, 1:]) / (a * a + b * b) / size
        np.testing.assert_allclose(result[3, 1:], expected, rtol=1e-14)


def test_the_smaller_keeps_the_first_of_equals_and_beside_nan():
    rows = np.array([[0.0, -0.0], [np.nan, 1.0], [1.0, np.nan], [2.0, 1.0]])
    for kind in (double, lanes(4)):
        assert same_bits(sweep(choices, kind, rows)[:, 0], np.array([0.0, np.nan, 1.0, 1.0]))
