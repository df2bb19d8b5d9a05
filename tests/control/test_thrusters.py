"""Thrusters: which are on and for how long, what they leave of a torque at their limits, and pulses that are too short."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.control import Thrusters
from polhode.errors import InvalidInputError, SaturationWarning

ARMS = [[0, y, z] for z in (0.2, -0.2) for y in (0.3, -0.3)] + [[x, y, 0] for x in (0.2, -0.2) for y in (0.3, -0.3)]
PUSHES = [[1, 0, 0]] * 4 + [[0, 0, 2]] * 4


def test_the_mean_torque_is_what_was_asked_for() -> None:
    """On-times by force and arm give the torque, and at most three thrusters are on."""
    thrusters = Thrusters(ARMS, PUSHES, force=0.5)
    rng = np.random.default_rng(1)
    for _ in range(20):
        wanted = 0.03 * rng.normal(size=3)
        found = thrusters.command(wanted, 0.5)
        np.testing.assert_allclose(found, wanted, atol=1e-14)
        directions = np.array(PUSHES) / np.linalg.norm(PUSHES, axis=1, keepdims=True)
        by_hand = sum(
            t / 0.5 * np.cross(c, 0.5 * d) for t, c, d in zip(thrusters.on_times, ARMS, directions, strict=True)
        )
        np.testing.assert_allclose(by_hand, wanted, atol=1e-14)
        assert np.count_nonzero(thrusters.on_times) <= 3
        assert np.all(thrusters.on_times >= 0.0)
        assert np.all(thrusters.on_times <= 0.5)
    assert thrusters.saturated == 0
    assert thrusters.impulse == pytest.approx(0.5 * thrusters.burnt.sum())


def test_too_much_keeps_its_direction_and_is_said_once() -> None:
    thrusters = Thrusters(ARMS, PUSHES, force=0.5)
    wanted = np.array([3.0, -1.0, 2.0])
    with pytest.warns(SaturationWarning, match="on for the whole sample"):
        found = thrusters.command(wanted, 0.5)
    assert thrusters.on_times.max() == pytest.approx(0.5)
    np.testing.assert_allclose(np.cross(found, wanted), 0.0, atol=1e-12)
    assert 0.0 < found @ wanted < wanted @ wanted
    thrusters.command(wanted, 0.5)
    assert thrusters.saturated == 2


def test_what_they_cannot_push_is_said() -> None:
    with pytest.warns(SaturationWarning, match="cannot push this way"):
        found = Thrusters([[1, 0, 0]], [[0, 1, 0]], force=1.0).command([0.0, 0.0, -0.3], 1.0)
    np.testing.assert_array_equal(found, np.zeros(3))


@pytest.mark.parametrize(("torque", "on"), [(0.004, 0.0), (0.006, 0.02), (0.02, 0.04), (0.0, 0.0)])
def test_short_pulses(torque: float, on: float) -> None:
    """Force 0.5 at 1 m, in samples of 1 s: pulses of 8, 12, 40 ms and none, where the least is 20 ms."""
    thrusters = Thrusters([[1, 0, 0], [-1, 0, 0]], [[0, 1, 0], [0, 1, 0]], force=0.5, minimum_on=0.02)
    found = thrusters.command([0.0, 0.0, -torque], 1.0)
    np.testing.assert_allclose(thrusters.on_times, [0.0, on], atol=1e-15)
    np.testing.assert_allclose(found, [0.0, 0.0, -0.5 * on], atol=1e-15)


def test_on_or_off_for_a_whole_sample() -> None:
    thrusters = Thrusters([[1, 0, 0]], [[0, 1, 0]], force=1.0, minimum_on=0.5)
    assert [thrusters.command([0, 0, x], 0.5)[2] for x in (0.2, 0.45, 0.55, 1.0)] == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"positions": [1, 0, 0]}, "positions = .*three numbers each"),
        ({"directions": [[0, 0, 0]]}, "directions of nonzero length"),
        ({"force": -1.0}, "force = -1.0: expected positive numbers"),
        ({"minimum_on": -1.0}, "minimum_on"),
    ],
)
def test_mistakes(given: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        Thrusters(**({"positions": [[1, 0, 0]], "directions": [[0, 1, 0]], "force": 1.0} | given))  # type: ignore[arg-type]
