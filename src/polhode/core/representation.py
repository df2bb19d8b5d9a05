"""The ways to store a system's state, and the flows on each: all that a method knows about a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..scalars import Flow, Rate
from .layout import Layout

Array = NDArray[np.float64]


class Form(StrEnum):
    """What the representations are called."""

    DEFAULT = "default"
    """The configuration, as matrices, angles or places, and the momenta at the node."""
    QUATERNION = "quaternion"
    """The attitude as a unit quaternion, and the momenta."""
    FORCED = "forced"
    """The variables of the discrete Lagrange–d'Alembert principle, where forces depend on the velocity."""
    FULL_KICK = "full_kick"
    """The attitude as a unit quaternion; damping acts at the start of a step, all of it."""
    LAGRANGIAN = "lagrangian"
    """The configuration and the velocities."""
    DISCRETE_BODY = "discrete_body"
    """An attitude in n dimensions, and the momentum, for the steps of Moser and Veselov's discrete body."""
    PAIR = "pair"
    """An attitude in n dimensions and the one after it."""
    SYMMETRIC = "symmetric"
    """Two rotations in n dimensions that turn together."""
    SPLIT = "split"
    """The attitude, and the momentum across and along the third director."""
    DIRECTOR_VELOCITIES = "director_velocities"
    """The directors and their velocities."""
    DIRECTOR_MOMENTA = "director_momenta"
    """The directors, and the momentum in the body frame."""


@dataclass(frozen=True)
class Representation:
    """One way to store the state, and the flows on it; None where the system does not offer one.

    The flat array that flows get is the variables of `layout`, then, if there is a `force`, a slot for each kicked
    entry, then `workspace` entries that flows may use and that mean nothing between calls. `exact_drift` is the true
    motion without force; it reads `System.free_parameters` in place of the system's parameters.
    """

    layout: Layout
    drift: Flow | None = None
    force: Flow | None = None
    rhs: Rate | None = None
    workspace: int = 0
    exact_drift: Flow | None = None

    @property
    def forces(self) -> int:
        """How many force slots follow the variables in `y`."""
        return self.layout.forces if self.force else 0


@dataclass(frozen=True)
class DiscreteBodyRepresentation(Representation):
    """That of Moser and Veselov's discrete body: `drift` is its step, and `preprocessed` are those of higher order."""

    preprocessed: Mapping[int, Flow] = field(default_factory=dict)


@dataclass(frozen=True)
class Canonical:
    """The motion in canonical variables: attitudes, angles and places, and as many momenta in the same order.

    `enter` and `leave` turn rows (..., size) of the default layout into rows of these variables and back; a row may be
    complex, with a small tangent vector in its imaginary part. No force acts on the places named in `free`.
    `attractions` say how fast places may move: of two that attract each other, where both begin in a row (−1: the origin)
    and their `μ = G(m₁ + m₂)`, by which `√(μ/r³)` is the rate of a circular orbit there. `energy` puts the energy, where it
    is a function of these variables alone that the motion conserves, into the first slot for forces.
    """

    representation: Representation
    parameters: Array
    enter: Callable[[Array], Array] = lambda y: y
    leave: Callable[[Array], Array] = lambda y: y
    free: tuple[str, ...] = ()
    attractions: Sequence[tuple[int, int, float]] = ()
    energy: Flow | None = None
