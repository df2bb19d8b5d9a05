"""Verdicts do not depend on units, states that are no equilibria are refused in any, and rounding is no motion."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import polhode as ph
from polhode.systems.stability.unit_balancing import natural_scales

YAWED = np.array([[np.cos(0.5), -np.sin(0.5), 0.0], [np.sin(0.5), np.cos(0.5), 0.0], [0.0, 0.0, 1.0]])


def orbit(J: list[float]) -> Callable[[float, float], list[ph.State]]:
    def states(inertia: float, rate: float) -> list[ph.State]:
        body = ph.OrbitingBody(inertia * np.array(J), n=1.1 * rate)
        return [body.state(omega=[0.0, 1.1 * rate, 0.0])]

    return states


def top(inertia: float, rate: float, **more: float) -> ph.Pendulum3D:
    return ph.Pendulum3D(inertia * np.array([0.13, 0.28, 0.17]), inertia, [0.02, -0.05, -0.3], g=9.81 * rate**2, **more)


# the states of a system in units of inertia and of rate, and their verdicts
FAMILIES: dict[str, tuple[Callable[[float, float], list[ph.State]], list[str]]] = {
    "in orbit": (orbit([2, 2.5, 1.2]), ["stable"]),
    "in orbit, held by gyroscopic forces": (orbit([1, 0.65, 0.7]), ["spectrally stable"]),
    "in orbit, falling": (orbit([1.2, 2, 2.5]), ["unstable"]),
    "free": (
        lambda i, r: ph.FreeRigidBody(i * np.array([1, 2, 2.5])).steady_rotations(r),
        ["stable", "unstable", "stable"],
    ),
    "free, at rest": (lambda i, r: [ph.FreeRigidBody(i * np.array([1, 2, 2.5])).state()], ["stable"]),
    "pendulum": (lambda i, r: top(i, r).equilibria(), ["stable", "unstable"]),
    "damped pendulum": (lambda i, r: top(i, r, damping=0.05 * i * r).equilibria(), ["stable", "unstable"]),
    "plane": (lambda i, r: ph.PlanarBody(i, [i * r**2]).equilibria(), ["stable", "unstable"]),
}


@pytest.mark.parametrize(("inertia", "rate"), [(1, 1), (1e-9, 1e-4), (1e9, 1e3), (1e20, 1e-6)])
@pytest.mark.parametrize("name", FAMILIES)
def test_verdicts_do_not_depend_on_units(name: str, inertia: float, rate: float) -> None:
    states, verdicts = FAMILIES[name]
    assert [ph.linearize(e).verdict for e in states(inertia, rate)] == verdicts


@pytest.mark.parametrize(("inertia", "rate"), [(1, 1), (1e-9, 1e-4), (1e9, 1e3)])
def test_what_is_no_equilibrium_is_refused_in_any_units(inertia: float, rate: float) -> None:
    body = ph.OrbitingBody(inertia * np.array([2.0, 2.5, 1.2]), n=rate)
    with pytest.raises(ph.InvalidInputError, match="an equilibrium"):
        ph.linearize(body.state(R=YAWED, omega=rate * YAWED[1]))
    free = ph.FreeRigidBody(inertia * np.array([1, 2, 2.5]))
    with pytest.raises(ph.InvalidInputError, match="an equilibrium"):
        ph.linearize(free.state(omega=[rate, 1e-5 * rate, 0.0]))
    pushed = ph.ConstantSpaceMoment(inertia * np.array([1, 2, 2.5]), [inertia * rate**2, 0.0, 0.0])
    with pytest.raises(ph.InvalidInputError, match="an equilibrium"):
        ph.linearize(pushed.state())


def test_moments_that_cancel_are_none() -> None:
    """A body hung up at its mass centre, given by points: rounding must not tip it over."""
    masses = np.array([1.0, 0.7, 1.3, 0.5])
    places = np.array([[1.0, 0.0, 0.0], [-0.5, 0.8, 0.0], [0.0, -0.4, 0.6], [0.3, 0.2, -0.9]])
    body = ph.FieldBody(masses, places - masses @ places / masses.sum(), uniform=[0.0, 0.0, -9.81])
    for R in (np.eye(3), YAWED, YAWED.T @ np.diag([1.0, -1.0, -1.0])):
        found = ph.linearize(body.state(R=R))
        assert (found.verdict, np.abs(found.eigenvalues).max()) == ("stable", 0.0)


def test_scales_follow_the_units() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        N = random.lognormal(sigma=3.0, size=(4, 4)) * (random.uniform(size=(4, 4)) < 0.6)
        units = 10.0 ** random.uniform(-6, 6, 4)
        rate, scales = natural_scales(N, 0)
        other_rate, other = natural_scales(N * units / units[:, None], 0)
        assert other_rate == pytest.approx(rate, rel=1e-12)
        told = (scales != 1.0) | (np.arange(4) == 0)
        np.testing.assert_allclose(other[told] * units[told] / units[0], scales[told], rtol=1e-11)
    full = random.lognormal(sigma=3.0, size=(4, 4))
    rate, scales = natural_scales(full, 2)
    assert scales[2] == 1.0
    assert (full * scales / scales[:, None]).max() == pytest.approx(rate)


def test_a_family_is_one_along_all_that_its_directions_span() -> None:
    """U = ξ₁ξ₂ξ₃ to third order: every axis is one of equilibria, and between them it falls away."""
    body = ph.AttitudeBody([1, 1, 1], potential="R12*R13*R23")
    assert ph.linearize(body.state()).verdict != "stable"
    run = ph.simulate(body.state(R=ph.so3.exp([-0.05, 0.05, 0.05])), step=0.1, t_end=300.0, save_every=100)
    assert max(float(ph.so3.distance(np.eye(3), R)) for R in run.R) > 1.0
    # all attitudes of a body on which nothing acts are a family of three dimensions
    assert ph.linearize(ph.AttitudeBody([1, 2, 2.5]).state()).verdict == "stable"


@pytest.mark.parametrize(
    "system",
    [
        ph.Gyrostat([1, 2, 2.5], rho=lambda t: (0.0, 0.0, 0.1 * t)),
        ph.Gyrostat([1, 2, 2.5], torque=lambda t: (math.sin(t), 0.0, 0.0)),
        ph.AttitudeBody([1, 2, 2.5], "-R33", moment=lambda t, R, omega: (0.0, 0.0, 0.1 * t * R[1])),
        ph.AttitudeBody([1, 2, 2.5], moment={"profile": "triangle", "coefficients": [0, 0, 1], "duration": 1.0}),
        ph.AttitudeBody([1, 2, 2.5], "-R33", moment={"profile": "triangle", "coefficients": [1, 0, 0], "start": 1e4}),
    ],
    ids=["rho", "torque", "stiffness", "pulse", "late pulse"],
)
def test_equations_that_depend_on_time_are_refused(system: ph.systems.System) -> None:
    with pytest.raises(ph.InvalidInputError, match="do not depend on time"):
        ph.linearize(system.state())


def test_a_constant_function_of_time_is_no_dependence_on_it() -> None:
    wheel = ph.Gyrostat([1, 2, 2.5], rho=lambda t: (0.0, 0.0, 0.4))
    assert ph.linearize(wheel.state(omega=[0.0, 0.0, 1.0])).verdict == "stable"
