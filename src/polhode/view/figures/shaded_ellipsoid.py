"""A shaded ellipsoid in orthographic projection, and curves on it whose hidden parts are drawn faintly.

On a convex surface a point is visible exactly where its outward normal points to the viewer, so that hidden lines
need no search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

LIGHT = np.array([-0.45, 0.65, 0.9])  # right, up, towards the viewer
BELOW, SURFACE, HIDDEN, ABOVE = 1.0, 2.0, 3.0, 4.0


class ShadedEllipsoid:
    """An ellipsoid with the given semi-axes, drawn into `ax`; `view_direction` points from its centre to the viewer."""

    def __init__(self, ax: Axes, semi_axes: ArrayLike, view_direction: ArrayLike) -> None:
        self.ax = ax
        self.semi_axes = np.asarray(semi_axes, dtype=np.float64)
        self.view_direction = np.asarray(view_direction, dtype=np.float64) / np.linalg.norm(view_direction)
        right = np.cross([0.0, 0.0, 1.0], self.view_direction)
        self.right = right / np.linalg.norm(right)
        self.up = np.cross(self.view_direction, self.right)
        ax.set_aspect("equal")
        ax.set_axis_off()
        self._shown = self.outline()

    def project(self, points: Array) -> Array:
        """Points in space projected to the page."""
        return np.stack([points @ self.right, points @ self.up], axis=-1)

    def is_visible(self, points: Array) -> NDArray[np.bool_]:
        """Whether points of the surface face the viewer."""
        return (points / self.semi_axes**2) @ self.view_direction > 0.0

    def outline(self) -> Array:
        """The outline of the ellipsoid on the page."""
        # in coordinates in which it is the unit sphere, the outline is the great circle across the view direction
        normal = self.view_direction / self.semi_axes
        _, _, rows = np.linalg.svd(normal[None, :])
        angle = np.linspace(0.0, 2.0 * np.pi, 361)
        circle = np.outer(np.cos(angle), rows[1]) + np.outer(np.sin(angle), rows[2])
        return self.project(circle * self.semi_axes)

    def draw_surface(self, colour: Callable[[Array], Array], pixels: int = 400) -> None:
        """Draw the surface; `colour` gives red, green and blue (…, 3) for points (…, 3) of it."""
        from matplotlib.patches import Polygon

        edge = self.outline()
        low, high = edge.min(axis=0), edge.max(axis=0)
        u, v = np.meshgrid(np.linspace(low[0], high[0], pixels), np.linspace(low[1], high[1], pixels))
        points = self._visible_point(u, v)
        normal = points / self.semi_axes**2
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        light = LIGHT @ np.stack([self.right, self.up, self.view_direction]) / np.linalg.norm(LIGHT)
        halfway = (light + self.view_direction) / np.linalg.norm(light + self.view_direction)
        diffuse = 0.80 + 0.22 * (normal @ light)
        shine = 0.14 * np.clip(normal @ halfway, 0.0, 1.0) ** 50
        image = np.clip(colour(points) * diffuse[..., None] + shine[..., None], 0.0, 1.0)
        extent = (low[0], high[0], low[1], high[1])
        drawn = self.ax.imshow(image, extent=extent, origin="lower", interpolation="bilinear", zorder=SURFACE)
        drawn.set_clip_path(Polygon(edge, closed=True, transform=self.ax.transData))
        self.ax.plot(*edge.T, color=GREY, linewidth=0.8, zorder=SURFACE)
        self._widen_limits(edge)

    def draw_curve(self, points: Array, *, hidden_alpha: float = 0.25, **style: Any) -> None:
        """A curve on the surface, with its opacity multiplied by `hidden_alpha` where it is hidden."""
        front = self.is_visible(points)
        faint = style | {"alpha": style.get("alpha", 1.0) * hidden_alpha, "zorder": HIDDEN, "label": None}
        parts: list[tuple[Any, dict[str, Any]]] = [(front, style | {"zorder": ABOVE}), (~front, faint)]
        for shown, kind in parts:
            # one more point on either side, so that the parts meet
            near = shown | np.roll(shown, 1) | np.roll(shown, -1)
            path = np.where(near[:, None], self.project(points), np.nan)
            self.ax.plot(*path.T, **kind)

    def draw_points(self, points: Array, *, hidden_alpha: float = 0.2, **style: Any) -> None:
        """Points on the surface, fainter where they are hidden."""
        front, page = self.is_visible(points), self.project(points)
        self.ax.plot(*page[front].T, linestyle="none", zorder=ABOVE + 1, **style)
        self.ax.plot(*page[~front].T, linestyle="none", zorder=HIDDEN, **style | {"alpha": hidden_alpha, "label": None})

    def draw_axis(self, direction: ArrayLike, length: float, label: str, colour: str) -> None:
        """An arrow from the surface outwards along `direction`, to `length` times the surface's distance."""
        axis = np.asarray(direction, dtype=np.float64)
        foot = axis / np.linalg.norm(axis / self.semi_axes)
        zorder = ABOVE if self.is_visible(foot) else BELOW
        start, tip = self.project(foot), self.project(length * foot)
        arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0}
        self.ax.annotate("", (tip[0], tip[1]), (start[0], start[1]), arrowprops=arrow, zorder=zorder)
        x, y = (tip - start) / max(float(np.linalg.norm(tip - start)), 1e-12)
        at: dict[str, Any] = {
            "ha": _alignment(-x, "left", "center", "right"),
            "va": _alignment(-y, "bottom", "center", "top"),
            "zorder": ABOVE + 2,
        }
        self.ax.annotate(label, (tip[0], tip[1]), (4 * x, 4 * y), textcoords="offset points", color=colour, **at)
        self._widen_limits(tip[None, :])

    def _widen_limits(self, page: Array) -> None:
        """Widen the limits of the axes to show these points of the page."""
        self._shown = np.concatenate([self._shown, page])
        low, high = self._shown.min(axis=0), self._shown.max(axis=0)
        margin = 0.05 * (high - low).max()
        self.ax.set_xlim(low[0] - margin, high[0] + margin)
        self.ax.set_ylim(low[1] - margin, high[1] + margin)

    def _visible_point(self, u: Array, v: Array) -> Array:
        """The visible point of the surface at (u, v) on the page; outside the outline, the one nearest to it."""
        foot = u[..., None] * self.right + v[..., None] * self.up
        inverse = 1.0 / self.semi_axes**2
        a = self.view_direction @ (inverse * self.view_direction)
        b = foot @ (inverse * self.view_direction)
        c = np.sum(inverse * foot**2, axis=-1) - 1.0
        s = (-b + np.sqrt(np.maximum(b * b - a * c, 0.0))) / a
        return foot + s[..., None] * self.view_direction


def _alignment(x: float, low: str, middle: str, high: str) -> str:
    """The alignment of a label whose offset along an axis is x, from −1 to 1."""
    return low if x < -0.4 else high if x > 0.4 else middle
