"""Control: reaction wheels, thrusters; optimal manoeuvres; steering on SO(n), continuous and discrete; the discrete maximum principle."""

from .attitude_geodesics import Geodesic, geodesic
from .discrete import DiscreteSteering, steer_discrete
from .geodesics import Steering, steer
from .manoeuvre import Manoeuvre, manoeuvre
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
    "Manoeuvre",
    "MissedEndPointError",
    "Steering",
    "Thrusters",
    "TwoSidedSteering",
    "Wheels",
    "geodesic",
    "manoeuvre",
    "steer",
    "steer_discrete",
    "steer_two_sided",
]
