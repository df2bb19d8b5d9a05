"""What the comparisons with the chapter on rotating rigid bodies share: a generic body, and rates of its motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.system import State
from ..geometry import so3
from ..methods import DOP853
from ..simulation.driver import simulate
from ..simulation.trajectory import Trajectory

Array = NDArray[np.float64]

E1, E2, E3 = np.eye(3)
J = np.array([[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]])
R = so3.exp([0.3, -0.2, 0.5])
OMEGA = np.array([0.5, -0.4, 0.6])
MASSES = np.array([1.0, 0.8, 1.2, 0.9])
TIGHT = DOP853(rtol=1e-13, atol=1e-15)
DIFFERENCES = 1e-9  # the error of derivatives by differences of order 4
SPACING = 2e-3  # of these differences, in time


def integrate(state: State, t_end: float = 10.0, step: float = 1.0) -> Trajectory:
    """A run with an error near rounding."""
    return simulate(state, step=step, t_end=t_end, method=TIGHT)


def rate_of(state: State, name: str) -> Array:
    """The time derivative of a field of the state, by differences of the motion that the system makes."""
    near = {k: np.asarray(getattr(_after(state, k * SPACING), name), np.float64) for k in (-2, -1, 1, 2)}
    return np.asarray((8.0 * (near[1] - near[-1]) - (near[2] - near[-2])) / (12.0 * SPACING), np.float64)


def _after(state: State, time: float) -> State:
    return simulate(state, step=time, steps=1, method=TIGHT).final


def moment_of(state: State) -> Array:
    """The moment on a body: dΠ/dt − Π × ω."""
    return np.asarray(rate_of(state, "Pi") - np.cross(state.Pi, state.omega), np.float64)


def largest_change(values: Array) -> float:
    """The largest deviation of a quantity from its first value."""
    return float(np.abs(values - values[0]).max())


def largest(values: Array) -> float:
    """The largest absolute entry."""
    return float(np.abs(values).max())


def balanced_points() -> Array:
    """Four points whose mass centre is the origin."""
    places = np.array([[0.8, 0.1, 0.0], [-0.5, 0.6, 0.2], [0.1, -0.7, 0.4], [-0.2, 0.0, -0.9]])
    return np.asarray(places - MASSES @ places / MASSES.sum(), np.float64)
