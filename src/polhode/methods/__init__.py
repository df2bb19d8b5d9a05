"""Methods: how time is discretised. One family per file; each class carries its traits."""

from ..core.method import Method, known_methods
from .directors import EnergyMomentum, LagrangeDAlembert
from .dop853 import DOP853
from .forced import ForcedLGVI, FullKickVI
from .gauss_legendre import GaussLegendre
from .moser_veselov import MoserVeselov, SymmetricMoserVeselov
from .reference import Exact
from .runge_kutta import RK4, Midpoint
from .splitting import Splitting
from .variational import LGVI, QuaternionVI

__all__ = [
    "DOP853",
    "LGVI",
    "RK4",
    "EnergyMomentum",
    "Exact",
    "ForcedLGVI",
    "FullKickVI",
    "GaussLegendre",
    "LagrangeDAlembert",
    "Method",
    "Midpoint",
    "MoserVeselov",
    "QuaternionVI",
    "Splitting",
    "SymmetricMoserVeselov",
    "known_methods",
]
