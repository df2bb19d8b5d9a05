"""Tangent maps as they are timed: spacecraft with everything that acts on them, stepped with all tangent vectors and
without any."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.system import System
from ..methods import QuaternionVI
from ..scalars import duals
from ..systems import DampedGyrostat, FreeRigidBody, Gyrostat
from .entries import Bar, Effort, Entry
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


def spacecraft() -> dict[str, System]:
    """Spacecraft with everything that acts on them, by name."""
    return {
        "free body": FreeRigidBody(INERTIA),
        "gyrostat": Gyrostat(INERTIA, rho=RHO),
        "gyrostat, torque": Gyrostat(INERTIA, rho=RHO, torque=torque),
        "gyrostat, given command": Gyrostat(INERTIA, rho=RHO, rotor_torque=[1e-5, 2e-5, 0.0]),
        "gyrostat, controller": Gyrostat(INERTIA, rho=RHO, rotor_torque=command),
        "damped": DampedGyrostat(INERTIA, damper_inertia=0.2, damping=0.5),
        "damped, torque": DampedGyrostat(INERTIA, damper_inertia=0.2, damping=0.5, torque=torque),
        "damped, controller": DampedGyrostat(INERTIA, 0.2, 0.5, rho=RHO, rotor_torque=command),
    }


def tangent_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """Each spacecraft, without and with its tangent map."""
    method, steps = QuaternionVI(), effort.count(STEPS)
    for name, system in list(spacecraft().items())[: 2 if effort.quick else None]:
        state = system.state(omega=[0.7, -0.6, 0.5])
        plain = Job(method, state, step=STEP, steps=steps)
        dual = Job(method, state, step=STEP, steps=steps, kind=duals(plain.run.layout.dimension))
        yield Entry("QuaternionVI 2", name, plain, steps)
        yield Entry("QuaternionVI 2 with tangent map", name, dual, steps, Bar("QuaternionVI 2", LIMIT))
