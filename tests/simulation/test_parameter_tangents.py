"""Derivatives by parameters: against 40-digit differences of the same discrete map, and against differences of runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.core.finite_differences import OFFSETS, WEIGHTS
from polhode.core.varied_parameters import VariedParameters, parameter_names
from polhode.scalars import compiled, kernel, par, parameter_duals
from polhode.simulation.tangent_columns import explain_missing_derivatives
from tests.many_digits import many_digits, variational_steps
from tests.tiers import later


def by_differences(state: ph.State, method: ph.Method, step: float, steps: int, names: list[str]) -> np.ndarray:
    """The derivative of the last sample by parameters, from runs of systems in which these differ a little."""
    varied, size = VariedParameters(state.system, names), 1e-3
    layout = state.system.representations[method.representation].layout
    y0 = state.system.enter(method.representation, state)

    def end(values: np.ndarray) -> np.ndarray:
        start = ph.State(varied.system_with(values), layout.unpack(y0), state.t)
        return layout.pack(ph.simulate(start, step=step, steps=steps, save_every=steps, method=method).final.values)

    y1, columns = end(varied.values), []
    for parameter, along in zip(varied.parameters, np.eye(len(varied)), strict=True):
        h = size * parameter.scale
        slope = sum(w * end(varied.values + o * h * along) for o, w in zip(OFFSETS, WEIGHTS, strict=True)) / h
        columns.append(layout.coordinates(y1, slope))
    return np.stack(columns, axis=-1)


CASES = [
    (ph.PlanarPendulum, ph.LGVI(), 0.05, ["parameters"]),
    (ph.SymmetricRigidBodySOn, ph.SymmetricMoserVeselov(), 0.05, ["Lambda[0, 0]", "Lambda[2, 2]"]),
    (ph.Pendulum3D, ph.DOP853(), 0.5, ["mass", "rho0"]),
    (ph.RigidBodySOn, ph.DOP853(), 0.5, ["Lambda[0, 0]", "Lambda[0, 1]"]),
    (ph.Pendulum3D, ph.Splitting(), 0.05, ["mass", "rho0"]),
    (ph.Pendulum3D, ph.GaussLegendre(), 0.2, ["mass", "rho0"]),
    (ph.OrbitingBody, ph.LGVI(), 0.05, ["n", "inertia[0, 0]"]),
    (ph.AttitudeBody, ph.LGVI(), 0.05, ["inertia[0, 0]", "gyro"]),
    (ph.DampedGyrostat, ph.ForcedLGVI(), 0.02, ["damping", "inertia[0, 0]"]),
    (ph.FullTwoBodyProblem, ph.GaussLegendre(order=8), 0.1, ["body1"]),
    (ph.NonTwistingBody, ph.RK4(), 0.05, ["inertia[0, 0]"]),
    (ph.RigidBodySOn, ph.MoserVeselov(), 0.05, ["Lambda[0, 0]", "Lambda[0, 1]"]),
    (ph.RigidBodySOn, ph.MoserVeselov(algorithm=1), 0.3, ["Lambda[0, 0]", "Lambda[1, 2]"]),
    (ph.DirectorBody, ph.EnergyMomentum(), 0.05, ["inertia[0, 0]", "inertia[1, 1]"]),
    (ph.NonTwistingBody, ph.LagrangeDAlembert(), 0.05, ["inertia[0, 0]"]),
]


def given_torques() -> dict[str, ph.State]:
    """Bodies with torques and potentials that depend on named parameters, and on the rate."""
    law = ["-k*omega1 + u*R31", "-k*omega2*(1 + omega1**2)", "u*cos(t) - k*omega3"]
    given = {"k": 0.3, "u": 0.4}
    return {
        "attitude": ph.AttitudeBody([1, 2, 2.5], potential="u*R33", moment=law, parameters=given).state(
            omega=[1, 2, 3]
        ),
        "gyrostat": ph.Gyrostat([1, 2, 2.5], torque=law, rotor_torque=["k", "u*omega1", 0], parameters=given).state(
            omega=[1, 2, 3]
        ),
        "directors": ph.DirectorBody([1, 2, 2.5], moment=law, parameters=given).state(omega=[1, 2, 3]),
        "planar": ph.PlanarBody(
            1.3, [0.5], potential="u*sin(2*theta)", torque="u*cos(t) - k*omega**3", parameters=given
        ).state(theta=0.4, omega=2.0),
    }


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("planar", ph.LGVI()),
        pytest.param("attitude", ph.LGVI(), marks=pytest.mark.verify),
        pytest.param("gyrostat", ph.LGVI(), marks=pytest.mark.verify),
        pytest.param("directors", ph.EnergyMomentum(), marks=pytest.mark.verify),
        pytest.param("directors", ph.LagrangeDAlembert(), marks=pytest.mark.verify),
    ],
)
def test_torques_that_depend_on_the_rate(name: str, method: ph.Method) -> None:
    """The rate at a node is the solution of an equation, in which the parameters stand too."""
    state = given_torques()[name]
    names = ["k", "parameters.u", "inertia" if name == "planar" else "inertia[1]"]  # a short name, and one in full
    found = ph.simulate(state, step=0.02, steps=10, method=method, tangent=names).tangent
    expected = by_differences(state, method, 0.02, 10, names)
    assert found is not None
    assert np.abs(expected).max(axis=0).min() > 1e-3
    assert np.abs(found[-1] - expected).max() < 2e-11 * max(1.0, np.abs(expected).max())


@pytest.mark.verify
def test_long_steps_on_the_orthogonal_group() -> None:
    """Where Newton's method solves for the rotation, and not the contraction."""
    state = ph.RigidBodySOn.example()
    names, step = ["Lambda[0, 0]", "Lambda[1, 2]"], 0.8 * state.system.largest_step(state)
    found = ph.simulate(state, step=step, steps=5, method=ph.MoserVeselov(), tangent=names).tangent
    expected = by_differences(state, ph.MoserVeselov(), step, 5, names)
    assert found is not None
    assert np.abs(found[-1] - expected).max() < 1e-10 * np.abs(expected).max()


