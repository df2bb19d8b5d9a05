"""The appearance of each system, by its class. `appearance.register` adds that of another class, as in

    @appearance.register
    def _(system: MySystem, trajectory: Trajectory) -> Appearance: ...

A body with a shape is drawn in it. Lengths are those of the system where it has any; a body that only rotates has none, and is
drawn as the homogeneous box with its inertia, whose longest half side is 1. The z axis points up.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from ...core.system import System
from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from ...systems import (
    AxisPendulum,
    ChargedBody,
    ConcentricShells,
    ConstantBodyMoment,
    ConstantSpaceMoment,
    CoupledBodies,
    DoublePlanarPendulum,
    FieldBody,
    FullBodyProblem,
    FullTwoBodyProblem,
    Gyrostat,
    OrbitingBody,
    Pendulum3D,
    PlanarBody,
    PlanarPendulum,
    PointForceBody,
    RigidBodySOn,
    SymmetricRigidBodySOn,
)
from ...systems.attitude.base import AttitudeSystem
from . import attitude_appearance as single
from . import bodies_appearance as several
from . import pendulum_appearance as pivoted
from .body_meshes import BACK
from .elements import BODY_COLOURS, ORIGIN, axis_lengths
from .meshes import brick
from .objects import Appearance, SceneObject


@singledispatch
def appearance(system: System, trajectory: Trajectory) -> Appearance:
    """What a system shows at the samples of a trajectory. A class that is not registered is shown by
    its attitude, if it has one."""
    if "R" not in system.fields or system.fields["R"].shape != (3, 3):
        return Appearance(note=f"{type(system).__name__} cannot be drawn in three dimensions.")
    mesh = brick([1.0, 0.6, 0.35], BACK)
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, unchecked.from_matrix(trajectory.R), axis_lengths(mesh))
    return Appearance([body], note="Only the attitude is computed: the shape of the box has no meaning.")


OF_CLASSES: dict[Any, Any] = {
    AttitudeSystem: single.free_body,
    OrbitingBody: single.orbiting_body,
    ChargedBody: single.charged_body,
    PointForceBody: single.point_force_body,
    ConstantSpaceMoment: single.space_moment_body,
    ConstantBodyMoment: single.body_moment_body,
    FieldBody: single.field_body,
    Gyrostat: single.gyrostat,
    PlanarBody: single.planar_body,
    Pendulum3D: pivoted.pendulum_3d,
    AxisPendulum: pivoted.axis_pendulum,
    PlanarPendulum: pivoted.planar_pendulum,
    DoublePlanarPendulum: pivoted.double_pendulum,
    CoupledBodies: several.coupled_bodies,
    ConcentricShells: several.concentric_shells,
    FullTwoBodyProblem: several.two_bodies,
    FullBodyProblem: several.many_bodies,
    RigidBodySOn: several.body_of_any_dimension,
    SymmetricRigidBodySOn: several.body_of_any_dimension,
}
for _class, _function in OF_CLASSES.items():
    appearance.register(_class, _function)
