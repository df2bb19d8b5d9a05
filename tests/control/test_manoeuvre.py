"""Manoeuvres against closed forms, against Pontryagin's equations, and what is said where there is none."""

from __future__ import annotations

import runpy
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.optimize import brentq

import polhode as ph
from polhode.control import MissedEndPointError, manoeuvre
from polhode.control.command_limits import Limits
from polhode.control.commanded_steps import CommandedSteps
from polhode.control.manoeuvre_guess import Guess
from polhode.control.transcription import Transcription

TORQUES = {"moment": ["u1", "u2", "u3"], "parameters": {"u1": 0.0, "u2": 0.0, "u3": 0.0}}
I, THETA = 2.0, 1.0
BALL = ph.AttitudeBody([I, I, I], **TORQUES)
BODY = ph.AttitudeBody([1.0, 2.0, 2.5], **TORQUES)
AXIS = np.array([1.0, 2.0, 2.0]) / 3.0


def extrapolated(values):
    """The limit of values of N, 2N, 4N … steps whose error is a series in N⁻²."""
    rows = list(values)
    for order in range(1, len(rows)):
        rows = [b + (b - a) / (4**order - 1) for a, b in pairwise(rows)]
    return rows[0]


def turn(angle=THETA, body=BALL, **rate):
    return body.state(R=ph.so3.exp(angle * AXIS), **rate)


def test_least_effort_of_a_ball_is_the_closed_form():
    found = [manoeuvre(BALL.state(), turn(), T=4.0, steps=n) for n in (10, 20, 40)]
    assert extrapolated([m.effort for m in found]) == pytest.approx(12 * THETA**2 * I**2 / 4.0**3, rel=1e-6)
    u = found[-1].u
    np.testing.assert_allclose(u - np.outer(u @ AXIS, AXIS), 0.0, atol=1e-9)  # about the axis of the rotation


