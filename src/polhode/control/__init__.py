"""Optimal control: steering a rigid body on SO(n), continuous and discrete, and the discrete maximum principle."""

from .discrete import DiscreteSteering, steer_discrete
from .geodesics import Steering, steer
from .maximum_principle import DiscreteProblem, Extremal
from .shooting import MissedEndPoint

__all__ = [
    "DiscreteProblem",
    "DiscreteSteering",
    "Extremal",
    "MissedEndPoint",
    "Steering",
    "steer",
    "steer_discrete",
]
