"""What the appearances of systems are made of: colours, axes, arrows, and a body that rotates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import Inertia
from ...core.system import System
from ...simulation.trajectory import Trajectory
from ..figures.style import AMBER, PINK
from .body_meshes import as_rotation, body_mesh, equivalent_box
from .meshes import Mesh
from .objects import Appearance, Arrow, SceneObject

Array = NDArray[np.float64]

BODY_COLOURS = ["#6FA8D6", "#E8A15C", "#63B79A", "#C98BB0", "#B5A642", "#8F9BD0", "#D98880"]
FIXED_COLOUR = "#8A929C"
FRONT_VIEW, TOP_VIEW = (0.12, -1.0, 0.18), (0.35, -0.6, 1.0)
ATTITUDE_ONLY = "Only the attitude is computed: the box is the homogeneous one with this inertia."
ORIGIN = np.zeros((1, 3))
IDENTITY = np.array([[0.0, 0.0, 0.0, 1.0]])


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
    return mesh.reach + 0.35 * mesh.radius


def scaled_arrows(length: float, start: Array, **vectors: Array) -> list[Arrow]:
    """Arrows scaled so that each has the length `length` where it is longest; vectors that are always zero are omitted."""
    colours = {"angular_momentum": PINK, "angular_velocity": AMBER}
    sizes = {name: float(np.linalg.norm(v, axis=-1).max()) for name, v in vectors.items()}
    return [
        Arrow(name.replace("_", " "), colours.get(name, FIXED_COLOUR), start, v * (length / sizes[name]))
        for name, v in vectors.items()
        if sizes[name] > 0.0
    ]


def longest_axis(inertia: Inertia) -> Array:
    """The principal axis of the least moment, along which a body is longest."""
    return as_rotation(inertia.axes)[:, 0]


def body_about_mass_centre(system: System, inertia: Inertia) -> tuple[Mesh, Array, str]:
    """The shape of a system's body about its mass centre, or the brick with its inertia; the point of it that draws a
    trail; and what to say about it."""
    body, axis = system.shape, longest_axis(inertia)
    if body is None:
        return equivalent_box(inertia), axis, ATTITUDE_ONLY
    mesh = body_mesh(body).transformed(-body.centre)
    return mesh, end_along(mesh, axis), ""


def end_along(mesh: Mesh, axis: Array) -> Array:
    """The point on an axis as far out as the mesh reaches."""
    return axis * float((mesh.vertices @ axis).max())


def rotating_body(
    trajectory: Trajectory, mesh: Mesh, trail_point: ArrayLike, note: str = ATTITUDE_ONLY, **space_vectors: Array
) -> Appearance:
    """A body that rotates about the origin, its angular momentum and velocity, and further vectors given in space."""
    R, size = trajectory.R, 1.5 * mesh.radius
    name, colour = trajectory.system.body_labels[0], mesh.main_colour(BODY_COLOURS[0])
    body = SceneObject(name, mesh, colour, ORIGIN, trajectory.q, axis_lengths(mesh), np.asarray(trail_point))
    body_vectors = {"angular_momentum": trajectory.Pi, "angular_velocity": trajectory.omega}
    vectors = {name: rotate(R, x) for name, x in body_vectors.items()} | space_vectors
    # shorter, so that both arrows are visible where they have the same direction
    lengths = {"angular_velocity": 0.8 * size}
    arrows = [a for name, v in vectors.items() for a in scaled_arrows(lengths.get(name, size), ORIGIN, **{name: v})]
    return Appearance([body], arrows, note=note)
