"""Ellipses of uncertain body axes."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.estimation import propagate_covariance
from polhode.view.figures.covariance import axis_ellipse


def test_an_ellipse_holds_the_axes_of_random_rotations():
    """At two standard deviations of a plane normal distribution: 1 − exp(−2) of all."""
    rng = np.random.default_rng(5)
    root = 0.01 * rng.normal(size=(3, 3))
    R, P = ph.so3.exp([0.4, -0.3, 0.8]), root @ root.T
    curve = axis_ellipse(R, P, 1, 2.0)
    tips = R @ ph.so3.exp(rng.normal(size=(4000, 3)) @ root.T)[..., 1].T  # (3, n)
    middle = R[:, 1]
    across = np.linalg.svd(curve[:-1] - middle)[2][:2]  # two directions of the tangent plane
    border, cloud = (curve[:-1] - middle) @ across.T, (tips.T - middle) @ across.T
    shape = np.linalg.inv(border.T @ border / len(border) * 2)  # of the ellipse: x·shape x = 1 on it
    np.testing.assert_allclose(np.einsum("ni,ij,nj->n", border, shape, border), 1.0, rtol=2e-2)
    inside = np.mean(np.einsum("ni,ij,nj->n", cloud, shape, cloud) < 1.0)
    assert inside == pytest.approx(1 - np.exp(-2), abs=0.02)


def test_a_figure_of_the_spread():
    state = ph.FreeRigidBody.example()
    run = propagate_covariance(state, 1e-4 * np.eye(6), step=0.1, steps=6)
    left, right = run.plot().axes
    np.testing.assert_allclose(left.lines[0].get_ydata(), np.degrees(run.sigma()[:, 0]))
    assert "3σ at 7 times" in right.get_title(loc="left")
    pendulum = propagate_covariance(ph.PlanarPendulum.example(), 1e-4 * np.eye(2), step=0.1, steps=2)
    with pytest.raises(ph.InvalidInputError, match="attitude R"):
        pendulum.plot()
