"""Control: reaction wheels, thrusters; steering a rigid body on SO(n), continuous and discrete; the discrete maximum principle."""

from .attitude_geodesics import Geodesic, geodesic
from .discrete import DiscreteSteering, steer_discrete
from .geodesics import Steering, steer
from .maximum_principle import DiscreteProblem, Extremal
from .shooting import MissedEndPointError
from .thrusters import Thrusters
from .two_sided import TwoSidedSteering, steer_two_sided
from .wheels import Wheels

__all__ = [
    "DiscreteProblem",
    "DiscreteSteering",
    "Extremal",
    "Geodesic",
    "MissedEndPointError",
    "Steering",
    "Thrusters",
    "TwoSidedSteering",
    "Wheels",
    "geodesic",
    "steer",
    "steer_discrete",
    "steer_two_sided",
]
