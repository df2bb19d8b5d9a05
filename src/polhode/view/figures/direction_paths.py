"""The motion of what matters on a body, the mass centre of a pendulum or a dipole, on the sphere of directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.system import System
from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from .shaded_ellipsoid import Globe
from .sphere_paths import PLAIN, draw_path, graticule
from .style import BLACK, BLUE, GREEN, ORANGE, styled
from .time_series import Closeup, attitude_path, draw_time, drawable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


def has_pointer(system: System) -> bool:
    """Whether the system names a direction of the body to watch."""
    return getattr(system, "pointer", None) is not None


@styled
def tip(trajectory: Trajectory) -> Figure:
    """The path of the body's pointer on the sphere of directions, and its angle from the vertical or from the fields."""
    from matplotlib.figure import Figure

    trajectory = drawable(trajectory)
    system: Any = trajectory.system
    name, vector = system.pointer
    landmarks = merged(getattr(system, "landmarks", {}))
    part = Closeup.of(trajectory)
    t, q = attitude_path(trajectory, part)
    points = unchecked.to_matrix(q) @ (vector / np.linalg.norm(vector))
    figure = Figure(figsize=(9.6, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.15])
    height = 0.55 if points[:, 2].mean() > -0.3 else -0.55  # what hangs is seen from below
    globe = Globe(left, np.ones(3), [1.0, -0.75, height])
    globe.surface(lambda places: np.broadcast_to(PLAIN, places.shape))
    graticule(globe)
    draw_path(globe, points, part, BLUE)
    for direction, label in zip(np.eye(3), "xyz", strict=True):
        globe.axis(direction, 1.3, label, BLACK)
    for (label, direction), colour in zip(landmarks.items(), (ORANGE, GREEN), strict=False):
        globe.axis(direction, 1.45, label, colour)
    left.set_title(f"direction of the {name}", loc="center", pad=10)
    seen = landmarks or {"the upward vertical": np.array([0.0, 0.0, 1.0])}
    for (label, unit), colour in zip(seen.items(), (ORANGE, GREEN) if landmarks else (BLUE,), strict=False):
        angle = np.degrees(np.arctan2(np.linalg.norm(np.cross(points, unit), axis=-1), points @ unit))
        right.plot(t, angle, color=colour, label=f"from {label}", **part.line())
    right.set_ylim(-5.0, 185.0)
    right.set_yticks([0, 45, 90, 135, 180])
    right.set_ylabel("angle (degrees)")
    right.set_title("its angle" + part.note)
    right.legend(loc="best")
    draw_time(right, t)
    return figure


def merged(landmarks: dict[str, Array]) -> dict[str, Array]:
    """Unit vectors by name, those that coincide under one name.

    >>> list(merged({"E": np.array([0.0, 0.0, 2.0]), "B": np.array([0.0, 0.0, 3.0])}))
    ['E, B']
    """
    found: dict[str, Array] = {}
    for name, vector in landmarks.items():
        unit = vector / np.linalg.norm(vector)
        same = next((other for other, way in found.items() if np.allclose(way, unit, atol=1e-9)), None)
        if same is not None:
            found = {f"{n}, {name}" if n == same else n: way for n, way in found.items()}
        else:
            found[name] = unit
    return found
