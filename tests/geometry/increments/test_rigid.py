"""The implicit equation F Jd − Jd Fᵀ = S(g): the right root, to rounding, or a clear no."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.errors import PolhodeError
from polhode.geometry import so3
from polhode.geometry.increments.rigid import largest_step, solve_increment

RNG = np.random.default_rng(7)


def bodies(n: int) -> np.ndarray:
    """Random inertia matrices of mass distributions."""
    clouds = RNG.normal(size=(n, 6, 3)) * RNG.uniform(0.1, 1.0, size=(n, 1, 3))
    second = np.einsum("npi,npj->nij", clouds, clouds)
    return np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second


def nonstandard(J: np.ndarray) -> np.ndarray:
    return 0.5 * np.trace(J, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - J


@pytest.mark.parametrize("fraction", [1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.99, 0.9999])
def test_residual_at_rounding_up_to_the_fold(fraction: float) -> None:
    J = bodies(200)
    direction = RNG.normal(size=(200, 3))
    g = fraction * largest_step(J, direction)[:, None] * direction
    F = solve_increment(J, g)
    Jd = nonstandard(J)
    left = F @ Jd - Jd @ np.swapaxes(F, 1, 2)
    scale = np.linalg.norm(J, axis=(1, 2))
    assert np.max(np.linalg.norm(left - so3.hat(g), axis=(1, 2)) / scale) < 2e-15
    np.testing.assert_allclose(np.swapaxes(F, 1, 2) @ F, np.broadcast_to(np.eye(3), F.shape), atol=2e-15)


def test_the_root_is_the_one_that_joins_the_identity() -> None:
    """Followed in small steps from g = 0, the solution moves continuously to the one found at once."""
    J = bodies(20)
    direction = RNG.normal(size=(20, 3))
    top = 0.999 * largest_step(J, direction)[:, None] * direction
    before = np.broadcast_to(np.eye(3), (20, 3, 3))
    for s in np.sin(np.linspace(0, np.pi / 2, 200)):
        F = solve_increment(J, s * top)
        assert np.max(so3.distance(before, F)) < 0.15
        before = F


def test_the_domain_is_sharp() -> None:
    J = bodies(50)
    direction = RNG.normal(size=(50, 3))
    limit = largest_step(J, direction)
    for i in range(50):
        solve_increment(J[i], 0.99999 * limit[i] * direction[i])
        with pytest.raises(PolhodeError, match="no solution near the identity"):
            solve_increment(J[i], 1.00001 * limit[i] * direction[i])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_about_a_principal_axis_the_sine_is_the_step_times_the_rate(axis: int) -> None:
    moments = np.array([1.0, 2.0, 2.5])
    g = 0.8 * moments[axis] * np.eye(3)[axis]
    F = solve_increment(np.diag(moments), g)
    np.testing.assert_allclose(so3.log(F), np.arcsin(0.8) * np.eye(3)[axis], atol=1e-15)
    assert float(largest_step(np.diag(moments), moments[axis] * np.eye(3)[axis])) == pytest.approx(1.0, rel=1e-12)
    with pytest.raises(PolhodeError, match="principal axis"):
        solve_increment(np.diag(moments), 1.01 * moments[axis] * np.eye(3)[axis])


def test_the_known_limit_of_a_tumbling_body() -> None:
    omega = np.array([np.pi / 4, -np.pi / 5, np.pi / 6])
    J = np.diag([1.0, 2.0, 3.0])
    assert float(largest_step(J, J @ omega)) == pytest.approx(0.99423, abs=5e-6)


def test_leading_axes_broadcast() -> None:
    F = solve_increment(np.diag([1.0, 2.0, 3.0]), 0.1 * RNG.normal(size=(4, 5, 3)))
    assert F.shape == (4, 5, 3, 3)
    assert not np.isfinite(largest_step(np.diag([1.0, 2.0, 3.0]), np.zeros(3)))


@pytest.mark.parametrize("slender", [1e-3, 1e-4, 1e-7])
def test_a_slender_body_off_its_axes(slender: float) -> None:
    """About its axis 2 J c is a small difference of large terms: rounding must not look like the lack of a solution."""
    for V in so3.random(np.random.default_rng(1), 40):
        J = V @ np.diag([1.0, 1.0, slender]) @ V.T
        axis = V[:, 2]
        F = solve_increment(0.5 * (J + J.T), 0.1 * slender * axis)
        assert so3.log(F) @ axis == pytest.approx(np.arcsin(0.1), rel=1e-14 / slender)
