"""polhode: the motion of rigid bodies, computed so that what nature keeps is kept.

    system (what moves)  ×  method (how time is discretised)  →  trajectory (what happened, and how well it was kept)

>>> import polhode as ph
>>> body = ph.FreeRigidBody(inertia=[1, 2, 3])
>>> traj = ph.simulate(body, body.state(omega=[0.7, -0.6, 0.5]), step=0.01, t_end=100.0, save_every=10)
>>> traj.drift()["spatial_momentum"] < 1e-12
True
"""

from ._version import __version__
from .errors import ConvergenceError, IncompatibleMethod, InvalidInput, PolhodeError
from .geometry import quaternion, s2, se3, so2, so3, son
from .methods import DOP853, LGVI, RK4, Exact, Midpoint, QuaternionVI
from .simulate import simulate
from .systems import FreeRigidBody, State

from .trajectory import Trajectory


def load(path):
    """Read a trajectory that `Trajectory.save` wrote."""
    from .io.netcdf import load as load_netcdf

    return load_netcdf(path)
