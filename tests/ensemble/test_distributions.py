"""Distributions of members: their moments, and that a member's numbers depend on nothing but the seed and its number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from polhode.ensemble import distributions as d
from polhode.errors import InvalidInputError
from polhode.geometry import quaternion

N = 20_000


def drawn(law: d.Distribution, count: int = N, sampling: d.Sampling = "random") -> np.ndarray:
    return law.values(d.unit_points(count, law.dimension, seed=7, sampling=sampling))


@pytest.mark.parametrize("sampling", ["random", "sobol"])
def test_a_member_keeps_its_numbers_when_there_are_more(sampling: d.Sampling) -> None:
    few, many = (d.unit_points(n, 3, seed=2, sampling=sampling) for n in (100, 1000))
    np.testing.assert_array_equal(many[:100], few)
    assert (d.unit_points(100, 3, seed=3, sampling=sampling) != few).all()


def test_a_latin_hypercube_has_one_point_in_each_row() -> None:
    points = d.unit_points(50, 2, seed=1, sampling="latin_hypercube")
    for column in points.T:
        assert sorted((50 * column).astype(int)) == list(range(50))


def test_normal_uniform_log_uniform() -> None:
    mean, std = np.array([1.0, -2.0]), np.array([0.1, 3.0])
    found = drawn(d.normal(mean, std))
    for k in range(2):
        assert stats.kstest(found[:, k], stats.norm(mean[k], std[k]).cdf).pvalue > 1e-3
    assert abs(np.corrcoef(found.T)[0, 1]) < 0.03
    assert stats.kstest(drawn(d.uniform(2.0, 5.0)), stats.uniform(2.0, 3.0).cdf).pvalue > 1e-3
    assert stats.kstest(drawn(d.log_uniform(0.1, 10.0)), stats.loguniform(0.1, 10.0).cdf).pvalue > 1e-3


def test_sphere_and_attitude_are_uniform() -> None:
    found = drawn(d.sphere(2.0))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 2.0, rtol=1e-12)
    for k in range(3):  # Archimedes: every coordinate is uniform
        assert stats.kstest(found[:, k], stats.uniform(-2.0, 4.0).cdf).pvalue > 1e-3
    turned = quaternion.rotate(drawn(d.attitude()), [0.0, 0.0, 1.0])
    for k in range(3):
        assert stats.kstest(turned[:, k], stats.uniform(-1.0, 2.0).cdf).pvalue > 1e-3
    angle = quaternion.angle(drawn(d.attitude()))
    assert stats.kstest(angle, lambda a: (a - np.sin(a)) / np.pi).pvalue > 1e-3


def test_small_attitudes_lie_about_the_base() -> None:
    base = np.array([0.5, 0.5, 0.5, 0.5])
    found = quaternion.log(quaternion.multiply(quaternion.conjugate(base), drawn(d.attitude(base, 0.1))))
    np.testing.assert_allclose(found.std(axis=0), 0.1, rtol=0.05)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=0.005)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: d.normal(0.0, -1.0), "std"),
        (lambda: d.normal([0.0, 0.0], [1.0, 1.0, 1.0]), "std"),
        (lambda: d.uniform(1.0, 0.0), "high"),
        (lambda: d.log_uniform(0.0, 1.0), "low"),
        (lambda: d.sphere(0.0), "radius"),
    ],
)
def test_what_is_refused(make: object, field: str) -> None:
    with pytest.raises(InvalidInputError, match=field):
        make()  # type: ignore[operator]
