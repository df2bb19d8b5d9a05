"""How pendulums and tops look: the body, the rod to its pivot, and what holds the pivot."""

from __future__ import annotations

import numpy as np

from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from ...systems import AxisPendulum, DoublePlanarPendulum, Pendulum3D, PlanarPendulum
from .body_meshes import BACK, THINNEST, body_mesh, equivalent_box
from .elements import (
    BODY_COLOURS,
    FIXED_COLOUR,
    FRONT_VIEW,
    IDENTITY,
    ORIGIN,
    Array,
    axis_lengths,
    rotate,
    rotating_body,
    rotations_about,
)
from .meshes import Mesh, cylinder, merge_meshes, revolved, sphere
from .objects import Appearance, SceneObject

PROPORTIONS = "The box has the proportions that the inertia about the mass centre gives."
TOP = "The disc has the inertia about the mass centre; the rest of the top is without mass."
CLEAR = 0.35  # cosine of the angle from the vertical beyond which a stand or a hook would be in the way
SECTORS = 6  # of a top, in two colours, so that its spin is seen


def pendulum_3d(system: Pendulum3D, trajectory: Trajectory) -> Appearance:
    """The body in its shape, as a top, or as a brick on a rod; a stand below the pivot or a hook above it."""
    mesh, note = pivoted_body(system)
    height = rotate(trajectory.R, -system.rho0)[:, 2] / (np.linalg.norm(system.rho0) or 1.0)
    shown = rotating_body(trajectory, mesh, -system.rho0, note)
    holder = pivot(mesh.radius, float(height.min()), float(height.max()))
    return Appearance([*shown.objects, holder], shown.arrows, note=note)


def axis_pendulum(system: AxisPendulum, trajectory: Trajectory) -> Appearance:
    """The body on its axle."""
    mesh, note = pivoted_body(system)
    q = unchecked.from_matrix(trajectory.R)
    name, colour = system.body_labels[0], mesh.main_colour(BODY_COLOURS[0])
    body = SceneObject(name, mesh, colour, ORIGIN, q, axis_lengths(mesh), -system.rho0)
    half = 0.8 * mesh.radius * system.axis
    axle = SceneObject(
        "axis", cylinder(-half, half, 0.025 * mesh.radius), FIXED_COLOUR, ORIGIN, IDENTITY, is_body=False
    )
    level = np.cross(system.axis, [0.0, 0.0, 1.0])
    side = level / np.linalg.norm(level) if level.any() else np.array([1.0, 0.0, 0.0])
    direction = 0.8 * system.axis + 0.45 * side + [0.0, 0.0, 0.25]
    view = (float(direction[0]), float(direction[1]), float(direction[2]))
    return Appearance([body, axle], view_direction=view, note=note)


def pivoted_body(system: Pendulum3D | AxisPendulum) -> tuple[Mesh, str]:
    """A body with the pivot at the origin, and what to say about it: its shape; a top if it is symmetric about the line
    from the pivot to the mass centre; else the brick with its inertia, on a rod."""
    if system.shape is not None:
        mesh = body_mesh(system.shape).transformed(-system.shape.centre - system.rho0)
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        room = 0.02 * mesh.radius
        if np.all((low - room <= 0.0) & (high + room >= 0.0)):  # the pivot is in the body or on it
            return mesh, ""
        return merge_meshes([mesh, rod(system.rho0, mesh.radius)]), "The rod to the pivot is without mass."
    if isinstance(system, Pendulum3D) and system.is_lagrange_top:
        return top(system), TOP
    block = equivalent_box(system.inertia_cm, system.mass)
    arm = float(np.linalg.norm(system.rho0))
    towards = float((block.vertices @ system.rho0).max()) / arm if arm else 0.0
    # a box that would hide the pivot is drawn smaller, in the same proportions
    block = block.scaled(min(1.0, 0.7 * arm / towards) if towards else 1.0).transformed(-system.rho0)
    return merge_meshes([block, rod(system.rho0, block.radius)]), PROPORTIONS


def rod(rho0: Array, size: float) -> Mesh:
    """A rod from the pivot to the mass centre."""
    return cylinder([0, 0, 0], -rho0, 0.025 * size).painted(FIXED_COLOUR)


