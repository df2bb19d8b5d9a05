"""Systems: what moves. One physical system a class, and where it is."""

from .attitude_body import AttitudeBody
from .base import State, System, known_systems
from .charged import ChargedBody
from .charged_points import ChargedPoints
from .constant_moments import BodyMomentBody, PointForceBody, SpaceMomentBody
from .coupled import CoupledBodies
from .damped_gyrostat import DampedGyrostat
from .directors import DirectorBody, NonTwistingBody
from .dissipation import TidalFriction
from .double_bracket import TwoSidedBody
from .double_pendulum import DoublePlanarPendulum
from .equilibria import Equilibrium
from .external_potential import ExternalPotential
from .field import FieldBody
from .formulas import symbols
from .free_rigid_body import FreeRigidBody
from .full_body import FullBodyProblem
from .full_two_body import FullTwoBodyProblem
from .geodesics import Geodesic, geodesic
from .gyrostat import Gyrostat
from .linearization import Linearization
from .orbit import OrbitingBody
from .pendulum import Pendulum3D
from .perturbations import DistantBody, KeplerOrbit, UniformField
from .planar import PlanarBody, PlanarPendulum, PlanePendulum
from .rotors import Rotor
from .shells import ConcentricShells
from .son import RigidBodySOn, SymmetricRigidBodySOn

__all__ = [
    "AttitudeBody",
    "BodyMomentBody",
    "ChargedBody",
    "ChargedPoints",
    "ConcentricShells",
    "CoupledBodies",
    "DampedGyrostat",
    "DirectorBody",
    "DistantBody",
    "DoublePlanarPendulum",
    "Equilibrium",
    "ExternalPotential",
    "FieldBody",
    "FreeRigidBody",
    "FullBodyProblem",
    "FullTwoBodyProblem",
    "Geodesic",
    "Gyrostat",
    "KeplerOrbit",
    "Linearization",
    "NonTwistingBody",
    "OrbitingBody",
    "Pendulum3D",
    "PlanarBody",
    "PlanarPendulum",
    "PlanePendulum",
    "PointForceBody",
    "RigidBodySOn",
    "Rotor",
    "SpaceMomentBody",
    "State",
    "SymmetricRigidBodySOn",
    "System",
    "TidalFriction",
    "TwoSidedBody",
    "UniformField",
    "geodesic",
    "known_systems",
    "symbols",
]
