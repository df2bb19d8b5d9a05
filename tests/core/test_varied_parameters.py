"""Derivatives of what is read of a system by its parameters, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.core.system import System
from polhode.core.varied_parameters import VariedParameters


def inverse(system: System) -> np.ndarray:
    assert system.inertia is not None
    return np.diag(system.inertia.inverse)


@pytest.mark.parametrize("least", [0.9, 0.1, 0.02, 0.003, 1e-4])
def test_bodies_from_bricks_to_needles(least: float) -> None:
    """The steps of the differences follow the smallest moment: with one size for all of an array, needles were refused."""
    inertia = np.array([least, 1.0, 1.0 + 0.9 * least])
    varied = VariedParameters(ph.FreeRigidBody(inertia), ["inertia"])
    found = varied.derivatives(inverse)
    assert np.diag(found) == pytest.approx(-1.0 / inertia**2, rel=2e-13)
    assert np.abs(found - np.diag(np.diag(found))).max() == 0.0


@pytest.mark.parametrize(("power", "error"), [(-9, 3e-13), (-2, 1e-13), (3, 1e-13)])
def test_steep_functions(power: int, error: float) -> None:
    varied = VariedParameters(ph.OrbitingBody([1.0, 2.0, 2.5], n=0.7), ["n"])
    found = varied.derivatives(lambda system: np.array([system.n**power, 5.0]))  # type: ignore[attr-defined]
    assert found[0, 0] == pytest.approx(power * 0.7 ** (power - 1), rel=error)
    assert found[1, 0] == 0.0


@pytest.mark.parametrize("height", [0.0, 1.0])
@pytest.mark.parametrize("corner", [abs, np.sign, lambda x: 1e-2 * abs(x)])
def test_a_corner_is_said(corner, height: float) -> None:
    varied = VariedParameters(ph.OrbitingBody([1.0, 2.0, 2.5], n=0.7), ["n"])
    with pytest.raises(ph.PolhodeError, match="n: what the flows read does not depend on it smoothly"):
        varied.derivatives(lambda system: np.array([height + corner(system.n - 0.7)]))  # type: ignore[attr-defined]
