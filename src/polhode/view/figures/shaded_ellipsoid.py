"""A shaded ellipsoid seen from far away, and curves on it that pass behind it as they should.

The projection is orthographic along `d`, the direction to the viewer. On a convex surface a point faces the viewer
exactly where its outward normal does, so that hidden lines need no search.
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


class Globe:
    """An ellipsoid with the given semi-axes, drawn into `ax`; `viewer` points from its centre to the eye."""

    def __init__(self, ax: Axes, semi_axes: ArrayLike, viewer: ArrayLike) -> None:
        self.ax = ax
        self.semi_axes = np.asarray(semi_axes, dtype=np.float64)
        self.d = np.asarray(viewer, dtype=np.float64) / np.linalg.norm(viewer)
        right = np.cross([0.0, 0.0, 1.0], self.d)
        self.right = right / np.linalg.norm(right)
        self.up = np.cross(self.d, self.right)
        ax.set_aspect("equal")
        ax.set_axis_off()
        self._shown = self.outline()

    def project(self, points: Array) -> Array:
        """Points in space on the page."""
        return np.stack([points @ self.right, points @ self.up], axis=-1)

    def faces(self, points: Array) -> NDArray[np.bool_]:
        """Whether points of the surface are on the viewer's side."""
        return (points / self.semi_axes**2) @ self.d > 0.0

    def outline(self) -> Array:
        """The edge of the ellipsoid on the page."""
        # in coordinates in which it is the unit sphere, the edge is the great circle facing `d`
        normal = self.d / self.semi_axes
        _, _, rows = np.linalg.svd(normal[None, :])
        angle = np.linspace(0.0, 2.0 * np.pi, 361)
        circle = np.outer(np.cos(angle), rows[1]) + np.outer(np.sin(angle), rows[2])
        return self.project(circle * self.semi_axes)

    def surface(self, colour: Callable[[Array], Array], pixels: int = 400) -> None:
        """Draw the surface; `colour` gives red, green and blue (…, 3) for points (…, 3) on it."""
        from matplotlib.patches import Polygon

        edge = self.outline()
        low, high = edge.min(axis=0), edge.max(axis=0)
        u, v = np.meshgrid(np.linspace(low[0], high[0], pixels), np.linspace(low[1], high[1], pixels))
        points = self._front(u, v)
        normal = points / self.semi_axes**2
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        light = LIGHT @ np.stack([self.right, self.up, self.d]) / np.linalg.norm(LIGHT)
        halfway = (light + self.d) / np.linalg.norm(light + self.d)
        diffuse = 0.80 + 0.22 * (normal @ light)
        shine = 0.14 * np.clip(normal @ halfway, 0.0, 1.0) ** 50
        image = np.clip(colour(points) * diffuse[..., None] + shine[..., None], 0.0, 1.0)
        extent = (low[0], high[0], low[1], high[1])
        drawn = self.ax.imshow(image, extent=extent, origin="lower", interpolation="bilinear", zorder=SURFACE)
        drawn.set_clip_path(Polygon(edge, closed=True, transform=self.ax.transData))
        self.ax.plot(*edge.T, color=GREY, linewidth=0.8, zorder=SURFACE)
        self._show(edge)

    def curve(self, points: Array, *, behind: float = 0.25, **style: Any) -> None:
        """A curve on the surface, fainter by the factor `behind` where it passes behind."""
        front = self.faces(points)
        faint = style | {"alpha": style.get("alpha", 1.0) * behind, "zorder": HIDDEN, "label": None}
        parts: list[tuple[Any, dict[str, Any]]] = [(front, style | {"zorder": ABOVE}), (~front, faint)]
        for shown, kind in parts:
            # a point more on either side, so that the parts meet
            near = shown | np.roll(shown, 1) | np.roll(shown, -1)
            path = np.where(near[:, None], self.project(points), np.nan)
            self.ax.plot(*path.T, **kind)

    def dots(self, points: Array, *, behind: float = 0.2, **style: Any) -> None:
        """Points on the surface, fainter behind it."""
        front, page = self.faces(points), self.project(points)
        self.ax.plot(*page[front].T, linestyle="none", zorder=ABOVE + 1, **style)
        self.ax.plot(*page[~front].T, linestyle="none", zorder=HIDDEN, **style | {"alpha": behind, "label": None})

    def axis(self, direction: ArrayLike, length: float, label: str, colour: str) -> None:
        """An arrow from the surface outwards along `direction`, to `length` times the surface's distance."""
        way = np.asarray(direction, dtype=np.float64)
        foot = way / np.linalg.norm(way / self.semi_axes)
        zorder = ABOVE if self.faces(foot) else BELOW
        start, tip = self.project(foot), self.project(length * foot)
        arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0}
        self.ax.annotate("", (tip[0], tip[1]), (start[0], start[1]), arrowprops=arrow, zorder=zorder)
        x, y = (tip - start) / max(float(np.linalg.norm(tip - start)), 1e-12)
        at: dict[str, Any] = {
            "ha": _side(-x, "left", "center", "right"),
            "va": _side(-y, "bottom", "center", "top"),
            "zorder": ABOVE + 2,
        }
        self.ax.annotate(label, (tip[0], tip[1]), (4 * x, 4 * y), textcoords="offset points", color=colour, **at)
        self._show(tip[None, :])

    def _show(self, page: Array) -> None:
        """Widen the axes to show these points of the page."""
        self._shown = np.concatenate([self._shown, page])
        low, high = self._shown.min(axis=0), self._shown.max(axis=0)
        margin = 0.05 * (high - low).max()
        self.ax.set_xlim(low[0] - margin, high[0] + margin)
        self.ax.set_ylim(low[1] - margin, high[1] + margin)

    def _front(self, u: Array, v: Array) -> Array:
        """The point of the surface that is seen at (u, v); outside the edge, the one nearest to it."""
        foot = u[..., None] * self.right + v[..., None] * self.up
        inverse = 1.0 / self.semi_axes**2
        a = self.d @ (inverse * self.d)
        b = foot @ (inverse * self.d)
        c = np.sum(inverse * foot**2, axis=-1) - 1.0
        s = (-b + np.sqrt(np.maximum(b * b - a * c, 0.0))) / a
        return foot + s[..., None] * self.d


def _side(x: float, low: str, middle: str, high: str) -> str:
    """Where along a line x is, from −1 to 1."""
    return low if x < -0.4 else high if x > 0.4 else middle
