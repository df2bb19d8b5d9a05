"""Tangent maps as they are timed: spacecraft with everything that acts on them, stepped with all tangent vectors and
without any."""

from __future__ import annotations

from collections.abc import Iterator

import polhode as ph
from polhode.scalars import duals

from .jobs import Job

LIMIT = 3.0  # what a step with its tangent map may cost, in plain steps
INERTIA, RHO = [1.0, 2.0, 2.5], [0.1, 0.2, 0.3]
STEP, STEPS = 0.02, 20_000


def torque(t, R, omega):  # type: ignore[no-untyped-def]
    """Some drag, and a pull on the attitude."""
    return -1e-4 * omega[0] + 1e-4 * R[2], -1e-4 * omega[1], -1e-4 * omega[2]


def command(t, R, omega):  # type: ignore[no-untyped-def]
    """What a controller lets the rotors do."""
    return 1e-4 * omega[0], 1e-4 * omega[1] * omega[2], -1e-4 * omega[2]


def spacecraft() -> dict[str, ph.System]:
    return {
        "free body": ph.FreeRigidBody(INERTIA),
        "gyrostat": ph.Gyrostat(INERTIA, rho=RHO),
        "gyrostat, torque": ph.Gyrostat(INERTIA, rho=RHO, torque=torque),
        "gyrostat, given command": ph.Gyrostat(INERTIA, rho=RHO, rotor_torque=[1e-5, 2e-5, 0.0]),
        "gyrostat, controller": ph.Gyrostat(INERTIA, rho=RHO, rotor_torque=command),
        "damped": ph.DampedGyrostat(INERTIA, damper_inertia=0.2, damping=0.5),
        "damped, torque": ph.DampedGyrostat(INERTIA, damper_inertia=0.2, damping=0.5, torque=torque),
        "damped, controller": ph.DampedGyrostat(INERTIA, 0.2, 0.5, rho=RHO, rotor_torque=command),
    }


def tangent_jobs() -> Iterator[tuple[str, int, Job, Job]]:
    """Each spacecraft, the dimension of its tangent map, and the steps without and with it."""
    method = ph.QuaternionVI()
    for name, system in spacecraft().items():
        state = system.state(omega=[0.7, -0.6, 0.5])
        plain = Job(method, state, step=STEP, steps=STEPS)
        dimension = plain.run.layout.dimension
        yield name, dimension, plain, Job(method, state, step=STEP, steps=STEPS, kind=duals(dimension))
