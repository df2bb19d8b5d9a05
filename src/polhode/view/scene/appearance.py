"""What each system shows, by its class; `look.register` adds another, as in

    @look.register
    def _(system: MySystem, trajectory: Trajectory) -> Look: ...

Lengths are the system's own where it has any; a body that only turns has none, and is drawn as the homogeneous brick
of its inertia, with a longest half side of 1. The z axis is up.
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
from .meshes import Mesh, ball, bar, brick, homogeneous_brick, joined, of_body, right_handed, ring
from .objects import Arrow, Look, Thing

Array = NDArray[np.float64]

BODIES = ["#6FA8D6", "#E8A15C", "#63B79A", "#C98BB0", "#B5A642", "#8F9BD0", "#D98880"]
STILL = "#8A929C"
STRAIGHT_ON, FROM_ABOVE = (0.12, -1.0, 0.18), (0.35, -0.6, 1.0)
NO_SIZE = "Only the attitude is known: the brick is a homogeneous one with this inertia."
PROPORTIONS = "The brick is in the proportions of the inertia about the mass centre."
UPRIGHT = np.array([[0.0, 0.0, 0.0, 1.0]])


@singledispatch
def look(system: System, trajectory: Trajectory) -> Look:
    """What a system shows at the samples of a trajectory. One that says nothing is shown by its attitude, if it has one."""
    if "R" not in system.fields or system.fields["R"].shape != (3, 3):
        return Look(note=f"There is no picture of {type(system).__name__} in three dimensions.")
    mesh = brick([1.0, 0.6, 0.35])
    body = Thing("body", mesh, BODIES[0], place([0, 0, 0]), unchecked.from_matrix(trajectory.R), axes_of(mesh))
    return Look([body], note="Only the attitude is known: the brick stands for any body.")


def place(x: ArrayLike) -> Array:
    """One place for all frames."""
    return np.reshape(np.asarray(x, dtype=np.float64), (1, 3))


def about(axis: ArrayLike, angle: Array) -> Array:
    """Quaternions of turns about a fixed axis."""
    return np.concatenate([np.outer(np.sin(0.5 * angle), np.asarray(axis)), np.cos(0.5 * angle)[:, None]], axis=1)


def turned(R: Array, x: ArrayLike) -> Array:
    """Body vectors in space, by rotation matrices."""
    return np.einsum("...ij,...j->...i", R, np.broadcast_to(x, R.shape[:-1]))


def axes_of(mesh: Mesh) -> Array:
    """Lengths of axes that stand out of a mesh."""
    return mesh.reach + 0.35 * mesh.radius


def arrows(length: float, start: Array, **vectors: Array) -> list[Arrow]:
    """Arrows as long as `length` where they are longest; those that are always zero are left out."""
    colours = {"angular_momentum": PINK, "angular_velocity": AMBER}
    sizes = {name: float(np.linalg.norm(v, axis=-1).max()) for name, v in vectors.items()}
    return [
        Arrow(name.replace("_", " "), colours.get(name, STILL), start, v * (length / sizes[name]))
        for name, v in vectors.items()
        if sizes[name] > 0.0
    ]


def one_body(trajectory: Trajectory, mesh: Mesh, trail: ArrayLike, note: str = NO_SIZE, **further: Array) -> Look:
    """A body that turns about the origin, its momentum and rate, and further vectors in space."""
    R, size = trajectory.R, 1.5 * mesh.radius
    body = Thing("body", mesh, BODIES[0], place([0, 0, 0]), trajectory.q, axes_of(mesh), np.asarray(trail))
    inside = {"angular_momentum": trajectory.Pi, "angular_velocity": trajectory.omega}
    vectors = {name: turned(R, x) for name, x in inside.items()} | further
    # the shorter, so that it is seen where both have the same direction
    lengths = {"angular_velocity": 0.8 * size}
    drawn = [a for name, v in vectors.items() for a in arrows(lengths.get(name, size), place([0, 0, 0]), **{name: v})]
    return Look([body], drawn, note=note)


def long_end(inertia: Inertia) -> Array:
    """The end of the longest axis of the brick of this inertia."""
    return right_handed(inertia.axes)[:, 0]


@look.register
def _(system: AttitudeSystem, trajectory: Trajectory) -> Look:
    inertia: Inertia = system.inertia
    return one_body(trajectory, homogeneous_brick(inertia), long_end(inertia))


@look.register
def _(system: OrbitingBody, trajectory: Trajectory) -> Look:
    mesh = homogeneous_brick(system.inertia)
    frame = {"velocity": place([1, 0, 0]), "outward": place([0, 0, 1])}
    note = f"{NO_SIZE} Seen in the frame that turns with the orbit."
    return one_body(trajectory, mesh, long_end(system.inertia), note, **frame)


@look.register
def _(system: ChargedBody, trajectory: Trajectory) -> Look:
    mesh = homogeneous_brick(system.inertia)
    return one_body(trajectory, mesh, long_end(system.inertia), E=place(system.E), B=place(system.B))


@look.register
def _(system: PointForceBody, trajectory: Trajectory) -> Look:
    seen = one_body(trajectory, homogeneous_brick(system.inertia), long_end(system.inertia))
    point = system.point / (np.linalg.norm(system.point) or 1.0)
    force = arrows(1.0, turned(trajectory.R, point), force=place(system.applied))
    return Look(seen.things, [*seen.arrows, *force], note=NO_SIZE)


@look.register
def _(system: ConstantSpaceMoment, trajectory: Trajectory) -> Look:
    mesh = homogeneous_brick(system.inertia)
    return one_body(trajectory, mesh, long_end(system.inertia), moment=place(system.constant))


@look.register
def _(system: ConstantBodyMoment, trajectory: Trajectory) -> Look:
    mesh = homogeneous_brick(system.inertia)
    return one_body(trajectory, mesh, long_end(system.inertia), moment=turned(trajectory.R, system.constant))


@look.register
def _(system: FieldBody, trajectory: Trajectory) -> Look:
    body = PointMasses(system.masses, system.positions)
    mesh = joined([of_body(body), ball(0.06 * body.radius)])
    farthest = system.positions[np.argmax(np.linalg.norm(system.positions, axis=1))]
    seen = one_body(trajectory, mesh, farthest, "", uniform_field=place(system.uniform))
    things, drawn = list(seen.things), list(seen.arrows)
    for i, (_, *where) in enumerate(system.sources):
        name = f"source {i + 1}"
        if np.linalg.norm(where) < 8.0 * body.radius:
            things.append(Thing(name, ball(0.15 * body.radius), STILL, place(where), UPRIGHT))
        else:
            drawn += arrows(1.5 * body.radius, place([0, 0, 0]), **{f"to_{name}": place(where)})
    return Look(things, drawn)


@look.register
def _(system: Pendulum3D, trajectory: Trajectory) -> Look:
    mesh, pivot = hung(system)
    seen = one_body(trajectory, mesh, -system.rho0, PROPORTIONS)
    return Look([*seen.things, pivot], seen.arrows, note=PROPORTIONS)


@look.register
def _(system: AxisPendulum, trajectory: Trajectory) -> Look:
    mesh, pivot = hung(system)
    q = unchecked.from_matrix(trajectory.R)
    body = Thing("body", mesh, BODIES[0], place([0, 0, 0]), q, axes_of(mesh), -system.rho0)
    half = 0.8 * mesh.radius * system.axis
    axle = Thing("axis", bar(-half, half, 0.5 * pivot.mesh.radius), STILL, place([0, 0, 0]), UPRIGHT)
    level = np.cross(system.axis, [0.0, 0.0, 1.0])
    side = level / np.linalg.norm(level) if level.any() else np.array([1.0, 0.0, 0.0])
    viewer = 0.8 * system.axis + 0.45 * side + [0.0, 0.0, 0.25]
    return Look([body, axle], viewer=(float(viewer[0]), float(viewer[1]), float(viewer[2])), note=PROPORTIONS)


def hung(system: Any) -> tuple[Mesh, Thing]:
    """The brick of a body with a bar to its pivot at the origin, and the pivot.

    A brick that would hide the pivot is drawn smaller, in the same proportions.
    """
    block = homogeneous_brick(system.inertia_cm, system.mass)
    arm = float(np.linalg.norm(system.rho0))
    towards = float((block.vertices @ system.rho0).max()) / arm if arm else 0.0
    size = min(1.0, 0.7 * arm / towards) if towards else 1.0
    block = Mesh(size * block.vertices - system.rho0, block.faces)
    rod = bar([0, 0, 0], -system.rho0, 0.025 * block.radius)
    return joined([block, rod]), Thing("pivot", ball(0.05 * block.radius), STILL, place([0, 0, 0]), UPRIGHT)


@look.register
def _(system: PlanarPendulum, trajectory: Trajectory) -> Look:
    """A disc on a rod: that of the inertia about the mass centre, or a smaller one if it would hide the pivot."""
    gyration2 = max(system.J / system.mass - system.length**2, 0.0)
    radius = float(np.clip(np.sqrt(2.0 * gyration2), 0.08 * system.length, 0.45 * system.length))
    mass = np.array([0.0, 0.0, -system.length])
    depth = np.array([0.0, 0.08 * system.length, 0.0])
    rod = bar([0, 0, 0], mass, 0.025 * system.length)
    mesh = joined([bar(mass - depth, mass + depth, radius, steps=48), rod])
    q = about([0.0, -1.0, 0.0], trajectory.theta)
    body = Thing("body", mesh, BODIES[0], place([0, 0, 0]), q, None, mass)
    pivot = Thing("pivot", ball(0.06 * system.length), STILL, place([0, 0, 0]), UPRIGHT)
    return Look([body, pivot], viewer=STRAIGHT_ON)


@look.register
def _(system: DoublePlanarPendulum, trajectory: Trajectory) -> Look:
    """Rods with balls at the mass centres; the second is drawn twice as long as its mass centre is far."""
    given = system.given
    l1, c1, c2 = given["length1"], given["center1"], given["center2"]
    size = 0.5 * (l1 + 2.0 * c2)
    heavier = max(given["mass1"], given["mass2"])
    ends, centres, masses = (l1, 2.0 * c2), (c1, c2), (given["mass1"], given["mass2"])
    angles = trajectory.theta
    joint = l1 * np.stack([np.sin(angles[:, 0]), 0.0 * angles[:, 0], -np.cos(angles[:, 0])], axis=1)
    things = []
    for i, at in enumerate((place([0, 0, 0]), joint)):
        end, centre = np.array([0.0, 0.0, -ends[i]]), np.array([0.0, 0.0, -centres[i]])
        weight = ball(0.14 * size * float(np.cbrt(masses[i] / heavier)), centre)
        mesh = joined([bar([0, 0, 0], end, 0.03 * size), weight])
        q = about([0.0, -1.0, 0.0], angles[:, i])
        things.append(Thing(f"link {i + 1}", mesh, BODIES[i], at, q, None, end if i else None))
    pivot = Thing("pivot", ball(0.06 * size), STILL, place([0, 0, 0]), UPRIGHT)
    return Look([*things, pivot], viewer=STRAIGHT_ON)


@look.register
def _(system: PlanarBody, trajectory: Trajectory) -> Look:
    mesh = brick([1.0, 0.4, 0.15])
    q = about([0.0, 0.0, 1.0], trajectory.theta)
    body = Thing("body", mesh, BODIES[0], place([0, 0, 0]), q, axes_of(mesh), np.array([1.0, 0.0, 0.0]))
    return Look([body], viewer=FROM_ABOVE, note="Only the angle is known: the brick stands for any body.")


@look.register
def _(system: CoupledBodies, trajectory: Trajectory) -> Look:
    """Side by side."""
    meshes = [homogeneous_brick(inertia) for inertia in system.inertias]
    gap = 2.2 * max(mesh.radius for mesh in meshes)
    middles = [place([gap * (i - 0.5 * (system.bodies - 1)), 0.0, 0.0]) for i in range(system.bodies)]
    note = "Only the attitudes are known: the bricks are homogeneous ones with these inertias, side by side."
    return several(trajectory, meshes, middles, system.inertias, note)


@look.register
def _(system: ConcentricShells, trajectory: Trajectory) -> Look:
    """The first as rings around the second."""
    outer, inner = system.inertias
    block = homogeneous_brick(inner)
    radius, axes = 1.15 * block.radius, right_handed(outer.axes)
    cage = joined(ring(radius, 0.035 * radius, np.roll(axes, i, axis=1)) for i in range(3))
    middles = [place([0, 0, 0])] * 2
    note = "Only the attitudes are known: the first shell is drawn as rings, the second as a brick with its inertia."
    return several(trajectory, [cage, block], middles, system.inertias, note)


def several(
    trajectory: Trajectory, meshes: Sequence[Mesh], middles: Sequence[Array], inertias: Sequence[Inertia], note: str
) -> Look:
    """Bodies that turn, each about its place, with their momenta."""
    things, drawn = [], []
    for i, (mesh, middle, inertia) in enumerate(zip(meshes, middles, inertias, strict=True)):
        R, colour = trajectory.R[:, i], BODIES[i % len(BODIES)]
        q = unchecked.from_matrix(R)
        things.append(Thing(f"body {i + 1}", mesh, colour, middle, q, axes_of(mesh), long_end(inertia)))
        drawn += arrows(1.4 * mesh.radius, middle, angular_momentum=turned(R, trajectory.Pi[:, i]))
    return Look(things, drawn, viewer=(0.45, -1.0, 0.5), note=note)


@look.register
def _(system: FullTwoBodyProblem, trajectory: Trajectory) -> Look:
    x = np.stack([trajectory.x1, trajectory.x2], axis=1)
    R = np.stack([trajectory.R1, trajectory.R2], axis=1)
    inside = np.stack([trajectory.Pi, trajectory.Pi2], axis=1)
    spins = np.einsum("tij,tbj->tbi", trajectory.R2, inside)
    return in_space([system.body1, system.body2], x, R, spins, system.angular_momentum(trajectory.values))


@look.register
def _(system: FullBodyProblem, trajectory: Trajectory) -> Look:
    spins = turned(trajectory.R, trajectory.Pi)
    return in_space(system.bodies, trajectory.x, trajectory.R, spins, system.angular_momentum(trajectory.values))


def in_space(bodies: Sequence[Any], x: Array, R: Array, spins: Array, momentum: Array) -> Look:
    """Bodies with true shapes on their paths, each with its spin; the whole angular momentum at the mass centre."""
    masses = np.array([body.mass for body in bodies])
    centre = np.einsum("b,tbi->ti", masses, x) / masses.sum()
    early = slice(0, len(x) // 4 + 1)
    wide = float(np.linalg.norm(x - centre[:, None], axis=-1)[early].max())
    things, drawn = [], []
    for i, body in enumerate(bodies):
        mesh, q = of_body(body), unchecked.from_matrix(R[:, i])
        colour = BODIES[i % len(BODIES)]
        things.append(Thing(f"body {i + 1}", mesh, colour, x[:, i], q, axes_of(mesh), np.zeros(3)))
        for arrow in arrows(2.0 * mesh.radius, x[:, i], spin=spins[:, i]):
            drawn.append(Arrow("spin", AMBER, arrow.start, arrow.vector))
    whole = arrows(0.7 * wide, centre, angular_momentum=momentum)
    return Look(things, [*drawn, *whole], viewer=(0.55, -1.0, 0.85), centre=centre)


@look.register
def _(system: RigidBodySOn | SymmetricRigidBodySOn, trajectory: Trajectory) -> Look:
    """In three dimensions it is a body as any other; in the plane, a brick; beyond, nothing can be drawn."""
    n, Q = system.n, trajectory.Q
    if n == 2:
        angle = np.arctan2(Q[:, 1, 0], Q[:, 0, 0])
        mesh = brick([1.0, 0.4, 0.15])
        thing = Thing("body", mesh, BODIES[0], place([0, 0, 0]), about([0.0, 0.0, 1.0], angle), axes_of(mesh))
        return Look([thing], viewer=FROM_ABOVE)
    if n > 3:
        return Look(note=f"This body lives in {n} dimensions, of which no picture is drawn.")
    Lambda = system.weight.matrix
    inertia = Inertia.of(np.trace(Lambda) * np.eye(3) - Lambda, allow_unphysical=True)
    mesh = homogeneous_brick(inertia)
    q = unchecked.from_matrix(Q)
    thing = Thing("body", mesh, BODIES[0], place([0, 0, 0]), q, axes_of(mesh), long_end(inertia))
    momentum = unchecked.rotation_vee(trajectory.M if system.right else trajectory.m)
    return Look([thing], arrows(1.5 * mesh.radius, place([0, 0, 0]), angular_momentum=momentum), note=NO_SIZE)