def test_least_time_of_a_ball_is_bang_bang():
    """Of the discrete ball exactly, `h Π = I sin Δθ` in each step; of the continuous one in the limit."""
    found = {n: manoeuvre(BALL.state(), turn(), minimise="time", norm=1.5, steps=n) for n in (10, 20, 40)}

    def excess(T, n):
        h = T / n
        half = h * 1.5 * (np.arange(n // 2) + 0.5)
        return 2 * np.arcsin(h * half / I).sum() - THETA

    for n, m in found.items():
        assert pytest.approx(brentq(excess, 0.5, 4.0, args=(n,), xtol=1e-14), abs=1e-8) == m.T
        np.testing.assert_allclose(np.linalg.norm(m.u, axis=1), 1.5, rtol=1e-6)
    assert extrapolated([m.T for m in found.values()]) == pytest.approx(2 * np.sqrt(I * THETA / 1.5), rel=1e-6)


def test_the_simulator_reproduces_it():
    """Half a turn, and from one rate to another; replayed by a controller of the test's own."""
    start, end = BODY.state(omega=[0.1, 0.0, 0.3], t=2.0), turn(np.pi, BODY, omega=[0.2, 0.0, 0.1])
    found = manoeuvre(start, end, T=5.0, limits=3.0, steps=16)
    assert found.miss < 1e-9
    assert found.deviation < 1e-9
    step = 5.0 / 16

    def replayed(t, state):
        return dict(zip(found.names, found.u[round((t - 2.0) / step)], strict=True))

    run = ph.simulate(start, step=step, steps=16, method=ph.LGVI(), controller=replayed, every=step)
    np.testing.assert_allclose(run.final.R, end.R, atol=1e-9)
    np.testing.assert_allclose(run.final.omega, end.omega, atol=1e-9)
    np.testing.assert_array_equal(found.trajectory.commands.values["u2"], found.u[:, 1])


def test_limits_are_reached_and_not_passed():
    free = manoeuvre(BODY.state(), turn(1.5, BODY), T=4.0, steps=16)
    limits = {"u1": 0.9 * np.abs(free.u[:, 0]).max(), "u3": (-1.0, 0.8 * free.u[:, 2].max())}
    found = manoeuvre(BODY.state(), turn(1.5, BODY), T=4.0, limits=limits, steps=16)
    assert found.effort > free.effort
    assert np.abs(found.u[:, 0]).max() == pytest.approx(limits["u1"], rel=1e-6)
    assert found.u[:, 2].max() == pytest.approx(limits["u3"][1], rel=1e-6)


def test_derivatives_of_the_problem_agree_with_differences():
    start, end = BODY.state(omega=[0.1, 0.2, -0.1]), turn(1.2, BODY)
    limits = Limits(BODY, None, 1.0, 1.5)
    steps = CommandedSteps(start, ph.LGVI(), limits.places)
    guess = Guess(start, end, steps, limits, 4.0, 4)
    bounds = limits.in_units(steps.command_units)
    problem = Transcription(
        steps, guess.rows[0], guess.rows[-1], 4, time=4.0, free=True, ending=np.ones(6, bool), bounds=bounds, norm=1.5
    )
    rng = np.random.default_rng(1)
    U = 0.3 * rng.normal(size=(4, 3))
    Y = [guess.rows[0]]
    for k, u in enumerate(U):  # a motion, so that the steps meet
        Y.append(steps.ends(Y[-1][None], u[None] * steps.command_units, np.full(1, float(k)), 1.0)[0])
    problem.last = Y[-1]
    point = problem.path(np.array(Y[1:-1]), U)
    e, width = 1e-5, problem.width

    def slope(function, direction):
        return (function(problem.move(point, e * direction)) - function(problem.move(point, -e * direction))) / (2 * e)

    A = problem.jacobian(point)
    lam = rng.normal(size=problem.height)
    H = problem.hessian(point, lam)
    for direction in rng.normal(size=(3, width)):
        np.testing.assert_allclose(A @ direction, slope(problem.constraints, direction), atol=1e-7)
        assert problem.gradient(point) @ direction == pytest.approx(slope(problem.objective, direction), abs=1e-8)
    # along directions in which the steps go on meeting
    tangent = np.linalg.svd(A.toarray())[2][problem.height :]
    for direction in rng.normal(size=(3, len(tangent))) @ tangent:
        c = [problem.constraints(problem.move(point, s * 1e-3 * direction)) @ lam for s in (1, 0, -1)]
        assert direction @ (H @ direction) == pytest.approx((c[0] - 2 * c[1] + c[2]) / 1e-6, rel=1e-3, abs=1e-4)


@pytest.mark.verify
def test_what_cannot_be_is_said_in_words():
    start, free = BALL.state(), ph.FreeRigidBody.example()
    with pytest.raises(MissedEndPointError, match=r"none changes R\[2\]"):
        manoeuvre(start, BALL.state(R=ph.so3.exp([0, 0, 1.0])), T=4.0, commands=["u1"], steps=8)
    with pytest.raises(
        MissedEndPointError, match=r"T = 1 is too short for these limits: the least time found is 2\.\d+"
    ):
        manoeuvre(start, turn(), T=1.0, limits=1.0, steps=10)
    with pytest.raises(ph.InvalidInputError, match="without limits or norm there is no least time"):
        manoeuvre(start, turn(), minimise="time", limits={"u1": 1.0})
    with pytest.raises(ph.InvalidInputError, match="the time that the manoeuvre takes"):
        manoeuvre(start, turn())
    with pytest.raises(ph.InvalidInputError, match="a state of the same system"):
        manoeuvre(start, BODY.state(), T=1.0)
    with pytest.raises(ph.InvalidInputError, match="named parameters to command"):
        manoeuvre(free, free, T=1.0)
    for wrong in (-1.0, {"u1": (1.0, 0.0)}, {"u9": 1.0}, {"u1": [1.0, 2.0, 3.0]}):
        with pytest.raises(ph.InvalidInputError, match="limits"):
            manoeuvre(start, turn(), T=1.0, limits=wrong)


@pytest.mark.verify
def test_conserved_momentum_forbids_an_end():
    """Wheels change the momentum of the body, not that of the whole."""
    body = ph.Gyrostat([1.0, 2.0, 3.0], rotor_torque=["u1", "u2", "u3"], parameters=TORQUES["parameters"])
    R = ph.so3.exp([0.3, 0.4, 1.2])
    with pytest.raises(MissedEndPointError, match="spatial_momentum is conserved"):
        manoeuvre(body.state(), body.state(R=R, omega=[0, 0, 0.1]), T=10.0, steps=8)
    start = body.state(rho=[0.0, 0.0, 1.0])
    found = manoeuvre(start, body.state(R=R, rho=R.T @ start.rho), T=10.0, steps=30)
    total = (found.trajectory.R @ found.trajectory.Pi[..., None])[..., 0]
    np.testing.assert_allclose(total, np.broadcast_to([0.0, 0.0, 1.0], total.shape), atol=1e-12)
    symmetric = ph.AttitudeBody([1, 1, 2], moment=["u1", "u2", "0*u1"], parameters={"u1": 0.0, "u2": 0.0})
    with pytest.raises(MissedEndPointError, match=r"none changes Pi\[2\]"):
        manoeuvre(symmetric.state(), symmetric.state(omega=[0, 0, 0.1]), T=10.0, steps=16)


@pytest.mark.verify
def test_half_a_turn_of_a_ball_is_faster_off_its_axis():
    """Of a ball of inertia 1 with |uᵢ| ≤ 1: 3.243 instead of 2√π (Bilimoria and Wie, J. Guid. Control Dyn. 16 (1993) 446)."""
    ball = ph.AttitudeBody([1, 1, 1], **TORQUES)
    end = ball.state(R=ph.so3.exp([0, 0, np.pi]))
    along = manoeuvre(ball.state(), end, minimise="time", limits=1.0, steps=60)
    best = manoeuvre(ball.state(), end, minimise="time", limits=1.0, steps=60, starts=3)
    assert pytest.approx(2 * np.sqrt(np.pi), rel=2e-3) == along.T
    assert pytest.approx(3.243, abs=3e-3) == best.T


@pytest.mark.verify
def test_least_effort_of_an_asymmetric_body_obeys_the_maximum_principle():
    """`u = −ν/2,  μ̇ = μ × ω,  ν̇ = −J⁻¹μ − ω × ν − J⁻¹(ν × Π)` with the costates μ of R and ν of Π."""
    J, T, angle = BODY.inertia.matrix.diagonal()[:, None], 4.0, 1.5
    goal = np.append(np.sin(angle / 2) * AXIS, np.cos(angle / 2))

    def cross(a, b):
        return np.cross(a, b, axis=0)

    def rates(t, z):
        q, w, Pi, mu, nu = z[:3], z[3], z[4:7], z[7:10], z[10:13]
        omega = Pi / J
        dq = 0.5 * (w * omega + cross(q, omega))
        dnu = -mu / J - cross(omega, nu) - cross(nu, Pi) / J
        return np.vstack([dq, -0.5 * np.sum(q * omega, axis=0), cross(Pi, omega) - nu / 2, cross(mu, omega), dnu])

    def ends(a, b):
        left = goal[3] * b[:3] - b[3] * goal[:3] - np.cross(goal[:3], b[:3])
        return np.concatenate([a[:3], [a[3] - 1], a[4:7], left, b[4:7]])

    s = np.linspace(0, 1, 30)
    half = angle * (3 * s**2 - 2 * s**3) / 2
    guess = np.zeros((13, 30))
    guess[:3], guess[3] = np.sin(half) * AXIS[:, None], np.cos(half)
    guess[4:7] = J * AXIS[:, None] * 6 * angle * (s - s**2) / T
    guess[10:13] = -2 * J * AXIS[:, None] * 6 * angle * (1 - 2 * s) / T**2
    guess[7:10] = -24 * J**2 * AXIS[:, None] * angle / T**3
    solution = solve_bvp(rates, ends, s * T, guess, tol=1e-9, max_nodes=20000)
    assert solution.success
    t = np.linspace(0, T, 4001)
    effort = np.trapezoid(np.sum((solution.sol(t)[10:13] / 2) ** 2, axis=0), t)
    found = [manoeuvre(BODY.state(), turn(angle, BODY), T=T, steps=n).effort for n in (20, 40, 80)]
    assert extrapolated(found) == pytest.approx(effort, rel=1e-6)


@pytest.mark.verify
def test_the_example_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "fastest_turn.py"))
    assert found["best"].T < 0.93 * found["along"].T
    assert (tmp_path / "fastest_turn.png").stat().st_size > 10_000
