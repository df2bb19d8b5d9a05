"""Least-squares fits: exact data, noise and its statistics, outliers, priors, long arcs, and what cannot be found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Box
from polhode.core.finite_differences import OFFSETS, WEIGHTS
from polhode.errors import StepWarning
from polhode.estimation import Brightness, Observation, fit
from polhode.estimation.fit import _Problem
from polhode.geometry import so3
from polhode.scalars import kernel

STEP = 0.1
INERTIA = [1.0, 1.6, 2.1]


def tumbling(inertia: list[float] | None = None, rate: float = 0.7) -> ph.State:
    return ph.FreeRigidBody(inertia or INERTIA).state(omega=[rate, -0.6, 0.5])


def noisy_attitudes(traj: ph.Trajectory, sigma: float, rng: np.random.Generator) -> np.ndarray:
    return traj.R @ so3.exp(sigma * rng.normal(size=(len(traj), 3)))


def test_exact_data_give_back_the_truth() -> None:
    """From attitudes and rates, with an inertia that is off by some percent."""
    true = tumbling()
    seen = ph.simulate(true, step=STEP, steps=60, save_every=3)
    data = [Observation.attitude(seen.t[1:], seen.R[1:], 0.01), Observation.rate(seen.t[1:], seen.omega[1:], 0.02)]
    found = fit(tumbling([1.0, 1.55, 2.2], 0.72), data, ["state", "inertia[1]", "inertia[2]"], step=STEP)
    assert found.parameters["inertia[1]"] == pytest.approx(1.6, abs=1e-8)
    assert found.parameters["inertia[2]"] == pytest.approx(2.1, abs=1e-8)
    assert np.abs(found.state.omega - true.omega).max() < 1e-8
    assert found.chi_square < 1e-12
    assert found.covariance.shape == (8, 8)
    assert np.abs(np.diagonal(found.correlation) - 1.0).max() < 1e-12
    figure = found.plot()
    figure.draw_without_rendering()
    assert len(figure.axes) == 2


@pytest.mark.parametrize("method", [ph.LGVI(), pytest.param(ph.QuaternionVI(), marks=pytest.mark.verify)])
def test_the_derivatives_are_exact(method: ph.Method) -> None:
    """Those of all residuals by all unknowns, away from the guess, against differences of the residuals."""
    true = tumbling()
    seen = ph.simulate(true, step=STEP, steps=20, save_every=5)

    def glow(state: ph.State) -> np.ndarray:
        return 1.0 + 0.3 * state.R[..., 0, 2] ** 2 - 0.2 * state.R[..., 0, 1]

    @kernel
    def flicker(R: Any, omega: Any, t: Any) -> Any:
        return R[2] * R[2] * omega[1] + 0.1 * t * R[4]

    t = seen.t[1:]
    light = Brightness(Box([3, 2, 1], mass=1.0), [1.0, 0.2, 0.4], [0.3, -0.5, 1.0])
    data = [
        Observation.attitude(t, seen.R[1:], 0.1),
        Observation.rate(t, seen.omega[1:], 0.2),
        Observation.direction(t, seen.R[1:, 2], [0, 0, 1], 0.05),
        Observation.of(t, glow, glow(seen)[1:], 0.1),
        Observation.of(t, flicker, glow(seen)[1:], 0.1),
        Observation.of(t, light, light(seen.R[1:]), 0.1),
        Observation.of(t, "omega[0]*omega[1]", seen.omega[1:, 0] * seen.omega[1:, 1], 0.1),
    ]
    problem = _Problem(tumbling(rate=0.8), data, ["state", "inertia"], STEP, method, 2)
    problem.prepare("linear")
    x = 0.05 * np.random.default_rng(3).normal(size=len(problem.start))
    J, h = problem.jacobian(x), 1e-3
    scale = np.abs(J).max(axis=1, keepdims=True)
    for k in range(len(x)):
        e = np.eye(len(x))[k]
        slope = sum(w / h * problem.residuals(x + o * h * e) for o, w in zip(OFFSETS, WEIGHTS, strict=True))
        gaps = 6  # rows of the gap between the segments: chords, exact where it is closed
        assert (np.abs(J[gaps:, k] - slope[gaps:]) / scale[gaps:, 0]).max() < 2e-11


def statistics(draws: int, seed: int) -> tuple[float, int]:
    """The sum of eᵀC⁻¹e over draws of the noise, for errors e of state and inertia and their covariance C, and how many
    squares of normal numbers it should be the sum of."""
    true, rng, sigma = tumbling(), np.random.default_rng(seed), 0.02
    seen = ph.simulate(true, step=STEP, steps=80, save_every=4)
    layout = true.system.representations["default"].layout
    total, count = 0.0, 0
    for _ in range(draws):
        data = [Observation.attitude(seen.t, noisy_attitudes(seen, sigma, rng), sigma)]
        found = fit(true, data, ["state", "inertia[1]", "inertia[2]"], step=STEP)
        y = layout.pack(found.state.values)
        off = layout.coordinates(y, layout.pack(true.values) - y)
        e = np.concatenate([off, INERTIA[1:] - np.array(list(found.parameters.values()))])
        total += float(e @ np.linalg.solve(found.covariance, e))
        count += len(e)
    return total, count


@pytest.mark.parametrize("draws", [12, pytest.param(200, marks=pytest.mark.verify)])
def test_errors_are_as_large_as_the_covariance_says(draws: int) -> None:
    from scipy.stats import chi2

    total, count = statistics(draws, seed=7)
    low, high = chi2.ppf([0.025, 0.975], count)
    assert low < total < high


def test_outliers_count_less_with_a_robust_loss() -> None:
    true, rng, sigma = tumbling(), np.random.default_rng(1), 0.01
    seen = ph.simulate(true, step=STEP, steps=80, save_every=4)
    rates = seen.omega + sigma * rng.normal(size=seen.omega.shape)
    rates[[3, 9, 15]] += 0.5
    data = [
        Observation.rate(seen.t, rates, sigma),
        Observation.attitude(seen.t, noisy_attitudes(seen, sigma, rng), sigma),
    ]
    plain, robust = (fit(true, data, step=STEP, loss=loss) for loss in ("linear", "soft_l1"))
    errors = [np.abs(found.state.omega - true.omega).max() for found in (plain, robust)]
    assert errors[1] < 0.5 * errors[0]


def test_a_prior_is_an_observation_of_the_parameter() -> None:
    """With data that say nothing of the scale of the inertia, the estimate of it is the prior's, with its sigma."""
    true = tumbling()
    seen = ph.simulate(true, step=STEP, steps=40, save_every=4)
    data = [Observation.attitude(seen.t, seen.R, 0.01)]
    found = fit(true, data, ["state", "inertia"], step=STEP, prior={"inertia[0]": (1.02, 0.05)})
    assert found.parameters["inertia[0]"] == pytest.approx(1.02, rel=1e-6)
    assert found.sigma["inertia[0]"] == pytest.approx(0.05, rel=1e-6)
    tight = fit(true, data, ["state"], step=STEP, state_covariance=1e-10 * np.eye(6))
    assert np.all(np.array(list(tight.sigma.values())) < 1.0000001e-5)


