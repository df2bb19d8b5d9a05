"""Gauss–Legendre steps that follow the motion: on orbits of two bodies with close encounters, and on a pendulum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import symmetry_defect
from polhode.analysis.convergence import distance
from polhode.bodies import Ellipsoid
from polhode.methods.gauss.reversible import LENGTH

TIGHT = ph.DOP853(rtol=3e-14, atol=1e-16)
METHOD = ph.GaussLegendre(adaptive="reversible")


def binary(eccentricity: float, size: float = 0.02) -> ph.State:
    """Two nearly round bodies at apoapsis, on an orbit of period 2π."""
    e = eccentricity
    bodies = Ellipsoid(0.6, [size, 0.9999 * size, 0.9998 * size]), Ellipsoid(0.4, [size, 0.9998 * size, 0.9997 * size])
    spins = {"Omega1": [0.03, -0.06, 0.3], "Omega2": [0.06, 0.03, 0.24]}
    speed = np.sqrt((1.0 - e) / (1.0 + e))
    return ph.FullTwoBodyProblem(*bodies).state(X=[1.0 + e, 0.0, 0.0], V=[0.0, speed, 0.0], **spins)


STARTS = {
    "binary": lambda: binary(0.5),
    "heavy": lambda: ph.Pendulum3D([0.5, 0.6, 0.3], 1.0, [0.0, 0.0, 0.4], g=2.0).state(q=[0.5, 0.0, 0.0, 0.9]),
    "top": lambda: ph.Pendulum3D([0.5, 0.6, 0.3], 1.0, [0.1, 0.0, 0.4], g=20.0).state(omega=[1.0, 0.5, 2.0]),
    "planar": lambda: ph.PlanarPendulum(0.4, mass=1.2, length=0.5).state(theta=1.0, omega=2.0),
}


@pytest.fixture(scope="module")
def eccentric() -> ph.State:
    return binary(0.9)


def test_samples_are_as_accurate_as_steps(eccentric: ph.State) -> None:
    """At times before, at and after a periapsis, and at the end of six orbits."""
    times = [0.7, 3.0, np.pi, 3.2, 6.5, 40.0]
    found = ph.simulate(eccentric, t_eval=times, method=METHOD)
    truth = ph.simulate(eccentric, t_eval=times, method=TIGHT)
    assert np.array_equal(found.t, times)
    errors = [distance(found.state(k), truth.state(k)) for k in range(len(times))]
    assert max(errors[:2]) < 1e-12
    assert max(errors) < 2e-8


def test_a_sample_does_not_depend_on_others(eccentric: ph.State) -> None:
    one = ph.simulate(eccentric, t_eval=[20.0], method=METHOD).final
    many = ph.simulate(eccentric, t_eval=np.linspace(0.1, 20.0, 200), method=METHOD).final
    thin = ph.simulate(eccentric, step=0.5, t_end=20.0, save_every=7, method=METHOD)
    dense = ph.simulate(eccentric, step=0.5, t_end=20.0, method=METHOD)
    assert np.array_equal(one.X, many.X)
    assert np.array_equal(thin.X[:-1], dense.X[:-1:7])
    assert np.array_equal(thin.final.X, dense.final.X)
    assert thin.t[-1] == 20.0


def test_a_resumed_run_has_the_same_bits(eccentric: ph.State) -> None:
    whole = ph.simulate(eccentric, step=0.3, steps=60, method=METHOD)
    again = ph.resume(ph.simulate(eccentric, step=0.3, steps=17, method=METHOD), steps=43)
    assert np.array_equal(again.X, whole.X)
    assert np.array_equal(again.R, whole.R)
    assert np.array_equal(again.Pi, whole.Pi)


def test_steps_are_as_long_as_the_rate_says(eccentric: ph.State) -> None:
    """By the formula for σ, written out: at apoapsis and, by the length of short steps, all along half an orbit."""
    run = ph.GaussLegendre(adaptive="reversible", angle_per_step=0.02).start(eccentric, 1e9)
    layout = eccentric.system.representations["default"].layout
    before = 0.0
    for _ in range(120):
        y = layout.unpack(run.states(run.row[None])[0])
        state = ph.State(eccentric.system, y, 0.0)
        status, after = run.walk(1)
        assert status == 0
        middle = layout.unpack(run.states(run.row[None])[0])
        r = 0.5 * (np.linalg.norm(state.X) + np.linalg.norm(middle["X"]))
        spins = sum(np.linalg.norm(w) ** 4 for w in (state.Omega1, state.Omega2))
        expected = 0.02 / (r**-6 + spins) ** 0.25  # moments on bodies as round as these do not count
        assert after - before == pytest.approx(expected, rel=2e-3)
        before = after


@pytest.mark.parametrize("make", STARTS.values(), ids=STARTS)
def test_the_first_step_is_guessed_about_as_long_as_it_is(make: Callable[[], ph.State]) -> None:
    """From the rate at the start: of short steps that is all that makes a difference."""
    run = ph.GaussLegendre(adaptive="reversible", angle_per_step=1e-3).start(make(), 1e9)
    guess = run.left.memory[LENGTH]
    status, reached = run.walk(1)
    assert status == 0
    assert guess == pytest.approx(reached, rel=1e-2)


@pytest.mark.parametrize(
    ("eccentricity", "size", "bound"), [(0.5, 0.02, 1e-10), (0.9, 0.02, 1e-10), (0.99, 0.006, 1e-8)]
)
def test_forward_and_back(eccentricity: float, size: float, bound: float) -> None:
    """One orbit; rounding grows along it, by more the closer the encounter is."""
    assert symmetry_defect(binary(eccentricity, size), METHOD, 1.0, 6) < bound


@pytest.mark.parametrize(("eccentricity", "size", "bound"), [(0.9, 0.02, 3e-12), (0.99, 0.006, 3e-10)])
def test_many_close_encounters(eccentricity: float, size: float, bound: float) -> None:
    """Momenta to rounding; the energy at equal phases of a hundred orbits neither far from the first nor on a slope."""
    state = binary(eccentricity, size)
    run = ph.simulate(state, step=2.0 * np.pi, steps=100, method=METHOD)
    found = {row.name: row for row in run.conservation()}
    assert found["angular_momentum"].relative < 3e-12
    assert found["linear_momentum"].worst < 1e-13
    energy = run.invariants()["energy"]
    error = energy / energy[0] - 1.0
    assert np.abs(error).max() < bound
    assert abs(np.polyfit(np.arange(101), error, 1)[0]) * 100 < bound


def test_it_takes_fewer_steps_than_fixed_ones(eccentric: ph.State) -> None:
    """Ten orbits with fewer than 20 steps each, to 1e-8; as many fixed ones lose the orbit."""
    truth = ph.simulate(eccentric, t_eval=[62.8], method=TIGHT).final
    run = METHOD.start(eccentric, 62.8)
    run.advance(0, 1, 1, np.empty((0, run.row_size)))
    found = ph.simulate(eccentric, t_eval=[62.8], method=METHOD).final
    assert distance(found, truth) < 3e-8
    fixed = ph.simulate(eccentric, step=0.314, steps=200, method=ph.GaussLegendre()).final
    assert distance(fixed, truth) > 1e-2


def test_a_pendulum_and_forces_in_time() -> None:
    state = ph.Pendulum3D.example()
    found = ph.simulate(state, step=0.7, t_end=7.0, method=METHOD).final
    truth = ph.simulate(state, step=0.7, t_end=7.0, method=TIGHT).final
    assert distance(found, truth) < 1e-10


@pytest.mark.verify
@pytest.mark.parametrize(
    ("order", "angles"),
    [(4, (0.08, 0.04, 0.02)), (8, (0.45, 0.36, 0.28)), (16, (3.0, 2.6, 2.3, 2.0, 1.8, 1.6, 1.45, 1.3, 1.15))],
)
def test_order(order: int, angles: tuple[float, ...]) -> None:
    state = binary(0.5)
    truth = ph.simulate(state, t_eval=[20.0], method=TIGHT).final
    errors = []
    for angle in angles:
        method = ph.GaussLegendre(order, adaptive="reversible", angle_per_step=angle)
        errors.append(distance(ph.simulate(state, t_eval=[20.0], method=method).final, truth))
    slope = np.polyfit(np.log(angles), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.15 * order)


def test_what_is_refused(eccentric: ph.State) -> None:
    with pytest.raises(ph.InvalidInputError, match="angle_per_step is for adaptive steps"):
        ph.GaussLegendre(angle_per_step=0.5)
    with pytest.raises(ph.InvalidInputError, match="adaptive = 'symmetric'"):
        ph.GaussLegendre(adaptive="symmetric")
    with pytest.raises(ph.InvalidInputError, match="angle_per_step"):
        ph.GaussLegendre(adaptive="reversible", angle_per_step=-1.0)
    with pytest.raises(ph.IncompatibleMethodError, match="on doubles only"):
        ph.simulate(eccentric, step=0.1, steps=1, method=METHOD, tangent=True)
    alone = ph.FullBodyProblem([Ellipsoid(1.0, [0.3, 0.2, 0.1])])
    with pytest.raises(ph.IncompatibleMethodError, match="need a mutual gravity"):
        METHOD.check(alone)


def test_what_it_says_of_itself() -> None:
    assert (METHOD.symplectic, METHOD.symmetric, METHOD.preserves_momentum) == (False, True, True)
    assert repr(METHOD) == "GaussLegendre(order=16, adaptive='reversible', angle_per_step=0.6)"
    assert ph.GaussLegendre().symplectic
