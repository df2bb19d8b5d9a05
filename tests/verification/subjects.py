"""What the methods are tried on: the example of every system, and richer states of some."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from polhode.analysis.convergence import reference_final
from polhode.bodies import Ellipsoid
from polhode.core.system import State
from polhode.geometry import so3
from polhode.methods import Method
from polhode.simulation.driver import simulate
from polhode.simulation.trajectory import Trajectory
from polhode.systems import (
    DistantBody,
    FullBodyProblem,
    FullTwoBodyProblem,
    KeplerOrbit,
    TidalFriction,
    UniformField,
    known_systems,
)

STEP = 0.05
DURATION = 5.0


class Subject:
    """A state with a name, and what is computed from it once for all tests."""

    def __init__(self, name: str, example: Callable[[], State]) -> None:
        self.name, self.example = name, example
        self._runs: dict[tuple[Method, int], Trajectory] = {}

    @cached_property
    def state(self) -> State:
        return self.example()

    @cached_property
    def reference(self) -> State:
        """The state `DURATION` later, by the closed form where there is one."""
        return reference_final(self.state, DURATION) if self.state.system.has_exact else self.adaptive_reference

    @cached_property
    def adaptive_reference(self) -> State:
        """The same by a tight adaptive run."""
        return reference_final(self.state, DURATION, closed_form=False)

    def run(self, method: Method, steps: int) -> Trajectory:
        """The run that momentum, energy and group are read from."""
        if (method, steps) not in self._runs:
            every = max(steps // 1000, 1)
            self._runs[method, steps] = simulate(self.state, step=STEP, steps=steps, save_every=every, method=method)
        return self._runs[method, steps]

    def __repr__(self) -> str:
        return self.name


def _bodies() -> tuple[Ellipsoid, Ellipsoid]:
    return Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.22])


def _around_a_distant_body() -> State:
    """A pair that circles a heavy body at rest, well within its sphere of influence."""
    mass, distance, d = 30.0, 30.0, 2.0
    pair = FullTwoBodyProblem(*_bodies(), perturbations=[DistantBody(mass, [0.0, 0.0, 0.0])])
    place, speed = np.array([distance, 0.0, 0.0]), np.array([0.0, np.sqrt(mass / distance), 0.0])
    X, V = np.array([d, 0.0, 0.0]), np.array([0.0, np.sqrt(1.6 / d), 0.0])
    spins = {"Omega1": [0.2, -0.3, 1.5], "Omega2": [-0.3, 0.2, 1.2]}
    return pair.state(X=X, V=V, x2=place - 0.6 / 1.6 * X, v2=speed - 0.6 / 1.6 * V, **spins)


def _in_a_falling_frame() -> State:
    """Two bodies that fall with the origin around a third, which is seen to go round on an ellipse."""
    orbit = KeplerOrbit(semimajor=20.0, period=100.0, eccentricity=0.2, inclination=0.3, anomaly=0.4)
    perturbations = [DistantBody(30.0, orbit, tidal=True, order=4), UniformField([1e-3, 0.0, -2e-3])]
    problem = FullBodyProblem(_bodies(), perturbations=perturbations)
    return problem.state(
        x=[[0.9375, 0.0, 0.1], [-0.5625, 0.0, -0.06]],
        v=[[0.0, 0.645, 0.0], [0.0, -0.387, 0.0]],
        R=np.stack([so3.exp([0.2, -0.3, 0.4]), np.eye(3)]),
        omega=[[0.2, -0.3, 1.5], [-0.3, 0.2, 1.2]],
    )


def _with_tides(relative: bool) -> State:
    tides = [TidalFriction(1, 0, 0.5, 0.35, 0.02), TidalFriction(0, 1, 0.8, 0.3, 0.02)]
    pair = FullTwoBodyProblem(*_bodies(), dissipation=tides)
    spins = {"Omega1": [0.2, -0.3, 1.5], "Omega2": [-0.3, 0.2, 1.2]}
    state = pair.state(X=[2.0, 0.0, 0.1], V=[0.0, 0.9, 0.0], **spins)
    return state if relative else pair.to_inertial(state)


SUBJECTS = (
    *(Subject(name, system.example) for name, system in known_systems().items()),
    Subject("FullTwoBodyProblem, around a distant body", _around_a_distant_body),
    Subject("FullBodyProblem, in a falling frame", _in_a_falling_frame),
    Subject("FullTwoBodyProblem, with tides", lambda: _with_tides(relative=True)),
    Subject("FullBodyProblem, with tides", lambda: _with_tides(relative=False)),
)
