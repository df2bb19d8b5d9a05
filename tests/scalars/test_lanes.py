"""Lanes hold, bit for bit, what the run of their member on doubles holds; that run in turn is IEEE arithmetic."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polhode.scalars import Dual, Lanes, compiled, double, duals, get, kernel, lanes, put, where

WIDTHS = [4, 16]
REAL, WHOLE = 2.5, 3
LARGEST = np.finfo(float).max
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-310, LARGEST, -LARGEST, 1e-160, 3.0, np.pi, 2.5]
)


def pairs(seed: int = 1, count: int = 256) -> np.ndarray:
    """Rows (x, y): all pairs of special values, pairs of equal numbers, and random ones over all exponents."""
    rng = np.random.default_rng(seed)
    random = rng.normal(size=(count, 2)) * 2.0 ** rng.integers(-300, 300, size=(count, 2))
    random[: count // 8, 1] = random[: count // 8, 0]
    return np.concatenate([list(itertools.product(SPECIAL, SPECIAL)), random])


@cache
def _sweep_of(formula: Any) -> Any:
    """The loop over all rows with the kernel in it: the disk cache knows it by the kernel."""

    @compiled
    def _sweep(S: Any, calls: int, entries: Any, out: Any, real: float, whole: int) -> int:
        k = 0
        for i in range(calls):
            for result in formula(get(entries, 2 * i, S), get(entries, 2 * i + 1, S), real, whole):
                put(out, k, S, result)
                k += 1
        return k

    return _sweep


def sweep(formula: Any, kind: Any, rows: np.ndarray) -> np.ndarray:
    """What the kernel `formula(x, y, real, whole)` gives on every row (x, y), run on the scalar `kind`.

    Rows hold numbers, or for duals a number and its partials; so do the entries (row, result) of what is returned.
    """
    # 100 results a call is more than any kernel here has
    if isinstance(kind, Lanes):
        blocks = np.swapaxes(rows.reshape(-1, kind.width, 2), 1, 2)
        out = np.full(len(blocks) * 100 * kind.width, np.nan)
        count = _sweep_of(formula)(kind, len(blocks), np.ravel(blocks), out, REAL, WHOLE)
        results = out[: count * kind.width].reshape(len(blocks), -1, kind.width)
        return np.swapaxes(results, 1, 2).reshape(len(rows), -1)
    size = 1 + kind.partials if isinstance(kind, Dual) else 1
    out = np.full(len(rows) * 100 * size, np.nan)
    count = _sweep_of(formula)(kind, len(rows), np.ravel(rows), out, REAL, WHOLE)
    results = out[: count * size].reshape(len(rows), -1, size)
    return results if isinstance(kind, Dual) else results[..., 0]


def in_python(formula: Any, rows: np.ndarray) -> np.ndarray:
    """The same as `sweep` with the kernel called from Python on arrays."""
    with np.errstate(all="ignore"):
        return np.stack(np.broadcast_arrays(*formula(rows[:, 0], rows[:, 1], REAL, WHOLE)), axis=-1)


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether all bits agree, signs of zeros included. NaN is NaN: of two, the hardware keeps either one's payload."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.shape == b.shape and bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))


def check_lanes(formula: Any, width: int, rows: np.ndarray) -> None:
    """Lanes hold bit for bit what doubles do."""
    assert same_bits(sweep(formula, lanes(width), rows), sweep(formula, double, rows))


@kernel
def arithmetic(x, y, real, whole):
    """Every operator with every kind of operand on either side."""
    return (
        *(x + y, x - y, x * y, x / y, -x, +x),
        *(x + real, x - real, x * real, x / real),
        *(real + x, real - x, real * x, real / x),
        *(x + whole, x - whole, x * whole, x / whole),
        *(whole + x, whole - x, whole * x, whole / x),
        *(x + 1.5, 7 - x, 3 * x, 1 / x),
    )


@kernel
def in_place(x, y, real, whole):
    """The operators in their in-place forms, on numbers of their own: an array that was passed in would be changed."""
    a, b, c, d = 1.0 * x, 1.0 * x, 1.0 * x, 1.0 * x
    a += y
    b -= real
    c *= whole
    d /= y
    return a, b, c, d


@kernel
def comparisons(x, y, real, whole):
    """Every comparison with every kind of operand on either side, as 1 or 0."""
    return (
        *(where(x < y, 1.0, 0.0), where(x <= y, 1.0, 0.0), where(x > y, 1.0, 0.0)),
        *(where(x >= y, 1.0, 0.0), where(x == y, 1.0, 0.0), where(x != y, 1.0, 0.0)),
        *(where(x < real, 1.0, 0.0), where(x <= real, 1.0, 0.0), where(x > real, 1.0, 0.0)),
        *(where(x >= real, 1.0, 0.0), where(x == real, 1.0, 0.0), where(x != real, 1.0, 0.0)),
        *(where(whole < x, 1.0, 0.0), where(whole <= x, 1.0, 0.0), where(whole > x, 1.0, 0.0)),
        *(where(whole >= x, 1.0, 0.0), where(whole == x, 1.0, 0.0), where(whole != x, 1.0, 0.0)),
        *(where((x < y) & (x > real), 1.0, 0.0), where((x < y) | (x > real), 1.0, 0.0)),
    )


FORMULAS = pytest.mark.parametrize(
    "formula", [arithmetic, in_place, comparisons], ids=["arithmetic", "in place", "comparisons"]
)


@FORMULAS
def test_doubles_obey_ieee_arithmetic(formula):
    rows = pairs()
    assert same_bits(sweep(formula, double, rows), in_python(formula, rows))


@FORMULAS
@pytest.mark.parametrize("width", WIDTHS)
def test_lanes_equal_doubles_bit_for_bit(formula, width):
    check_lanes(formula, width, pairs())


@settings(max_examples=200)
@given(rows=arrays(np.float64, (8, 2), elements=st.floats()))
def test_lanes_equal_doubles_on_any_numbers(rows):
    for formula in (arithmetic, comparisons):
        check_lanes(formula, 4, rows)


def test_python_floats_give_what_compiled_doubles_give():
    rows = pairs()
    rows = rows[np.all(rows != 0.0, axis=1)]  # Python itself raises where a float is divided by zero
    results = [arithmetic(*map(float, row), REAL, WHOLE) for row in rows]
    assert same_bits(np.array(results), sweep(arithmetic, double, rows))


def test_comparing_with_nan_is_false_except_for_unequal():
    rows = np.array([[np.nan, 1.0], [1.0, np.nan], [np.nan, np.nan], [np.nan, np.nan]])
    less, less_equal, greater, greater_equal, equal, unequal = sweep(comparisons, lanes(4), rows)[:, :6].T
    for column in (less, less_equal, greater, greater_equal, equal):
        assert not column.any()
    assert unequal.all()


def test_products_and_sums_are_not_contracted():
    """x·x − 1 with x = 1 + 2⁻³⁰: rounding the product first loses the 2⁻⁶⁰ that a fused operation would keep."""

    @kernel
    def fusable(x, y, real, whole):
        return (x * x - y,)

    x = 1.0 + 2.0**-30
    rows = np.tile([x, 1.0 + 2.0**-29], (8, 1))
    for kind in (double, lanes(4)):
        assert not sweep(fusable, kind, rows).any()


@pytest.mark.parametrize(
    ("a", "b"), [(lanes(2), lanes(4)), (duals(2), duals(3)), (lanes(2), duals(2))], ids=["lanes", "duals", "both"]
)
def test_scalars_that_do_not_fit_are_refused(a, b):
    @numba.njit
    def mixed(A, B, x):
        put(x, 0, A, get(x, 0, A) + get(x, 0, B))

    with pytest.raises(numba.TypingError, match=r"No implementation|Invalid use"):
        mixed(a, b, np.zeros(8))
