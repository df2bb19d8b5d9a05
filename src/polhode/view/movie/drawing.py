"""A frame of a scene, drawn by matplotlib: triangles that face the camera, the far ones first, lit from one side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...geometry import unchecked
from ..scene.objects import SceneObject, rgb
from ..scene.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

DISTANCE = 5.0  # of the camera from the point it looks at, in radii of the picture
LARGEST_FACE = 0.15  # of the radius of the picture
MOST_HALVINGS = 5  # of a side
AMBIENT = 0.45  # of the light; the rest comes from the side
BEHIND, BODIES, BEFORE, ARROWS = 1, 2, 3, 4  # the order in which things are drawn


@dataclass(frozen=True)
class Camera:
    """A camera that looks at `centre` from `direction` and shows a sphere of `radius` around it."""

    centre: Array
    radius: float
    direction: Array

    def axes(self) -> Array:
        """Unit vectors to the right, upwards, and to the viewer, as rows."""
        back = self.direction / np.linalg.norm(self.direction)
        vertical = np.array([0.0, 0.0, 1.0]) if abs(back[2]) < 0.99 else np.array([0.0, 1.0, 0.0])
        right = np.cross(vertical, back)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(back, right), back])

    def project(self, points: Array) -> tuple[Array, Array]:
        """Places (…, 2) in a picture that reaches from −1 to 1, and depths, larger when nearer to the viewer."""
        seen = (points - self.centre) @ self.axes().T / self.radius
        nearer = DISTANCE / np.maximum(DISTANCE - seen[..., 2], 1e-3)
        return seen[..., :2] * nearer[..., None], seen[..., 2]


def shade(colours: Array, normals: Array, axes: Array) -> Array:
    """The colours of lit faces with these unit normals, red to blue from 0 to 1."""
    light = axes.T @ np.array([-0.45, 0.65, 0.6])
    strength = AMBIENT + (1.0 - AMBIENT) * np.clip(normals @ (light / np.linalg.norm(light)), 0.0, 1.0)
    return np.clip(colours * strength[:, None] + 0.08, 0.0, 1.0)


def face_colours(item: SceneObject) -> Array:
    """Red to blue from 0 to 1 of each face."""
    names, which = np.unique(item.mesh.colours_in(item.colour), return_inverse=True)
    return np.array([rgb(str(name)) for name in names])[which] / 255.0


def cut(triangles: Array, colours: Array, size: float) -> tuple[Array, Array]:
    """Triangles and their colours, each cut through its longest side until none is longer than `size`: small ones that are
    sorted by their middles hide each other as they should."""
    done: list[tuple[Array, Array]] = []
    for _ in range(2 * MOST_HALVINGS):
        sides = np.linalg.norm(triangles - np.roll(triangles, -1, axis=1), axis=2)
        longest = sides.argmax(axis=1)
        large = sides.max(axis=1, initial=0.0) > size
        done.append((triangles[~large], colours[~large]))
        if not large.any():
            break
        # corners with the longest side first: from a to b, and c beside it
        order = (longest[large, None] + np.arange(3)) % 3
        a, b, c = np.moveaxis(np.take_along_axis(triangles[large], order[:, :, None], axis=1), 1, 0)
        middle = 0.5 * (a + b)
        triangles = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
        colours = np.concatenate([colours[large]] * 2)
    else:
        done.append((triangles, colours))
    return np.concatenate([each for each, _ in done]), np.concatenate([each for _, each in done])


def draw_frame(ax: Axes, shown: Scene, fraction: float) -> None:
    """Draw the scene at a fraction (0 to 1) of its time into empty axes."""
    from matplotlib.collections import LineCollection, PolyCollection

    camera = camera_at(shown, fraction)
    axes = camera.axes()
    placed, vectors = shown.at(fraction)
    corners, depths, colours = [np.zeros((0, 3, 2))], [np.zeros(0)], [np.zeros((0, 3))]
    for item, (position, q) in zip(shown.objects, placed, strict=True):
        vertices = position + unchecked.rotate(np.broadcast_to(q, (len(item.mesh.vertices), 4)), item.mesh.vertices)
        triangles, colour = cut(vertices[item.mesh.faces], face_colours(item), LARGEST_FACE * camera.radius)
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        places, depth = camera.project(triangles)
        to_viewer = camera.centre + DISTANCE * camera.radius * axes[2] - triangles.mean(axis=1)
        facing = np.sum(normals * to_viewer, axis=1) > 0.0
        corners.append(places[facing])
        depths.append(depth.mean(axis=1)[facing])
        colours.append(shade(colour[facing], normals[facing], axes))
    order = np.argsort(np.concatenate(depths), kind="stable")
    painted = np.concatenate(colours)[order]
    shapes: Any = np.concatenate(corners)[order]
    ax.add_collection(PolyCollection(shapes, facecolors=painted, edgecolors=painted, linewidths=0.5, zorder=BODIES))  # type: ignore[arg-type]
    for item in shown.objects:
        if item.trail_point is not None and shown.interpolated:
            points, depth = camera.project(_trail(shown, item.path, fraction))
            segments = np.stack([points[:-1], points[1:]], axis=1)
            middle = 0.5 * (depth[1:] + depth[:-1])
            for near, zorder in ((False, BEHIND), (True, BEFORE)):
                lines: Any = segments[(middle > 0.0) == near]
                ax.add_collection(LineCollection(lines, colors=item.colour, linewidths=0.9, alpha=0.7, zorder=zorder))
    for arrow, (start, vector) in zip(shown.arrows, vectors, strict=True):
        (tail, head), _ = camera.project(np.stack([start, start + vector]))
        style = {"arrowstyle": "-|>", "color": arrow.colour, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", head, tail, arrowprops=style, zorder=ARROWS)


def camera_at(shown: Scene, fraction: float) -> Camera:
    """The camera at a fraction of the time."""
    centre, radius = shown.framing
    elapsed = np.abs(shown.t - shown.t[0])
    now = fraction * elapsed[-1]
    middle = centre[0] if len(centre) == 1 else np.array([np.interp(now, elapsed, x) for x in centre.T])
    wide = float(radius[0]) if len(radius) == 1 else float(np.interp(now, elapsed, radius))
    return Camera(middle, wide or 1.0, np.array(shown.appearance.view_direction, dtype=np.float64))


def _trail(shown: Scene, path: Array, fraction: float) -> Array:
    """The part of a path that lies not longer ago than trails last."""
    if len(path) != len(shown.t):
        return path[:1]
    elapsed = np.abs(shown.t - shown.t[0])
    now = fraction * elapsed[-1]
    return path[(elapsed <= now) & (elapsed >= now - shown.trail_duration)]
