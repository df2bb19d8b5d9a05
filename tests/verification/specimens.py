"""Systems with more in them than their class's own example: they are held to the same promises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from polhode.bodies import Ellipsoid
from polhode.core.system import State
from polhode.geometry import so3
from polhode.systems import DistantBody, FullBodyProblem, FullTwoBodyProblem, KeplerOrbit, TidalFriction, UniformField


class Specimen:
    """A name, and the state that it stands for: what a system's class is to the table of promises."""

    def __init__(self, name: str, example: Callable[[], State]) -> None:
        self.__name__, self.example = name, example


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


SPECIMENS = (
    Specimen("FullTwoBodyProblem, around a distant body", _around_a_distant_body),
    Specimen("FullBodyProblem, in a falling frame", _in_a_falling_frame),
    Specimen("FullTwoBodyProblem, with tides", lambda: _with_tides(relative=True)),
    Specimen("FullBodyProblem, with tides", lambda: _with_tides(relative=False)),
)
