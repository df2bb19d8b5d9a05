"""Gauss–Legendre methods: their order, moving forces, steps that do not converge, and what is carried from step to step."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.analysis.convergence import distance
from polhode.bodies import Ellipsoid
from polhode.core.method import Start
from polhode.geometry import so3
from polhode.methods.gauss.parts import from_canonical, parts_of, to_canonical
from polhode.methods.gauss.run import nearby_top
from polhode.scalars import cos, sin
from polhode.scalars.protocol import RETRIES

TIGHT = ph.DOP853(rtol=1e-13, atol=1e-14)


@pytest.mark.verify
@pytest.mark.parametrize(
    ("order", "counts"), [(4, (40, 80, 160)), (8, (24, 36, 54)), (12, (14, 18, 22)), (16, (10, 12, 15))]
)
def test_order(order: int, counts: tuple[int, ...]) -> None:
    """On two bodies over six time units, with steps so long that the error stands out of rounding."""
    state = ph.FullTwoBodyProblem.example()
    span = 12.0
    truth = ph.simulate(state, step=span / 600, steps=600, save_every=600, method=ph.GaussLegendre()).final
    errors = [
        distance(ph.simulate(state, step=span / n, steps=n, method=ph.GaussLegendre(order)).final, truth)
        for n in counts
    ]
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.06 * order)


def test_a_pendulum_to_the_last_digits() -> None:
    state = ph.Pendulum3D.example()
    found = ph.simulate(state, step=0.1, t_end=5.0, method=ph.GaussLegendre()).final
    truth = ph.simulate(state, step=0.1, t_end=5.0, method=TIGHT).final
    assert distance(found, truth) < 2e-13


def test_forces_that_depend_on_time() -> None:
    """Every stage is at its own time."""
    body = ph.AttitudeBody([1.0, 2.0, 2.5], moment=lambda t, R, w: (0.3 * sin(3.0 * t), 0.2 * cos(t), 0.1))
    state = body.state(omega=[0.3, -0.2, 0.5], t=0.7)
    found = ph.simulate(state, step=0.1, steps=50, method=ph.GaussLegendre()).final
    truth = ph.simulate(state, step=0.1, steps=50, method=TIGHT).final
    assert distance(found, truth) < 1e-12


def test_a_step_that_does_not_converge_is_done_in_pieces() -> None:
    state = ph.Pendulum3D.example()
    run = ph.GaussLegendre().start(state, 4.0)
    rows = np.empty((3, run.row_size))
    status, done = run.advance(0, 3, 1, rows)
    assert (status, done) == (0, 3)
    assert run.report.numbers[RETRIES] > 0
    once = ph.GaussLegendre().start(state, 7.0)
    assert once.advance(0, 1, 1, np.empty((1, once.row_size))) == (0, 1)
    assert once.report.numbers[RETRIES] == 1, "halves of the step converge"
    truth = ph.simulate(state, step=0.1, steps=120, method=TIGHT).final
    found = run.states(rows)[-1]
    assert np.abs(found[:9].reshape(3, 3) - truth.R).max() < 0.05


def test_a_step_that_is_hopeless_is_an_error_with_the_trajectory() -> None:
    state = ph.Pendulum3D.example()
    with pytest.raises(ph.ConvergenceError) as caught:
        ph.simulate(state, step=4000.0, steps=3, method=ph.GaussLegendre())
    assert len(caught.value.trajectory) == 1
    np.testing.assert_allclose(caught.value.trajectory.final.Pi, state.Pi, rtol=1e-15)


def test_samples_and_resumed_runs_are_the_same_bits() -> None:
    state, method = ph.Pendulum3D.example(), ph.GaussLegendre()
    whole = ph.simulate(state, step=0.1, steps=60, method=method)
    thin = ph.simulate(state, step=0.1, steps=60, method=method, save_every=7)
    assert np.array_equal(thin.Pi[:-1], whole.Pi[:-1:7])
    assert np.array_equal(thin.final.Pi, whole.final.Pi)
    again = ph.resume(ph.simulate(state, step=0.1, steps=23, method=method), steps=37)
    assert np.array_equal(again.R, whole.R)
    assert np.array_equal(again.Pi, whole.Pi)


@pytest.mark.parametrize("system", [ph.FullTwoBodyProblem, ph.CoupledBodies, ph.DoublePlanarPendulum, ph.Gyrostat])
def test_canonical_variables_and_back(system: type[ph.System]) -> None:
    state = system.example()
    canonical = state.system.canonical()
    parts = parts_of(canonical.representation.layout, canonical.free)
    start = Start.of(state, 0.1)
    rows = canonical.enter(start.y[None])
    back = canonical.leave(from_canonical(parts, to_canonical(parts, rows), rows.shape[-1]))
    np.testing.assert_allclose(back, start.y[None], atol=1e-15)


@pytest.mark.parametrize(
    ("inverse", "momentum", "expected", "axis"),
    [
        ([0.4, 1.0, 0.5], [1.0, 0.1, 0.0], 0.45, 1),  # two alike: the third, and their mean where it is not circled
        ([0.4, 1.0, 0.5], [0.1, 1.0, 0.1], 0.5, 1),  # the middle one where it is
        ([0.4, 1.0, 0.5], [0.0, 0.0, 0.0], 0.45, 1),
        ([1.0, 0.7, 0.4], [0.1, 0.2, 1.0], 0.7, 2),  # three of their own: the axis that is circled
        ([1.0, 0.7, 0.4], [1.0, 0.2, 0.1], 0.7, 0),
        ([0.5, 1.0, 0.5], [1.0, 0.0, 0.0], 0.5, 1),  # a symmetric top is itself, however it turns
        ([0.5, 0.2, 0.5], [1.0, 0.0, 0.0], 0.5, 1),
        ([0.5, 0.5, 0.5], [1.0, 0.0, 0.0], 0.5, None),
    ],
)
def test_the_symmetric_top_whose_motion_is_taken_out(
    inverse: list[float], momentum: list[float], expected: float, axis: int | None
) -> None:
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]  # axes of any direction
    b, kappa, *e = nearby_top(turn @ np.diag(inverse) @ turn.T, turn @ np.array(momentum))
    assert b == pytest.approx(expected)
    assert b + kappa == pytest.approx(0.5 if axis is None else inverse[axis])
    if axis is not None:
        np.testing.assert_allclose(np.abs(turn.T @ np.array(e)), np.eye(3)[axis], atol=3e-8)


@pytest.mark.parametrize(
    ("moments", "momentum"),
    [([1.0, 1.5, 2.0], [0.1, 0.2, 1.0]), ([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]), ([1.0, 1.0, 2.0], [0.0, 1.0, 0.0])],
)
def test_rounding_does_not_change_the_top(moments: list[float], momentum: list[float]) -> None:
    """Neither where gaps of the inverse moments are as 1 to 2, nor where a body turns about its middle axis."""
    inverse, tops = np.diag(1.0 / np.array(moments)), []
    for seed in range(20):
        jolt = 1e-15 * np.random.default_rng(seed).normal(size=(2, 3))
        tops.append(nearby_top(inverse + np.diag(jolt[0]), np.array(momentum) + jolt[1]))
    np.testing.assert_allclose(np.abs(tops), np.abs(tops[0])[None] * np.ones((20, 1)), atol=3e-8)


@pytest.mark.parametrize("seed", range(4))
def test_the_axis_of_the_top_is_a_unit_vector_to_far_below_rounding(seed: int) -> None:
    """An excess of 1e-16 lets momenta grow by that much in every step."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    e = nearby_top(turn @ np.diag([1.0, 0.7, 0.4]) @ turn.T, turn[:, 2])[2:]
    assert abs(float(sum(Fraction(x) ** 2 for x in e) - 1)) < 6e-18


