"""The picture of a free top: a state placed at a time is the free motion from the middle, and the rates are those of the system."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.core.layout import Layout, Variable
from polhode.core.manifolds import Circle, Euclidean, Rotations
from polhode.geometry import so3
from polhode.methods.gauss.parts import from_canonical, parts_of, to_canonical
from polhode.methods.gauss.picture import move_freely, part_rates, place_parts
from polhode.methods.uncounted import uncounted_loop
from polhode.scalars import double

Array = np.ndarray
LAYOUT = Layout(
    Variable("R", Rotations()),
    Variable("angle", Circle()),
    Variable("x", Euclidean(3)),
    Variable("momenta", Euclidean(7), kicked=True),
    Variable("clock", Euclidean(2)),
)
PARTS = parts_of(LAYOUT)
assert PARTS is not None
RNG = np.random.default_rng(3)
AXIS = np.array([0.6, -0.48, 0.64])
CONSTANTS = np.array([0.7, -0.3, *AXIS, 0.8, 0.5, 0.6, 0.9])  # b, κ and e of the top, of the angle, and of the place
STATE = np.concatenate([so3.exp([0.3, -0.8, 0.5]).reshape(-1), [0.8, 0.6], RNG.normal(size=12)])
TAU = 0.9


@uncounted_loop
def place(S: Any, w: Any, parts: Any, constants: Any, tau: float, y: Any, room: Any) -> None:
    place_parts(S, w, parts, parts.shape[0], constants, tau, y, room)


@uncounted_loop
def rates(
    S: Any, w: Any, parts: Any, constants: Any, tau: float, y: Any, dy: Any, room: Any, weight: float, out: Any
) -> None:
    place_parts(S, w, parts, parts.shape[0], constants, tau, y, room)
    part_rates(S, w, parts, parts.shape[0], constants, tau, y, dy, room, weight, out)


@uncounted_loop
def move(S: Any, w: Any, parts: Any, constants: Any, h: float, out: Any) -> None:
    move_freely(S, w, parts, parts.shape[0], constants, h, out)


def placed(w: Array, tau: float) -> Array:
    y, room = np.zeros(LAYOUT.size), np.zeros(PARTS.work)
    place.on(double, w, PARTS.rows, CONSTANTS, tau, y, room)
    return y


def slope(function: Any) -> Array:
    """The derivative at zero by central differences of the fourth order."""
    d = 1e-3
    near, far = function(d) - function(-d), function(2.0 * d) - function(-2.0 * d)
    return (8.0 * near - far) / (12.0 * d)


def test_a_state_is_placed_by_the_free_motion() -> None:
    w = to_canonical(PARTS, STATE)
    np.testing.assert_allclose(placed(w, 0.0), STATE, atol=1e-15)
    added = np.zeros_like(w)
    move.on(double, w, PARTS.rows, CONSTANTS, TAU, added)
    np.testing.assert_allclose(placed(w, TAU), from_canonical(PARTS, w + added, LAYOUT.size), atol=1e-14)


def test_the_free_motion() -> None:
    """`Ṙ = R S(bΠ + κ(e·Π)e)`, `Π̇ = κ (e·Π) Π × e`, `θ̇ = b p`, `ẋ = P/m`."""
    w = to_canonical(PARTS, STATE)
    found, y = slope(lambda d: placed(w, TAU + d)), placed(w, TAU)
    R, Pi, along = y[:9].reshape(3, 3), y[14:17], CONSTANTS[1] * AXIS @ y[14:17]
    expected = [
        (R @ so3.hat(CONSTANTS[0] * Pi + along * AXIS)).reshape(-1),
        CONSTANTS[5] * y[17] * np.array([-y[10], y[9]]),
    ]
    expected += [CONSTANTS[6:] * y[18:21], along * np.cross(Pi, AXIS), np.zeros(6)]
    np.testing.assert_allclose(found, np.concatenate(expected), atol=1e-10)


def test_the_rates_are_those_of_the_system() -> None:
    """What the rates and the free motion change together is what the system says, whatever it says."""
    w = to_canonical(PARTS, STATE)
    y, room, found, weight = placed(w, TAU), np.zeros(PARTS.work), np.zeros_like(w), 0.5
    omega, spin = RNG.normal(size=3), 0.7
    turning = [(y[:9].reshape(3, 3) @ so3.hat(omega)).reshape(-1), spin * np.array([-y[10], y[9]])]
    dy = np.concatenate([*turning, RNG.normal(size=12)])
    rates.on(double, w, PARTS.rows, CONSTANTS, TAU, np.zeros(LAYOUT.size), dy, room, weight, found)
    np.testing.assert_allclose(slope(lambda d: placed(w + d * found / weight, TAU + d)), dy, atol=1e-10)
