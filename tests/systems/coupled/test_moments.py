"""Damping and external moments on coupled bodies: without coupling each is the single body, with it the energy balance holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import measured_order, symmetry_defect, tangent_map
from polhode.scalars import kernel, sin
from tests.systems.inputs.compilations import compilations

INERTIAS = [[1.0, 2.0, 2.5], [2.0, 1.5, 1.0]]
OMEGA = [[0.5, -0.4, 0.6], [0.3, 0.7, -0.2]]
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)
DAMPING = [[0.3, 0.1, 0.0], [0.1, 0.2, 0.0], [0.0, 0.0, 0.4]]


@kernel
def drag(t, R, omega):  # type: ignore[no-untyped-def]
    return -0.2 * omega[0] * omega[0] * omega[0], 0.3 * R[8], -0.1 * omega[2] + 0.2 * sin(t)


def test_without_coupling_each_is_a_body_alone() -> None:
    """The first with a kernel and a potential, the second with damping, a rotor and constant components: the same steps as
    AttitudeBody."""
    gyro, constant = [0.1, -0.2, 0.3], [0.1, 0.0, -0.2]
    both = ph.CoupledBodies(
        INERTIAS,
        potential="0.8*R1_13",
        gyros=[[0, 0, 0], gyro],
        dampings=[0.0, DAMPING],
        moments=[drag, constant],
        frame="body",
    )
    alone = [
        ph.AttitudeBody(INERTIAS[0], potential="0.8*R13", moment=drag),
        ph.AttitudeBody(INERTIAS[1], gyro=gyro, damping=DAMPING, moment=constant),
    ]
    state = both.state(omega=OMEGA)
    assert both.conserved == {}
    assert not both.hamiltonian
    for method, tolerance in ((ph.LGVI(), 1e-13), (TIGHT, 1e-12)):
        run = ph.simulate(state, step=0.1, steps=20, method=method).final
        for i, body in enumerate(alone):
            one = ph.simulate(body.state(omega=OMEGA[i]), step=0.1, steps=20, method=method).final
            np.testing.assert_allclose(run.R[i], one.R, atol=tolerance)
            np.testing.assert_allclose(run.Pi[i], one.Pi, atol=tolerance)


@pytest.fixture(scope="module")
def coupled() -> ph.State:
    system = ph.CoupledBodies(INERTIAS, [[0, 1, 0.7]], dampings=[0.1, 0.3], moments=[None, drag])
    return system.state(R=ph.so3.exp([[0.3, -0.2, 0.5], [-0.4, 0.1, 0.2]]), omega=OMEGA)


def test_the_energy_balance(coupled: ph.State) -> None:
    """Ė = −Σ ω·Dω + ω·τ."""
    ahead, behind = (ph.simulate(coupled, step=s * 1e-3, steps=1, method=TIGHT).final for s in (1, -1))
    energies = [float(coupled.system.energies(x.values)["total"]) for x in (ahead, behind)]
    one, two = coupled.omega
    torque = np.array(drag(0.0, coupled.R[1].reshape(9), two))
    power = -0.1 * one @ one - 0.3 * two @ two + two @ torque
    assert (energies[0] - energies[1]) / 2e-3 == pytest.approx(power, abs=1e-5)


@pytest.mark.verify
def test_the_step_is_symmetric_and_of_order_two(coupled: ph.State) -> None:
    assert measured_order(coupled, ph.LGVI(), 1.0).orders == pytest.approx(2.0, abs=0.1)
    assert symmetry_defect(coupled, ph.LGVI(), 0.05) < 1e-13
    found, d = tangent_map(coupled, ph.LGVI(), 0.1, 1), 1e-6
    near = []
    for sign in (1, -1):
        Pi = coupled.Pi.copy()
        Pi[1, 2] += sign * d
        near.append(ph.simulate(coupled.system.state(R=coupled.R, Pi=Pi), step=0.1, steps=1).final.Pi)
    np.testing.assert_allclose(found[6:, 11], ((near[0] - near[1]) / (2 * d)).reshape(-1), atol=1e-8)


def test_moments_are_described_and_checked() -> None:
    system = ph.CoupledBodies(INERTIAS, moments=[None, [0.1, 0, 0]], dampings=[1.0, [0.1, 0.2, 0.3]], frame="inertial")
    again = ph.CoupledBodies(**system.describe())
    np.testing.assert_array_equal(again.parameters(), system.parameters())
    assert again.describe() == system.describe()
    for given, words in (
        ({"dampings": [1.0]}, "each of the 2 bodies"),
        ({"dampings": [1.0, -1.0]}, r"dampings\[1\]"),
        ({"moments": [None, "strong"]}, r"moments\[1\]"),
        ({"moments": drag}, "each of the 2 bodies"),
    ):
        with pytest.raises(ph.InvalidInputError, match=words):
            ph.CoupledBodies(INERTIAS, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "moment", [[0.2, 0.0, -0.1], {"profile": "triangle", "coefficients": [1, 2, 0]}], ids=["numbers", "pulse"]
)
def test_moments_that_are_numbers_are_not_compiled_anew(moment: Any) -> None:
    """They are read from the parameters, as those on one body are."""

    def run(given: Any) -> np.ndarray:
        body = ph.CoupledBodies(INERTIAS, moments=[None, given])
        return np.asarray(ph.simulate(body.state(), step=0.02, steps=10).final.Pi[1])

    run([0.3, 0.1, 0.2])
    with compilations() as compiled:
        found = run(moment)
    assert compiled == []
    alone = ph.AttitudeBody(INERTIAS[1], moment=moment)
    np.testing.assert_allclose(found, ph.simulate(alone.state(), step=0.02, steps=10).final.Pi, atol=1e-14)
