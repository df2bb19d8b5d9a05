"""How an uncertain start spreads: standard deviations over time, and ellipses of the body axes on the unit sphere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...estimation.covariance import CovarianceRun
from ...geometry import so3
from .shaded_ellipsoid import ShadedEllipsoid
from .sphere_paths import SPHERE_COLOUR
from .style import BLUE, GREEN, GREY, ORANGE, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
COLOURS = (BLUE, ORANGE, GREEN)
ELLIPSES = 12  # at most, along a path


def axis_ellipse(R: Array, P: Array, axis: int, sigmas: float, points: int = 73) -> Array:
    """The ellipse (points, 3) on the unit sphere of a body axis `R eᵢ`, so many standard deviations from its mean.

    A rotation by ξ in the body frame turns the axis by `R (ξ × eᵢ)`, so that its covariance is `R S(eᵢ) P S(eᵢ)ᵀ Rᵀ`.
    """
    A = R @ so3.hat(np.eye(3)[axis])
    sizes, directions = np.linalg.eigh(A @ P @ A.T)
    angle = np.linspace(0.0, 2.0 * np.pi, points)[:, None]
    radii = sigmas * np.sqrt(np.maximum(sizes[1:], 0.0))  # the first is along the axis: none
    curve = R[:, axis] + radii[0] * np.cos(angle) * directions[:, 1] + radii[1] * np.sin(angle) * directions[:, 2]
    return np.asarray(curve / np.linalg.norm(curve, axis=1, keepdims=True))


@styled
def plot_covariance(result: CovarianceRun, *, sigmas: float = 3.0) -> Figure:
    """Standard deviations of the rotation vector over time, of first order and sampled where there are both; and the
    body axes on the unit sphere with ellipses of `sigmas` standard deviations."""
    from matplotlib.figure import Figure

    motion, names = result.trajectory, [name for name in result.names if name.startswith("R[")]
    columns = [result.names.index(name) for name in names]
    figure = Figure(figsize=(10.0, 5.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    for column, name, colour in zip(columns, names, COLOURS, strict=True):
        left.plot(result.t, np.degrees(result.sigma()[:, column]), color=colour, label=f"about axis {name[2]}")
        if result.sampled is not None:
            left.plot(result.t, np.degrees(result.sigma(sampled=True)[:, column]), color=colour, linestyle=":")
    dotted = "" if result.sampled is None else "; dotted: sampled"
    left.set(xlabel="time", ylabel="attitude, 1σ in degrees", title=f"first order{dotted}", ylim=(0.0, None))
    left.legend()
    sphere = ShadedEllipsoid(right, np.ones(3), np.array([1.0, 0.8, 0.6]))
    sphere.draw_surface(lambda points: np.broadcast_to(SPHERE_COLOUR, points.shape))
    shown = np.unique(np.linspace(0, len(motion) - 1, min(ELLIPSES, len(motion))).astype(int))
    P = result.first_order[:, columns][:, :, columns]
    for axis, colour in enumerate(COLOURS):
        sphere.draw_curve(motion.R[:, :, axis], color=GREY, linewidth=0.6, hidden_alpha=0.2)
        for k in shown:
            curve = axis_ellipse(motion.R[k], P[k], axis, sigmas)
            sphere.draw_curve(curve, color=colour, linewidth=1.2, hidden_alpha=0.15)
    right.set_title(f"body axes, {sigmas:g}σ at {len(shown)} times")
    right.set_axis_off()
    return figure