def test_what_cannot_be_found_is_said() -> None:
    true = tumbling()
    seen = ph.simulate(true, step=STEP, steps=40, save_every=4)
    data = [Observation.attitude(seen.t, seen.R, 0.01)]
    # all moments and the momentum in proportion: the motion is the same
    with pytest.raises(
        ph.PolhodeError, match=r"ratio Pi\[0\].*inertia\[0\]: 0.476, inertia\[1\]: 0.762, inertia\[2\]: 1;"
    ):
        fit(true, data, ["state", "inertia"], step=STEP)
    with pytest.raises(ph.PolhodeError, match=r"do not depend on R\[0\], R\[1\], R\[2\]: keep these fixed"):
        fit(true, [Observation.rate(seen.t, seen.omega, 0.01)], step=STEP)
    with pytest.raises(ph.InvalidInputError, match="3 numbers were seen, and there are 6 unknowns"):
        fit(true, [Observation.attitude(seen.t[:1], seen.R[:1], 0.01)], step=STEP)
    with pytest.raises(ph.InvalidInputError, match=r"unknowns = 'mass'.*some of inertia\[0\]"):
        fit(true, data, ["state", "mass"], step=STEP)
    with pytest.raises(ph.InvalidInputError, match="loss"):
        fit(true, data, step=STEP, loss="square")
    with pytest.raises(ph.InvalidInputError, match="positive numbers"):
        Observation.attitude(seen.t, seen.R, 0.0)
    with pytest.raises(ph.InvalidInputError, match="one for each time"):
        Observation.rate(seen.t, seen.omega[1:], 0.1)


