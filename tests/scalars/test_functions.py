"""The functions of kernels: the same on doubles, lanes, duals and NumPy arrays."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polhode.scalars import (
    absolute,
    any_of,
    atan2,
    attach,
    constant,
    cos,
    double,
    duals,
    get,
    kernel,
    lanes,
    largest,
    multiply_add,
    partial,
    put,
    seeded,
    sin,
    sqrt,
    value,
    where,
    worst,
)
from tests.scalars.test_duals import K, check_partials, moderate, with_partials
from tests.scalars.test_lanes import (
    LARGEST,
    REAL,
    SPECIAL,
    WHOLE,
    WIDTHS,
    check_lanes,
    in_python,
    pairs,
    same_bits,
    sweep,
)


@kernel
def algebraic(x, y, real, whole):
    """What IEEE arithmetic or a mere choice gives, with every kind of operand."""
    return (
        *(sqrt(x), sqrt(y * y + 1.0), absolute(x), attach(value(x), y)),
        *(where(x < y, x, y), where(x < y, x, real), where(x < y, whole, y), where(real > 0.0, x, y)),
        *(where(real < 0.0, x, y), where(real > 0.0, real, y)),
        *(largest(x, y), largest(x, real), largest(whole, y)),
    )


@kernel
def transcendental(x, y, real, whole):
    """What the C library gives."""
    return (
        *(sin(x), cos(x)),
        *(atan2(y, x), atan2(y, real), atan2(real, x), atan2(x, whole), atan2(whole, x)),
    )


BOTH = pytest.mark.parametrize("formula", [algebraic, transcendental], ids=["algebraic", "transcendental"])

# --- lanes, and the Python form ---------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("width", WIDTHS)
def test_lanes_equal_doubles_bit_for_bit(formula, width):
    check_lanes(formula, width, pairs())


@settings(max_examples=200)
@given(rows=arrays(np.float64, (8, 2), elements=st.floats()))
def test_lanes_equal_doubles_on_any_numbers(rows):
    for formula in (algebraic, transcendental):
        check_lanes(formula, 4, rows)


def test_algebraic_functions_in_python_are_those_of_doubles():
    rows = pairs()
    assert same_bits(sweep(algebraic, double, rows), in_python(algebraic, rows))
    with np.errstate(all="ignore"):
        each = np.array([algebraic(x, y, REAL, WHOLE) for x, y in rows], dtype=float)
    assert same_bits(sweep(algebraic, double, rows), each)


def test_transcendental_functions_in_python_are_those_of_doubles_to_an_ulp():
    rows = pairs()
    compiled, in_numpy = sweep(transcendental, double, rows), in_python(transcendental, rows)
    finite = np.isfinite(compiled)
    assert np.array_equal(finite, np.isfinite(in_numpy))
    assert np.array_equal(np.signbit(compiled[finite]), np.signbit(in_numpy[finite]))
    assert np.all(np.abs(compiled - in_numpy)[finite] <= np.spacing(np.abs(in_numpy[finite])))


def test_sine_and_cosine_are_the_mathematical_ones():
    rows = moderate(50)
    with mpmath.workdps(50):
        for (x, y), results in zip(rows, sweep(transcendental, double, rows), strict=True):
            a, b = mpmath.mpf(x), mpmath.mpf(y)
            for result, expected in zip(results, (mpmath.sin(a), mpmath.cos(a), mpmath.atan2(b, a)), strict=False):
                assert abs(result - expected) <= math.ulp(result)


def test_largest_keeps_the_first_of_equals_and_beside_nan():
    rows = np.array([[0.0, -0.0], [-0.0, 0.0], [np.nan, 1.0], [1.0, np.nan], [1.0, 2.0], [2.0, 1.0], [-np.inf, 0.0]])
    expected = np.array([0.0, -0.0, np.nan, 1.0, 2.0, 2.0, 0.0])
    rows, expected = np.tile(rows, (4, 1)), np.tile(expected, 4)
    for kind in (double, lanes(4)):
        assert same_bits(sweep(algebraic, kind, rows)[:, -3], expected)


# --- derivatives ------------------------------------------------------------------------------------------------------


@BOTH
def test_values_of_duals_equal_doubles_bit_for_bit(formula):
    rows = pairs()
    assert same_bits(sweep(formula, duals(K), with_partials(rows))[..., 0], sweep(formula, double, rows))


@kernel
def differentiable(x, y, real, whole):
    return (
        *(sqrt(x * x + 1.0), sqrt(absolute(y)), absolute(x), sin(x), cos(x)),
        *(atan2(y, x), atan2(y, real), atan2(real, x), atan2(x, whole), atan2(whole, x)),
        *(where(x < y, x, y), where(x < y, x, real), where(x < y, whole, y), where(real > 0.0, x, y)),
        *(largest(x, y), largest(x, real), largest(whole, y)),
    )


def exact(x: Any, y: Any) -> tuple[Any, ...]:
    real, whole = mpmath.mpf(REAL), mpmath.mpf(WHOLE)
    return (
        *(mpmath.sqrt(x * x + 1), mpmath.sqrt(abs(y)), abs(x), mpmath.sin(x), mpmath.cos(x)),
        *(mpmath.atan2(b, a) for b, a in ((y, x), (y, real), (real, x), (x, whole), (whole, x))),
        *(x if x < y else y, x if x < y else real, whole if x < y else y, x),
        *(max(x, y), max(x, real), max(whole, y)),
    )


def test_partials_of_functions():
    check_partials(differentiable, exact, moderate(16), ulps=4.0)


def test_partials_where_the_derivative_jumps():
    entries = with_partials(np.array([[0.0, 0.0], [-0.0, 0.0]]))
    of_root, of_absolute = sweep(differentiable, duals(K), entries)[:, 1:3].swapaxes(0, 1)
    assert np.array_equal(of_absolute[:, 1:], entries[:, 0, 1:])  # the slope of |x| at 0 is taken as +1
    assert np.all(np.isinf(of_root[:, 1:]))  # √ has no finite one, and nothing is raised


@kernel
def root(x, y, real, whole):
    """z with z³ + (1 + y²) z = x: Newton's method on values alone, and partials from one exact correction."""
    x0, k0 = value(x), 1.0 + value(y) * value(y)
    z = 0.0 * x0
    for _ in range(60):
        z = z - (z * z * z + k0 * z - x0) / (3.0 * z * z + k0)
    r = z * z * z + (1.0 + y * y) * z - x
    return (attach(z, r / (3.0 * z * z + k0)),)