@pytest.mark.verify
@pytest.mark.parametrize(("system", "method", "step", "names"), CASES)
def test_they_are_those_of_the_discrete_motion(system, method: ph.Method, step: float, names: list[str]) -> None:
    """To what differences of order 8 of runs in doubles can tell; below it is the comparison in 40 digits."""
    state, steps = system.example(), 10
    found = ph.simulate(state, step=step, steps=steps, method=method, tangent=names)
    expected = by_differences(state, method, step, steps, names)
    assert found.tangent is not None
    assert found.tangent.shape == (steps + 1, *expected.shape)
    # exactly zero, but where the variables of the method depend on the parameters: there to what differences tell
    assert np.abs(found.tangent[0]).max() <= 1e-11 * np.abs(expected).max()
    assert np.abs(expected).max() > 1e-3
    assert np.abs(found.tangent[-1] - expected).max() < 2e-11 * max(1.0, np.abs(expected).max())


LGVI = ph.LGVI()
IN_MANY_DIGITS = [  # two names each, so that all share the loops for two partials
    (ph.FreeRigidBody, LGVI, 0.1, ["inertia[0, 0]", "inertia[0, 1]"]),
    (ph.Pendulum3D, LGVI, 0.1, ["mass", "inertia_cm[0, 1]"]),
    (ph.OrbitingBody, LGVI, 0.05, ["n", "inertia[0, 0]"]),
    (ph.ConstantBodyMoment, LGVI, 0.05, ["inertia[1]", "moment[2]"]),
    (ph.ConstantSpaceMoment, LGVI, 0.05, ["inertia[0, 1]", "moment[0]"]),
    (ph.PointForceBody, LGVI, 0.05, ["point[0]", "force[1]"]),
    (ph.ChargedBody, LGVI, 0.05, ["inertia[0, 0]", "B[0]"]),
    (ph.FieldBody, LGVI, 0.05, ["masses[0]", "sources[0, 3]"]),
    (ph.PlanarPendulum, LGVI, 0.05, ["mass", "length"]),
    (ph.DoublePlanarPendulum, LGVI, 0.05, ["mass1", "length1"]),
    (ph.Gyrostat, LGVI, 0.02, ["inertia[0, 0]", "rotors[0].speed"]),
    (ph.DampedGyrostat, LGVI, 0.02, ["damping", "damper_inertia"]),
    (ph.ConcentricShells, LGVI, 0.05, ["inertia1[0, 0]", "K"]),
    (ph.CoupledBodies, LGVI, 0.05, ["couplings[0][2][0, 0]", "gyros[0, 0]"]),
    (ph.FullTwoBodyProblem, LGVI, 0.02, ["body1.mass", "G"]),
    (ph.FullBodyProblem, LGVI, 0.02, ["bodies[0].mass", "G"]),
    (ph.DirectorBody, ph.EnergyMomentum(), 0.05, ["inertia[0, 0]", "inertia[1, 1]"]),
    (ph.DirectorBody, ph.LagrangeDAlembert(), 0.05, ["inertia[0, 0]", "inertia[1, 2]"]),
    (ph.NonTwistingBody, ph.EnergyMomentum(), 0.05, ["inertia[0, 0]", "inertia[0, 1]"]),
    (ph.NonTwistingBody, ph.LagrangeDAlembert(), 0.05, ["inertia[0, 0]", "inertia[0, 1]"]),
    (ph.RigidBodySOn, LGVI, 0.05, ["Lambda[0, 0]", "Lambda[0, 1]"]),
    (ph.SymmetricRigidBodySOn, LGVI, 0.05, ["Lambda[0, 0]", "Lambda[2, 2]"]),
]


