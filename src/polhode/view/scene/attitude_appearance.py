"""How a single rigid body looks that turns about its mass centre, with what acts on it."""

from __future__ import annotations

import numpy as np

from ...bodies import PointMasses
from ...simulation.trajectory import Trajectory
from ...systems import (
    ChargedBody,
    ConstantBodyMoment,
    ConstantSpaceMoment,
    FieldBody,
    Gyrostat,
    OrbitingBody,
    PlanarBody,
    PointForceBody,
)
from ...systems.attitude.base import AttitudeSystem
from .body_meshes import BACK, body_mesh
from .elements import (
    BODY_COLOURS,
    FIXED_COLOUR,
    IDENTITY,
    ORIGIN,
    TOP_VIEW,
    Array,
    axis_lengths,
    body_about_mass_centre,
    fixed_position,
    rotate,
    rotating_body,
    rotations_about,
    scaled_arrows,
)
from .meshes import brick, cylinder, merge_meshes, sphere
from .objects import Appearance, SceneObject


def free_body(system: AttitudeSystem, trajectory: Trajectory, **space_vectors: Array) -> Appearance:
    """The shape or the brick, and vectors given in space."""
    mesh, point, note = body_about_mass_centre(system, system.inertia)
    return rotating_body(trajectory, mesh, point, note, **space_vectors)


def orbiting_body(system: OrbitingBody, trajectory: Trajectory) -> Appearance:
    """The body in the frame of the orbit."""
    mesh, point, note = body_about_mass_centre(system, system.inertia)
    frame = {"velocity": fixed_position([1, 0, 0]), "outward": fixed_position([0, 0, 1])}
    return rotating_body(
        trajectory, mesh, point, f"{note} Shown in the frame that rotates with the orbit.".strip(), **frame
    )


def charged_body(system: ChargedBody, trajectory: Trajectory) -> Appearance:
    """The body with the fields that act on it."""
    return free_body(system, trajectory, E=fixed_position(system.E), B=fixed_position(system.B))


def point_force_body(system: PointForceBody, trajectory: Trajectory) -> Appearance:
    """The body with the force at its point of attack."""
    shown = free_body(system, trajectory)
    size = shown.objects[0].mesh.radius
    point = 0.8 * size * system.point / (np.linalg.norm(system.point) or 1.0)
    force = scaled_arrows(0.8 * size, rotate(trajectory.R, point), force=fixed_position(system.applied))
    return Appearance(shown.objects, [*shown.arrows, *force], note=shown.note)


def space_moment_body(system: ConstantSpaceMoment, trajectory: Trajectory) -> Appearance:
    """The body with the moment, fixed in space."""
    return free_body(system, trajectory, moment=fixed_position(system.constant))


def body_moment_body(system: ConstantBodyMoment, trajectory: Trajectory) -> Appearance:
    """The body with the moment, fixed in the body."""
    return free_body(system, trajectory, moment=rotate(trajectory.R, system.constant))


def field_body(system: FieldBody, trajectory: Trajectory) -> Appearance:
    """Point masses on rods, the sources of the field or their directions."""
    body = PointMasses(system.masses, system.positions)
    mesh = merge_meshes([body_mesh(body), sphere(0.06 * body.radius)])
    farthest = system.positions[np.argmax(np.linalg.norm(system.positions, axis=1))]
    shown = rotating_body(trajectory, mesh, farthest, "", uniform_field=fixed_position(system.uniform))
    objects, arrows = list(shown.objects), list(shown.arrows)
    for i, (_, *position) in enumerate(system.sources):
        name = f"source {i}"
        if np.linalg.norm(position) < 8.0 * body.radius:
            objects.append(
                SceneObject(
                    name, sphere(0.15 * body.radius), FIXED_COLOUR, fixed_position(position), IDENTITY, is_body=False
                )
            )
        else:
            arrows += scaled_arrows(1.5 * body.radius, ORIGIN, **{f"to_{name}": fixed_position(position)})
    return Appearance(objects, arrows)


def gyrostat(system: Gyrostat, trajectory: Trajectory) -> Appearance:
    """The carrier, and a wheel on its side for each rotor: where the rotor is, or beyond the surface."""
    mesh, point, note = body_about_mass_centre(system, system.carrier)
    wheels = []
    for rotor in system.rotors:
        axis, position = np.asarray(rotor.axis), np.asarray(rotor.position)
        beyond = float((mesh.vertices @ axis).max()) + 0.12 * mesh.radius
        centre = position - system.shape.centre if system.shape is not None and position.any() else beyond * axis
        half = 0.05 * mesh.radius * axis
        wheels += [
            cylinder(centre - half, centre + half, 0.32 * mesh.radius, steps=40),
            cylinder(0.0 * axis, centre, 0.04 * mesh.radius),
        ]
    shown = merge_meshes([mesh, *(wheel.painted(FIXED_COLOUR) for wheel in wheels)])
    return rotating_body(trajectory, shown, point, note)


def planar_body(system: PlanarBody, trajectory: Trajectory) -> Appearance:
    """A brick that turns about the vertical."""
    mesh = brick([1.0, 0.4, 0.15], BACK)
    q = rotations_about([0.0, 0.0, 1.0], trajectory.theta)
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, q, axis_lengths(mesh), np.array([1.0, 0.0, 0.0]))
    return Appearance(
        [body], view_direction=TOP_VIEW, note="Only the angle is computed: the shape of the box has no meaning."
    )
