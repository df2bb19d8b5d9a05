"""Motions that are computed to an accuracy, each for polhode and as equations for a general solver.

The equations are written once, with +, −, *, / and powers only: with numbers they are a right-hand side for SciPy, with
symbols one for heyoka, with arrays one for diffrax. A body is its unit quaternion, scalar last, and its body rate; two bodies have the vector from
the second to the first, and its rate, before that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies import Ellipsoid
from ..core.system import State
from ..geometry import quaternion
from ..io.scenario.build import build_plan
from ..io.scenario.document import load_scenario
from ..io.scenario.examples import find_example
from ..systems import FreeRigidBody, FullTwoBodyProblem, Pendulum3D
from .full_body import binary as irregular_pair

Array = NDArray[np.float64]
Numbers = Sequence[Any] | NDArray[Any]
End = tuple[list[Array], list[Array]]  # attitudes and vectors
MotionMaker = Callable[[], "Motion"]


@dataclass(frozen=True)
class Motion:
    """A motion over the time `duration`. `rates` and `start` are its equations for others; without them others have our own
    compiled right-hand side. `steps` says how many steps GaussLegendre takes, from few to many; other methods take multiples
    of the first."""

    name: str
    state: State
    duration: float
    rates: Callable[[Numbers], list[Any]] | None
    start: Array
    steps: tuple[int, ...]
    two: bool = False

    def of_state(self, state: State) -> End:
        """Where the bodies are in a state of polhode."""
        if self.two:
            return [np.asarray(state.R1), np.asarray(state.R2)], [np.asarray(state.x1) - np.asarray(state.x2)]
        return [np.asarray(state.R)], []

    def of_numbers(self, y: Array) -> End:
        """Where the bodies are in the numbers of a general solver."""
        quaternions = (y[6:10], y[13:17]) if self.two else (y[0:4],)
        turned = [quaternion.to_matrix(q / np.linalg.norm(q)) for q in quaternions]
        return turned, [y[:3]] if self.two else []


def error(found: End, truth: End) -> float:
    """The largest error of an attitude, as an angle in rad, or of a vector, relative to its length."""
    angles = [
        2.0 * math.asin(min(1.0, float(np.linalg.norm(A - B)) / math.sqrt(8.0)))
        for A, B in zip(found[0], truth[0], strict=True)
    ]
    lengths = [float(np.linalg.norm(a - b) / np.linalg.norm(b)) for a, b in zip(found[1], truth[1], strict=True)]
    return max([*angles, *lengths])


def cross(a: Numbers, b: Numbers) -> list[Any]:
    """a × b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: Numbers, b: Numbers) -> Any:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def axes(q: Numbers) -> list[list[Any]]:
    """The rows of Rᵀ: the axes of the body, in space."""
    x, y, z, w = q
    return [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]


def in_body(rows: list[list[Any]], v: Numbers) -> list[Any]:
    """`Rᵀ v`, of the rows of Rᵀ."""
    return [dot(row, v) for row in rows]


def turning(q: Numbers, w: Numbers, J: Numbers, moment: Numbers | None = None) -> list[Any]:
    """The rates of a quaternion and a body rate: `q̇ = ½ q ω` and Euler's equations."""
    u, s = q[:3], q[3]
    across = cross(u, w)
    rates = [0.5 * (s * w[i] + across[i]) for i in range(3)] + [-0.5 * dot(u, w)]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rate = ((J[j] - J[k]) / J[i]) * (w[j] * w[k])
        rates.append(rate if moment is None else rate + moment[i] / J[i])
    return rates


def free_body() -> Motion:
    """A body on which nothing acts."""
    J, omega = [1.0, 2.0, 3.0], [0.7, -0.6, 0.5]

    def rates(y: Numbers) -> list[Any]:
        return turning(y[:4], y[4:7], J)

    state = FreeRigidBody(J).state(omega=omega)
    steps = (20, 28, 40, 56, 80)
    return Motion("free body, t = 100", state, 100.0, rates, np.array([0.0, 0.0, 0.0, 1.0, *omega]), steps)


def heavy_top() -> Motion:
    """An asymmetric body with a fixed point on one of its axes, turning fast."""
    J, mass, g, arm, omega = [1.0, 1.5, 2.2], 1.0, 3.0, -0.3, [0.3, 0.5, 4.0]
    q = np.array([0.1, 0.2, 0.3, 0.9]) / math.sqrt(0.95)
    about_centre = [J[0] - mass * arm**2, J[1] - mass * arm**2, J[2]]

    def rates(y: Numbers) -> list[Any]:
        down = [row[2] for row in axes(y[:4])]
        return turning(y[:4], y[4:7], J, [-(mass * g * arm) * down[1], (mass * g * arm) * down[0], 0.0 * down[2]])

    state = Pendulum3D(about_centre, mass, [0.0, 0.0, arm], g).state(q=q, omega=omega)
    steps = (1000, 1200, 1400, 1600, 1800, 2000, 2400, 2800)
    return Motion("heavy asymmetric top, t = 1000", state, 1000.0, rates, np.array([*q, *omega]), steps)