def test_attach_differentiates_an_implicit_function():
    rows = np.random.default_rng(5).uniform(-3.0, 3.0, size=(16, 2))
    values = sweep(root, double, rows)
    assert same_bits(sweep(root, lanes(4), rows), values)
    assert same_bits(sweep(root, duals(K), with_partials(rows))[..., 0], values)

    def exact_root(x: Any, y: Any) -> tuple[Any]:
        z = mpmath.mpf(0)
        for _ in range(60):
            z -= (z**3 + (1 + y**2) * z - x) / (3 * z**2 + 1 + y**2)
        return (z,)

    check_partials(root, exact_root, rows, ulps=16.0)


@pytest.mark.parametrize("partials", [1, 2, 6, 8, 9, 12])
def test_seeded_constant_and_partial(partials):
    @numba.njit
    def seed_each(S, x, plain, out):
        for i in range(out.shape[0]):
            s = seeded(S, x, i)
            out[i, 0] = value(s)
            for j in range(out.shape[0]):
                out[i, 1 + j] = partial(2.0 * s, j)
            plain[i] = partial(x, i) + partial(constant(S, x) * s, i) - partial(x * s, i)
            plain[i] += value(constant(S, x)) - x

    out, plain = np.full((partials, 1 + partials), np.nan), np.full(partials, np.nan)
    seed_each(duals(partials), np.pi, plain, out)
    assert np.all(out[:, 0] == np.pi)
    assert np.array_equal(out[:, 1:], 2.0 * np.eye(partials))
    assert not plain.any()  # a double has none, nor has a constant


@pytest.mark.parametrize(
    "call",
    [lambda: seeded(duals(1), 1.0, 0), lambda: constant(duals(1), 1.0), lambda: partial(1.0, 0)],
    ids=["seeded", "constant", "partial"],
)
def test_derivatives_are_for_compiled_code(call):
    with pytest.raises(TypeError, match="compiled code only"):
        call()


