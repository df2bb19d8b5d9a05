"""What perturbs bodies that attract each other, as a user gives it: uniform fields, distant bodies, potentials.

Every perturbation acts on each body by itself through an energy W(x, R, t), so that a variational step stays one: the
kicks have more terms, and nothing else changes. What is still conserved follows from what perturbs: the energy if nothing
moves, the linear momentum if there is nothing, and the angular momentum

    about the origin (inertial form) or the mass centre (relative form)    without perturbations,
    about the mass centre                                                  in uniform fields only: all fall alike,
    about its place                                                        with one fixed distant body, not tidal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import Body, PointMasses
from ...core.checks import check_finite, one_from
from ...errors import InvalidInputError
from ...gravity import Expansion, kernel_for
from ...gravity.dispatch import potentials
from ...scalars import double
from .distant_body import DistantBody
from .external_potential import ExternalPotential
from .perturbation_kernels import (
    DISTANT_NUMBERS,
    LIST,
    POTENTIAL,
    POTENTIAL_NUMBERS,
    UNIFORM,
    UNIFORM_NUMBERS,
    Functions,
    monopole,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class UniformField:
    """A uniform field of acceleration `g`, the same for every body: no moment about a mass centre.

    >>> UniformField([0.0, 0.0, -9.81]).describe()
    {'type': 'uniform', 'g': [0.0, 0.0, -9.81]}
    """

    g: ArrayLike
    kind = "uniform"
    autonomous = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "g", tuple(check_finite("g", self.g, (3,)).tolist()))

    def describe(self) -> dict[str, Any]:
        """The arguments as plain data, with the type."""
        return {"type": self.kind, "g": list(np.asarray(self.g).tolist())}


Perturbation = UniformField | DistantBody | ExternalPotential
KINDS: dict[str, Any] = {cls.kind: cls for cls in (UniformField, DistantBody, ExternalPotential)}


def perturbation_from(field: str, given: Any) -> Perturbation:
    """A perturbation, or the one that a table with its `type` describes.

    >>> perturbation_from("perturbations[0]", {"type": "uniform", "g": [0, 0, -1]})
    UniformField(g=(0.0, 0.0, -1.0))
    """
    return one_from(field, KINDS, given)


class PerturbationSet:
    """The perturbations of a list of bodies: the numbers and functions that flows need, and the energy from Python."""

    def __init__(self, given: Sequence[Any], bodies: Sequence[Body], gravity: int | str, G: float) -> None:
        if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
            raise InvalidInputError("perturbations", given, "a list of perturbations")
        self.list = [perturbation_from(f"perturbations[{k}]", v) for k, v in enumerate(given)]
        self.bodies, self.gravity, self.G = list(bodies), gravity, G
        order = gravity if isinstance(gravity, int) else 2
        # a mass of 1: the strength GM stands beside the blocks
        point = PointMasses([1.0], [[0.0, 0.0, 0.0]])
        self.shapes: dict[int, list[Expansion]] = {}
        for k, one in enumerate(self.list):
            if isinstance(one, DistantBody):
                strength, degree = self.G * one.mass, one.order or order
                self.shapes[k] = [Expansion(body, point, degree, strength) for body in self.bodies]
            elif isinstance(one, ExternalPotential):
                one.acts_on(len(self.bodies))

    def __bool__(self) -> bool:
        return bool(self.list)

    @property
    def autonomous(self) -> bool:
        """Whether no perturbation depends on time."""
        return all(one.autonomous for one in self.list)

    @property
    def workspace(self) -> int:
        """How many entries of workspace the kernels need."""
        return max((shape.workspace for shapes in self.shapes.values() for shape in shapes), default=0)

    @property
    def falls_alike(self) -> bool:
        """Whether the angular momentum about the mass centre is conserved."""
        return all(isinstance(one, UniformField) for one in self.list)

    @property
    def centre(self) -> Array | None:
        """The one fixed centre of attraction, about which the angular momentum is conserved, if that is all there is."""
        if len(self.list) == 1 and isinstance(one := self.list[0], DistantBody) and one.autonomous and not one.tidal:
            return one.at(0.0)
        return None

    def conserves(self, name: str) -> bool:
        """Whether energy, linear_momentum or angular_momentum is conserved."""
        if not self.list:
            return True
        return {
            "energy": self.autonomous,
            "linear_momentum": False,
            "angular_momentum": self.falls_alike or self.centre is not None,
        }[name]

    def parameters(self, start: int) -> Array:
        """The list as kernels read it, for parameters in which it begins at `start`; nothing where it is empty."""
        if not self.list:
            return np.zeros(0)
        n = len(self.bodies)
        at = start + LIST.size + len(self.list)
        places, numbers = [], []
        for k, one in enumerate(self.list):
            places.append(at)
            if isinstance(one, UniformField):
                own = UNIFORM_NUMBERS.pack(kind=UNIFORM, g=one.g)
            elif isinstance(one, ExternalPotential):
                kind = POTENTIAL_NUMBERS.pack(kind=POTENTIAL)
                own = np.concatenate([kind, one.named.numbers(), one.acts_on(n)])
            else:
                blocks = [shape.shape_parameters() for shape in self.shapes[k]]
                first = at + DISTANT_NUMBERS.size + n
                begins = first + np.cumsum([0, *(b.size for b in blocks)])
                head = one.numbers(self.G, begins[-1])
                own = np.concatenate([head, begins[:-1], *blocks, one.named.numbers()])
            numbers.append(own)
            at += own.size
        return np.concatenate([LIST.pack(count=len(self.list)), places, *numbers])

    @cached_property
    def functions(self) -> Functions | None:
        """What of a user's functions must be compiled into a force; None where everything is given by numbers."""
        distant = {k: one for k, one in enumerate(self.list) if isinstance(one, DistantBody)}
        places = {k: one.function for k, one in distant.items() if one.function is not None}
        potentials = {
            k: (one.evaluate, one.named.size) for k, one in enumerate(self.list) if isinstance(one, ExternalPotential)
        }
        return Functions.of(places, potentials) if places or potentials else None

    def energy(self, t: ArrayLike | None, x: Array, R: Array) -> Array:
        """The energy of all bodies, at places (..., n, 3) and attitudes (..., n, 3, 3); without a time if nothing moves."""
        if t is None and not self.autonomous:
            raise InvalidInputError("t", t, "the time: perturbations move, and their energy with them")
        lead, times = x.shape[:-2], np.asarray(0.0 if t is None else t, dtype=float)
        total = np.zeros(lead)
        for k, one in enumerate(self.list):
            for i, body in enumerate(self.bodies):
                here, A = x[..., i, :], R[..., i, :, :]
                if isinstance(one, UniformField):
                    total = total - body.mass * here @ np.asarray(one.g)
                elif isinstance(one, ExternalPotential):
                    if one.acts_on(len(self.bodies))[i]:
                        total = total + one.energy(times, here, A)
                else:
                    c = np.broadcast_to(one.at(times), here.shape)
                    mu = self.G * one.mass * body.mass
                    W, _ = monopole(mu, tuple(np.moveaxis(here, -1, 0)), tuple(np.moveaxis(c, -1, 0)), int(one.tidal))
                    shape = self.shapes[k][i]
                    total = total + W + energies_of(shape.shape_parameters(), shape.workspace, here - c, A)
        return total

    def describe(self) -> dict[str, Any]:
        """The list as plain data, by the name of the argument."""
        return {"perturbations": [one.describe() for one in self.list]} if self.list else {}


def energies_of(block: Array, workspace: int, X: Array, R: Array) -> Array:
    """U of an interaction at relative places (..., 3) and attitudes (..., 3, 3)."""
    rows = np.ascontiguousarray(np.concatenate([X.reshape(-1, 3), R.reshape(-1, 9)], axis=1))
    U = np.empty(len(rows))
    potentials(kernel_for({int(block[0])}))(double, rows, block, np.zeros(12 + workspace), U)
    return U.reshape(X.shape[:-1])