def dumbbells() -> Motion:
    """The close encounter of the example `two_dumbbells`."""
    state = build_plan(load_scenario(find_example("two_dumbbells"))).state
    system: Any = state.system
    bodies = [(body.masses, body.positions[:, 0], np.diag(body.inertia)) for body in system.bodies]
    G, reduced = system.G, 1.0 / (1.0 / system.bodies[0].mass + 1.0 / system.bodies[1].mass)

    def rates(y: Numbers) -> list[Any]:
        (m1, at1, J1), (m2, at2, J2) = bodies
        one, two = axes(y[6:10]), axes(y[13:17])
        total: list[Any] = [0.0] * 3
        arms: list[list[Any]] = [[0.0] * 3, [0.0] * 3]
        for m, a in zip(m1, at1, strict=True):
            for n, b in zip(m2, at2, strict=True):
                d = [y[i] + float(a) * one[0][i] - float(b) * two[0][i] for i in range(3)]
                k = -G * float(m * n) * dot(d, d) ** -1.5
                for i in range(3):
                    total[i] = total[i] + k * d[i]
                    arms[0][i] = arms[0][i] + float(a) * (k * d[i])
                    arms[1][i] = arms[1][i] - float(b) * (k * d[i])
        pulls = [in_body(rows, arm) for rows, arm in zip((one, two), arms, strict=True)]
        moments = [[0.0, -pull[2], pull[1]] for pull in pulls]
        return [
            *y[3:6],
            *(component / reduced for component in total),
            *turning(y[6:10], y[10:13], J1, moments[0]),
            *turning(y[13:17], y[17:20], J2, moments[1]),
        ]

    steps = (100, 120, 150, 180, 210, 250, 300)
    return Motion("two dumbbells, t = 30", state, 30.0, rates, start_of_two(state), steps, two=True)


def binary() -> Motion:
    """Two ellipsoids on an orbit of eccentricity 0.4, gravity to order 2; somewhat more than three revolutions."""
    one, two = Ellipsoid(1.0, [0.5, 0.4, 0.3]), Ellipsoid(0.3, [0.3, 0.22, 0.2])
    system = FullTwoBodyProblem(one, two, gravity=2, G=1.0)
    speed = math.sqrt(1.3 / 3.0 * 1.4 / 0.6)
    q1, q2 = (np.array(q) / np.linalg.norm(q) for q in ([0.1, 0.05, 0.2, 0.9], [-0.2, 0.1, 0.0, 0.9]))
    R1, R2 = quaternion.to_matrix(q1), quaternion.to_matrix(q2)
    x, v = np.array([1.8, 0.0, 0.0]), speed * np.array([0.0, math.cos(0.2), math.sin(0.2)])
    state = system.state(X=R2.T @ x, V=R2.T @ v, R=R2.T @ R1, R2=R2, Omega1=[0.1, 0.05, 0.7], Omega2=[0.02, -0.05, 0.4])
    J1, J2 = np.diag(one.inertia).tolist(), np.diag(two.inertia).tolist()
    m1, m2, reduced = one.mass, two.mass, 1.0 / (1.0 / one.mass + 1.0 / two.mass)

    def rates(y: Numbers) -> list[Any]:
        x = y[:3]
        r2 = dot(x, x)
        r3 = r2**-1.5
        r5 = r3 / r2
        total = [-(m1 * m2) * r3 * x[i] for i in range(3)]
        moments = []
        for q, J, other in ((y[6:10], J1, m2), (y[13:17], J2, m1)):
            rows = axes(q)
            X = in_body(rows, x)
            JX = [J[i] * X[i] for i in range(3)]
            radial = sum(J) - 5.0 * dot(X, JX) / r2
            back = [rows[0][i] * JX[0] + rows[1][i] * JX[1] + rows[2][i] * JX[2] for i in range(3)]
            total = [total[i] - (1.5 * other) * r5 * (radial * x[i] + 2.0 * back[i]) for i in range(3)]
            moments.append([(3.0 * other) * r5 * component for component in cross(X, JX)])
        return [
            *y[3:6],
            *(component / reduced for component in total),
            *turning(y[6:10], y[10:13], J1, moments[0]),
            *turning(y[13:17], y[17:20], J2, moments[1]),
        ]

    steps = (30, 40, 50, 60, 80, 100, 130)
    return Motion("eccentric binary, order 2, t = 100", state, 100.0, rates, start_of_two(state), steps, two=True)


def start_of_two(state: State) -> Array:
    """The numbers of a general solver for a state of two bodies."""
    q1, q2 = (quaternion.from_matrix(np.asarray(R)) for R in (state.R1, state.R2))
    x, v = np.subtract(state.x1, state.x2), np.subtract(state.v1, state.v2)
    return np.concatenate([x, v, q1, state.Omega1, q2, state.Omega2])


def irregular_binary(order: int) -> Motion:
    """Two irregular bodies, gravity to this order, somewhat more than one revolution."""
    state = irregular_pair(order)
    return Motion(
        f"irregular binary, order {order}", state, 48_000.0, None, np.empty(0), (40, 60, 80, 120, 160), two=True
    )
