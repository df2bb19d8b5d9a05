"""Systems: what moves. One physical system a class."""

from .attitude_body import AttitudeBody
from .base import State, System, known_systems
from .charged import ChargedBody
from .constant_moments import BodyMomentBody, PointForceBody, SpaceMomentBody
from .coupled import CoupledBodies
from .directors import DirectorBody, NonTwistingBody
from .double_bracket import TwoSidedBody
from .double_pendulum import DoublePlanarPendulum
from .equilibria import Equilibrium
from .field import FieldBody
from .formulas import symbols
from .free_rigid_body import FreeRigidBody
from .full_body import FullBodyProblem
from .full_two_body import FullTwoBodyProblem
from .geodesics import Geodesic, geodesic
from .linearization import Linearization
from .orbit import OrbitingBody
from .pendulum import Pendulum3D
from .planar import PlanarBody, PlanarPendulum, PlanePendulum
from .shells import ConcentricShells
from .son import RigidBodySOn, SymmetricRigidBodySOn

__all__ = [
    "AttitudeBody",
    "BodyMomentBody",
    "ChargedBody",
    "ConcentricShells",
    "CoupledBodies",
    "DirectorBody",
    "DoublePlanarPendulum",
    "Equilibrium",
    "FieldBody",
    "FreeRigidBody",
    "FullBodyProblem",
    "FullTwoBodyProblem",
    "Geodesic",
    "Linearization",
    "NonTwistingBody",
    "OrbitingBody",
    "Pendulum3D",
    "PlanarBody",
    "PlanarPendulum",
    "PlanePendulum",
    "PointForceBody",
    "RigidBodySOn",
    "SpaceMomentBody",
    "State",
    "SymmetricRigidBodySOn",
    "System",
    "TwoSidedBody",
    "geodesic",
    "known_systems",
    "symbols",
]
