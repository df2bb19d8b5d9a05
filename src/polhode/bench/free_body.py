"""The case that is timed, a free body about no particular axis, in polhode, in C, and as one would write it oneself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.method import Method
from ..core.system import State
from ..methods import LGVI
from ..scalars import Dual, Lanes, double
from ..systems import FreeRigidBody
from .jobs import Job
from .yardstick import ExplicitYardstick, Yardstick

Array = NDArray[np.float64]

BODY = FreeRigidBody(inertia=[1.0, 2.0, 3.0])
OMEGA = np.array([np.pi / 4, -np.pi / 5, np.pi / 6])
AGREEMENT = 1e-12


def state(member: int = 0) -> State:
    """The initial state; the members of an ensemble spin faster by a percent each."""
    return BODY.state(omega=OMEGA * (1.0 + 0.01 * member))


def job(method: Method, step: float, kind: Any = double, *, steps: int, member: int = 0) -> Job:
    """Steps of the member on a scalar, or of W members on lanes."""
    members = range(kind.width) if isinstance(kind, Lanes) else [member]
    return Job(method, *map(state, members), step=step, steps=steps, kind=kind)


class CJob:
    """The same steps in C."""

    def __init__(self, yardstick: Yardstick | ExplicitYardstick, step: float, *, steps: int) -> None:
        self._yardstick, self._step, self._steps = yardstick, step, steps
        self._start = np.concatenate([state().R.ravel(), state().Pi])
        self._parameters = BODY.parameters()

    def __call__(self) -> Array:
        y = self._start.copy()
        self._yardstick(y, self._parameters, self._step, self._steps)
        return y


class NaiveJob:
    """The same span of time as most people would compute it: SciPy's DOP853 and a right-hand side in NumPy."""

    def __init__(self, span: float, rtol: float = 1e-9) -> None:
        self._span, self._rtol = span, rtol
        self._start = np.concatenate([state().R.ravel(), state().Pi])

    def __call__(self) -> Array:
        from scipy.integrate import solve_ivp

        inverse = np.linalg.inv(BODY.inertia.matrix)

        def derivative(t: float, y: Array) -> Array:
            R, Pi = y[:9].reshape(3, 3), y[9:]
            omega = inverse @ Pi
            return np.concatenate([np.cross(R, omega).ravel(), np.cross(Pi, omega)])

        tolerances = {"rtol": self._rtol, "atol": self._rtol}
        return solve_ivp(derivative, (0.0, self._span), self._start, method="DOP853", **tolerances).y[:, -1]


def difference_from_c(
    yardstick: Yardstick | ExplicitYardstick, step: float, steps: int = 1000, method: Method | None = None
) -> float:
    """The largest difference between the state in polhode, by default by `LGVI()`, and in C."""
    end = job(method or LGVI(), step, steps=steps)()[:12]
    return float(np.abs(end - CJob(yardstick, step, steps=steps)()).max())


def same_as_doubles(method: Method, step: float, kind: Lanes | Dual, steps: int = 1000) -> bool:
    """Whether every member, or the value, is bit for bit that of the run on doubles."""
    entries = job(method, step, kind, steps=steps)().reshape(
        -1, kind.width if isinstance(kind, Lanes) else 1 + kind.partials
    )
    members = entries.T if isinstance(kind, Lanes) else entries.T[:1]
    alone = [job(method, step, steps=steps, member=i)() for i in range(len(members))]
    return np.array_equal(members.view(np.int64), np.array(alone).view(np.int64))
