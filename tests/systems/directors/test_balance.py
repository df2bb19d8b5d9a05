"""The equations of a step of the director schemes: their derivatives are exact, and they do not depend on units."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.geometry import so3
from polhode.systems import DirectorBody
from polhode.systems.directors.balance import jacobian, residual, spatial_impulse, weighed, weighed_slope

RNG = np.random.default_rng(11)
A, SLOPE = RNG.normal(size=(2, 3, 3))
E = (1.0, 1.5, 2.2, 0.1, -0.2, 0.3)
c, M, g = RNG.normal(size=(3, 3))
TINY = 1e-100
SCHEMES = pytest.mark.parametrize("at_ends", [False, True])


def slopes(function) -> np.ndarray:
    """The derivative at c by complex steps, which have no error but rounding."""
    return np.transpose([np.imag(function(c + 1j * TINY * unit)) / TINY for unit in np.eye(3)])


def flat(matrix: np.ndarray) -> tuple[float, ...]:
    return tuple(matrix.reshape(-1))


@SCHEMES
def test_the_slope_of_a_weighed_moment(at_ends: bool) -> None:
    """Of one that changes with c."""
    found = np.reshape(weighed_slope(tuple(M), flat(SLOPE), tuple(c), at_ends), (3, 3))
    expected = slopes(lambda x: np.array(weighed(tuple(M + SLOPE @ (x - c)), tuple(x), at_ends)))
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_the_impulse_in_space() -> None:
    """½ Σ dᵢ × (m × dᵢ), by the mean directors seen from the frame at the start, in which m = Σ Mᵢ dᵢ."""
    directors = np.linalg.inv(np.eye(3) - so3.hat(c)).T
    m = M @ directors
    expected = 0.5 * sum(np.cross(d, np.cross(m, d)) for d in directors)
    np.testing.assert_allclose(spatial_impulse(tuple(M), tuple(c)), expected, atol=1e-14)


@pytest.mark.parametrize("twistless", [False, True])
@SCHEMES
def test_the_jacobian(at_ends: bool, twistless: bool) -> None:
    """With a g that changes with c; that of the non-twisting body has no entries for c₃, which is zero."""
    found = np.reshape(jacobian(flat(A), E, tuple(g), flat(SLOPE), tuple(c), at_ends, twistless), (3, 3))
    expected = slopes(
        lambda x: np.array(residual(flat(A), E, tuple(g + SLOPE @ (x - c)), tuple(x), at_ends, twistless))
    )
    if twistless:
        expected[:2, 2] = 0.0
    np.testing.assert_allclose(found, expected, atol=1e-13)


@pytest.mark.parametrize("method", [ph.EnergyMomentum(), ph.LagrangeDAlembert()], ids=repr)
def test_a_body_of_small_inertia(method: ph.methods.Method) -> None:
    """In another unit of mass the motion is the same."""
    example = DirectorBody.example()
    J = example.system.inertia.matrix
    runs = [
        ph.simulate(DirectorBody(s * J).state(q=example.q, omega=example.omega), step=0.1, steps=5, method=method)
        for s in (1.0, 2.0**-30)
    ]
    np.testing.assert_allclose(runs[0].R, runs[1].R, atol=1e-14)
