"""polhode: the motion of rigid bodies, computed so that what nature conserves is conserved.

    system (what moves)  ×  method (how time is discretised)  →  trajectory (the motion, and how well it was conserved)

>>> import polhode as ph
>>> body = ph.FreeRigidBody(inertia=[1, 2, 3])
>>> traj = ph.simulate(body.state(omega=[0.7, -0.6, 0.5]), step=0.01, t_end=100.0, save_every=10)
>>> traj.drift()["spatial_momentum"] < 1e-12
True

`ph.list_systems()` and `ph.list_methods()` list all systems and methods.
"""

from os import PathLike as _PathLike
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import methods, systems
from ._version import __version__
from .core.dates import Epoch
from .core.method import Method
from .core.system import State, System
from .core.units import Units
from .ensemble import Ensemble, ensemble
from .errors import (
    AccuracyWarning,
    ConvergenceError,
    EnergyWarning,
    IncompatibleMethodError,
    InvalidInputError,
    NearContactWarning,
    PolhodeError,
    RunInterruptedError,
    RunWarning,
    SaturationWarning,
    SolverWarning,
    StepWarning,
)
from .geometry import bishop, quaternion, s2, se3, so2, so3, son
from .methods import (
    DOP853,
    LGVI,
    RK4,
    EnergyMomentum,
    Exact,
    ForcedLGVI,
    FullKickVI,
    GaussLegendre,
    LagrangeDAlembert,
    Midpoint,
    MoserVeselov,
    QuaternionVI,
    Splitting,
    SymmetricMoserVeselov,
)
from .simulation.driver import resume, simulate
from .simulation.events import Contact, Crossing
from .simulation.step_limit import largest_step
from .simulation.trajectory import Trajectory
from .tables import list_methods, list_systems

if _TYPE_CHECKING:
    from .systems import (
        AirDrag,
        AttitudeBody,
        AxisPendulum,
        ChargedBody,
        ChargedPoints,
        ConcentricShells,
        ConstantBodyMoment,
        ConstantSpaceMoment,
        CoupledBodies,
        CoupledDoubleBrackets,
        DampedGyrostat,
        DirectorBody,
        DistantBody,
        DoublePlanarPendulum,
        ExternalPotential,
        FieldBody,
        FreeRigidBody,
        FullBodyProblem,
        FullTwoBodyProblem,
        GeneralBody,
        GravityGradient,
        Gyrostat,
        KeplerOrbit,
        MagneticField,
        NonTwistingBody,
        Orbit,
        OrbitingBody,
        Pendulum3D,
        PlanarBody,
        PlanarPendulum,
        Plate,
        PointForceBody,
        ResidualDipole,
        RigidBodySOn,
        Rotor,
        SolarPressure,
        SymmetricRigidBodySOn,
        TidalFriction,
        UniformField,
        box_plates,
        linearize,
    )
else:

    def __getattr__(name: str) -> _Any:
        """A system; its module is imported on first use."""
        if name in __all__:
            return getattr(systems, name)
        from .core.call_help import question

        hint = "" if name.startswith("_") else question([name], __all__).removesuffix(".")  # no user asks for those
        raise AttributeError(f"module 'polhode' has no attribute {name!r}{hint}")

    def __dir__() -> list[str]:
        return __all__


__all__ = [
    "DOP853",
    "LGVI",
    "RK4",
    "AccuracyWarning",
    "AirDrag",
    "AttitudeBody",
    "AxisPendulum",
    "ChargedBody",
    "ChargedPoints",
    "ConcentricShells",
    "ConstantBodyMoment",
    "ConstantSpaceMoment",
    "Contact",
    "ConvergenceError",
    "CoupledBodies",
    "CoupledDoubleBrackets",
    "Crossing",
    "DampedGyrostat",
    "DirectorBody",
    "DistantBody",
    "DoublePlanarPendulum",
    "EnergyMomentum",
    "EnergyWarning",
    "Ensemble",
    "Epoch",
    "Exact",
    "ExternalPotential",
    "FieldBody",
    "ForcedLGVI",
    "FreeRigidBody",
    "FullBodyProblem",
    "FullKickVI",
    "FullTwoBodyProblem",
    "GaussLegendre",
    "GeneralBody",
    "GravityGradient",
    "Gyrostat",
    "IncompatibleMethodError",
    "InvalidInputError",
    "KeplerOrbit",
    "LagrangeDAlembert",
    "MagneticField",
    "Method",
    "Midpoint",
    "MoserVeselov",
    "NearContactWarning",
    "NonTwistingBody",
    "Orbit",
    "OrbitingBody",
    "Pendulum3D",
    "PlanarBody",
    "PlanarPendulum",
    "Plate",
    "PointForceBody",
    "PolhodeError",
    "QuaternionVI",
    "ResidualDipole",
    "RigidBodySOn",
    "Rotor",
    "RunInterruptedError",
    "RunWarning",
    "SaturationWarning",
    "SolarPressure",
    "SolverWarning",
    "Splitting",
    "State",
    "StepWarning",
    "SymmetricMoserVeselov",
    "SymmetricRigidBodySOn",
    "System",
    "TidalFriction",
    "Trajectory",
    "UniformField",
    "Units",
    "__version__",
    "bishop",
    "box_plates",
    "ensemble",
    "largest_step",
    "linearize",
    "list_methods",
    "list_systems",
    "load",
    "methods",
    "quaternion",
    "resume",
    "s2",
    "se3",
    "simulate",
    "so2",
    "so3",
    "son",
    "systems",
]


def load(path: str | _PathLike[str], system: System | None = None) -> Trajectory:
    """Read a trajectory that `Trajectory.save` wrote. A file cannot hold functions: if the system has any, give `system`."""
    from .io.trajectory_file import load as load_netcdf

    return load_netcdf(path, system)