# --- from many lanes to one answer ------------------------------------------------------------------------------------


@numba.njit
def _reduce(S: Any, x: Any, threshold: float) -> Any:
    number = get(x, 0, S)
    return any_of(number > threshold), worst(number)


def reduced(kind: Any, x: np.ndarray, threshold: float) -> tuple[bool, float]:
    found, top = _reduce(kind, x, threshold)
    assert isinstance(found, bool)
    assert isinstance(top, float)
    return found, top


@pytest.mark.parametrize("width", WIDTHS)
def test_any_of_and_worst_see_every_lane(width):
    for lane in range(width):
        for special in SPECIAL:
            x = np.full(width, -LARGEST)
            x[lane] = special
            found, top = reduced(lanes(width), x, 0.5)
            assert found == np.any(x > 0.5)
            assert np.array_equal(top, np.max(x), equal_nan=True)


@settings(max_examples=200)
@given(x=arrays(np.float64, 16, elements=st.floats()), threshold=st.floats())
def test_any_of_and_worst_are_those_of_numpy(x, threshold):
    found, top = reduced(lanes(16), x, threshold)
    assert found == any_of(x > threshold)
    assert np.array_equal(top, worst(x), equal_nan=True)


@pytest.mark.parametrize("kind", [double, duals(2)], ids=str)
def test_any_of_and_worst_of_a_single_number(kind):
    for number in SPECIAL:
        found, top = reduced(kind, np.array([number, 7.0, 8.0]), 0.5)
        assert found == (number > 0.5)
        assert np.array_equal(top, number, equal_nan=True)


def test_value_of_a_dual_is_a_double():
    @numba.njit
    def plain(S, x):
        put(x, 1, S, value(get(x, 0, S)))
        return value(get(x, 0, S))

    x = np.array([1.5, 2.0, 3.0, 0.0, 9.0, 9.0])
    assert plain(duals(2), x) == 1.5
    assert np.array_equal(x, [1.5, 2.0, 3.0, 1.5, 0.0, 0.0])


@numba.njit
def _products(S, x, out):
    put(out, 0, S, multiply_add(get(x, 0, S), get(x, 1, S), get(x, 2, S)))
    put(out, 1, S, multiply_add(0.5, get(x, 1, S), get(x, 2, S)))
    put(out, 2, S, multiply_add(get(x, 0, S), get(x, 1, S), -3.0))


@pytest.mark.parametrize("width", WIDTHS)
def test_products_are_fused_with_sums_on_every_scalar_alike(width: int) -> None:
    """x y + z of numbers that cancel: where a product is rounded before the sum shows in the first digit."""
    rng = np.random.default_rng(width)
    x = rng.normal(size=(3, width))
    x[2] = -x[0] * x[1]
    on_lanes, alone = np.empty((3, width)), np.empty((3, width))
    _products(lanes(width), np.ascontiguousarray(x).ravel(), flat := np.empty(3 * width))
    on_lanes[:] = flat.reshape(3, width)
    for k in range(width):
        _products(double, x[:, k].copy(), one := np.empty(3))
        alone[:, k] = one
    np.testing.assert_array_equal(on_lanes, alone)
    exact = [float(mpmath.fdot([(a, b), (c, 1.0)])) for a, b, c in x.T]
    fused = np.array_equal(alone[0], exact)
    assert fused or not alone[0].any()  # all of them, or none on a processor that cannot


def test_partials_of_fused_products() -> None:
    x, out = np.zeros((3, 1 + K)), np.zeros((3, 1 + K))
    x[:, 0] = 0.1, 0.3, -0.1 * 0.3
    x[:, 1:4] = np.eye(3)
    _products(duals(K), x.ravel(), flat := out.ravel())
    _products(double, x[:, 0].copy(), plain := np.empty(3))
    found = flat.reshape(3, 1 + K)
    np.testing.assert_array_equal(found[:, 0], plain)
    np.testing.assert_allclose(found[:, 1:4], [[0.3, 0.1, 1.0], [0.0, 0.5, 1.0], [0.3, 0.1, 0.0]], rtol=1e-15)
