"""Systems: what moves. One physical system a class, and where it is."""

from .attitude.charged import ChargedBody
from .attitude.charged_points import ChargedPoints
from .attitude.constant_moments import ConstantBodyMoment, ConstantSpaceMoment, PointForceBody
from .attitude.custom import AttitudeBody
from .attitude.free import FreeRigidBody
from .attitude.general import GeneralBody
from .attitude.orbiting import OrbitingBody
from .attitude.pendulum import Pendulum3D
from .attitude.point_masses import FieldBody
from .coupled.bodies import CoupledBodies
from .coupled.shells import ConcentricShells
from .directors.bodies import DirectorBody, NonTwistingBody
from .environment.magnetic_field import MagneticField
from .environment.orbit import Orbit
from .environment.parts import AirDrag, GravityGradient, ResidualDipole, SolarPressure
from .environment.plates import Plate, box_plates
from .full_body.distant_body import DistantBody, KeplerOrbit
from .full_body.external_potential import ExternalPotential
from .full_body.inertial import FullBodyProblem
from .full_body.perturbations import UniformField
from .full_body.relative import FullTwoBodyProblem
from .full_body.tides import TidalFriction
from .inputs.sympy_kernels import symbols
from .planar.body import PlanarBody
from .planar.double_pendulum import DoublePlanarPendulum
from .planar.pendulums import AxisPendulum, PlanarPendulum
from .registry import known_systems
from .son.rigid_body import RigidBodySOn, SymmetricRigidBodySOn
from .son.two_sided import CoupledDoubleBrackets
from .spacecraft.damped_gyrostat import DampedGyrostat
from .spacecraft.gyrostat import Gyrostat
from .spacecraft.rotors import Rotor
from .stability.equilibria import Equilibrium
from .stability.linearization import Linearization, linearize

__all__ = [
    "AirDrag",
    "AttitudeBody",
    "AxisPendulum",
    "ChargedBody",
    "ChargedPoints",
    "ConcentricShells",
    "ConstantBodyMoment",
    "ConstantSpaceMoment",
    "CoupledBodies",
    "CoupledDoubleBrackets",
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
    "GeneralBody",
    "GravityGradient",
    "Gyrostat",
    "KeplerOrbit",
    "Linearization",
    "MagneticField",
    "NonTwistingBody",
    "Orbit",
    "OrbitingBody",
    "Pendulum3D",
    "PlanarBody",
    "PlanarPendulum",
    "Plate",
    "PointForceBody",
    "ResidualDipole",
    "RigidBodySOn",
    "Rotor",
    "SolarPressure",
    "SymmetricRigidBodySOn",
    "TidalFriction",
    "UniformField",
    "box_plates",
    "known_systems",
    "linearize",
    "symbols",
]
