"""How several bodies look, side by side or on their paths; and bodies of any dimension."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...bodies.inertia import Inertia
from ...core.system import System
from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from ...systems import (
    ConcentricShells,
    CoupledBodies,
    FullBodyProblem,
    FullTwoBodyProblem,
    RigidBodySOn,
    SymmetricRigidBodySOn,
)
from ..figures.style import AMBER
from .body_meshes import BACK, as_rotation, body_mesh, equivalent_box
from .elements import (
    ATTITUDE_ONLY,
    BODY_COLOURS,
    FIXED_COLOUR,
    IDENTITY,
    ORIGIN,
    TOP_VIEW,
    Array,
    axis_lengths,
    end_along,
    fixed_position,
    longest_axis,
    rotate,
    rotations_about,
    scaled_arrows,
)
from .meshes import Mesh, brick, cylinder, merge_meshes, sphere, torus
from .objects import Appearance, Arrow, SceneObject


def coupled_bodies(system: CoupledBodies, trajectory: Trajectory) -> Appearance:
    """The bodies side by side, with a rod between the bodies of each coupling."""
    meshes = [shape_or_brick(inertia) for inertia in system.inertias]
    gap = 2.2 * max(mesh.radius for mesh in meshes)
    positions = [fixed_position([gap * (i - 0.5 * (len(meshes) - 1)), 0.0, 0.0]) for i in range(len(meshes))]
    note = "Only the attitudes are computed: the bodies are side by side"
    note += ", boxes with their inertias." if any(J.body is None for J in system.inertias) else "."
    shown = rotating_bodies(trajectory, meshes, positions, system.inertias, note)
    rods = [cylinder(positions[i][0], positions[j][0], 0.012 * gap) for i, j, _ in system.couplings]
    if not rods:
        return shown
    joint = SceneObject("coupling", merge_meshes(rods), FIXED_COLOUR, ORIGIN, IDENTITY, is_body=False)
    return Appearance([*shown.objects, joint], shown.arrows, shown.view_direction, shown.note)


def shape_or_brick(inertia: Inertia) -> Mesh:
    """The body of an inertia about its mass centre, or the brick that has it."""
    body = inertia.body
    return equivalent_box(inertia) if body is None else body_mesh(body).transformed(-body.centre)


def concentric_shells(system: ConcentricShells, trajectory: Trajectory) -> Appearance:
    """Body 0 as rings around body 1."""
    outer, inner = system.inertias
    block = shape_or_brick(inner)
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
        R, colour = trajectory.R[:, i], mesh.main_colour(BODY_COLOURS[i % len(BODY_COLOURS)])
        q = unchecked.from_matrix(R)
        objects.append(
            SceneObject(
                trajectory.system.body_labels[i],
                mesh,
                colour,
                position,
                q,
                axis_lengths(mesh),
                end_along(mesh, longest_axis(inertia)),
            )
        )
        arrows += scaled_arrows(1.4 * mesh.radius, position, angular_momentum=rotate(R, trajectory.Pi[:, i]))
    return Appearance(objects, arrows, view_direction=(0.45, -1.0, 0.5), note=note)


def two_bodies(system: FullTwoBodyProblem, trajectory: Trajectory) -> Appearance:
    """Both bodies in the inertial frame."""
    x = np.stack([trajectory.x1, trajectory.x2], axis=1)
    R = np.stack([trajectory.R1, trajectory.R2], axis=1)
    body_spins = np.stack([trajectory.Pi, trajectory.Pi2], axis=1)
    spins = np.einsum("tij,tbj->tbi", trajectory.R2, body_spins)
    return travelling_bodies(system, x, R, spins, system.angular_momentum(trajectory.values))


def many_bodies(system: FullBodyProblem, trajectory: Trajectory) -> Appearance:
    """All bodies in the inertial frame."""
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
        colour = mesh.main_colour(BODY_COLOURS[i % len(BODY_COLOURS)])
        objects.append(SceneObject(system.body_labels[i], mesh, colour, x[:, i], q, axis_lengths(mesh), np.zeros(3)))
        for arrow in scaled_arrows(2.0 * mesh.radius, x[:, i], spin=spins[:, i]):
            arrows.append(Arrow("spin", AMBER, arrow.start, arrow.vector))
    total = scaled_arrows(0.7 * width, centre, angular_momentum=momentum)
    return Appearance(objects, [*arrows, *total], view_direction=(0.55, -1.0, 0.85), centre=centre)


def body_of_any_dimension(system: RigidBodySOn | SymmetricRigidBodySOn, trajectory: Trajectory) -> Appearance:
    """A brick in two and three dimensions; in more, the shadows of the body's axes."""
    n, Q = system.n, trajectory.Q
    if n == 2:
        angle = np.arctan2(Q[:, 1, 0], Q[:, 0, 0])
        mesh = brick([1.0, 0.4, 0.15], BACK)
        body = SceneObject(
            "body", mesh, BODY_COLOURS[0], ORIGIN, rotations_about([0.0, 0.0, 1.0], angle), axis_lengths(mesh)
        )
        return Appearance([body], view_direction=TOP_VIEW)
    if n > 3:
        return shadows_of_axes(Q)
    Lambda = system.weight.matrix
    inertia = Inertia.of(np.trace(Lambda) * np.eye(3) - Lambda, allow_unphysical=True)
    mesh = equivalent_box(inertia)
    q = unchecked.from_matrix(Q)
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, q, axis_lengths(mesh), longest_axis(inertia))
    momentum = unchecked.rotation_vee(trajectory.M if system.right else trajectory.m)
    return Appearance([body], scaled_arrows(1.5 * mesh.radius, ORIGIN, angular_momentum=momentum), note=ATTITUDE_ONLY)


def shadows_of_axes(Q: Array) -> Appearance:
    """Of a body in n dimensions, the first three coordinates of each of its n axes: their shadows in a space of three."""
    n = Q.shape[-1]
    rings = merge_meshes(torus(1.0, 0.006, np.roll(np.eye(3), i, axis=1)) for i in range(3))
    ball = SceneObject(
        "unit sphere", merge_meshes([rings, sphere(0.03)]), FIXED_COLOUR, ORIGIN, IDENTITY, is_body=False
    )
    arrows = [
        Arrow(f"axis {i} of {n}", BODY_COLOURS[i % len(BODY_COLOURS)], ORIGIN, np.ascontiguousarray(Q[:, :3, i]))
        for i in range(n)
    ]
    note = f"Each axis of the body in {n} dimensions, by its first three coordinates: it is as long as 1 where the others are 0."
    return Appearance([ball], arrows, note=note)
