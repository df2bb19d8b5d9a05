"""Measurements on methods: order, symplecticity, reversibility, tangent maps, and whether promises are kept."""

from .convergence import Convergence, convergence, measured_order
from .structure import group_defect, symmetry_defect, symplectic_defect, tangent_map

__all__ = [
    "Convergence",
    "convergence",
    "group_defect",
    "measured_order",
    "symmetry_defect",
    "symplectic_defect",
    "tangent_map",
]
