"""Covariances over time: closed forms, and first order beside unscented and random runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.estimation import CovarianceRun, propagate_covariance


@pytest.mark.verify
def test_a_rotor_spreads_as_its_closed_form_says() -> None:
    """θ(t) = θ + t p/J: linear, so that all three agree with it for any spread."""
    J, P, t = 2.0, np.array([[0.04, 0.01], [0.01, 0.09]]), 5.0
    start = ph.PlanarBody(J, harmonics=[0.0]).state(theta=0.3, omega=0.2)
    F = np.array([[1.0, t / J], [0.0, 1.0]])
    options = {"step": 0.5, "t_end": t, "method": ph.DOP853()}
    for runs in ("unscented", 200):
        found = propagate_covariance(start, P, runs=runs, **options)
        assert found.first_order[-1] == pytest.approx(F @ P @ F.T, rel=1e-10)
        assert found.sampled is not None
        tolerance = 1e-9 if runs == "unscented" else 0.4
        assert found.sampled[-1] == pytest.approx(F @ P @ F.T, rel=tolerance)
    assert found.sigma()[0] == pytest.approx([0.2, 0.3])


def test_a_small_spread_is_of_first_order() -> None:
    start = ph.Pendulum3D.example()
    A = np.random.default_rng(2).normal(size=(6, 6))
    found = propagate_covariance(start, 1e-10 * A @ A.T, runs="unscented", step=0.05, steps=40, save_every=10)
    assert found.nonlinearity < 1e-6
    assert found.names[:4] == ("R[0]", "R[1]", "R[2]", "Pi[0]")
    assert found.first_order.shape == (5, 6, 6)


def test_random_runs_have_the_covariance_of_their_sample() -> None:
    start, P = ph.PlanarBody(2.0, harmonics=[0.0]).state(theta=0.3, omega=0.2), np.diag([0.04, 0.09])
    found = propagate_covariance(start, P, runs=3, seed=5, step=0.5, steps=1)
    drawn = np.random.default_rng(5).normal(size=(3, 2)) @ np.diag([0.2, 0.3])
    assert found.sampled is not None
    assert found.sampled[0] == pytest.approx(np.cov(drawn.T))


def test_a_view_is_saved_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polhode.estimation.covariance.above", lambda name: lambda *given: given)
    found = CovarianceRun(ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=1), (), np.zeros((2, 0, 0)))
    assert found.view(300, sigmas=2.0) == (found, 300, 2.0, False, None)
    assert found.view(sampled=True, save="view.html") == (found, 480, 3.0, True, Path("view.html"))


def test_a_covariance_is_symmetric_and_not_negative() -> None:
    start = ph.Pendulum3D.example()
    for P in (np.diag([1.0, 1, 1, 1, 1, -1]), np.triu(np.ones((6, 6)))):
        with pytest.raises(ph.InvalidInputError, match="P = "):
            propagate_covariance(start, P, step=0.1, steps=1)


def test_a_component_that_is_small_at_times_does_not_count_as_nonlinear() -> None:
    """The difference is relative to the standard deviations of the variable, (1² + 0²)/2 here, not to the component's own."""
    run = ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=1)
    first, sampled = np.diag([1.0, 1e-12]), np.diag([1.0, 0.01])
    found = CovarianceRun(run[:1], ("R[0]", "R[1]"), first[None], sampled[None])
    assert found.nonlinearity == pytest.approx(0.02, rel=1e-9)
