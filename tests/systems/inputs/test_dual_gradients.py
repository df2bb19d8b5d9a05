"""Moments that are known on doubles alone, for duals: partials along the group and by named parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.geometry import so3
from polhode.scalars import kernel, loop, parameter_duals
from polhode.systems.inputs.dual_gradients import write_moments

PARTIALS = 4
RANDOM = np.random.default_rng(5)
ATTITUDES = so3.exp(RANDOM.normal(size=(2, 3)))
TURNS = RANDOM.normal(size=(PARTIALS, 2, 3))
NAMED, CHANGES = np.array([0.7, -1.3]), RANDOM.normal(size=(2, PARTIALS))


@kernel
def moments(R: Any, V: Any, M: Any) -> None:
    """Of two bodies, linear in the entries of both attitudes and quadratic in the parameters."""
    for i in range(3):
        M[i] = V[0] * V[0] * R[i] + V[1] * R[9 + 3 * i]
        M[3 + i] = V[0] * R[10 + 2 * i] - V[1] * V[1] * R[8 - i]


@loop
def put_moments(S: Any, y: Any, p: Any) -> None:
    write_moments(S, y, p, 1, 2, moments, 2)


def by_hand(R: np.ndarray, V: np.ndarray) -> np.ndarray:
    M = np.zeros(6)
    moments(R, V, M)
    return M


def test_partials_of_moments() -> None:
    """By the chain rule: linear in each of what changes, so that the differences are exact."""
    y, p = np.zeros((30, 1 + PARTIALS)), np.zeros((3, 1 + PARTIALS))
    changes = np.array([[R @ so3.hat(turn) for R, turn in zip(ATTITUDES, turns, strict=True)] for turns in TURNS])
    y[:18, 0], y[:18, 1:] = ATTITUDES.ravel(), changes.reshape(PARTIALS, 18).T
    p[1:, 0], p[1:, 1:] = NAMED, CHANGES
    put_moments.on(parameter_duals(PARTIALS), y.ravel(), p.ravel())
    expected = by_hand(ATTITUDES.ravel(), NAMED)
    np.testing.assert_allclose(y[24:, 0], expected, atol=1e-15)
    for k in range(PARTIALS):
        along = by_hand(changes[k].ravel(), NAMED)
        ahead, behind = (by_hand(ATTITUDES.ravel(), NAMED + s * CHANGES[:, k]) for s in (0.5, -0.5))
        np.testing.assert_allclose(y[24:, 1 + k], along + ahead - behind, atol=1e-11)
