"""The growth of momentum errors: how it is measured, and that it is a random walk."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.soak.momentum import Growth, measured, merged, momenta, sample_steps, sizes_of_momentum, slope, table

import polhode as ph
from polhode.systems.son.integrals import casimirs


def growth(power: float, last: int = 10**6) -> Growth:
    steps = sample_steps(last)
    return Growth("Top", "LGVI(order=2)", "spin", 8, steps, [1e-17 * n**power for n in steps])


def test_exponent_is_that_of_the_errors() -> None:
    assert growth(0.5).exponent == pytest.approx(0.5)
    assert growth(1.0).exponent == pytest.approx(1.0)


def test_samples_without_an_error_do_not_decide_the_exponent() -> None:
    whole = growth(0.5)
    assert slope(whole.steps, np.array([0.0, 0.0, *whole.errors[2:]])) == pytest.approx(0.5)
    assert slope(whole.steps, np.zeros(len(whole.steps))) == 0.0


def test_samples_are_at_the_powers_of_ten() -> None:
    steps = sample_steps(10**7)
    assert {10**3, 10**4, 10**5, 10**6, 10**7} <= set(steps)
    assert growth(0.5).at(10**6) == pytest.approx(1e-14)
    assert growth(0.5).at(10**7) is None


def test_longer_runs_replace_shorter_ones() -> None:
    short, long = growth(0.5), growth(0.7, 10**7)
    assert merged([short], [long]) == [long]
    assert merged([long], [short]) == [long]
    assert "| 1e+07 | 0.70 |" in table([long])


def test_only_momenta_are_followed() -> None:
    assert momenta(ph.Pendulum3D.example().system) == ["vertical_momentum"]


def test_errors_of_casimirs_are_those_of_the_size_of_the_momentum() -> None:
    """Casimirs of degree 2 and 4 of a momentum that is longer by 10⁻³: both sizes are."""
    state = ph.RigidBodySOn.example()
    before, after = (casimirs(length * state.M)[None, :] for length in (1.0, 1.001))
    assert before.shape == (1, 2)
    assert sizes_of_momentum(after) / sizes_of_momentum(before) == pytest.approx(1.001, abs=1e-12)


def test_substeps_do_not_add_roundings() -> None:
    """Each of the five substeps of order 4 rounded for itself makes 3·10⁻¹⁴; what is rounded once a step, 8·10⁻¹⁵."""
    (momentum,) = measured(ph.ConcentricShells.example(), ph.LGVI(order=4), 30_000, 16)
    assert momentum.starts == 16
    assert momentum.errors[-1] < 1.5e-14


@pytest.mark.verify
@pytest.mark.parametrize("method", [ph.LGVI(order=4), ph.QuaternionVI(order=4)], ids=repr)
def test_spatial_momentum_does_a_random_walk(method: ph.Method) -> None:
    """A bias of 10⁻¹⁸ a step would make 10⁻¹² of 10⁶ steps; roundings alone make 7·10⁻¹⁴."""
    found = {g.quantity: g for g in measured(ph.FreeRigidBody.example(), method, 10**6, 8)}
    spatial = found["spatial_momentum"]
    assert spatial.errors[-1] < 2e-13
    assert spatial.exponent < 0.65
    assert np.all(np.array(spatial.errors) > 0.0)


@pytest.mark.verify
def test_an_impulse_too_small_to_feel_is_not_lost() -> None:
    """As a damped body comes to its steady spin, the impulses on it fall below the last digit of its momentum, but not of the
    damper's: lost on the one side only, they made steps of 10⁻¹³ in the total momentum, of order 4 twice that."""
    (momentum,) = measured(ph.DampedGyrostat.example(), ph.LGVI(order=4), 10**5, 16)
    assert momentum.errors[-1] < 3e-14
