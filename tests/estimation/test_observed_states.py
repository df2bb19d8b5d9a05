"""Derivatives of what is read of states: fields that a system derives, and functions of users."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Ellipsoid
from polhode.core.finite_differences import OFFSETS, WEIGHTS
from polhode.core.representation import Form
from polhode.core.varied_parameters import VariedParameters
from polhode.estimation import Observation, fit
from polhode.estimation.observed_states import ObservedStates
from polhode.estimation.shown_fields import field_rows
from polhode.systems import known_systems

Array = np.ndarray
SYSTEMS = known_systems()


def observed(state: ph.State, form: str = Form.DEFAULT, parameters: tuple[str, ...] = ()) -> ObservedStates:
    """One state whose unknowns are its own tangent coordinates, and parameters."""
    layout = state.system.representations[form].layout
    y = state.system.enter(form, state)
    varied = VariedParameters(state.system, parameters) if parameters else None
    Phi = np.eye(layout.dimension, layout.dimension + (len(varied) if varied else 0))
    return ObservedStates(layout, state.system, varied, y[None], Phi[None], np.ones(layout.dimension))


def of_field(state: ph.State, name: str, **chosen: Any) -> Array:
    """(entries, unknowns)."""
    return observed(state, **chosen).derivatives(lambda states: field_rows(states, name))[0]


def apart(found: Array, expected: Array) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def in_many_digits(function: Callable[[list[Any]], list[Any]], x: Array) -> Array:
    """The derivatives (m, n) of m functions of n numbers, by differences in 40 digits."""
    with mpmath.workdps(40):
        h = mpmath.mpf("1e-4")
        point = [mpmath.mpf(float(each)) for each in x]
        columns = []
        for i in range(len(point)):
            rows = [function([each + (o * h if j == i else 0) for j, each in enumerate(point)]) for o in OFFSETS]
            weights = [mpmath.mpf(w) for w in WEIGHTS]
            columns.append([float(mpmath.fdot(weights, column) / h) for column in zip(*rows, strict=True)])
    return np.array(columns).T


def test_rates_of_a_double_pendulum_are_those_in_40_digits() -> None:
    """`ω = M(θ)⁻¹ p`, with a mass matrix that depends on the angles."""
    state = ph.DoublePlanarPendulum.example()
    body: Any = state.system

    def rates(x: list[Any]) -> list[Any]:
        angle = x[0] - x[1]
        coupling = body.w * (mpmath.cos(angle) * body.offset[0] + mpmath.sin(angle) * body.offset[1])
        M = mpmath.matrix([[float(body.A), coupling], [coupling, float(body.J2)]])
        return list(mpmath.lu_solve(M, mpmath.matrix(x[2:])))

    x = np.concatenate([state.theta, state.p])
    assert apart(rates_now := np.array([float(w) for w in rates(list(x))]), state.omega) < 1e-14, rates_now
    assert apart(of_field(state, "omega"), in_many_digits(rates, x)) < 1e-14
    np.testing.assert_allclose(of_field(state, "theta"), np.eye(2, 4), atol=1e-15)


def test_fields_of_two_bodies_are_their_closed_forms() -> None:
    state = ph.FullTwoBodyProblem.example()
    pair: Any = state.system
    R, R2 = state.R, state.R2
    layout = pair.representations[Form.DEFAULT].layout
    at = np.cumsum([0, *(v.manifold.dimension for v in layout.variables)])
    columns = {v.name: slice(a, b) for v, a, b in zip(layout.variables, at[:-1], at[1:], strict=True)}
    expected = np.zeros((3, layout.dimension))
    expected[:, columns["x2"]], expected[:, columns["X"]] = np.eye(3), R2
    expected[:, columns["R2"]] = -R2 @ ph.so3.hat(state.X)
    assert apart(of_field(state, "x1"), expected) < 1e-15
    expected = np.zeros((3, layout.dimension))
    inverse = pair.inertia1.inverse
    expected[:, columns["Pi"]], expected[:, columns["R"]] = inverse @ R.T, inverse @ ph.so3.hat(R.T @ state.Pi)
    assert apart(of_field(state, "Omega1"), expected) < 1e-14


def test_a_quaternion_of_an_attitude_turns_by_half() -> None:
    """`δq = ½ q ξ`; by differences this was good to 1e-13."""
    state = ph.FreeRigidBody([1, 2, 2.5]).state(q=[0.1, -0.7, 0.3, 0.2], omega=[0.1, 0.2, 0.3])
    x, y, z, w = state.q
    half = 0.5 * np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]])
    assert apart(of_field(state, "q")[:, :3], half) < 1e-15
    assert apart(of_field(state, "omega")[:, 3:], np.diag([1, 1 / 2, 1 / 2.5])) < 1e-15
    assert not of_field(state, "omega")[:, :3].any()


@pytest.mark.parametrize("inertia", [[1.3, 2.1, 2.9], [0.007, 1.0, 1.004]], ids=["a brick", "a rod"])
def test_a_rate_by_the_inertia_is_the_closed_form(inertia: list[float]) -> None:
    state = ph.FreeRigidBody(inertia).state(omega=[0.3, -0.2, 0.7])
    found = of_field(state, "omega", parameters=("inertia",))[:, 6:]
    expected = -np.diag(state.Pi / np.square(inertia))
    assert np.abs(found - expected).max(axis=0) == pytest.approx(np.zeros(3), abs=1e-13 * np.abs(expected).max())
    assert np.diag(found) == pytest.approx(np.diag(expected), rel=1e-13)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_field_of_every_system_carries_complex_numbers(name: str) -> None:
    """So that none is differentiated by differences, in whichever representation a state is held."""
    state: ph.State = SYSTEMS[name].example()
    for form in state.system.representations:
        there = observed(state, form)
        for field in state.system.fields:
            assert there._carries_complex(partial(field_rows, name=field)), (form, field)


def analytic(state: Any) -> Any:
    return np.exp(state.R[..., 0, 1]) * np.sum(state.omega**2, axis=-1)


def absolute(state: Any) -> Any:
    return np.abs(state.R[..., 0, 1]) * np.linalg.norm(state.omega, axis=-1)


def in_doubles(state: Any) -> Any:
    return np.array([float(w) ** 2 for w in state.omega[..., 1]])


@pytest.mark.parametrize(("function", "error"), [(analytic, 1e-15), (absolute, 1e-11), (in_doubles, 1e-11)])
def test_functions_of_users_carry_complex_numbers_or_are_differentiated_by_differences(
    function: Any, error: float
) -> None:
    state = ph.FreeRigidBody([1, 2, 2.5]).state(q=[0.1, -0.7, 0.3, 0.2], omega=[0.1, 0.2, 0.3])
    R, w = state.R, state.omega
    turn, inverse = R[0] @ ph.so3.hat(np.eye(3))[:, :, 1].T, 1.0 / np.array([1, 2, 2.5])
    size, length, sign = np.exp(R[0, 1]), np.linalg.norm(w), np.sign(R[0, 1])
    expected = {
        analytic: [*(size * (w @ w) * turn), *(size * 2 * w * inverse)],
        absolute: [*(sign * length * turn), *(abs(R[0, 1]) * w / length * inverse)],
        in_doubles: [0, 0, 0, 0, 2 * w[1] * inverse[1], 0],
    }[function]
    found = observed(state).derivatives(lambda states: np.reshape(function(states), (-1, 1)))[0, 0]
    assert apart(found, np.array(expected)) < error


def rough(state: ph.State) -> ph.State:
    """A state near this one."""
    form = state.system.representations[Form.DEFAULT].layout
    y = form.retract(state.system.enter(Form.DEFAULT, state), 0.003 * np.cos(np.arange(form.dimension)))
    return ph.State(state.system, form.unpack(y))


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("PlanarPendulum", ["theta", "omega"]),
        pytest.param("DoublePlanarPendulum", ["R", "omega"], marks=pytest.mark.verify),
        pytest.param("CoupledBodies", ["R", "omega"], marks=pytest.mark.verify),
        pytest.param("FullBodyProblem", ["x", "R"], marks=pytest.mark.verify),
        pytest.param("RigidBodySOn", ["Q", "Omega"], marks=pytest.mark.verify),
    ],
)
def test_systems_with_several_attitudes_or_angles_are_fitted(name: str, fields: list[str]) -> None:
    """From a guess off the truth: the state is moved on its manifold."""
    true: ph.State = SYSTEMS[name].example()
    seen = ph.simulate(true, step=0.05, steps=40, save_every=4)
    data = [Observation.field(seen.t[1:], field, getattr(seen, field)[1:], 0.01) for field in fields]
    found = fit(rough(true), data, step=0.05)
    for field in fields:
        np.testing.assert_allclose(getattr(found.state, field), getattr(true, field), atol=1e-12)


def test_a_fit_does_not_depend_on_units() -> None:
    """A pair of which one unit of length is a million: its derivatives were lost in rounding."""
    unit = 1e6
    pair = ph.FullTwoBodyProblem(
        Ellipsoid(0.4, [0.3 * unit, 0.22 * unit, 0.2 * unit]), Ellipsoid(1.1, [unit] * 3), G=unit**3
    )
    w = np.sqrt(1.5 / 3.0**3)
    true = pair.state(X=[3 * unit, 0, 0], V=[0, 3 * unit * w, 0], Omega1=[0, 0.1, w], Omega2=[0, 0, w])
    seen = ph.simulate(true, step=0.1, steps=40, save_every=4)
    guess = pair.state(X=[3.01 * unit, 0, 0], V=[0, 3 * unit * w, 0], Omega1=[0, 0.11, w], Omega2=[0, 0, w])
    data = [Observation.field(seen.t, "x1", seen.x1, 1.0), Observation.field(seen.t, "x2", seen.x2, 1.0)]
    data += [
        Observation.attitude(seen.t, seen.R1, 1e-3, field="R1"),
        Observation.attitude(seen.t, seen.R2, 1e-3, field="R2"),
    ]
    found = fit(guess, data, step=0.1)
    np.testing.assert_allclose(found.state.X, true.X, atol=1e-8 * unit)