def top(system: Pendulum3D) -> Mesh:
    """A top that stands on its tip, which is the pivot: a disc with the inertia about the mass centre, on a peg.

    A disc has `J = m r²/2` about its axis and `m (3r² + h²)/12` across. It is drawn smaller if it would hide the tip.
    """
    centre, arm = -system.rho0, float(np.linalg.norm(system.rho0))
    axis = centre / arm
    J = system.inertia_cm.matrix
    axial = float(axis @ J @ axis)
    radius = np.sqrt(2.0 * axial / system.mass)
    height = np.sqrt(max(6.0 * (np.trace(J) - axial) / system.mass - 3.0 * radius**2, (THINNEST * radius) ** 2))
    size = min(1.0, 1.3 * arm / radius, 1.4 * arm / height)
    r, h = size * radius, 0.5 * size * height
    peg = 0.07 * r
    # tip, peg, the disc with a sloping underside, and the handle; heights from the tip to the end of the handle
    end = arm + h + 0.5 * r
    outline = [
        (0.0, 0.0),
        (peg, 0.25 * (arm - h)),
        (peg, max(arm - h - 0.3 * r, 0.3 * (arm - h))),
        (r, arm - h),
        (r, arm + h),
    ]
    outline += [(peg, arm + h), (peg, end), (0.0, end)]
    mesh = revolved([(radius, z / end) for radius, z in outline], [0, 0, 0], end * axis)
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    across = np.linalg.svd(axis[None, :])[2][1:]
    turn = np.arctan2(middles @ across[1], middles @ across[0])
    return mesh.painted(BACK, (np.floor(turn / (2.0 * np.pi) * SECTORS) % 2 == 0))


def pivot(size: float, lowest: float, highest: float) -> SceneObject:
    """The pivot: a ball, on a stand below it or under a hook above it where the body leaves room for that. `lowest` and
    `highest` are the cosines between the upward vertical and the direction to the mass centre."""
    parts = [sphere(0.03 * size)]
    if lowest > CLEAR:
        parts.append(
            revolved(
                [(0, 0), (0.22 * size, 0), (0.22 * size, 0.08), (0.02 * size, 0.3), (0.012 * size, 1), (0, 1)],
                [0, 0, -0.3 * size],
                [0, 0, 0],
            )
        )
    elif highest < -CLEAR:
        parts.append(
            revolved(
                [(0, 0), (0.012 * size, 0), (0.02 * size, 0.8), (0.2 * size, 0.85), (0.2 * size, 1), (0, 1)],
                [0, 0, 0],
                [0, 0, 0.25 * size],
            )
        )
    return SceneObject("pivot", merge_meshes(parts), FIXED_COLOUR, ORIGIN, IDENTITY, is_body=False)


def planar_pendulum(system: PlanarPendulum, trajectory: Trajectory) -> Appearance:
    """A disc on a rod. The disc has the inertia about the mass centre, or is smaller if it would hide the pivot."""
    gyration2 = max(system.J / system.mass - system.length**2, 0.0)
    radius = float(np.clip(np.sqrt(2.0 * gyration2), 0.08 * system.length, 0.45 * system.length))
    mass = np.array([0.0, 0.0, -system.length])
    depth = np.array([0.0, 0.08 * system.length, 0.0])
    rod = cylinder([0, 0, 0], mass, 0.025 * system.length)
    mesh = merge_meshes([cylinder(mass - depth, mass + depth, radius, steps=48), rod])
    q = rotations_about([0.0, -1.0, 0.0], trajectory.theta)
    body = SceneObject("body", mesh, BODY_COLOURS[0], ORIGIN, q, None, mass)
    pivot = SceneObject("pivot", sphere(0.06 * system.length), FIXED_COLOUR, ORIGIN, IDENTITY, is_body=False)
    return Appearance([body, pivot], view_direction=FRONT_VIEW)


def double_pendulum(system: DoublePlanarPendulum, trajectory: Trajectory) -> Appearance:
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
    pivot = SceneObject("pivot", sphere(0.06 * size), FIXED_COLOUR, ORIGIN, IDENTITY, is_body=False)
    return Appearance([*objects, pivot], view_direction=FRONT_VIEW)
