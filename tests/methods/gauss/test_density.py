"""How dense steps have to be: the rates of attitudes and angles by their definition, and the flow of σ⁴ by its differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.core.finite_differences import OFFSETS, WEIGHTS
from polhode.geometry import so3
from polhode.methods.gauss.density import Rates, add_flow, attraction_rates, momentum_rates, turning_rates
from polhode.methods.gauss.picture import ANGLE, PLACE, ROTATION
from polhode.scalars import double, loop, put

RANDOM = np.random.default_rng(18)


@loop
def put_turning(S: Any, parts: Any, c: Any, y: Any, dy: Any, out: Any) -> None:
    put(out, 0, S, turning_rates(S, parts, parts.shape[0], c, y, dy))


@loop
def put_canonical(S: Any, rates: Any, parts: Any, w: Any, y: Any, out: Any) -> None:
    put(out, 0, S, attraction_rates(S, rates, y) + momentum_rates(S, rates, parts, parts.shape[0], w))


@loop
def put_flow(S: Any, rates: Any, parts: Any, factor: float, w: Any, y: Any, out: Any) -> None:
    add_flow(S, rates, parts, parts.shape[0], factor, w, y, out)


def test_the_rates_of_attitudes_and_angles() -> None:
    """|ω|⁴ + b² |M|², for two attitudes and an angle that lie one behind the other."""
    parts = np.array([[ROTATION, 0, 0, 20, 3, 0, 0], [ROTATION, 8, 9, 23, 3, 1, 0], [ANGLE, 16, 18, 26, 2, 2, 0]])
    y, dy, c, expected = np.zeros(27), np.zeros(27), np.array([0.7, 1.3, 0.4]), 0.0
    for k, at, m in ((0, 0, 20), (1, 9, 23)):
        (omega, Pi, M), R = RANDOM.normal(size=(3, 3)), so3.exp(RANDOM.normal(size=3))
        y[at : at + 9], y[m : m + 3] = R.ravel(), Pi
        dy[at : at + 9], dy[m : m + 3] = (R @ so3.hat(omega)).ravel(), np.cross(Pi, omega) + M
        expected += (omega @ omega) ** 2 + c[k] ** 2 * (M @ M)
    angle, rate, moment = 0.6, 1.7, -0.9
    y[18:20], dy[18:20] = [np.cos(angle), np.sin(angle)], rate * np.array([-np.sin(angle), np.cos(angle)])
    dy[26] = moment
    found = np.zeros(1)
    put_turning.on(double, parts, c, y, dy, found)
    np.testing.assert_allclose(found, expected + rate**4 + (c[2] * moment) ** 2, rtol=1e-13)


def test_the_flow_is_that_of_the_sum_as_a_hamiltonian() -> None:
    """Two attitudes, two places that attract each other, and a third that the origin attracts: q̇ = ∂/∂p, ṗ = −∂/∂q."""
    parts = np.array([[ROTATION, 0, 0, 0, 3, 0, 0], [ROTATION, 8, 0, 0, 3, 0, 0]])
    parts = np.vstack([parts, [[PLACE, 16 + 6 * k, 3 * k, 0, 3, 0, 0] for k in range(3)]])
    rates = Rates(
        places=np.array([[0, 3], [6, -1]]),
        momenta=np.array([[19, 25], [31, -1]]),
        squares=np.array([1.3, 0.4]),
        turning=np.array([0.7, 0.5, 0.0, 0.0, 0.0]),
        least=0.2,
        canonical=True,
    )
    w, found = RANDOM.normal(size=34), np.zeros(1)
    halves = [(at, at + 4, 4) for at in (0, 8)] + [(at, at + 3, 3) for at in (16, 22, 28)]

    def places(w: np.ndarray) -> np.ndarray:
        return np.concatenate([w[at : at + 3] for at in (16, 22, 28)])

    def total(w: np.ndarray) -> float:
        put_canonical.on(double, rates, parts, w, places(w), found)
        return float(found[0])

    size = 3e-3
    slopes = [sum(k * total(w + n * size * e) for n, k in zip(OFFSETS, WEIGHTS, strict=True)) for e in np.eye(34)]
    expected = np.zeros(34)
    for q, p, count in halves:
        expected[q : q + count] = np.array(slopes[p : p + count]) / size
        expected[p : p + count] = -np.array(slopes[q : q + count]) / size
    out = np.linspace(-1.0, 1.0, 34)
    put_flow.on(double, rates, parts, 0.3, w, places(w), out)
    np.testing.assert_allclose(out - np.linspace(-1.0, 1.0, 34), 0.3 * expected, atol=1e-9 * np.abs(expected).max())