@pytest.mark.parametrize(("steps", "segments"), [(120, 4), pytest.param(400, 16, marks=pytest.mark.verify)])
def test_several_segments_find_what_one_cannot(steps: int, segments: int) -> None:
    """A chaotic heavy top over many times its Lyapunov time, from a rough guess of the rate."""
    true = ph.Pendulum3D.example()
    seen = ph.simulate(true, step=STEP, steps=steps, save_every=4)
    data = [Observation.attitude(seen.t, seen.R, 1e-3)]
    rough = true.system.state(R=true.R, omega=true.omega + [0.05, -0.04, 0.03])
    found = fit(rough, data, ["state"], step=STEP, segments=segments)
    assert np.abs(found.state.omega - true.omega).max() < 1e-6
    assert found.chi_square < 1e-3


def test_segments_find_a_parameter_too() -> None:
    """Of the same kind of motion, with a mass that is off by a tenth: the gaps do not close along a straight line."""

    def top(mass: float) -> ph.Pendulum3D:
        return ph.Pendulum3D([1.0, 1.4, 0.8], mass=mass, rho0=[0.2, 0.1, 0.5], g=3.0)

    true = top(1.0).state(R=ph.so3.exp([2.0, 0.3, 0.1]), omega=[0.8, -0.5, 1.2])
    seen = ph.simulate(true, step=0.05, t_end=20.0, save_every=10)
    rough = top(0.9).state(R=true.R @ ph.so3.exp([0.02, 0.01, 0.0]), omega=1.02 * true.omega)
    data = [Observation.attitude(seen.t[1:], seen.R[1:], 0.005)]
    found = fit(rough, data, ["state", "mass"], step=0.05, segments=4)
    assert found.parameters["mass"] == pytest.approx(1.0, abs=1e-8)
    assert np.abs(found.state.omega - true.omega).max() < 1e-7


def test_what_there_is_to_warn_of_is_said_once_of_the_fit_and_not_of_each_trial() -> None:
    true = ph.Pendulum3D.example()
    with pytest.warns(StepWarning):
        seen = ph.simulate(true, step=0.4, steps=2)
    rough = true.system.state(R=true.R, omega=true.omega + [0.01, 0.0, 0.0])
    with pytest.warns(StepWarning, match="take a step below") as issued:
        fit(rough, [Observation.attitude(seen.t, seen.R, 1e-3)], ["state"], step=0.4, segments=2)
    assert len(issued) == 1
    assert issued[0].filename == __file__


def test_no_segment_begins_with_the_last_observation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment would have nothing behind it. Whole steps decide where they begin: here the last of four, at the end."""
    begun: list[float] = []
    run = _Problem._run
    monkeypatch.setattr(_Problem, "_run", lambda self, system, y, t, *rest: (begun.append(t), run(self, system, y, t, *rest))[1])  # fmt: skip
    true = ph.FreeRigidBody.example()
    seen = ph.simulate(true, step=0.2, steps=2)
    fit(true, [Observation.attitude(seen.t, seen.R, 1e-3)], ["state"], step=0.2, segments=4)
    assert {round(t, 12) for t in begun} == {0.0, 0.2}
