"""What finds the times of stages: integrals of Legendre polynomials, and places under forces that are known."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.polynomial import Legendre

from polhode.methods.gauss.loops import Frame, Scratch
from polhode.methods.gauss.picture import PLACE
from polhode.methods.gauss.reversible import Curve, kick_places, put_integrals
from polhode.methods.gauss.tables import gauss_table
from polhode.methods.uncounted import uncounted_loop
from polhode.scalars import double, get, lanes
from polhode.scalars.stages import columns

STAGES = 4
NOTHING = np.zeros(1)


class Known(NamedTuple):
    """What is read of a `Motion`."""

    frame: Frame
    curve: Curve
    scratch: Scratch


@uncounted_loop
def integrals_at(S: Any, curve: Any, x: float, stages: int) -> tuple[float, float]:
    return put_integrals(S, curve, x, stages)


@uncounted_loop
def put_places(S: Any, motion: Any, stage: Any, L: Any, shift: float, before: Any, tau: Any) -> None:
    kick_places(S, motion, L, shift, get(before, 0, S), get(tau, 0, S), columns(stage, S))


def curve_with(T: np.ndarray, base: np.ndarray) -> Curve:
    table = gauss_table(STAGES)
    return Curve(table.following, table.legendre, T, np.zeros(STAGES**2), np.zeros(STAGES**2), base)


@pytest.mark.parametrize("x", [-0.9, 0.3, 1.4])
def test_integrals_of_legendre_polynomials(x: float) -> None:
    """½ ∫ Pₖ from −1 to x, and the time on the polynomial through T/b at the nodes, with its slope."""
    T = np.array([0.3, 0.5, 0.4, 0.2])
    curve = curve_with(T, NOTHING)
    total, slope = integrals_at.on(double, curve, x, STAGES)
    expected = [0.5 * Legendre.basis(k).integ(lbnd=-1)(x) for k in range(STAGES)]
    np.testing.assert_allclose(curve.integrals[:STAGES], expected, atol=1e-15)
    table = gauss_table(STAGES)
    rate = Legendre.fit(2.0 * table.nodes - 1.0, T / table.weights, STAGES - 1, domain=[-1, 1])
    assert slope == pytest.approx(rate(x), rel=1e-13)
    assert total == pytest.approx(0.5 * rate.integ(lbnd=-1)(x), rel=1e-13)


def test_places_under_a_constant_force() -> None:
    """x + P t/m + F t²/2m, t from the start of the step, however far the frame is behind its middle."""
    kind, table = lanes(STAGES), gauss_table(STAGES)
    h, shift, c, x, P = 0.8, 0.55, np.array([0.7, 1.6]), np.array([0.3, -1.2]), np.array([2.0, -0.6])
    force, before = np.array([0.9, 1.4]), np.linspace(-0.3, 0.5, STAGES)
    tau = h * (table.nodes - 0.5)
    F = np.concatenate([-before * (c * force)[:, None], np.repeat(force[:, None], STAGES, axis=1)]).ravel()
    parts = np.array([[PLACE, 0, 1, 0, 2, 0, 0]])
    frame = Frame(parts, 1, 4, c, np.zeros(4, dtype=np.int64))
    y = np.zeros(3 * STAGES)
    scratch = Scratch(y, NOTHING, NOTHING, NOTHING, F, NOTHING, NOTHING, NOTHING)
    curve = curve_with(h * table.weights, np.concatenate([x, P]))
    put_places.on(kind, Known(frame, curve, scratch), table.stage, np.zeros(4 * STAGES), shift, before, tau)
    t = tau + 0.5 * h
    start = x + (shift - 0.5 * h) * c * P
    expected = start[:, None] + np.outer(c * P, t) + np.outer(c * force, 0.5 * t * t)
    np.testing.assert_allclose(y.reshape(3, STAGES), np.vstack([np.zeros(STAGES), expected]), atol=1e-14)
