"""Measurements on methods (order, symplecticity, reversibility, tangent maps) and on motions (chaos, sections, orbits)."""

from .chaos import Indicator, LyapunovSpectrum, fast_lyapunov_indicator, lyapunov, megno
from .chaos_map import ChaosMap, chaos_map
from .convergence import Convergence, convergence, measured_order
from .family import Family, FamilyEndedError, FamilyEvent, family
from .librations import frequencies, libration_near
from .orbits import libration, mutual_distance, mutual_elements, orbit_dataset
from .periodic import PeriodicMotion, periodic
from .precision import QuotientOfPrecision, quotient_of_precision
from .relative_equilibria import RelativeEquilibrium, relative_equilibrium
from .sections import PoincareSection, poincare
from .structure import group_defect, symmetry_defect, symplectic_defect, tangent_map
from .work import Work, WorkPrecision, work_precision

__all__ = [
    "ChaosMap",
    "Convergence",
    "Family",
    "FamilyEndedError",
    "FamilyEvent",
    "Indicator",
    "LyapunovSpectrum",
    "PeriodicMotion",
    "PoincareSection",
    "QuotientOfPrecision",
    "RelativeEquilibrium",
    "Work",
    "WorkPrecision",
    "chaos_map",
    "convergence",
    "family",
    "fast_lyapunov_indicator",
    "frequencies",
    "group_defect",
    "libration",
    "libration_near",
    "lyapunov",
    "measured_order",
    "megno",
    "mutual_distance",
    "mutual_elements",
    "orbit_dataset",
    "periodic",
    "poincare",
    "quotient_of_precision",
    "relative_equilibrium",
    "symmetry_defect",
    "symplectic_defect",
    "tangent_map",
    "work_precision",
]
