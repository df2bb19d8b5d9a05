"""The appearance of each system, by its class. `appearance.register` adds that of another class, as in

    @appearance.register
    def _(system: MySystem, trajectory: Trajectory) -> Appearance: ...

Lengths are those of the system where it has any; a body that only rotates has none, and is drawn as the homogeneous
box with its inertia, whose longest half side is 1. The z axis points up.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import PointMasses
from ...bodies.inertia import Inertia
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
    OrbitingBody,
    Pendulum3D,
    PlanarBody,
    PlanarPendulum,
    PointForceBody,
    RigidBodySOn,
    SymmetricRigidBodySOn,
)
from ...systems.attitude.base import AttitudeSystem
from ..figures.style import AMBER, PINK
from .meshes import (
    Mesh,
    as_rotation,
    body_mesh,
    box,
    cylinder,
    equivalent_box,
    merge_meshes,
    sphere,
    torus,
)
from .objects import Appearance, Arrow, SceneObject

Array = NDArray[np.float64]

BODY_COLOURS = ["#6FA8D6", "#E8A15C", "#63B79A", "#C98BB0", "#B5A642", "#8F9BD0", "#D98880"]
FIXED_COLOUR = "#8A929C"
FRONT_VIEW, TOP_VIEW = (0.12, -1.0, 0.18), (0.35, -0.6, 1.0)
ATTITUDE_ONLY = "Only the attitude is computed: the box is the homogeneous one with this inertia."
PROPORTIONS = "The box has the proportions that the inertia about the mass centre gives."
ORIGIN = np.zeros((1, 3))
IDENTITY = np.array([[0.0, 0.0, 0.0, 1.0]])


@singledispatch
def appearance(system: System, trajectory: Trajectory) -> Appearance:
    """What a system shows at the samples of a trajectory. A class that is not registered is shown by
    its attitude, if it has one."""
    if "R" not in system.fields or system.fields["R"].shape != (3, 3):
        return Appearance(note=f"{type(system).__name__} cannot be drawn in three dimensions.")
    mesh = box([1.0, 0.6, 0.35])
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, unchecked.from_matrix(trajectory.R), axis_lengths(mesh))
    return Appearance([body], note="Only the attitude is computed: the shape of the box has no meaning.")


def fixed_position(x: ArrayLike) -> Array:
    """One position for all frames."""
    return np.reshape(np.asarray(x, dtype=np.float64), (1, 3))


def rotations_about(axis: ArrayLike, angle: Array) -> Array:
    """Quaternions of the rotations about a fixed axis."""
    return np.concatenate([np.outer(np.sin(0.5 * angle), np.asarray(axis)), np.cos(0.5 * angle)[:, None]], axis=1)


def rotate(R: Array, x: ArrayLike) -> Array:
    """Body vectors in space: the product of rotation matrices and vectors."""
    return np.einsum("...ij,...j->...i", R, np.broadcast_to(x, R.shape[:-1]))


def axis_lengths(mesh: Mesh) -> Array:
    """Lengths at which the axes of a frame extend beyond a mesh."""
    return mesh.half_extents + 0.35 * mesh.radius


def scaled_arrows(length: float, start: Array, **vectors: Array) -> list[Arrow]:
    """Arrows scaled so that each has the length `length` where it is longest; vectors that are always zero are omitted."""
    colours = {"angular_momentum": PINK, "angular_velocity": AMBER}
    sizes = {name: float(np.linalg.norm(v, axis=-1).max()) for name, v in vectors.items()}
    return [
        Arrow(name.replace("_", " "), colours.get(name, FIXED_COLOUR), start, v * (length / sizes[name]))
        for name, v in vectors.items()
        if sizes[name] > 0.0
    ]


def rotating_body(
    trajectory: Trajectory, mesh: Mesh, trail_point: ArrayLike, note: str = ATTITUDE_ONLY, **space_vectors: Array
) -> Appearance:
    """A body that rotates about the origin, its angular momentum and velocity, and further vectors given in space."""
    R, size = trajectory.R, 1.5 * mesh.radius
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, trajectory.q, axis_lengths(mesh), np.asarray(trail_point))
    body_vectors = {"angular_momentum": trajectory.Pi, "angular_velocity": trajectory.omega}
    vectors = {name: rotate(R, x) for name, x in body_vectors.items()} | space_vectors
    # shorter, so that both arrows are visible where they have the same direction
    lengths = {"angular_velocity": 0.8 * size}
    arrows = [a for name, v in vectors.items() for a in scaled_arrows(lengths.get(name, size), ORIGIN, **{name: v})]
    return Appearance([body], arrows, note=note)


def longest_axis_end(inertia: Inertia) -> Array:
    """The end of the longest axis of the box with this inertia."""
    return as_rotation(inertia.axes)[:, 0]


@appearance.register
def _(system: AttitudeSystem, trajectory: Trajectory) -> Appearance:
    inertia: Inertia = system.inertia
    return rotating_body(trajectory, equivalent_box(inertia), longest_axis_end(inertia))


@appearance.register
def _(system: OrbitingBody, trajectory: Trajectory) -> Appearance:
    mesh = equivalent_box(system.inertia)
    frame = {"velocity": fixed_position([1, 0, 0]), "outward": fixed_position([0, 0, 1])}
    note = f"{ATTITUDE_ONLY} Shown in the frame that rotates with the orbit."
    return rotating_body(trajectory, mesh, longest_axis_end(system.inertia), note, **frame)


@appearance.register
def _(system: ChargedBody, trajectory: Trajectory) -> Appearance:
    mesh = equivalent_box(system.inertia)
    return rotating_body(
        trajectory, mesh, longest_axis_end(system.inertia), E=fixed_position(system.E), B=fixed_position(system.B)
    )


@appearance.register
def _(system: PointForceBody, trajectory: Trajectory) -> Appearance:
    shown = rotating_body(trajectory, equivalent_box(system.inertia), longest_axis_end(system.inertia))
    point = system.point / (np.linalg.norm(system.point) or 1.0)
    force = scaled_arrows(1.0, rotate(trajectory.R, point), force=fixed_position(system.applied))
    return Appearance(shown.objects, [*shown.arrows, *force], note=ATTITUDE_ONLY)


@appearance.register
def _(system: ConstantSpaceMoment, trajectory: Trajectory) -> Appearance:
    mesh = equivalent_box(system.inertia)
    return rotating_body(trajectory, mesh, longest_axis_end(system.inertia), moment=fixed_position(system.constant))


@appearance.register
def _(system: ConstantBodyMoment, trajectory: Trajectory) -> Appearance:
    mesh = equivalent_box(system.inertia)
    return rotating_body(
        trajectory, mesh, longest_axis_end(system.inertia), moment=rotate(trajectory.R, system.constant)
    )


@appearance.register
def _(system: FieldBody, trajectory: Trajectory) -> Appearance:
    body = PointMasses(system.masses, system.positions)
    mesh = merge_meshes([body_mesh(body), sphere(0.06 * body.radius)])
    farthest = system.positions[np.argmax(np.linalg.norm(system.positions, axis=1))]
    shown = rotating_body(trajectory, mesh, farthest, "", uniform_field=fixed_position(system.uniform))
    objects, arrows = list(shown.objects), list(shown.arrows)
    for i, (_, *position) in enumerate(system.sources):
        name = f"source {i}"
        if np.linalg.norm(position) < 8.0 * body.radius:
            objects.append(
                SceneObject(name, sphere(0.15 * body.radius), FIXED_COLOUR, fixed_position(position), IDENTITY)
            )
        else:
            arrows += scaled_arrows(1.5 * body.radius, ORIGIN, **{f"to_{name}": fixed_position(position)})
    return Appearance(objects, arrows)


@appearance.register
def _(system: Pendulum3D, trajectory: Trajectory) -> Appearance:
    mesh, pivot = pivoted_body(system)
    shown = rotating_body(trajectory, mesh, -system.rho0, PROPORTIONS)
    return Appearance([*shown.objects, pivot], shown.arrows, note=PROPORTIONS)


@appearance.register
def _(system: AxisPendulum, trajectory: Trajectory) -> Appearance:
    mesh, pivot = pivoted_body(system)
    q = unchecked.from_matrix(trajectory.R)
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, q, axis_lengths(mesh), -system.rho0)
    half = 0.8 * mesh.radius * system.axis
    axle = SceneObject("axis", cylinder(-half, half, 0.5 * pivot.mesh.radius), FIXED_COLOUR, ORIGIN, IDENTITY)
    level = np.cross(system.axis, [0.0, 0.0, 1.0])
    side = level / np.linalg.norm(level) if level.any() else np.array([1.0, 0.0, 0.0])
    direction = 0.8 * system.axis + 0.45 * side + [0.0, 0.0, 0.25]
    return Appearance(
        [body, axle], view_direction=(float(direction[0]), float(direction[1]), float(direction[2])), note=PROPORTIONS
    )


def pivoted_body(system: Any) -> tuple[Mesh, SceneObject]:
    """The box of a body with a rod to its pivot at the origin, and the pivot.

    A box that would hide the pivot is drawn smaller, in the same proportions.
    """
    block = equivalent_box(system.inertia_cm, system.mass)
    arm = float(np.linalg.norm(system.rho0))
    towards = float((block.vertices @ system.rho0).max()) / arm if arm else 0.0
    size = min(1.0, 0.7 * arm / towards) if towards else 1.0
    block = Mesh(size * block.vertices - system.rho0, block.faces)
    rod = cylinder([0, 0, 0], -system.rho0, 0.025 * block.radius)
    return merge_meshes([block, rod]), SceneObject("pivot", sphere(0.05 * block.radius), FIXED_COLOUR, ORIGIN, IDENTITY)


@appearance.register
def _(system: PlanarPendulum, trajectory: Trajectory) -> Appearance:
    """A disc on a rod. The disc has the inertia about the mass centre, or is smaller if it would hide the pivot."""
    gyration2 = max(system.J / system.mass - system.length**2, 0.0)
    radius = float(np.clip(np.sqrt(2.0 * gyration2), 0.08 * system.length, 0.45 * system.length))
    mass = np.array([0.0, 0.0, -system.length])
    depth = np.array([0.0, 0.08 * system.length, 0.0])
    rod = cylinder([0, 0, 0], mass, 0.025 * system.length)
    mesh = merge_meshes([cylinder(mass - depth, mass + depth, radius, steps=48), rod])
    q = rotations_about([0.0, -1.0, 0.0], trajectory.theta)
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, q, None, mass)
    pivot = SceneObject("pivot", sphere(0.06 * system.length), FIXED_COLOUR, ORIGIN, IDENTITY)
    return Appearance([body, pivot], view_direction=FRONT_VIEW)


@appearance.register
def _(system: DoublePlanarPendulum, trajectory: Trajectory) -> Appearance:
    """Rods with spheres at the mass centres; the second rod is as long as its mass centre is twice from the joint."""
    given = system.given
    l1, c2 = given["length1"], float(np.hypot(*system.centres[1]))
    size = 0.5 * (l1 + 2.0 * c2)
    heavier = max(given["mass1"], given["mass2"])
    ends, masses = (l1, 2.0 * c2), (given["mass1"], given["mass2"])
    angles = trajectory.theta
    joint = l1 * np.stack([np.sin(angles[:, 0]), 0.0 * angles[:, 0], -np.cos(angles[:, 0])], axis=1)
    objects = []
    for i, at in enumerate((ORIGIN, joint)):
        beside, below = system.centres[i]
        end, centre = np.array([0.0, 0.0, -ends[i]]), np.array([beside, 0.0, -below])
        weight = sphere(0.14 * size * float(np.cbrt(masses[i] / heavier)), centre)
        mesh = merge_meshes([cylinder([0, 0, 0], end, 0.03 * size), weight])
        q = rotations_about([0.0, -1.0, 0.0], angles[:, i])
        objects.append(SceneObject(f"link {i + 1}", mesh, BODY_COLOURS[i], at, q, None, end if i else None))
    pivot = SceneObject("pivot", sphere(0.06 * size), FIXED_COLOUR, ORIGIN, IDENTITY)
    return Appearance([*objects, pivot], view_direction=FRONT_VIEW)


@appearance.register
def _(system: PlanarBody, trajectory: Trajectory) -> Appearance:
    mesh = box([1.0, 0.4, 0.15])
    q = rotations_about([0.0, 0.0, 1.0], trajectory.theta)
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, q, axis_lengths(mesh), np.array([1.0, 0.0, 0.0]))
    return Appearance(
        [body], view_direction=TOP_VIEW, note="Only the angle is computed: the shape of the box has no meaning."
    )


@appearance.register
def _(system: CoupledBodies, trajectory: Trajectory) -> Appearance:
    """The bodies side by side."""
    meshes = [equivalent_box(inertia) for inertia in system.inertias]
    gap = 2.2 * max(mesh.radius for mesh in meshes)
    positions = [fixed_position([gap * (i - 0.5 * (len(meshes) - 1)), 0.0, 0.0]) for i in range(len(meshes))]
    note = "Only the attitudes are computed: the boxes are the homogeneous ones with these inertias, side by side."
    return rotating_bodies(trajectory, meshes, positions, system.inertias, note)


@appearance.register
def _(system: ConcentricShells, trajectory: Trajectory) -> Appearance:
    """Body 0 as rings around body 1."""
    outer, inner = system.inertias
    block = equivalent_box(inner)
    radius, axes = 1.15 * block.radius, as_rotation(outer.axes)
    cage = merge_meshes(torus(radius, 0.035 * radius, np.roll(axes, i, axis=1)) for i in range(3))
    positions = [ORIGIN] * 2
    note = "Only the attitudes are computed: body 0 is drawn as rings, body 1 as a box with its inertia."
    return rotating_bodies(trajectory, [cage, block], positions, system.inertias, note)


def rotating_bodies(
    trajectory: Trajectory, meshes: Sequence[Mesh], positions: Sequence[Array], inertias: Sequence[Inertia], note: str
) -> Appearance:
    """Bodies that rotate, each about its own position, with their angular momenta."""
    objects, arrows = [], []
    for i, (mesh, position, inertia) in enumerate(zip(meshes, positions, inertias, strict=True)):
        R, colour = trajectory.R[:, i], BODY_COLOURS[i % len(BODY_COLOURS)]
        q = unchecked.from_matrix(R)
        objects.append(
            SceneObject(
                trajectory.system.body_labels[i],
                mesh,
                colour,
                position,
                q,
                axis_lengths(mesh),
                longest_axis_end(inertia),
            )
        )
        arrows += scaled_arrows(1.4 * mesh.radius, position, angular_momentum=rotate(R, trajectory.Pi[:, i]))
    return Appearance(objects, arrows, view_direction=(0.45, -1.0, 0.5), note=note)


@appearance.register
def _(system: FullTwoBodyProblem, trajectory: Trajectory) -> Appearance:
    x = np.stack([trajectory.x1, trajectory.x2], axis=1)
    R = np.stack([trajectory.R1, trajectory.R2], axis=1)
    body_spins = np.stack([trajectory.Pi, trajectory.Pi2], axis=1)
    spins = np.einsum("tij,tbj->tbi", trajectory.R2, body_spins)
    return travelling_bodies(system, x, R, spins, system.angular_momentum(trajectory.values))


@appearance.register
def _(system: FullBodyProblem, trajectory: Trajectory) -> Appearance:
    spins = rotate(trajectory.R, trajectory.Pi)
    return travelling_bodies(system, trajectory.x, trajectory.R, spins, system.angular_momentum(trajectory.values))


def travelling_bodies(system: System, x: Array, R: Array, spins: Array, momentum: Array) -> Appearance:
    """Bodies in their true shapes on their paths, each with its spin; the total angular momentum at the mass centre."""
    bodies = system.bodies
    masses = np.array([body.mass for body in bodies])
    centre = np.einsum("b,tbi->ti", masses, x) / masses.sum()
    first_quarter = slice(0, len(x) // 4 + 1)
    width = float(np.linalg.norm(x - centre[:, None], axis=-1)[first_quarter].max())
    objects, arrows = [], []
    for i, body in enumerate(bodies):
        mesh, q = body_mesh(body), unchecked.from_matrix(R[:, i])
        colour = BODY_COLOURS[i % len(BODY_COLOURS)]
        objects.append(SceneObject(system.body_labels[i], mesh, colour, x[:, i], q, axis_lengths(mesh), np.zeros(3)))
        for arrow in scaled_arrows(2.0 * mesh.radius, x[:, i], spin=spins[:, i]):
            arrows.append(Arrow("spin", AMBER, arrow.start, arrow.vector))
    total = scaled_arrows(0.7 * width, centre, angular_momentum=momentum)
    return Appearance(objects, [*arrows, *total], view_direction=(0.55, -1.0, 0.85), centre=centre)


@appearance.register
def _(system: RigidBodySOn | SymmetricRigidBodySOn, trajectory: Trajectory) -> Appearance:
    """A box in two and three dimensions; in more dimensions nothing can be drawn."""
    n, Q = system.n, trajectory.Q
    if n == 2:
        angle = np.arctan2(Q[:, 1, 0], Q[:, 0, 0])
        mesh = box([1.0, 0.4, 0.15])
        body = SceneObject(
            "body", mesh, BODY_COLOURS[0], ORIGIN, rotations_about([0.0, 0.0, 1.0], angle), axis_lengths(mesh)
        )
        return Appearance([body], view_direction=TOP_VIEW)
    if n > 3:
        return Appearance(note=f"A body in {n} dimensions cannot be drawn.")
    Lambda = system.weight.matrix
    inertia = Inertia.of(np.trace(Lambda) * np.eye(3) - Lambda, allow_unphysical=True)
    mesh = equivalent_box(inertia)
    q = unchecked.from_matrix(Q)
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, q, axis_lengths(mesh), longest_axis_end(inertia))
    momentum = unchecked.rotation_vee(trajectory.M if system.right else trajectory.m)
    return Appearance([body], scaled_arrows(1.5 * mesh.radius, ORIGIN, angular_momentum=momentum), note=ATTITUDE_ONLY)
