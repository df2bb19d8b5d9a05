"""Equilibria and relative equilibria as labelled states, and attitudes that bring a body vector where it is wanted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_nonzero
from ...core.system import State
from ...errors import InvalidInputError

Array = NDArray[np.float64]


class Equilibrium(State):
    """A state at which nothing changes in the body's own frame, and its `label`: what it is called."""

    def __init__(self, label: str, state: State) -> None:
        super().__init__(state.system, state.values, state.t)
        self.label = label

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.label, State(self.system, self.values, self.t))

    def __repr__(self) -> str:
        return f"<{self.label}: {super().__repr__()}>"


class Equilibria(list[Equilibrium]):
    """Equilibria up to the symmetry of their system: one of each class of states that it takes to each other.

    `symmetry` says what these symmetries are, nothing where none is known; `all` are all the states that were found.
    """

    def __init__(self, classes: Iterable[Equilibrium], symmetry: str = "", all: Iterable[Equilibrium] = ()) -> None:
        super().__init__(classes)
        self.symmetry = symmetry
        self.all: list[Equilibrium] = list(all) or list(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self), self.symmetry, self.all)


def attitude_taking(body: ArrayLike, inertial: ArrayLike) -> Array:
    """A rotation that takes the direction of the vector `body` to that of `inertial`, the smallest one.

    >>> attitude_taking([0.0, 0.0, -2.0], [0.0, 0.0, 1.0]).round(12) @ [0, 0, -1]
    array([0., 0., 1.])
    """
    n, e = (_direction(x) for x in (body, inertial))
    if n @ e > -0.5:
        # half a turn about n, then half a turn about the bisector
        middle, half_turn = n + e, 2.0 * np.outer(n, n) - np.eye(3)
        return np.asarray((2.0 * np.outer(middle, middle) / (middle @ middle) - np.eye(3)) @ half_turn, np.float64)
    # nearly opposite: half a turn about an axis across n takes it to −n first
    across = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    turn = 2.0 * np.outer(across, across) / (across @ across) - np.eye(3)
    return np.asarray(attitude_taking(-n, e) @ turn, np.float64)


def _direction(vector: ArrayLike) -> Array:
    n = np.array(vector, dtype=np.float64)
    length = np.linalg.norm(n)
    if not length > 0.0:
        raise InvalidInputError("direction", vector, "a nonzero vector")
    return n / length


def check_rate(Omega: float) -> float:
    """`Omega` as the rate of a steady rotation, which is not zero."""
    return check_nonzero("Omega", Omega, "a nonzero rate; for rest see equilibria()")
