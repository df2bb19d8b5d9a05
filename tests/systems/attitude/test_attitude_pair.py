"""A pair of attitudes is a state: the momentum of the system's own step, found again from where the step ends."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

LINEAR = ph.AttitudeBody(
    [1.0, 2.0, 2.5],
    potential="0.8*R33 + 0.3*R12",
    linear=["0.4*R21", "0.3*R22 - 0.2*R31", "0.5*R23"],
    moment=lambda t, R, omega: (0.3 * t, 0.2 * R[8], -0.1 * omega[2]),
    damping=[0.02, 0.05, 0.03],
)
STATES = {
    "kicked": ph.Pendulum3D.example(),
    "damped, with a rotor": ph.AttitudeBody([1, 2, 2.5], damping=0.3, gyro=[0.2, -0.3, 0.4]).state(
        omega=[0.5, 1, -0.8]
    ),
    "A(R), potential, moment and damping": LINEAR.state(q=[0.4, 0.2, 0.1, 0.9], omega=[1.0, 2.0, 0.5], t=0.7),
    "in orbit": ph.OrbitingBody.example(),
    "charged": ph.ChargedBody.example(),
    "rotors": ph.Gyrostat.example(),
    "rotors and a damper": ph.DampedGyrostat.example(),
}


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("step", [0.1, -0.3])
def test_the_momentum_is_found_again_from_the_step(name: str, step: float) -> None:
    state = STATES[name]
    end = ph.simulate(state, step=step, steps=1, method=ph.LGVI()).final
    rest = {"omega_D": state.omega_D} if "damper" in name else {}
    again = state.system.state_from_pair(state.R, end.R, step, t=state.t, **rest)
    np.testing.assert_allclose(again.Pi, state.Pi, rtol=0, atol=1e-12 * np.linalg.norm(state.Pi) / min(1.0, abs(step)))
    np.testing.assert_array_equal(again.R, state.R)
    assert again.t == state.t


def test_a_commanded_rotor_is_given_with_the_pair() -> None:
    body = ph.Gyrostat([1, 2, 2.5], rotor_torque=lambda t, R, omega: (0.1 * omega[0], 0.0, 0.2))
    state = body.state(omega=[0.5, 0.9, -0.8], rho=[0.1, 0.2, 0.3])
    end = ph.simulate(state, step=0.1, steps=1).final
    again = body.state_from_pair(state.R, end.R, 0.1, rho=[0.1, 0.2, 0.3])
    np.testing.assert_allclose(again.Pi, state.Pi, atol=1e-11)


def test_what_no_step_reaches_is_refused() -> None:
    half_a_turn = ph.so3.exp([0.0, 0.0, 3.0])
    with pytest.raises(ph.InvalidInputError, match=r"R1.*one step of 0\.1 from R0 can reach"):
        ph.Pendulum3D.example().system.state_from_pair(np.eye(3), half_a_turn, 0.1)
    with pytest.raises(ph.PolhodeError, match="no variational step"):
        ph.DirectorBody([1, 2, 2.5]).state_from_pair(np.eye(3), np.eye(3), 0.1)
