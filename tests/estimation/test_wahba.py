"""Attitude from directions."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.estimation import Gyro, VectorSensor, least_squares_attitude, triad

RNG = np.random.default_rng(2)
R = ph.so3.random(RNG)
DIRECTIONS = RNG.normal(size=(5, 3))


def test_without_noise_both_find_the_attitude() -> None:
    seen = DIRECTIONS @ R
    np.testing.assert_allclose(triad(*DIRECTIONS[:2], *seen[:2]), R, atol=1e-14)
    np.testing.assert_allclose(least_squares_attitude(DIRECTIONS, seen), R, atol=1e-14)
    np.testing.assert_allclose(least_squares_attitude(DIRECTIONS[:2], seen[:2]), R, atol=1e-14)


def test_triad_matches_its_first_direction_exactly() -> None:
    seen = DIRECTIONS[:2] @ R + 0.05 * RNG.normal(size=(2, 3))
    found = triad(*DIRECTIONS[:2], *seen)
    unit = [v / np.linalg.norm(v) for v in (DIRECTIONS[0], seen[0])]
    np.testing.assert_allclose(found @ unit[1], unit[0], atol=1e-14)


def test_least_squares_is_the_minimum() -> None:
    sigma = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    seen = DIRECTIONS @ R + 0.1 * RNG.normal(size=(5, 3))

    def loss(A: np.ndarray) -> float:
        return float(np.sum(np.sum((DIRECTIONS - seen @ A.T) ** 2, axis=1) / sigma**2))

    best = least_squares_attitude(DIRECTIONS, seen, sigma)
    for _ in range(50):
        assert loss(best @ ph.so3.exp(0.01 * RNG.normal(size=3))) > loss(best)


def test_directions_that_do_not_determine_an_attitude_are_refused() -> None:
    with pytest.raises(ph.InvalidInputError, match="parallel"):
        triad([1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1])
    with pytest.raises(ph.InvalidInputError, match="two directions"):
        least_squares_attitude([[1, 0, 0]], [[0, 1, 0]])
    with pytest.raises(ph.InvalidInputError, match="shape"):
        least_squares_attitude([[1, 0, 0]], [[0, 1]])


@pytest.mark.parametrize("noise", [1e-15, 1e-6, 1e-2])
def test_parallel_directions_are_refused_however_they_contradict_each_other(noise: float) -> None:
    """Opposite references with nearly equal measurements nearly cancel, and leave nothing but rounding and noise."""
    for _ in range(50):
        e, x = RNG.normal(size=(2, 3))
        parallel, other = np.array([e, -e]), np.array([x, x + noise * RNG.normal(size=3)])
        for r, b, field in ((parallel, other, "r"), (other, parallel, "b")):
            with pytest.raises(ph.InvalidInputError, match="not parallel") as caught:
                least_squares_attitude(r, b)
            assert caught.value.field == field or noise < 1e-9


def test_directions_that_several_attitudes_fit_are_refused() -> None:
    with pytest.raises(ph.InvalidInputError, match="equally well"):
        least_squares_attitude(np.eye(3), -np.eye(3))
    with pytest.raises(ph.InvalidInputError, match="equally well"):
        least_squares_attitude([[1, 0, 0], [0, 1, 0], [1, 0, 0]], [[1, 0, 0], [0, 0, 0], [0, 1, 0]])
    with pytest.raises(ph.InvalidInputError, match="not parallel"):
        least_squares_attitude([[1, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, 1, 0]])


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"r": [[1, 0, 0], [0, np.inf, 0]]}, "r"),
        ({"b": [[1, 0, 0], [0, np.nan, 0]]}, "b"),
        ({"b": "north"}, "b"),
        ({"sigma": [0, 1]}, "sigma"),
        ({"sigma": [1, -1]}, "sigma"),
        ({"sigma": [1, 1, 1]}, "sigma"),
        ({"sigma": np.nan}, "sigma"),
    ],
)
def test_bad_input_is_named(changed: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        least_squares_attitude(**({"r": [[1, 0, 0], [0, 1, 0]], "b": [[1, 0, 0], [0, 1, 0]]} | changed))
    assert caught.value.field == field


def test_one_sigma_for_all_and_directions_close_to_each_other() -> None:
    seen = DIRECTIONS @ R
    np.testing.assert_allclose(least_squares_attitude(DIRECTIONS, seen, 0.1), R, atol=1e-14)
    close = np.array([[1, 0, 0], [1, 1e-6, 0]])
    np.testing.assert_allclose(least_squares_attitude(close, close @ R), R, atol=1e-8)


def test_sensors_have_the_noise_they_say() -> None:
    many = np.broadcast_to(R, (20_000, 3, 3))
    sun = VectorSensor([0, 3, 4], sigma=0.02)
    error = sun.measure(many, RNG) - R.T @ [0, 0.6, 0.8]
    np.testing.assert_allclose(error.std(axis=0), 0.02, rtol=0.03)
    gyro = Gyro(sigma=0.01, bias_walk=0.1)
    walk = gyro.biases([1, 2, 3], np.linspace(0, 4, 2), np.random.default_rng(0))
    np.testing.assert_array_equal(walk[0], [1, 2, 3])
    ends = [gyro.biases(np.zeros(3), np.linspace(0, 4, 9), RNG)[-1] for _ in range(2000)]
    np.testing.assert_allclose(np.std(ends), 0.2, rtol=0.05)
    for bad in ({"reference": [0, 0, 0], "sigma": 0.1}, {"reference": [1, 0, 0], "sigma": 0.0}):
        with pytest.raises(ph.InvalidInputError):
            VectorSensor(**bad)
