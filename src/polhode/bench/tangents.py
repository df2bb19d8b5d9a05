"""Tangent maps as they are timed: spacecraft with everything that acts on them, and two bodies in relative coordinates,
stepped with all tangent vectors that a run carries and without any."""

from __future__ import annotations

from collections.abc import Iterator

from ..bodies import Ellipsoid
from ..core.method import Method
from ..core.scalar_packing import block_kind
from ..core.system import State, System
from ..methods import LGVI, QuaternionVI
from ..simulation.tangent_columns import TangentColumns
from ..systems import DampedGyrostat, FreeRigidBody, FullTwoBodyProblem, Gyrostat
from .entries import Bar, Effort, Entry
from .jobs import Job

# what a step with its tangent map may cost, in plain steps: that of one body, and of two, in 24 dimensions
LIMIT, PAIR_LIMIT = 3.0, 4.5
INERTIA, RHO = [1.0, 2.0, 2.5], [0.1, 0.2, 0.3]
STEP, STEPS, PAIR_STEPS = 0.02, 20_000, 2_000


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


def pairs() -> dict[str, State]:
    """Two bodies with gravity of order 2 and 4, by name."""
    bodies = Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.22])
    systems = {order: FullTwoBodyProblem(*bodies, gravity=order, G=1.0) for order in (2, 4)}
    return {
        f"two bodies, gravity {order}": system.state(
            X=[1.5, 0.1, 0.2], V=[0.1, 1.0, 0.05], Omega1=[0.3, -0.4, 0.8], Omega2=[-0.2, 0.1, 0.5]
        )
        for order, system in systems.items()
    }


def with_tangent_map(method: Method, state: State, steps: int) -> Job:
    """What a run with its tangent map carries, where that is a single block of columns."""
    columns, system = TangentColumns(by_state=True, varied=None), state.system
    layout = system.representations[method.representation].layout
    (directions,) = columns.blocks(layout, columns.symmetric(system, method))
    return Job(method, state, step=STEP, steps=steps, kind=block_kind(directions), directions=directions)


def tangent_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """Each spacecraft and each pair, without and with its tangent map."""
    few = 2 if effort.quick else None
    cases = [
        ("QuaternionVI 2", QuaternionVI(), name, system.state(omega=[0.7, -0.6, 0.5]), STEPS, LIMIT)
        for name, system in list(spacecraft().items())[:few]
    ] + [
        (f"LGVI {order}", LGVI(order=order), name, state, PAIR_STEPS, PAIR_LIMIT)
        for name, state in list(pairs().items())[: few and 1]
        for order in (2, 4)
    ]
    for solver, method, name, state, most, limit in cases:
        steps = effort.count(most)
        yield Entry(solver, name, Job(method, state, step=STEP, steps=steps), steps)
        tangent = with_tangent_map(method, state, steps)
        yield Entry(f"{solver} with tangent map", name, tangent, steps, Bar(solver, limit))
