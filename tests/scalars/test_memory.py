"""Scalars in flat arrays: what is written is what is read, and nothing beside it is touched."""

from __future__ import annotations

import llvmlite.binding
import numba
import numpy as np
import pytest

from polhode.scalars import (
    Dual,
    Lanes,
    accumulate3,
    double,
    duals,
    get,
    get3,
    get4,
    get9,
    hand_over3,
    lane_width,
    lanes,
    load,
    local,
    par,
    par3,
    par6,
    put,
    put3,
    put4,
    put9,
    store,
    tail,
    width,
)
from polhode.scalars.lanes import register_width

SENTINEL = -7.25
KINDS = pytest.mark.parametrize("kind", [double, lanes(8), duals(6)], ids=str)


def numbers(size: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=size)


def test_width_is_how_many_doubles_an_entry_has():
    assert [width(k) for k in (double, lanes(1), lanes(8), duals(1), duals(6))] == [1, 1, 8, 2, 7]


def test_lane_width_is_a_whole_number_of_hardware_vectors():
    assert lanes() == Lanes(lane_width())
    features = llvmlite.binding.get_host_cpu_features()
    hardware = 8 if features.get("avx512f") else 4 if features.get("avx") else 2
    assert lane_width() in (hardware, 2 * hardware, 4 * hardware)


def test_lane_width_follows_the_processor(monkeypatch):
    def on(**features: bool) -> int:
        monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", lambda: features)
        register_width.cache_clear()  # the processor is asked once per process
        return lane_width()

    old, middle, new = on(), on(avx=True, avx2=True), on(avx=True, avx2=True, avx512f=True)
    register_width.cache_clear()
    assert 2 <= old <= middle <= new
    assert new > old
    assert all(n & (n - 1) == 0 for n in (old, middle, new))


def test_types_are_equal_by_their_width():
    assert lanes(4) == Lanes(4) != Lanes(8)
    assert duals(4) == Dual(4) != Dual(8)
    assert lanes(4) != duals(4)


# --- entries ----------------------------------------------------------------------------------------------------------


@numba.njit
def _move(S, source, i, target, j):
    put(target, j, S, get(source, i, S))


@KINDS
def test_get_and_put_move_one_entry(kind):
    size = width(kind)
    source = numbers(5 * size)
    for i in range(5):
        for j in range(5):
            target = np.full(5 * size, SENTINEL)
            _move(kind, source, i, target, j)
            expected = np.full((5, size), SENTINEL)
            expected[j] = source.reshape(5, size)[i]
            assert np.array_equal(target, expected.ravel())


@numba.njit
def _sum(S, whole, room, terms, count):
    for _ in range(count):
        accumulate3(tail(whole, room), 0, S, get3(terms, 0, S))


@numba.njit
def _sum_and_hand_over(S, whole, room, terms, count):
    _sum(S, whole, room, terms, count)
    hand_over3(tail(whole, room), 0, 3, S)


@KINDS
def test_what_a_sum_loses_is_kept_before_the_array_and_may_be_handed_over(kind):
    size, count = width(kind), 1000
    kept = 1 if isinstance(kind, Dual) else size  # partials have no remainders
    terms = numbers(3 * size)
    whole = np.zeros(12 * size)
    entries, exact = whole.reshape(12, size), count * terms.reshape(3, size)
    remainders = whole[6 * size - 3 * kept : 6 * size].reshape(3, kept)[::-1]  # they lie backwards
    _sum(kind, whole, 6 * size, terms, count)
    assert np.array_equal(entries[6:9, :kept] + remainders, exact[:, :kept])
    assert np.any(remainders != 0.0)
    np.testing.assert_allclose(entries[6:9], exact, rtol=count * np.finfo(float).eps)
    assert not whole[: 6 * size - 3 * kept].any()
    whole[:] = 0.0
    _sum_and_hand_over(kind, whole, 6 * size, terms, count)
    assert np.all(remainders == 0.0)
    assert np.array_equal(entries[6:9, :kept] + entries[9:12, :kept], exact[:, :kept])
    assert not entries[9:12, kept:].any()


