"""A satellite looks at one target after another: three wheels, star tracker, gyro, filter, and what disturbs it.

Run: python examples/satellite_pointing.py [samples]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import polhode as ph
from polhode.control import Wheels
from polhode.estimation import MEKF, FilterInLoop, Gyro, Stepped, VectorSensor

EVERY = 0.2  # s, from one sample of the controller to the next
COMMANDS = ("u1", "u2", "u3")
TARGETS = [ph.so3.exp(np.radians(turn)) for turn in ([0.0, 0.0, 40.0], [30.0, -20.0, 0.0])]


def satellite() -> ph.Gyrostat:
    """Half a cube of a metre, in a low orbit where air counts."""
    plates = ph.box_plates([0.5, 0.5, 1.0], centre=[0.01, 0.0, 0.03])
    parts = [ph.GravityGradient(), ph.ResidualDipole([0.2, 0.0, 0.1]), ph.SolarPressure(plates), ph.AirDrag(plates)]
    orbit = ph.Orbit(6.8e6, eccentricity=0.002, inclination=0.9, J2=1.08262668e-3)
    zero = dict.fromkeys(COMMANDS, 0.0)
    return ph.Gyrostat([4.2, 4.0, 2.1], rotor_torque=COMMANDS, parameters=zero, orbit=orbit, environment=parts)


def main(samples: int = 3000) -> None:
    """Point at the targets in turn, half of the time at each, and print how well."""
    body, wheels = satellite(), Wheels(np.eye(3), torque=0.05, momentum=1.0)
    covariance = np.diag([0.02**2] * 3 + [0.005**2] * 3 + [5e-5**2] * 3)
    mekf = MEKF(body.state(), covariance, propagator=Stepped(substep=EVERY), gyro=Gyro(2e-5, 1e-8))
    tracker = [VectorSensor(axis, sigma=2e-4) for axis in ([1, 0, 0], [0, 1, 0])]
    onboard = FilterInLoop(mekf, tracker, rng=1, bias=[3e-5, 0.0, -2e-5])
    half = samples // 2

    def controller(t: float, state: ph.State) -> dict[str, Any]:
        target = TARGETS[int(t >= half * EVERY)]
        torque = -0.06 * ph.so3.log(target.T @ state.R) - 0.7 * state.omega
        return dict(zip(COMMANDS, wheels.command(torque, EVERY), strict=True))

    start = body.state(omega=[0.002, -0.001, 0.003])
    run = ph.simulate(start, step=EVERY, steps=2 * half, controller=controller, estimator=onboard, every=EVERY)
    for k, target in enumerate(TARGETS):
        error = ph.so3.distance(run.R[(k + 1) * half], target)
        print(f"target {k + 1}: {np.degrees(error) * 3600:.0f} arcseconds away")
    print(
        f"bias of the gyro, estimated: {mekf.bias.round(7)} rad/s; momentum of the wheels: {wheels.momenta.round(4)} N m s"
    )
    if wheels.saturated:
        print(f"wheels at a limit in {wheels.saturated} of {len(onboard.t)} samples")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
