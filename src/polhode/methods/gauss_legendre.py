"""Gauss–Legendre methods for rigid bodies: high order, symplectic, with the stages of a step side by side in lanes."""

from __future__ import annotations

from typing import Any

from ..core.checks import check_positive, one_of
from ..core.method import Method, MethodOfOrders, Start
from ..core.system import System
from ..errors import IncompatibleMethodError, InvalidInputError
from ..scalars import double
from .gauss.adaptive_run import AdaptiveRun
from .gauss.parts import parts_of
from .gauss.picture import KIND, PLACE
from .gauss.run import GaussRun

ORDERS = (4, 8, 12, 16)
ANGLES = {4: 0.02, 8: 0.15, 12: 0.4, 16: 0.6}  # the angle per step of each order, if none is asked for


class GaussLegendre(MethodOfOrders):
    """Gauss–Legendre collocation of order 4, 8, 12 or 16, around the exact free motion of a nearby symmetric top.

    For every system whose state is made of attitudes, angles and places with their momenta. All stages of a step are solved
    for together, by fixed-point iteration in canonical variables: symplectic, symmetric, and all momenta are conserved to
    rounding. Forces that have no potential are integrated by the same equations, and then nothing is symplectic. A step that
    does not converge is done again in pieces, up to 64 of them; if that fails too, the run ends with `ConvergenceError`.

    With `adaptive="reversible"` the method's own steps follow the motion: each is as long as it takes the fastest part of
    the motion to go on by `angle_per_step` radians, so that close encounters get short steps. They are symmetric and
    conserve all momenta, but are not symplectic. `step` then only says where samples may be taken. With
    `adaptive="symplectic"` the same is done to the Hamiltonian `(H − E)/σ`, in the full body problems: symplectic in the
    fictitious time of equal steps, but the free motion is not taken out, and more iterations are needed.

    >>> GaussLegendre()
    GaussLegendre(order=16)
    >>> GaussLegendre(adaptive="reversible").symplectic
    False
    """

    summary = "Gauss–Legendre around the free motion"
    reference = "E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), II.1.3, IV.2, VI.4, VIII.3"
    orders = ORDERS
    symplectic = True
    symmetric = True
    preserves_momentum = True
    preserves_group = True
    implicit = True
    turns_exactly = True
    iteration = "fixed-point iterations"
    carries_state = False
    in_lanes = False  # the lanes are taken by the stages of a step

    def __init__(self, order: int = 16, adaptive: str | None = None, angle_per_step: float | None = None) -> None:
        self.order = one_of("order", order, ORDERS)
        self.control = one_of("adaptive", adaptive, (None, "reversible", "symplectic"))
        if adaptive is None and angle_per_step is not None:
            raise InvalidInputError(
                "angle_per_step", angle_per_step, problem="angle_per_step is for adaptive steps: give adaptive too"
            )
        self.angle_per_step = ANGLES[self.order]
        if angle_per_step is not None:
            self.angle_per_step = check_positive("angle_per_step", angle_per_step)
        self.adaptive = adaptive is not None
        self.symplectic = adaptive != "reversible"

    def options(self) -> dict[str, Any]:
        if not self.adaptive:
            return {"order": self.order}
        return {"order": self.order, "adaptive": self.control, "angle_per_step": self.angle_per_step}

    @classmethod
    def variants(cls) -> list[Method]:
        return [*super().variants(), cls(adaptive="reversible"), cls(adaptive="symplectic")]

    def why_not(self, system: System) -> str | None:
        representation = system.representations.get(self.representation)
        if representation is None or representation.rhs is None:
            return "it offers no right-hand side"
        canonical = system.canonical()
        parts = parts_of(canonical.representation.layout, canonical.free)
        if parts is None:
            return "its state is not made of attitudes, angles and places with their momenta"
        moved = any(row[KIND] == PLACE for row in parts.rows[: parts.active_rows])
        if self.adaptive and moved and not canonical.attractions:
            return "with adaptive steps its positions need a mutual gravity, which says how fast they move"
        if self.control == "symplectic" and canonical.energy is None:
            return "it does not give its energy as a conserved function of places, attitudes and momenta"
        return None

    def run(self, start: Start) -> GaussRun:
        if not self.adaptive:
            return GaussRun(start, self.order // 2)
        if start.kind != double:
            raise IncompatibleMethodError(f"{self!r} takes steps of its own from each state: it runs on doubles only")
        return AdaptiveRun(start, self.order // 2, self.angle_per_step, symplectic=self.symplectic)


__all__ = ["GaussLegendre"]