@pytest.mark.parametrize("system", [ph.RigidBodySOn, ph.SymmetricRigidBodySOn])
def test_what_it_cannot_integrate(system: type[ph.System]) -> None:
    with pytest.raises(ph.IncompatibleMethodError, match="attitudes, angles and places"):
        ph.simulate(system.example(), step=0.1, steps=1, method=ph.GaussLegendre())


def test_an_order_that_there_is_not() -> None:
    with pytest.raises(ph.InvalidInputError, match=r"order = 10.*4, 8, 12, 16"):
        ph.GaussLegendre(order=10)


def bound_binary(random: np.random.Generator) -> tuple[ph.State, float]:
    """Two ellipsoids on some ellipse, turning in some way, and a thirtieth of their period."""
    bodies, a, e = (Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(0.4, [0.28, 0.22, 0.2])), 2.5, random.uniform(0.05, 0.3)
    state = ph.FullTwoBodyProblem(*bodies).state(
        X=[a * (1.0 + e), 0.0, 0.1 * random.normal()],
        V=[0.02 * random.normal(), np.sqrt((1.0 - e) / ((1.0 + e) * a)), 0.02 * random.normal()],
        R=so3.exp(random.normal(size=3)),
        Omega1=0.4 * random.normal(size=3),
        Omega2=0.4 * random.normal(size=3),
    )
    return state, 2.0 * np.pi * a**1.5 / 30.0


@pytest.mark.verify
def test_the_energy_of_a_bound_binary_walks_at_random() -> None:
    """Rounding has no direction: the slopes of the energy are those of a random walk of steps below ε, and over many starts
    they cancel. (Iterations that end one turn too early make them larger than ε √N.) Momenta stay within 50 ε √N."""
    random, steps, slopes = np.random.default_rng(5), 250_000, []
    walk = np.finfo(float).eps * np.sqrt(steps)
    for _ in range(16):
        state, step = bound_binary(random)
        run = ph.simulate(state, step=step, steps=steps, save_every=500, method=ph.GaussLegendre())
        kept = run.invariants()
        energy, spin = kept["energy"], kept["angular_momentum"]
        slopes.append(np.polyfit(np.linspace(0.0, 1.0, len(energy)), energy / abs(energy[0]), 1)[0])
        assert np.linalg.norm(spin - spin[0], axis=-1).max() < 50.0 * walk * np.linalg.norm(spin[0])
        assert np.linalg.norm(kept["linear_momentum"] - kept["linear_momentum"][0], axis=-1).max() < 50.0 * walk
    assert np.sqrt(np.mean(np.square(slopes))) < walk
    assert abs(np.mean(slopes)) < 4.0 * np.std(slopes, ddof=1) / np.sqrt(len(slopes))


def test_a_restarted_run_has_the_bits_of_a_new_one() -> None:
    """From the first state and from one beside it, with other steps than before."""
    state, method = ph.ConcentricShells.example(), ph.GaussLegendre()
    beside = ph.simulate(state, step=0.01, steps=1, method=method).final
    run: Any = method.start(state, 0.1)
    for start, step in ((beside, 0.05), (state, 0.07)):
        run.advance(0, 3, 4, np.empty((0, run.row_size)))
        assert run.restarted(start, step) is run
        new: Any = method.start(start, step)
        for each in (run, new):
            each.frame.constants[:] = run.frame.constants  # which a restarted run keeps
            each.advance(0, 5, 6, np.empty((0, each.row_size)))
        np.testing.assert_array_equal(run.row, new.row)