@pytest.mark.parametrize(
    ("system", "method", "step", "names"),
    later(IN_MANY_DIGITS, lambda case: case[0] is not ph.Pendulum3D),
)
def test_they_agree_with_differences_in_40_digits(system, method: ph.Method, step: float, names: list[str]) -> None:
    """Differences of the very same steps, which Python does in 40 digits."""
    state, steps = system.example(), 5
    found = ph.simulate(state, step=step, steps=steps, method=method, tangent=names)
    varied, size = VariedParameters(state.system, names), 1e-3
    assert found.tangent is not None
    assert found.tangent_names == varied.names
    representation = state.system.representations[method.representation]
    layout, y0 = representation.layout, state.system.enter(method.representation, state)

    def end(values: np.ndarray) -> np.ndarray:
        return variational_steps(representation, y0, varied.system_with(values).parameters(), step, steps)

    with many_digits():
        y1 = end(varied.values).astype(float)
        assert np.abs(y1 - state.system.enter(method.representation, found.final)).max() < 1e-13
        columns = []
        for parameter, along in zip(varied.parameters, np.eye(len(varied)), strict=True):
            h = size * parameter.scale
            slope = sum(w * end(varied.values + o * h * along) for o, w in zip(OFFSETS, WEIGHTS, strict=True)) / h
            columns.append(layout.coordinates(y1, slope.astype(float)))
    expected = np.stack(columns, axis=-1)
    assert np.abs(expected).max() > 1e-3
    assert np.abs(found.tangent[-1] - expected).max() < 1e-11 * max(1.0, np.abs(expected).max())


def test_columns_of_the_state_come_first_and_stay_what_they_are(tmp_path: Path) -> None:
    state = ph.Pendulum3D.example()
    both = ph.simulate(state, step=0.05, steps=12, tangent=("state", "mass", "rho0[2]"))
    alone = ph.simulate(state, step=0.05, steps=12, tangent=True)
    plain = ph.simulate(state, step=0.05, steps=12)
    assert both.tangent is not None
    assert alone.tangent is not None
    assert np.array_equal(both.tangent[:, :, :6], alone.tangent)
    assert np.array_equal(both.R, plain.R)
    assert both.tangent_names == ("R[0]", "R[1]", "R[2]", "Pi[0]", "Pi[1]", "Pi[2]", "mass", "rho0[2]")
    half = ph.simulate(state, step=0.05, steps=6, tangent=["state", "mass", "rho0[2]"])
    assert np.array_equal(ph.resume(half, steps=6).tangent, both.tangent)
    both.save(tmp_path / "run.nc")
    again = ph.load(tmp_path / "run.nc")
    assert np.array_equal(again.tangent, both.tangent)
    assert again.tangent_names == both.tangent_names


def test_every_parameter_has_a_name() -> None:
    assert parameter_names(ph.FullTwoBodyProblem.example().system)[:4] == [
        "body1.mass",
        "body1.semiaxes[0]",
        "body1.semiaxes[1]",
        "body1.semiaxes[2]",
    ]
    assert parameter_names(ph.FreeRigidBody([1, 2, 2.5]).state().system) == ["inertia[0]", "inertia[1]", "inertia[2]"]


def test_wrong_names_are_named() -> None:
    state = ph.Pendulum3D.example()
    with pytest.raises(ph.InvalidInputError, match=r"tangent = 'weight'.*mass, rho0\[0\]"):
        ph.simulate(state, step=0.1, steps=1, tangent=["state", "weight"])
    with pytest.raises(ph.InvalidInputError, match="a list of 'state'"):
        ph.simulate(state, step=0.1, steps=1, tangent=[])


def test_a_flow_that_cannot_be_differentiated_is_named() -> None:
    """A user's kernel that adds numbers with derivatives to a plain number, in a loop."""

    @kernel
    def add_up(S, p):
        total = 0.0
        for i in range(3):
            total = total + par(p, i, S)
        return total

    @compiled
    def call(S, p):
        return add_up(S, p)

    mass = VariedParameters(ph.Pendulum3D.example().system, ["mass"])
    words = "gives no derivatives by parameters"
    with pytest.raises(ph.IncompatibleMethodError, match=words), explain_missing_derivatives(ph.LGVI(), mass):
        call(parameter_duals(4), np.zeros(15))
