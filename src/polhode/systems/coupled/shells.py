"""Two concentric spherical shells, coupled by `U = K tr(R₁ᵀR₂ − 1)` (6.15 of [LLM17]).

With Q = R₁ᵀR₂ and v = vee(Q − Qᵀ): `J₁ω̇₁ + ω₁ × J₁ω₁ = −Kv`, `J₂ω̇₂ + ω₂ × J₂ω₂ = Kv`. Conservation: the energy, R₁Π₁ + R₂Π₂,
and, of spheres (Jᵢ = jᵢ1), Π₁ + Π₂. Aligned shells are at rest stably for K < 0 only; for K > 0 those half a turn apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies.inertia import InertiaLike
from ...core.checks import check_finite
from ...core.system import Invariant, State
from ...geometry import so3
from ..stability.equilibria import Equilibria, Equilibrium
from .bodies import CoupledBodies

Array = NDArray[np.float64]


class ConcentricShells(CoupledBodies):
    """Two concentric shells with the coupling energy `K tr(R₁ᵀR₂ − 1)`; an elastic one has K < 0.

    >>> from polhode import linearize
    >>> shells = ConcentricShells([1, 2, 2.5], [2, 1.5, 1], K=-0.5)
    >>> [linearize(e).verdict for e in shells.equilibria()[:2]]
    ['stable', 'unstable']
    """

    summary = "two concentric shells with an elastic coupling"
    reference = "[LLM17] problem 6.15"

    def __init__(
        self, inertia1: InertiaLike, inertia2: InertiaLike, K: float, *, allow_unphysical: bool = False
    ) -> None:
        self.K = float(check_finite("K", K, ()))
        super().__init__([inertia1, inertia2], [[0, 1, -self.K]], allow_unphysical=allow_unphysical)
        if all(np.ptp(J.moments) <= 1e-12 * J.moments[-1] for J in self.inertias):
            momentum = Invariant("momentum", "sum of the body components, Π₁ + Π₂")
            self.conserved = {**self.conserved, "body_momentum": momentum}

    def describe(self) -> dict[str, Any]:
        given = {
            "inertia1": self.inertias[0].describe(short=False),
            "inertia2": self.inertias[1].describe(short=False),
            "K": self.K,
        }
        return given | ({"allow_unphysical": True} if self._allow_unphysical else {})

    def potential_energy(self, R: Array) -> Array:
        return super().potential_energy(R) - 3.0 * self.K

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        found = super().invariants(values)
        return found | ({"body_momentum": values["Pi"].sum(axis=-2)} if "body_momentum" in self.conserved else {})

    @classmethod
    def example(cls) -> State:
        shells = cls([1.0, 2.0, 2.5], [[1.5, 0.1, 0.0], [0.1, 1.2, 0.1], [0.0, 0.1, 0.9]], K=-0.6)
        R = so3.exp([[0.3, -0.2, 0.5], [-0.4, 0.1, 0.2]])
        return shells.state(R=R, omega=[[0.8, 0.3, 0.2], [0.3, -0.2, -0.6]])

    def equilibria(self) -> Equilibria:
        """Aligned, and half a turn apart about each axis of the first body; any other axis serves as well."""
        found = [Equilibrium("aligned", self.state())]
        for axis, n in zip("xyz", np.eye(3), strict=True):
            R = np.array([np.eye(3), 2.0 * np.outer(n, n) - np.eye(3)])
            found.append(Equilibrium(f"half a turn apart about {axis}", self.state(R=R)))
        return Equilibria(found, "common turns of all bodies")
