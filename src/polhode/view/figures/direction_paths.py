"""The path of a direction fixed in a body, such as the mass centre of a pendulum or a dipole, on the unit sphere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...core.system import System
from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from .axes import Given, panels
from .shaded_ellipsoid import ShadedEllipsoid
from .sphere_paths import SPHERE_COLOUR, draw_graticule, draw_sphere_path
from .style import BLACK, BLUE, GREEN, ORANGE, styled
from .time_series import Turning, drawable_part, set_angle_axis, set_time_axis, smooth_attitude

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


def has_body_direction(system: System) -> bool:
    """Whether the system names a direction of the body to follow (its `pointer`)."""
    return system.pointer is not None


@styled
def plot_direction_path(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The path of the system's `pointer` on the unit sphere, and its angle from the vertical or from the fields."""
    trajectory = drawable_part(trajectory)
    system = trajectory.system
    assert system.pointer is not None, "only systems with a pointer have this figure"
    name, vector = system.pointer
    landmarks = merge_parallel(system.landmarks)
    turning = Turning.of(trajectory)
    t, q = smooth_attitude(trajectory, turning)
    points = unchecked.to_matrix(q) @ (vector / np.linalg.norm(vector))
    figure, (left, right) = panels(ax, ["ab"], (9.6, 4.6), width_ratios=[1.0, 1.15])
    height = 0.55 if points[:, 2].mean() > -0.3 else -0.55  # hanging bodies are viewed from below
    sphere = ShadedEllipsoid(left, np.ones(3), [1.0, -0.75, height])
    sphere.draw_surface(lambda places: np.broadcast_to(SPHERE_COLOUR, places.shape))
    draw_graticule(sphere)
    draw_sphere_path(sphere, points, turning, BLUE)
    for direction, label in zip(np.eye(3), "xyz", strict=True):
        sphere.draw_axis(direction, 1.3, label, BLACK)
    for (label, direction), colour in zip(landmarks.items(), (ORANGE, GREEN), strict=False):
        sphere.draw_axis(direction, 1.45, label, colour)
    left.set_title(f"direction of the {name}", loc="center", pad=10)
    references = landmarks or {"the upward vertical": np.array([0.0, 0.0, 1.0])}
    units = np.array(list(references.values()))
    angles = np.degrees([np.arctan2(np.linalg.norm(np.cross(points, unit), axis=-1), points @ unit) for unit in units])
    colours = (ORANGE, GREEN) if landmarks else (BLUE,)
    for label, angle, colour in zip(references, angles, colours, strict=False):
        right.plot(t, angle, color=colour, label=f"from {label}", **turning.line_style())
    set_angle_axis(right, trajectory, angles, (0, 45, 90, 135, 180))
    only = f" from {next(iter(references))}" if len(references) == 1 else ""
    right.set_title(f"angle{only}{turning.note}")
    if not only:
        right.legend(loc="best")
    set_time_axis(right, trajectory)
    return figure


def merge_parallel(landmarks: dict[str, Array]) -> dict[str, Array]:
    """Unit vectors by name; those with the same direction share one entry.

    >>> list(merge_parallel({"E": np.array([0.0, 0.0, 2.0]), "B": np.array([0.0, 0.0, 3.0])}))
    ['E, B']
    """
    found: dict[str, Array] = {}
    for name, vector in landmarks.items():
        unit = vector / np.linalg.norm(vector)
        same = next((other for other, direction in found.items() if np.allclose(direction, unit, atol=1e-9)), None)
        if same is not None:
            found = {f"{n}, {name}" if n == same else n: direction for n, direction in found.items()}
        else:
            found[name] = unit
    return found