@numba.njit
def _move_runs(S, source, target):
    put3(target, 1, S, get3(source, 1, S))
    put4(target, 4, S, get4(source, 4, S))
    put9(target, 8, S, get9(source, 8, S))


@KINDS
def test_runs_of_entries_move_in_order(kind):
    size = width(kind)
    source, target = numbers(18 * size), np.full(18 * size, SENTINEL)
    _move_runs(kind, source, target)
    assert np.array_equal(target[size:-size], source[size:-size])
    assert np.all(target[:size] == SENTINEL)
    assert np.all(target[-size:] == SENTINEL)


@numba.njit
def _constants(S, x, n, target):
    put(target, 1, S, x)
    put(target, 2, S, n)
    put3(target, 3, S, (x, get(target, 0, S), x))


@KINDS
def test_put_of_a_plain_number_fills_lanes_and_clears_partials(kind):
    size = width(kind)
    target = np.full((7, size), SENTINEL)
    _constants(kind, 1.5, 3, target.reshape(-1))
    rest = 0.0 if isinstance(kind, Dual) else None
    for row, number in ((1, 1.5), (2, 3.0), (3, 1.5), (5, 1.5)):
        assert target[row, 0] == number
        assert np.all(target[row, 1:] == (number if rest is None else rest))
    assert np.all(target[[0, 4, 6]] == SENTINEL)


@numba.njit
def _parameters(S, p, out):
    put(out, 0, S, par(p, 7, S))
    put3(out, 1, S, par3(p, 0, S))
    six = par6(p, 1, S)
    put3(out, 4, S, six[0:3])
    put3(out, 7, S, six[3:6])


@KINDS
def test_parameters_are_one_a_member_on_lanes_and_plain_doubles_otherwise(kind):
    size = kind.width if isinstance(kind, Lanes) else 1
    p, out = numbers(8 * size), np.full((10, width(kind)), SENTINEL)
    _parameters(kind, p, out.reshape(-1))
    expected = p.reshape(8, size)[[7, 0, 1, 2, 1, 2, 3, 4, 5, 6]]
    assert np.array_equal(out[:, :size], expected)
    assert not out[:, size:].any()  # duals do not differentiate by parameters


# --- neighbouring doubles as lanes ------------------------------------------------------------------------------------


@numba.njit
def _load(S, source, i, count, out):
    put(out, 0, S, load(source, i, S, count))


@numba.njit
def _store(S, lane_values, target, i, count):
    store(target, i, get(lane_values, 0, S), count)


@pytest.mark.parametrize("W", [1, 4, 16])
def test_load_takes_count_doubles_and_repeats_the_first(W):
    for count in range(1, W + 1):
        for start in (0, 3):
            source, out = numbers(start + count), np.full(W, SENTINEL)  # the array ends where the tail ends
            _load(lanes(W), source, start, count, out)
            assert np.array_equal(out[:count], source[start:])
            assert np.all(out[count:] == source[start])


@pytest.mark.parametrize("W", [1, 4, 16])
def test_store_writes_count_doubles_and_no_more(W):
    values = numbers(W)
    for count in range(1, W + 1):
        for start in (0, 3):
            target = np.full(start + W + 5, SENTINEL)
            _store(lanes(W), values, target, start, count)
            expected = np.full_like(target, SENTINEL)
            expected[start : start + count] = values[:count]
            assert np.array_equal(target, expected)


@numba.njit
def _running_sums(x):
    sums = local(4)
    total = 0.0
    for i in range(4):
        total += x[i]
        sums[i] = total
    return sums.shape[0], sums[0], sums[1], sums[2], sums[3]


def test_a_local_array_holds_what_is_put_there():
    assert _running_sums(np.array([1.0, 2.0, 4.0, 8.0])) == (4, 1.0, 3.0, 7.0, 15.0)
