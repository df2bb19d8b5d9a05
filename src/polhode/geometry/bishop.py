"""Frames along a curve on the unit sphere: the non-twisting (Bishop) frame, twist, and parallel transport.

A frame R = (d₁, d₂, d₃), directors as columns, moves without twist if `ḋ₁·d₂ = 0` (18): d₁ and d₂ are then carried
parallel along the curve d₃, and the Darboux vector is `d₃ × ḋ₃` (20). Any other frame with the same d₃ is that one
turned about d₃ by the twist angle ψ,

    d₁ = cos ψ b₁ + sin ψ b₂,    d₂ = −sin ψ b₁ + cos ψ b₂,    w = d₃ × ḋ₃ + ψ̇ d₃,                    (24)–(26)

so that the twist rate ψ̇ is the angular velocity about d₃. Equation numbers are those of [GR20] (see `s2`).

Curves are sampled. Between samples they are taken to be geodesics: exact along great circles however far apart the
samples are (but less than half a turn), and second order in their distance otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from . import so3, unchecked
from .array_api import MATRIX, VECTOR, as_array, finite, nonzero, rotations

Array = NDArray[np.float64]


def twist_angle(R: ArrayLike) -> Array:
    """The twist angle ψ (n,) of frames R (n, 3, 3) along their d₃, zero at the first; it counts whole turns.

    From sample to sample it must change by less than half a turn.

    >>> spin = np.linspace(0.0, 7.0, 8)
    >>> twist_angle(so3.exp(np.multiply.outer(spin, [0.0, 0.0, 1.0])))
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    return _twist(rotations("R", _curve("R", R, MATRIX), MATRIX))


def _twist(frames: Array) -> Array:
    """`twist_angle` of frames that are known to be some."""
    d1, d3 = frames[..., 0], frames[..., 2]
    carried = unchecked.sphere_transport(d3[:-1], d3[1:], d1[:-1])
    across = np.cross(d3[1:], carried)
    if not np.all(np.isfinite(carried)):
        raise InvalidInputError("d3", d3, "samples less than half a turn apart, and finite")
    turned = np.arctan2(np.sum(d1[1:] * across, axis=-1), np.sum(d1[1:] * carried, axis=-1))
    return np.concatenate([[0.0], np.cumsum(turned)])


def twist_rate(R: ArrayLike, t: ArrayLike) -> Array:
    """The twist rate ψ̇ (n,) of frames R (n, 3, 3) at times t (n,), to second order.

    Where the angular velocity is known, it is its component along d₃ (26): `traj.omega[:, 2]`.

    >>> t = np.linspace(0.0, 1.0, 5)
    >>> twist_rate(so3.exp(np.multiply.outer(t, [0.0, 0.0, 2.0])), t)
    array([2., 2., 2., 2., 2.])
    """
    angle = twist_angle(R)
    times = as_array("t", t, (len(angle),))
    return np.gradient(angle, times, edge_order=2 if len(angle) > 2 else 1)


def non_twisting_frame(d3: ArrayLike, d1: ArrayLike | None = None) -> Array:
    """The frame (n, 3, 3) that moves without twist along the curve d₃ (n, 3), from the direction `d1` at its start.

    `d1` need not be tangent: its part across d₃ gives the direction. By default it is one of the coordinate axes.

    >>> frame = non_twisting_frame([[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], d1=[1, 0, 0])
    >>> frame[-1].round(12) + 0.0        # around an octant, of area π/2: turned by π/2
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    curve = unchecked.sphere_project(nonzero("d3", _curve("d3", d3, VECTOR), VECTOR, "nonzero vectors"))
    # any frame will do, even one that jumps: its twist is then taken out again
    axis = np.eye(3)[np.argmin(np.abs(curve), axis=-1)]
    if d1 is not None:
        axis[0] = finite("d1", d1, VECTOR)
    first = unchecked.sphere_tangent(curve, axis)
    if np.linalg.norm(first[0]) <= 1e-12 * np.linalg.norm(axis[0]):
        raise InvalidInputError("d1", d1, "a direction other than that of the curve")
    first = unchecked.sphere_project(first)
    frame = np.stack([first, np.cross(curve, first), curve], axis=-1)
    return frame @ so3.exp(np.multiply.outer(-_twist(frame), [0.0, 0.0, 1.0]))


def parallel_transport(d3: ArrayLike, v: ArrayLike) -> Array:
    """The tangent vector v at the start of the curve d₃ (n, 3), carried parallel to itself along it: (n, 3).

    >>> parallel_transport([[0, 0, 1], [1, 0, 0], [0, 1, 0]], [0, 2, 0]).round(12) + 0.0
    array([[ 0.,  2.,  0.],
           [ 0.,  2.,  0.],
           [-2.,  0.,  0.]])
    """
    frame = non_twisting_frame(d3)
    components = frame[0].T @ finite("v", v, VECTOR)
    if abs(components[2]) > 1e-9 * np.linalg.norm(components):
        raise InvalidInputError("v", v, "a vector tangent to the sphere at the start of the curve")
    return frame[..., :2] @ components[:2]


def _curve(name: str, x: ArrayLike, shape: tuple[int, ...]) -> Array:
    """`x` as an array of samples, time first."""
    array = as_array(name, x, shape)
    if array.ndim != len(shape) + 1 or len(array) < 2:
        raise InvalidInputError(
            name, f"an array of shape {array.shape}", f"at least two samples of shape {shape}, time first"
        )
    return array
