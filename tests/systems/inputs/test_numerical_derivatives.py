"""Functions without a formula: their slopes by differences of the values, and partials of the slopes by differences of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.core.finite_differences import OFFSETS, WEIGHTS
from polhode.geometry import so3
from polhode.scalars import duals, get3, get9, kernel, loop, put, sqrt
from polhode.systems.inputs.numerical_derivatives import SLOPES, kernel_derivatives

PARTIALS = 2
RANDOM = np.random.default_rng(7)
R, V = so3.exp([0.4, -0.7, 1.1]), np.array([0.3, -0.8, 0.5])
TURNS, CHANGES = RANDOM.normal(size=(2, PARTIALS, 3))
SIZE = 0.01


@kernel
def energy(R: Any, v: Any) -> Any:
    """Neither separable nor symmetric in anything."""
    a = R[0] * v[0] + R[4] * v[1] - 0.7 * R[5] * v[2]
    b = R[2] + 0.3 * R[6] - 0.4 * R[3] * v[0]
    c = R[7] * v[1] + R[8] * R[1]
    return sqrt(2.0 + a * b + c * c) + a * c


VALUE, FIRST, SECOND = kernel_derivatives(energy)


@loop
def put_slopes(S: Any, x: Any, out: Any) -> None:
    found = FIRST(get9(x, 0, S) + get3(x, 9, S))
    for i in range(SLOPES):
        put(out, i, S, found[i])


def numbers(turn: np.ndarray, change: np.ndarray) -> tuple[float, ...]:
    """The twelve numbers beside R and V."""
    return (*(R @ so3.exp(turn)).ravel(), *(V + change))


def difference(function: Any, turn: np.ndarray, change: np.ndarray) -> np.ndarray:
    """How a function of the twelve numbers changes along a turn and a change of v."""
    terms = [
        weight / SIZE * np.asarray(function(numbers(offset * SIZE * turn, offset * SIZE * change)))
        for offset, weight in zip(OFFSETS, WEIGHTS, strict=True)
    ]
    return np.sum(terms, axis=0)


def test_slopes_are_the_changes_of_the_values() -> None:
    zero, unit = np.zeros(3), np.eye(3)
    expected = [difference(VALUE, zero, e) for e in unit] + [difference(VALUE, e, zero) for e in unit]
    np.testing.assert_allclose(FIRST(numbers(zero, zero)), expected, atol=1e-11)


def test_partials_of_slopes_are_the_changes_of_the_slopes() -> None:
    """On duals, whose partials are those of R along the group and of v."""
    x, out = np.zeros((12, 1 + PARTIALS)), np.zeros((SLOPES, 1 + PARTIALS))
    x[:, 0] = numbers(np.zeros(3), np.zeros(3))
    for k in range(PARTIALS):
        x[:, 1 + k] = [*(R @ so3.hat(TURNS[k])).ravel(), *CHANGES[k]]
    put_slopes.on(duals(PARTIALS), x.ravel(), out.ravel())
    np.testing.assert_allclose(out[:, 0], FIRST(tuple(x[:, 0])), atol=1e-14)
    for k in range(PARTIALS):
        np.testing.assert_allclose(out[:, 1 + k], difference(FIRST, TURNS[k], CHANGES[k]), atol=1e-9)
