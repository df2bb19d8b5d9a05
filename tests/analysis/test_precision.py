"""The second quotient of precision: the order of every method, on any system, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import measured_order, quotient_of_precision
from polhode.methods import Method, known_methods


def methods() -> list[Method]:
    body = ph.FreeRigidBody.example().system
    every = [m for cls in known_methods().values() for m in cls.variants() if m.why_not(body) is None]
    # above order 4 the errors of Gauss–Legendre methods are below rounding for a free body, however long the step
    steep = [m for m in every if isinstance(m, ph.GaussLegendre) and m.order > 4]
    exact = [m for m in every if isinstance(m, ph.Splitting)]  # without a force
    return [m for m in every if m.order > 0 and not m.adaptive and m not in steep + exact]


@pytest.mark.verify
@pytest.mark.parametrize("method", methods(), ids=repr)
def test_it_gives_the_order_of_every_method(method: Method) -> None:
    """With the first step that is small enough for the leading term; of a high order, rounding allows but one or two."""
    found = []
    for step in (0.5, 0.25, 0.125, 0.05, 0.025):
        try:
            result = quotient_of_precision(ph.FreeRigidBody.example(), method, step, 5.0, save_every=round(1 / step))
        except ph.ConvergenceError:
            continue
        assert result.t == pytest.approx([1, 2, 3, 4, 5])
        if result.fine.min() < 1e-12:
            break
        found.append(np.abs(result.orders - method.order).max())
        if found[-1] < 0.15:
            break
    assert found, "no step between failure and rounding"
    assert found[-1] < 0.15


@pytest.mark.parametrize("system", [ph.DirectorBody, ph.NonTwistingBody])
@pytest.mark.parametrize("method", [ph.EnergyMomentum(), ph.LagrangeDAlembert()], ids=repr)
def test_it_agrees_with_the_order_against_a_reference(system, method) -> None:
    state = system.example()
    quotient = quotient_of_precision(state, method, 0.02, duration=5.0, save_every=250)
    reference = measured_order(state, method, 5.0)
    assert quotient.orders[-1] == pytest.approx(reference.orders[-1], abs=0.02)


def test_it_is_the_quotient_of_twodifference_map() -> None:
    """By hand, over one field and over all that the method carries."""
    state = ph.FreeRigidBody.example()
    runs = [ph.simulate(state, step=0.1 / k, t_end=1.0, save_every=k) for k in (1, 2, 4)]
    omega = [run.omega for run in runs]
    by_hand = np.linalg.norm(omega[0] - omega[1], axis=1)[1:] / np.linalg.norm(omega[1] - omega[2], axis=1)[1:]
    assert np.array_equal(quotient_of_precision(state, ph.LGVI(), 0.1, 1.0, variable="omega").values, by_hand)
    flat = [np.concatenate([run.R.reshape(11, 9), run.Pi], axis=1) for run in runs]
    by_hand = np.linalg.norm(flat[0] - flat[1], axis=1)[1:] / np.linalg.norm(flat[1] - flat[2], axis=1)[1:]
    assert np.array_equal(quotient_of_precision(state, ph.LGVI(), 0.1, 1.0).values, by_hand)


def test_a_duration_starts_at_the_state() -> None:
    state = ph.FreeRigidBody([1, 2, 3]).state(omega=[0.7, -0.6, 0.5], t=3.0)
    a = quotient_of_precision(state, ph.RK4(), 0.1, 4.0)
    b = quotient_of_precision(state, ph.RK4(), 0.1, duration=1.0)
    assert a.t[0] == pytest.approx(3.1)
    assert np.array_equal(a.values, b.values)


def test_where_there_is_no_error_there_is_no_quotient() -> None:
    body = ph.FreeRigidBody([1, 2, 3])
    result = quotient_of_precision(body.state(), ph.LGVI(), 0.1, 1.0)
    assert np.all(np.isnan(result.values))


def test_what_cannot_be_used_is_named() -> None:
    state = ph.FreeRigidBody.example()
    with pytest.raises(ph.InvalidInputError, match="either t_end or duration"):
        quotient_of_precision(state, ph.RK4(), 0.1)
    with pytest.raises(ph.InvalidInputError, match="None for all, or one of R, q, omega, Pi"):
        quotient_of_precision(state, ph.RK4(), 0.1, 1.0, variable="theta")
