"""Figures of angular momenta in space, of Euler angles, and of several bodies with coupled attitudes."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...geometry import unchecked
from ...simulation.trajectory import Trajectory
from .axes import Given, body_labels, label_quantity, label_rate, panels
from .orbits import break_at_jumps
from .style import legend_beside, styled
from .time_series import (
    Turning,
    attitude_frames,
    draw_components,
    draw_curve,
    drawable_part,
    set_angle_axis,
    set_time_axis,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
MAX_PANELS = 4  # bodies, and pairs of bodies, that a figure shows


@styled
def plot_momenta(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The angular momentum in space, and its length, for each body and in total."""
    trajectory, given = drawable_part(trajectory), ax
    turning = Turning.of(trajectory)
    t = trajectory.t
    momentum = np.einsum("...ij,...j->...i", trajectory.R, trajectory.Pi)
    bodies = momentum.reshape(len(t), -1, 3)
    count, names = min(bodies.shape[1], MAX_PANELS), body_labels(trajectory.system)
    rows = count + (count > 1)
    figure, axes = panels(ax, "abcde"[:rows], (8.0, 1.6 + 1.7 * rows), sharex=True)
    labels = [r"$\pi_1$", r"$\pi_2$", r"$\pi_3$", r"$|\pi|$"]
    for i, ax in enumerate(axes):
        values = bodies.sum(axis=1) if i == count else bodies[:, i]
        size = np.linalg.norm(values, axis=1, keepdims=True)
        draw_components(ax, t, np.hstack([values, size]), labels, turning)
        name = "all bodies" if i == count else names[i] if count > 1 else ""
        title = f"angular momentum RΠ, {attitude_frames(trajectory).split(' to ')[-1]} frame"
        ax.set_title((f"{name}" if name else title) + (turning.note if i == 0 else ""))
        unit = trajectory.system.fields["Pi"].unit
        label_quantity(ax.yaxis, trajectory.units, unit, r"$\pi = R\,\Pi$", unnamed=unit)
        legend_beside(ax)
    if count > 1 and given is None:
        figure.suptitle("Angular momenta in the inertial frame", size=11)
    set_time_axis(axes[-1], trajectory)
    return figure


@styled
def plot_euler_angles(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The attitude in two sets of Euler angles: yaw, pitch and roll; precession, nutation and spin."""
    trajectory = drawable_part(trajectory)
    turning = Turning.of(trajectory)
    t, R = trajectory.t, trajectory.R
    figure, axes = panels(ax, "ab", (8.0, 5.4), sharex=True)
    sets = (
        ("$R = R_z$(yaw) $R_y$(pitch) $R_x$(roll)", ["yaw", "pitch", "roll"], yaw_pitch_roll(R)),
        (
            "$R = R_z$(precession) $R_x$(nutation) $R_z$(spin)",
            ["precession", "nutation", "spin"],
            precession_nutation_spin(R),
        ),
    )
    for ax, (title, labels, angles) in zip(axes, sets, strict=True):
        shown = angles if turning.coarse else np.stack([break_at_jumps(a, 2.0 * np.pi) for a in angles.T], axis=1)
        draw_components(ax, t, np.degrees(shown), labels, turning)
        set_angle_axis(ax, trajectory, np.degrees(angles), (-180, -90, 0, 90, 180))
        ax.set_title(f"{title}, {attitude_frames(trajectory)}" + (turning.note if ax is axes[0] else ""))
    set_time_axis(axes[1], trajectory)
    return figure


def yaw_pitch_roll(R: Array) -> Array:
    """Angles (..., 3) with `R = R_z(yaw) R_y(pitch) R_x(roll)`, pitch from −π/2 to π/2.

    >>> np.degrees(yaw_pitch_roll(unchecked.rotation_exp([0.0, 0.0, 0.5]))).round(3)
    array([28.648, -0.   ,  0.   ])
    """
    pitch = np.arctan2(-R[..., 2, 0], np.hypot(R[..., 2, 1], R[..., 2, 2]))
    yaw, roll = np.arctan2(R[..., 1, 0], R[..., 0, 0]), np.arctan2(R[..., 2, 1], R[..., 2, 2])
    return np.stack([yaw, pitch, roll], axis=-1)


def precession_nutation_spin(R: Array) -> Array:
    """Angles (..., 3) with `R = R_z(precession) R_x(nutation) R_z(spin)`, nutation from 0 to π."""
    nutation = np.arctan2(np.hypot(R[..., 0, 2], R[..., 1, 2]), R[..., 2, 2])
    precession, spin = np.arctan2(R[..., 0, 2], -R[..., 1, 2]), np.arctan2(R[..., 2, 0], R[..., 2, 1])
    return np.stack([precession, nutation, spin], axis=-1)


@styled
def plot_coupled_bodies(trajectory: Trajectory, *, ax: Given = None) -> Figure:
    """The rates of coupled bodies, and the angles between their attitudes."""
    trajectory = drawable_part(trajectory)
    turning = Turning.of(trajectory)
    t, omega, R = trajectory.t, trajectory.omega, trajectory.R
    count, names = min(omega.shape[1], MAX_PANELS), body_labels(trajectory.system)
    pairs = list(combinations(range(omega.shape[1]), 2))[:MAX_PANELS]
    rows = count + bool(pairs)
    figure, axes = panels(ax, "abcde"[:rows], (8.0, 1.6 + 1.7 * rows), sharex=True)
    for i in range(count):
        draw_components(axes[i], t, omega[:, i], [r"$\omega_1$", r"$\omega_2$", r"$\omega_3$"], turning)
        axes[i].set_title(f"{names[i]}: angular velocity in its frame" + (turning.note if i == 0 else ""))
        label_rate(axes[i].yaxis, trajectory.units, r"$\omega$")
    if pairs:
        apart = np.degrees([unchecked.rotation_distance(R[:, i], R[:, j]) for i, j in pairs])
        for (i, j), angle in zip(pairs, apart, strict=True):
            draw_curve(axes[-1], t, angle, turning, label=f"{names[i]} – {names[j]}")
        axes[-1].set_title("angle between the attitudes of two bodies")
        set_angle_axis(axes[-1], trajectory, apart, (0, 90, 180))
        legend_beside(axes[-1])
    set_time_axis(axes[-1], trajectory)
    return figure
