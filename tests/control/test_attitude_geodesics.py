"""Geodesics on SO(3): lengths, end points, and that neighbouring ways are not shorter."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.control.attitude_geodesics import geodesic

R0, R1 = ph.so3.exp([0.3, -0.2, 0.5]), ph.so3.exp([-0.6, 0.9, 1.1])


def test_the_bi_invariant_metric() -> None:
    way = geodesic(R0, R1)
    assert way.length == pytest.approx(float(ph.so3.distance(R0, R1)), abs=1e-14)
    np.testing.assert_allclose(way.at([0.0, 1.0]), [R0, R1], atol=1e-14)
    np.testing.assert_allclose(way.at(0.5), R0 @ ph.so3.exp(0.5 * way.omega), atol=1e-14)
    longer = geodesic(R0, R1, turns=1)
    np.testing.assert_allclose(longer.at(1.0), R1, atol=1e-13)
    assert longer.length == pytest.approx(way.length + 2 * np.pi)
    with pytest.raises(ph.InvalidInputError):
        geodesic(R0, R0, turns=1)


@pytest.mark.parametrize("inertia", [[1.0, 2.0, 2.5], [1.0, 1.0, 1.9], [1.0, 1.0, 1.0]])
def test_the_left_invariant_metric(inertia: list[float]) -> None:
    J = np.diag(inertia)
    way = geodesic(R0, R1, inertia)
    t = np.linspace(0.0, 1.0, 2001)
    R = way.at(t)
    np.testing.assert_allclose(R[[0, -1]], [R0, R1], atol=1e-12)

    def action(ways: np.ndarray) -> float:
        rates = ph.so3.log(np.swapaxes(ways[:-1], 1, 2) @ ways[1:]) * 2000
        return float(np.mean(np.einsum("ni,ij,nj->n", rates, J, rates)))

    assert action(R) == pytest.approx(way.action, rel=1e-5)
    rng = np.random.default_rng(1)
    for _ in range(5):
        bend = 0.1 * np.sin(np.pi * t)[:, None] * rng.normal(size=3)
        assert action(R @ ph.so3.exp(bend)) > action(R)
    bi = geodesic(R0, R1)
    assert way.action <= bi.omega @ J @ bi.omega + 1e-12


def test_the_sphere_has_both_metrics() -> None:
    assert geodesic(R0, R1, [2.0, 2.0, 2.0]).action == pytest.approx(2 * geodesic(R0, R1).action, rel=1e-12)
