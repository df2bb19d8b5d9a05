"""Measurements on methods: order, symplecticity, reversibility, tangent maps, and whether promises are kept."""

from .convergence import Convergence, convergence, measured_order
from .precision import QuotientOfPrecision, quotient_of_precision
from .structure import group_defect, symmetry_defect, symplectic_defect, tangent_map

__all__ = [
    "Convergence",
    "QuotientOfPrecision",
    "convergence",
    "group_defect",
    "measured_order",
    "quotient_of_precision",
    "symmetry_defect",
    "symplectic_defect",
    "tangent_map",
]
