"""What the full body problems share, whatever their coordinates: bodies that attract each other, what perturbs them, tides."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies import Body
from ...core.system import System
from .pair_gravity import Pairs, build_pairs
from .perturbations import Perturbation, PerturbationSet
from .representations import still_conserved
from .tides import TIDAL, TidalFriction, Tides

Array = NDArray[np.float64]


class GravitatingBodies(System):
    """Bodies under mutual gravity; see `FullBodyProblem` for the arguments."""

    pairs: Pairs
    perturbations: PerturbationSet
    tides: Tides

    def _attract(
        self,
        bodies: Mapping[str, Body | Mapping[str, Any]],
        gravity: int | str,
        G: float,
        perturbations: Sequence[Perturbation | Mapping[str, Any]],
        dissipation: Sequence[TidalFriction | Mapping[str, Any]],
    ) -> None:
        """Set what all forms of the problem have. `bodies` are named by the arguments that they came in."""
        self.pairs = build_pairs(bodies, gravity, G)
        self.bodies, self.G, self.gravity = self.pairs.bodies, self.pairs.G, self.pairs.gravity
        self.perturbations = PerturbationSet(perturbations, self.bodies, self.gravity, self.G)
        self.tides = Tides(dissipation, self.bodies, self.G)
        self.hamiltonian = not self.tides
        self.same_bits_in_lanes = all(pair.same_bits_in_lanes for pair in self.pairs.blocks.values())
        self.no_variational_step = TIDAL if self.tides else ""
        self.conserved = still_conserved(type(self).conserved, self.perturbations, self.tides)

    @cached_property
    def least_distances(self) -> Mapping[tuple[int, int], float]:  # type: ignore[override]
        """How far apart bodies must be for the expansion of their gravity to converge."""
        return self.pairs.least_distances

    @property
    def until_contact(self) -> bool:
        """Whether the gravity of bodies is valid until they touch."""
        return self.pairs.until_contact

    def _describe_gravity(self) -> dict[str, Any]:
        """What `describe` says of everything but the bodies."""
        return {"gravity": self.gravity, "G": self.G} | self.perturbations.describe() | self.tides.describe()

    @abstractmethod
    def linear_momentum(self, values: Mapping[str, Array]) -> Array:
        """The total linear momentum."""

    @abstractmethod
    def angular_momentum(self, values: Mapping[str, Array]) -> Array:
        """The total angular momentum, about the point for which it is conserved."""

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        found = {
            "energy": lambda: self.energies(values)["total"],
            "linear_momentum": lambda: self.linear_momentum(values),
            "angular_momentum": lambda: self.angular_momentum(values),
        }
        return {name: found[name]() for name in self.conserved}
