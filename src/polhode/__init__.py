"""polhode: the motion of rigid bodies, computed so that what nature keeps is kept.

    system (what moves)  ×  method (how time is discretised)  →  trajectory (what happened, and how well it was kept)

>>> import polhode as ph
>>> body = ph.FreeRigidBody(inertia=[1, 2, 3])
>>> traj = ph.simulate(body, body.state(omega=[0.7, -0.6, 0.5]), step=0.01, t_end=100.0, save_every=10)
>>> traj.drift()["spatial_momentum"] < 1e-12
True

`ph.systems()` and `ph.methods()` list what there is.
"""

from os import PathLike as _PathLike
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import tables as _tables
from ._version import __version__
from .errors import ConvergenceError, IncompatibleMethod, Interrupted, InvalidInput, PolhodeError
from .events import Contact, Crossing
from .geometry import bishop, quaternion, s2, se3, so2, so3, son
from .methods import (
    DOP853,
    LGVI,
    RK4,
    EnergyMomentum,
    Exact,
    ForcedLGVI,
    FullKickVI,
    LagrangeDAlembert,
    Midpoint,
    MoserVeselov,
    QuaternionVI,
    SymmetricMoserVeselov,
)
from .simulate import resume, simulate
from .systems.base import System as _System
from .trajectory import Trajectory
from .usable import largest_step

if _TYPE_CHECKING:
    from .systems import (
        AttitudeBody,
        BodyMomentBody,
        ChargedBody,
        ChargedPoints,
        ConcentricShells,
        CoupledBodies,
        DampedGyrostat,
        DirectorBody,
        DistantBody,
        DoublePlanarPendulum,
        ExternalPotential,
        FieldBody,
        FreeRigidBody,
        FullBodyProblem,
        FullTwoBodyProblem,
        Gyrostat,
        KeplerOrbit,
        NonTwistingBody,
        OrbitingBody,
        Pendulum3D,
        PlanarBody,
        PlanarPendulum,
        PlanePendulum,
        PointForceBody,
        RigidBodySOn,
        Rotor,
        SpaceMomentBody,
        State,
        SymmetricRigidBodySOn,
        TidalFriction,
        TwoSidedBody,
        UniformField,
    )
    from .tables import methods, systems
else:
    from . import methods, systems  # type: ignore[assignment]

    _tables.make_callable(systems, _tables.systems)  # type: ignore[arg-type]
    _tables.make_callable(methods, _tables.methods)  # type: ignore[arg-type]

    def __getattr__(name: str) -> _Any:
        """A system, whose file is read when it is first asked for."""
        if name in __all__:
            return getattr(systems, name)
        raise AttributeError(f"module 'polhode' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return __all__


__all__ = [
    "DOP853",
    "LGVI",
    "RK4",
    "AttitudeBody",
    "BodyMomentBody",
    "ChargedBody",
    "ChargedPoints",
    "ConcentricShells",
    "Contact",
    "ConvergenceError",
    "CoupledBodies",
    "Crossing",
    "DampedGyrostat",
    "DirectorBody",
    "DistantBody",
    "DoublePlanarPendulum",
    "EnergyMomentum",
    "Exact",
    "ExternalPotential",
    "FieldBody",
    "ForcedLGVI",
    "FreeRigidBody",
    "FullBodyProblem",
    "FullKickVI",
    "FullTwoBodyProblem",
    "Gyrostat",
    "IncompatibleMethod",
    "Interrupted",
    "InvalidInput",
    "KeplerOrbit",
    "LagrangeDAlembert",
    "Midpoint",
    "MoserVeselov",
    "NonTwistingBody",
    "OrbitingBody",
    "Pendulum3D",
    "PlanarBody",
    "PlanarPendulum",
    "PlanePendulum",
    "PointForceBody",
    "PolhodeError",
    "QuaternionVI",
    "RigidBodySOn",
    "Rotor",
    "SpaceMomentBody",
    "State",
    "SymmetricMoserVeselov",
    "SymmetricRigidBodySOn",
    "TidalFriction",
    "Trajectory",
    "TwoSidedBody",
    "UniformField",
    "__version__",
    "bishop",
    "largest_step",
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


def load(path: str | _PathLike[str], system: _System | None = None) -> Trajectory:
    """Read a trajectory that `Trajectory.save` wrote. A `system` with functions, which a file cannot hold, is given anew."""
    from .io.netcdf import load as load_netcdf

    return load_netcdf(path, system)
