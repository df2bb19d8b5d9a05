"""What an error says when a step fails: the user's own exception, bodies that touch, a torque that switches."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Ellipsoid
from polhode.scalars import tanh, where
from tests.tiers import later


def _limited(R: np.ndarray) -> float:
    if R[2, 2] < 0.5:
        raise LookupError("no data beyond 60 degrees")
    return -float(R[2, 2])


def _python_body() -> ph.AttitudeBody:
    with pytest.warns(UserWarning, match="slower"):
        return ph.AttitudeBody([1.0, 2.0, 2.5], potential=_limited)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"step": 0.05}, id="LGVI"),
        pytest.param({"method": ph.DOP853()}, id="DOP853", marks=pytest.mark.verify),
        pytest.param({"tolerance": 1e-8}, id="tolerance", marks=pytest.mark.verify),
    ],
)
def test_an_exception_in_a_python_potential_reaches_the_user(options: dict, capfd: pytest.CaptureFixture[str]) -> None:
    """Once, as it was raised: trial runs do not show it."""
    body = _python_body()
    with pytest.raises(LookupError, match="no data beyond 60 degrees") as caught:
        ph.simulate(body.state(omega=[3.0, 0.0, 0.0]), t_end=3.0, **options)
    assert len(caught.value.trajectory) > 2  # type: ignore[attr-defined]
    assert "ignored" not in capfd.readouterr().err


def test_an_exception_in_a_python_potential_reaches_the_user_of_linearize(capfd: pytest.CaptureFixture[str]) -> None:
    body = _python_body()
    tilted = ph.so3.exp([math.radians(59.9), 0.0, 0.0])  # the differences reach beyond
    with pytest.raises(LookupError, match="no data"):
        ph.linearize(body.state(R=tilted))
    with pytest.raises(LookupError, match="no data"):
        body.state_from_pair(tilted, tilted, 0.1)
    assert "ignored" not in capfd.readouterr().err


@pytest.mark.parametrize("more", [{}, {"damping": 0.1}], ids=["conservative", "damped"])
def test_a_start_outside_the_domain_of_the_potential_is_refused(more: dict) -> None:
    body = ph.AttitudeBody([1.0, 2.0, 2.5], potential="log(R33)", **more)
    down = ph.so3.exp([3.0, 0.0, 0.0])
    with pytest.raises(ph.InvalidInputError, match=r"energy is not a number.*outside the domain of the potential"):
        ph.simulate(body.state(R=down, omega=[0.1, 0.0, 0.0]), step=0.05, steps=2)


def test_a_start_outside_the_domain_of_a_lagrangian_is_refused() -> None:
    body = ph.GeneralBody(lagrangian="omega1**2 + omega2**2 + omega3**2 - sqrt(R33)")
    with pytest.raises(ph.InvalidInputError, match=r"energy is not a number.*outside the domain of the potential"):
        ph.simulate(body.state(R=ph.so3.exp([3.0, 0.0, 0.0])), step=0.05, steps=2)


def test_no_step_is_advised_where_none_works() -> None:
    body = ph.PlanarBody(1.0, torque=lambda t, theta, omega: where(omega > 0.0, -1.0, 1.0))
    with pytest.raises(ph.ConvergenceError, match="must be a continuous function of the rate") as caught:
        ph.simulate(body.state(theta=0.0, omega=0.5), step=0.05, steps=20, method=ph.LGVI())
    assert "take a step" not in str(caught.value)


def _bang_bang(t, R, omega):  # type: ignore[no-untyped-def]
    return where(omega[0] > 0.0, -0.1, 0.1), 0.0, 0.0


def _steep(t, R, omega):  # type: ignore[no-untyped-def]
    return -0.1 * tanh(omega[0] / 1e-3), 0.0, 0.0


@pytest.mark.parametrize("kind", later([ph.AttitudeBody, ph.Gyrostat], lambda kind: kind is ph.Gyrostat))
def test_a_torque_that_switches_is_told_from_a_long_step(kind: type) -> None:
    """And what the message advises works: the rate is brought to zero."""
    name = "moment" if kind is ph.AttitudeBody else "torque"
    switched, steep = (kind([1.0, 2.0, 2.5], **{name: law}) for law in (_bang_bang, _steep))
    with pytest.raises(ph.ConvergenceError, match=r"must be a continuous function of the rate.*tanh\(rate/width\)"):
        ph.simulate(switched.state(omega=[0.05, 0.0, 0.0]), step=0.03, t_end=3.0)
    end = ph.simulate(steep.state(omega=[0.05, 0.0, 0.0]), step=0.03, t_end=3.0).final
    np.testing.assert_allclose(end.omega, 0.0, atol=1e-9)


def test_no_step_is_advised_where_the_largest_one_always_ends_at_the_switch() -> None:
    """Each shorter step comes nearer to it, and none beyond."""
    state = ph.AttitudeBody([1.0, 2.0, 2.5], moment=lambda t, R, w: (where(w[0] > 0.0, -0.1, 0.1), 0.0, 0.0)).state(
        omega=[0.3, 0.05, 0.02]
    )
    with pytest.raises(ph.ConvergenceError, match=r"nor for shorter ones: a torque seems to switch") as caught:
        ph.simulate(state, step=0.1, t_end=10.0, method=ph.GaussLegendre())
    assert "good choice" not in str(caught.value)


def test_no_step_is_advised_where_a_torque_on_directors_switches() -> None:
    state = ph.DirectorBody([1.0, 2.0, 2.5], moment=_bang_bang).state(omega=[0.05, 0.0, 0.0])
    with pytest.raises(ph.ConvergenceError, match=r"nor for shorter ones.*must be a continuous") as caught:
        ph.simulate(state, step=0.03, t_end=3.0, method=ph.EnergyMomentum())
    assert "good choice" not in str(caught.value)


@pytest.mark.verify
@pytest.mark.parametrize(
    "options", [{"method": ph.DOP853(), "step": 0.03}, {"method": ph.GaussLegendre(4), "step": 0.03}, {}]
)
def test_every_method_says_that_a_torque_may_not_switch(options: dict) -> None:
    """DOP853 would cross the switch for ever, in steps of 1e-12."""
    body = ph.AttitudeBody([1.0, 2.0, 2.5], moment=_bang_bang)
    with pytest.raises(ph.ConvergenceError, match="must be a continuous function of the rate") as caught:
        ph.simulate(body.state(omega=[0.05, 0.0, 0.0]), t_end=3.0, **options)
    assert 0.45 < caught.value.time < 0.51


@pytest.mark.parametrize("problem", [ph.FullTwoBodyProblem, ph.FullBodyProblem])
def test_a_collision_is_named(problem: type) -> None:
    bodies, R = (Ellipsoid(1.0, [0.3, 0.2, 0.1]), Ellipsoid(1.0, [0.2, 0.15, 0.1])), ph.so3.exp([0.3, 0.5, 0.2])
    if problem is ph.FullTwoBodyProblem:
        start, names = problem(*bodies).state(X=[1.0, 0.2, 0.1], V=[0.0, 0.1, 0.05], R=R), "body1 and body2"
    else:
        x, v = np.array([0.5, 0.1, 0.05]), np.array([0.0, 0.05, 0.02])
        start = problem(list(bodies)).state(x=[x, -x], v=[v, -v], R=[R, np.eye(3)])
        names = "body0 and body1"
    with pytest.raises(ph.ConvergenceError, match=rf"{names} touch.*events=\[Contact\(\)\]"):
        ph.simulate(start, step=0.02, t_end=10.0)
    stopped = ph.simulate(start, step=0.02, t_end=10.0, events=[ph.Contact()])
    assert len(stopped.events) == 1


@pytest.mark.filterwarnings("ignore:potential. a Python function")
@pytest.mark.parametrize("every", [1, 3])
def test_what_was_computed_before_a_function_failed_for_good_is_kept(every: int) -> None:
    """A function that cannot be asked again, not even for the steps before: these were lost when they were done again."""
    calls, most = 0, math.inf

    def potential(R: np.ndarray) -> float:
        nonlocal calls
        calls += 1
        if calls > most:
            raise KeyError("lost")
        return float(R[2, 2] + R[0, 1] ** 2)

    state = ph.AttitudeBody([1, 2, 3], potential=potential).state(omega=[0.1, 0.2, 0.3])
    whole = ph.simulate(state, step=0.05, steps=30, method=ph.LGVI(), save_every=every)
    most = calls + 500
    with pytest.raises(KeyError, match="lost") as caught:
        ph.simulate(state, step=0.05, steps=1000, method=ph.LGVI(), save_every=every)
    found = caught.value.trajectory  # type: ignore[attr-defined]
    assert 15 <= found.stats.steps <= 25  # 24 calls per step
    assert len(found) == 1 + found.stats.steps // every
    np.testing.assert_array_equal(found.R, whole.R[: len(found)])
    np.testing.assert_array_equal(found.t, whole.t[: len(found)])
