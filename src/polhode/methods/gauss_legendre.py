"""Gauss–Legendre methods for rigid bodies: high order, symplectic, with the stages of a step side by side in lanes."""

from __future__ import annotations

from ..core.method import MethodOfOrders, Start, one_of
from ..core.system import System
from .gauss.parts import parts_of
from .gauss.run import GaussRun

ORDERS = (4, 8, 12, 16)


class GaussLegendre(MethodOfOrders):
    """Gauss–Legendre collocation of order 4, 8, 12 or 16, around the exact free motion of a nearby symmetric top.

    For every system whose state is made of attitudes, angles and places with their momenta. All stages of a step are solved
    for together, by fixed-point iteration in canonical variables: symplectic, symmetric, and all momenta are conserved to
    rounding. Forces that have no potential are integrated by the same equations, and then nothing is symplectic. A step that
    does not converge is done again in pieces, up to 64 of them; if that fails too, the run ends with `ConvergenceError`.

    >>> GaussLegendre()
    GaussLegendre(order=16)
    """

    summary = "Gauss–Legendre around the free motion"
    reference = "E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), II.1.3, IV.2, VI.4"
    orders = ORDERS
    symplectic = True
    symmetric = True
    preserves_momentum = True
    preserves_group = True
    implicit = True
    carries_state = False
    in_lanes = False  # the lanes are taken by the stages of a step

    def __init__(self, order: int = 16) -> None:
        self.order = one_of("order", order, ORDERS)

    def why_not(self, system: System) -> str | None:
        representation = system.representations.get(self.representation)
        if representation is None or representation.rhs is None:
            return "it offers no right-hand side"
        canonical = system.canonical()
        if parts_of(canonical.representation.layout, canonical.free) is None:
            return "its state is not made of attitudes, angles and places with their momenta"
        return None

    def run(self, start: Start) -> GaussRun:
        return GaussRun(start, self.order // 2)


__all__ = ["GaussLegendre"]
