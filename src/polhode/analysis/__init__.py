"""Measurements on methods: order, symplecticity, reversibility, tangent maps, and whether claimed traits hold."""

from .convergence import Convergence, convergence, measured_order
from .orbits import libration, mutual_distance, mutual_elements, orbit_dataset
from .precision import QuotientOfPrecision, quotient_of_precision
from .structure import group_defect, symmetry_defect, symplectic_defect, tangent_map
from .work import Work, WorkPrecision, work_precision

__all__ = [
    "Convergence",
    "QuotientOfPrecision",
    "Work",
    "WorkPrecision",
    "convergence",
    "group_defect",
    "libration",
    "measured_order",
    "mutual_distance",
    "mutual_elements",
    "orbit_dataset",
    "quotient_of_precision",
    "symmetry_defect",
    "symplectic_defect",
    "tangent_map",
    "work_precision",
]
