"""Measurements on methods (order, symplecticity, reversibility, tangent maps) and on motions (chaos, sections, orbits)."""

from .chaos import Indicator, LyapunovSpectrum, fast_lyapunov_indicator, lyapunov, megno
from .chaos_map import ChaosMap, chaos_map
from .convergence import Convergence, convergence, measured_order
from .orbits import libration, mutual_distance, mutual_elements, orbit_dataset
from .precision import QuotientOfPrecision, quotient_of_precision
from .sections import PoincareSection, poincare
from .structure import group_defect, symmetry_defect, symplectic_defect, tangent_map
from .work import Work, WorkPrecision, work_precision

__all__ = [
    "ChaosMap",
    "Convergence",
    "Indicator",
    "LyapunovSpectrum",
    "PoincareSection",
    "QuotientOfPrecision",
    "Work",
    "WorkPrecision",
    "chaos_map",
    "convergence",
    "fast_lyapunov_indicator",
    "group_defect",
    "libration",
    "lyapunov",
    "measured_order",
    "megno",
    "mutual_distance",
    "mutual_elements",
    "orbit_dataset",
    "poincare",
    "quotient_of_precision",
    "symmetry_defect",
    "symplectic_defect",
    "tangent_map",
    "work_precision",
]
