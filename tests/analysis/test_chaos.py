"""Lyapunov exponents, FLI and MEGNO against closed forms, integrable motions and the pairs of symplectic maps."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import chaos_map, fast_lyapunov_indicator, lyapunov, megno
from polhode.analysis.tangent_run import TangentRun

I1, I2, I3, RATE = 1.0, 2.0, 2.7, 0.7
GROWTH = np.sqrt((I2 - I1) * (I3 - I2) / (I1 * I3)) * RATE  # of the spin about the middle axis, by Euler's equations


def middle_spin() -> ph.State:
    return ph.FreeRigidBody([I1, I2, I3]).state(omega=[0.0, RATE, 0.0])


def lagrange_top() -> ph.State:
    body = ph.Pendulum3D([1.0, 1.0, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0)
    return body.state(q=[0.5, 0, 0, 1], omega=[0, 0.2, 0.3])


@pytest.mark.parametrize(("method", "step"), [(ph.LGVI(order=8), 0.1), (ph.DOP853(), 0.5)], ids=repr)
def test_the_middle_axis_has_the_exponent_of_the_closed_form(method: ph.Method, step: float) -> None:
    found = lyapunov(middle_spin(), step=step, t_end=200.0, method=method)
    assert found.largest == pytest.approx(GROWTH, rel=1e-6)
    assert found.exponents[-1] == pytest.approx(-GROWTH, rel=1e-6)
    assert np.abs(found.exponents[1:-1]).max() < 1e-6
    assert found.uncertainty[0] < 1e-6


@pytest.mark.parametrize("state", [ph.FreeRigidBody.example(), lagrange_top()], ids=["free body", "Lagrange top"])
def test_integrable_motions_have_none(state: ph.State) -> None:
    """Neighbours part in proportion to time, so that means over the second half are of the size of ln 2/(T/2)."""
    duration = 1000.0
    found = lyapunov(state, step=0.05, t_end=duration)
    assert np.abs(found.exponents).max() < 4.0 / duration
    assert megno(state, step=0.05, t_end=duration).value == pytest.approx(2.0, abs=0.1)
    # ln t and a constant, not λt
    assert fast_lyapunov_indicator(state, step=0.05, t_end=duration).value < np.log(duration) + 3.0


def test_the_exponents_of_an_asymmetric_heavy_top_come_in_pairs() -> None:
    duration = 60_000.0  # rounding decides the path: of 12 neighbours at t = 24,000 the worst had 5e-4 of the largest
    found = lyapunov(ph.Pendulum3D.example(), step=0.05, t_end=duration)
    assert found.largest > 0.15
    assert found.pairing_defect < 1e-3 * found.largest
    assert np.abs(found.exponents[1:-1]).max() < 1e-2 * found.largest  # energy and the vertical momentum
    assert found.t[-1] == duration
    assert found.running.shape == (len(found.t), 6)


def test_indicators_see_the_exponent() -> None:
    """Along a steady spin ‖Φ‖ is an exponential: FLI is λt and a constant, MEGNO half of it."""
    t = 200.0
    assert fast_lyapunov_indicator(middle_spin(), step=0.05, t_end=t).value == pytest.approx(GROWTH * t, abs=2.0)
    assert megno(middle_spin(), step=0.05, t_end=t).value == pytest.approx(0.5 * GROWTH * t, rel=0.01)


@pytest.mark.parametrize("method", [ph.LGVI(order=4), ph.DOP853()], ids=repr)
def test_a_tangent_run_is_the_run_with_its_tangent(method: ph.Method) -> None:
    """Through chunks, scaled vectors and a new start with other vectors."""
    state = ph.Pendulum3D.example()
    plain = ph.simulate(state, step=0.1, steps=30, method=method, tangent=True)
    run = TangentRun(state, method, 0.1)
    run.advance(10)
    run.scale_vectors(0.25)
    y, vectors = run.advance(10)
    M = np.triu(np.arange(36.0).reshape(6, 6) / 36 + np.eye(6))
    run.restart(y[0], vectors[0] @ M)
    y, vectors = run.advance(10, 5)
    assert vectors.shape == (2, 6, 6)
    assert plain.tangent is not None
    expected = 0.25 * plain.tangent[30] @ np.diag(run.scale) @ M
    assert np.abs(vectors[-1] - expected).max() < 1e-8 * np.abs(expected).max()
    assert np.abs(run.layout.unpack(y[-1])["R"] - plain.R[30]).max() < 1e-10


def test_units_do_not_matter() -> None:
    """The same motion in other units of mass and time."""
    one = ph.Pendulum3D([1.0, 1.4, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0).state(
        q=[0.5, 0, 0, 1], omega=[0, 0.2, 0.3]
    )
    other = ph.Pendulum3D([64.0, 89.6, 32.0], mass=64.0, rho0=[0, 0, -0.4], g=8.0).state(
        q=[0.5, 0, 0, 1], omega=[0, 0.4, 0.6]
    )
    found = [megno(s, step=0.1 / k, steps=2000).value for k, s in ((1, one), (2, other))]
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_a_map_finds_the_chaotic_members() -> None:
    def top(inertia: float, rate: float) -> ph.State | None:
        if rate > 0.4:
            return None
        body = ph.Pendulum3D([1.0, inertia, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0)
        return body.state(q=[0.5, 0, 0, 1], omega=[0, 0.2, rate])

    axes = {"x": [1.0, 1.45], "y": [0.1, 0.3, 0.5]}
    found = chaos_map(top, **axes, step=0.05, t_end=200.0, labels=["inertia", "rate"], workers=2)
    alone = megno(top(1.45, 0.3), step=0.05, t_end=200.0).value
    assert found.values[1, 1] == alone
    assert np.all(found.values[:2, 0] < 3.0)
    assert np.all(found.values[:2, 1] > found.values[:2, 0])
    assert np.all(np.isnan(found.values[2]))
    assert set(found.failures) == {(2, 0), (2, 1)}
    found.plot().draw_without_rendering()
    spectrum = lyapunov(top(1.45, 0.3), step=0.05, steps=100)
    figure = spectrum.plot()
    figure.draw_without_rendering()
    measured = [line for line in figure.axes[0].lines if str(line.get_label()).startswith("λ")]
    np.testing.assert_array_equal([line.get_ydata()[0] for line in measured], spectrum.exponents)


def test_bad_input_is_named() -> None:
    state = middle_spin()
    with pytest.raises(ph.InvalidInputError, match="step"):
        lyapunov(state, step=0.0, t_end=10.0)
    with pytest.raises(ph.InvalidInputError, match="at least 8 steps"):
        megno(state, step=0.1, steps=3)
    with pytest.raises(ph.InvalidInputError, match="indicator"):
        chaos_map(lambda x, y: state, [1, 2], [1, 2], step=0.1, steps=10, indicator="lambda")
    with pytest.raises(ph.InvalidInputError, match="rising order"):
        chaos_map(lambda x, y: state, [2, 1], [1, 2], step=0.1, steps=10)
    with pytest.raises(ph.IncompatibleMethodError):
        lyapunov(state, step=0.1, steps=10, method=ph.EnergyMomentum())


def test_a_step_that_fails_says_why() -> None:
    state = ph.FreeRigidBody([1.0, 2.0, 2.5]).state(omega=[40.0, 1.0, 1.0])
    with pytest.raises(ph.ConvergenceError, match="largest usable step"):
        lyapunov(state, step=0.5, steps=100)
