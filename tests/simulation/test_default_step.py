"""Analyses and fits that are given no step."""

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import lyapunov, megno, poincare
from polhode.errors import InvalidInputError
from polhode.estimation import Observation, fit, propagate_covariance
from polhode.simulation.default_step import method_and_step
from polhode.simulation.pilot import Pilot


def pendulum(g=2.0, rate=0.3):
    return ph.Pendulum3D([1.0, 1.4, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=g).state(omega=[0.2, 0.1, rate])


def test_the_step_follows_the_motion_and_divides_its_time():
    slow, fast = (method_and_step(pendulum(rate=rate), None, None, 7.0)[1] for rate in (0.3, 30.0))
    assert 7.0 / slow == pytest.approx(round(7.0 / slow), abs=1e-9)
    assert fast < slow / 5


def test_the_step_resolves_the_motion():
    state = pendulum()
    method, step = method_and_step(state, None, None, 20.0)
    coarse, fine = (
        ph.simulate(state, step=h, steps=round(20.0 / h), method=m).R[-1]
        for h, m in ((step, method), (step / 8, ph.GaussLegendre()))
    )
    assert np.abs(coarse - fine).max() < 1e-3


def test_the_unit_of_time_does_not_matter():
    """Inertia over gravity is a time squared: the same motion, ten times as slow."""
    quick = ph.Pendulum3D([1.0, 1.4, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0).state(omega=[0.2, 0.1, 0.3])
    slow = ph.Pendulum3D([1.0, 1.4, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=0.02).state(omega=[0.02, 0.01, 0.03])
    steps = [method_and_step(state, None, None, None)[1] for state in (quick, slow)]
    assert steps[1] == pytest.approx(10 * steps[0], rel=0.2)


@pytest.mark.parametrize("accurate", [False, True])
def test_one_look_is_enough(accurate, monkeypatch):
    looks = []
    look = Pilot.__init__
    monkeypatch.setattr(Pilot, "__init__", lambda self, *given: looks.append(given) or look(self, *given))
    method_and_step(pendulum(), None, None, 20.0, accurate=accurate)
    assert len(looks) == 1


def test_analyses_need_no_step():
    state = pendulum()
    given = poincare(state, "omega[0]", crossings=4, step=0.01, method=ph.GaussLegendre())
    assert poincare(state, "omega[0]", crossings=4).t == pytest.approx(given.t, abs=1e-3)
    assert lyapunov(state, t_end=50.0).method == ph.LGVI(order=4)
    assert megno(state, t_end=50.0, method=ph.LGVI()).method == ph.LGVI()


@pytest.mark.verify
def test_a_fit_without_a_step_is_as_accurate_as_its_data():
    true, times = pendulum(), np.linspace(0.5, 20.0, 30)
    seen = ph.simulate(true, step=0.05, t_eval=times, method=ph.GaussLegendre())
    found = fit(pendulum(g=2.02), [Observation.attitude(times, seen.R, 0.01)], ["state", "g"])
    assert found.parameters["g"] == pytest.approx(2.0, abs=1e-9)
    coarse = fit(pendulum(g=2.02), [Observation.attitude(times, seen.R, 0.01)], ["state", "g"], step=0.1)
    assert abs(coarse.parameters["g"] - 2.0) > 1e-5  # the default step is not this one


def test_covariance_without_a_step():
    small = propagate_covariance(pendulum(), 1e-10 * np.eye(6), runs="unscented", t_end=5.0)
    assert small.nonlinearity < 1e-5
    assert small.first_order[-1] == pytest.approx(
        propagate_covariance(pendulum(), 1e-10 * np.eye(6), step=0.01, t_end=5.0, method=ph.GaussLegendre()).first_order[-1],
        rel=1e-6, abs=1e-16,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda state: lyapunov(state, steps=100), "steps need a step"),
        (lambda state: lyapunov(state), "say when the run ends"),
        (lambda state: poincare(state, "omega[0]"), "give the number of crossings"),
        (lambda state: method_and_step(state, None, None, state.t), "other than the start"),
    ],
)
def test_what_is_missing_is_named(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call(pendulum())


def test_a_motion_without_a_time_scale_is_named():
    at_rest = ph.FreeRigidBody([1, 2, 3]).state(omega=[0, 0, 0])
    with pytest.raises(InvalidInputError, match="no time scale"):
        poincare(at_rest, "omega[0] - 1", crossings=1)
