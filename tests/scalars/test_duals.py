"""Dual numbers carry the value of the run on doubles, bit for bit, and its derivative to the last digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polhode.scalars import absolute, atan2, cos, double, duals, kernel, sin, sqrt, where
from tests.scalars.test_lanes import FORMULAS, REAL, WHOLE, arithmetic, comparisons, in_place, pairs, same_bits, sweep

EPS = np.finfo(float).eps
K = 3
DIGITS = 50


def with_partials(rows: np.ndarray, partials: int = K) -> np.ndarray:
    """The rows (x, y) as dual numbers with random partials."""
    seeds = np.random.default_rng(2).normal(size=(*rows.shape, partials))
    return np.concatenate([rows[..., None], seeds], axis=-1)


def moderate(count: int) -> np.ndarray:
    """Rows (x, y) of numbers of both signs, from 1e-3 to 1e3."""
    rng = np.random.default_rng(3)
    return rng.choice([-1.0, 1.0], size=(count, 2)) * 10.0 ** rng.uniform(-3, 3, size=(count, 2))


def gradient(f: Callable[..., Any], point: np.ndarray) -> list[Any]:
    """∂f/∂x and ∂f/∂y at a point."""
    arguments = tuple(mpmath.mpf(float(x)) for x in point)
    return [mpmath.diff(f, arguments, axis) for axis in ((1, 0), (0, 1))]


def check_partials(formula: Any, exact: Callable[..., tuple[Any, ...]], rows: np.ndarray, ulps: float) -> None:
    """The partials of every result of `formula` on every row, beside `∂f/∂x dx + ∂f/∂y dy` of `exact` in 50 digits.

    Errors are relative to the larger term of that sum.
    """
    entries = with_partials(rows)
    results = sweep(formula, duals(K), entries)
    with mpmath.workdps(DIGITS):
        for entry, row in zip(entries, results, strict=True):
            for i, result in enumerate(row):
                slopes = gradient(lambda x, y, i=i: exact(x, y)[i], entry[:, 0])
                for k in range(1, 1 + K):
                    terms = [s * mpmath.mpf(float(d)) for s, d in zip(slopes, entry[:, k], strict=True)]
                    off = abs(mpmath.mpf(float(result[k])) - sum(terms))
                    assert off <= ulps * EPS * max(map(abs, terms)), f"result {i} at {entry[:, 0]}"


@FORMULAS
def test_values_equal_doubles_bit_for_bit(formula):
    rows = pairs()
    assert same_bits(sweep(formula, duals(K), with_partials(rows))[..., 0], sweep(formula, double, rows))


@settings(max_examples=200)
@given(rows=arrays(np.float64, (4, 2), elements=st.floats()))
def test_values_equal_doubles_on_any_numbers(rows):
    for formula in (arithmetic, comparisons):
        assert same_bits(sweep(formula, duals(K), with_partials(rows))[..., 0], sweep(formula, double, rows))


@pytest.mark.parametrize("formula", [arithmetic, in_place], ids=["arithmetic", "in place"])
def test_partials_of_arithmetic(formula):
    check_partials(formula, lambda x, y: formula(x, y, mpmath.mpf(REAL), WHOLE), moderate(12), ulps=4.0)


@pytest.mark.verify
def test_every_partial_is_carried():
    """Widths that are not a hardware vector's: each partial by itself is what it is among three."""
    rows = moderate(8)
    for partials in (1, 6, 8, 9, 12):
        entries = with_partials(rows, partials)
        results = sweep(arithmetic, duals(partials), entries)
        for k in range(1, 1 + partials):
            alone = np.concatenate([entries[..., :1], np.repeat(entries[..., k : k + 1], K, axis=-1)], axis=-1)
            assert same_bits(results[..., k], sweep(arithmetic, duals(K), alone)[..., 2])


@kernel
def composite(x, y, real, whole):
    """Some thirty operations, one built upon another."""
    u = sqrt(x * x + 2.0 * y * y + 1.0)
    v = sin(u) / (2.0 + cos(x * y))
    w = atan2(v - x, 1.0 + u * u)
    z = where(w > 0.0, w * u - y, y - w / u)
    return ((z * z - 3 * v) / (1 + absolute(x)) - (-w) * real,)


def exact_composite(x, y):
    u = mpmath.sqrt(x**2 + 2 * y**2 + 1)
    v = mpmath.sin(u) / (2 + mpmath.cos(x * y))
    w = mpmath.atan((v - x) / (1 + u**2))
    z = w * u - y if w > 0 else y - w / u
    return (z**2 - 3 * v) / (1 + abs(x)) + w * mpmath.mpf(REAL)


def test_partials_of_a_composite_function():
    rows = np.random.default_rng(4).uniform(-2.0, 2.0, size=(40, 2))
    entries = np.zeros((len(rows), 2, 1 + K))
    entries[..., 0], entries[:, 0, 1], entries[:, 1, 2] = rows, 1.0, 1.0
    results = sweep(composite, duals(K), entries)[:, 0]
    assert same_bits(results[:, 0], sweep(composite, double, rows)[:, 0])
    assert not results[:, 3].any()  # nothing was seeded there
    with mpmath.workdps(DIGITS):
        for row, result in zip(rows, results, strict=True):
            slopes = np.array(gradient(exact_composite, row), dtype=float)
            assert np.abs(result[1:3] - slopes).max() <= 1e-14 * max(1.0, np.abs(slopes).max())
