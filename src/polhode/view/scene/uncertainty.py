"""The uncertainty of a state in the scene: ellipsoids of the positions, and ellipses of the ends of the body axes.

The covariance P of the state becomes that of a point x of the picture by `∂x P ∂xᵀ`; ∂x comes from central differences of the
appearance, so that it is right for every system that can be drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Layout
from ...estimation.covariance import CovarianceRun
from ...geometry import so3, unchecked
from ...simulation.trajectory import Trajectory
from ..figures.style import BLUE, GREEN, ORANGE
from .appearance import appearance
from .objects import SceneObject, UncertaintyMark
from .scene import Scene, scene

Array = NDArray[np.float64]
AXIS_COLOURS = (ORANGE, GREEN, BLUE)
SIZE = 1e-5  # of the differences, relative to the variables
FLAT = 0.02  # the least semiaxis that is drawn, relative to the largest
VISIBLE = 1e-9  # part of the size of a body below which there is nothing to draw


def uncertain_scene(result: CovarianceRun, sigmas: float = 3.0, *, sampled: bool = False) -> Scene:
    """The scene of the nominal motion with marks of so many standard deviations."""
    shown = scene(result.trajectory)
    order = np.argsort(result.t)
    rows = order[np.searchsorted(result.t[order], shown.t)]
    P = result.sampled if sampled and result.sampled is not None else result.first_order
    marks = _marks(result.trajectory[rows], shown.objects, P[rows], sigmas)
    note = f"{shown.note} Transparent: {sigmas:g}σ of the positions and of the ends of the axes.".lstrip()
    return replace(shown, appearance=replace(shown.appearance, marks=marks), note=note)


def _marks(motion: Trajectory, objects: Sequence[SceneObject], P: Array, sigmas: float) -> list[UncertaintyMark]:
    """The marks of all objects that are bodies."""
    layout = motion.system.representations[motion.method.representation].layout
    places, turns = _responses(motion, layout, len(objects))
    marks = []
    for item, place, turn in zip(objects, places, turns, strict=True):
        if not item.is_body:
            continue
        size, q = item.mesh.radius, np.broadcast_to(item.q, (len(P), 4))
        position = np.broadcast_to(item.position, (len(P), 3))
        found = [_mark(item.colour, position, place @ P @ np.swapaxes(place, 1, 2), sigmas, size)]
        lengths = np.zeros(3) if item.axis_lengths is None else item.axis_lengths
        for axis, colour in zip(np.diag(lengths), AXIS_COLOURS, strict=True):
            arm = unchecked.rotate(q, np.broadcast_to(axis, (len(P), 3)))
            moved = -so3.hat(arm) @ turn
            found.append(_mark(colour, position + arm, moved @ P @ np.swapaxes(moved, 1, 2), sigmas, size))
        marks += [mark for mark in found if mark is not None]
    return marks


def _responses(motion: Trajectory, layout: Layout, count: int) -> tuple[list[Array], list[Array]]:
    """How each object moves and turns, in space, per change of the state: (frames, 3, dimension) each."""
    n = len(motion)
    y = np.concatenate([motion.values[v.name].reshape(n, -1) for v in layout.variables], axis=1)
    places, turns = ([np.zeros((n, 3, layout.dimension)) for _ in range(count)] for _ in range(2))
    for k, direction in enumerate(np.eye(layout.dimension)):
        (variable,) = (v for v in layout.variables if layout.places[v.name].start <= k < layout.places[v.name].stop)
        step = SIZE * max(1e-3, float(np.abs(y[:, layout.slices[variable.name]]).max()))
        seen = [_objects(motion, layout, y, way * step * direction) for way in (1.0, -1.0)]
        for i, (ahead, behind) in enumerate(zip(*seen, strict=True)):
            places[i][:, :, k] = (ahead.position - behind.position) / (2.0 * step)
            turned = unchecked.to_matrix(ahead.q) @ np.swapaxes(unchecked.to_matrix(behind.q), -1, -2)
            skew = turned - np.swapaxes(turned, -1, -2)  # of twice the angle
            turns[i][:, :, k] = skew[..., [2, 0, 1], [1, 2, 0]] / (4.0 * step)
    return places, turns


def _objects(motion: Trajectory, layout: Layout, y: Array, shift: Array) -> list[SceneObject]:
    """The objects with the states displaced."""
    states = layout.retract(y, np.broadcast_to(shift, (len(y), layout.dimension)))
    return list(appearance(motion.system, replace(motion, values=layout.unpack(states))).objects)


def _mark(colour: str, centre: Array, covariance: Array, sigmas: float, size: float) -> UncertaintyMark | None:
    """The ellipsoid of a covariance (frames, 3, 3), or None where there is nothing to see."""
    squares, axes = np.linalg.eigh(covariance)
    semiaxes = sigmas * np.sqrt(np.maximum(squares, 0.0))
    if not semiaxes.max() > VISIBLE * size:
        return None
    semiaxes, axes = _continuous(semiaxes, axes)
    semiaxes = np.maximum(semiaxes, FLAT * np.maximum(semiaxes.max(axis=1, keepdims=True), VISIBLE * size))
    return UncertaintyMark(colour, centre, unchecked.from_matrix(axes), semiaxes)


def _continuous(semiaxes: Array, axes: Array) -> tuple[Array, Array]:
    """Principal axes (frames, 3, 3), as columns, in the order and with the signs that are nearest to those of the frame before."""
    turns = [
        (list(order), np.array(signs)) for order in permutations(range(3)) for signs in product((1.0, -1.0), repeat=3)
    ]
    sizes, found, before = semiaxes.copy(), axes.copy(), np.eye(3)
    for k in range(len(axes)):
        proper = [(o, s) for o, s in turns if np.linalg.det(axes[k][:, o] * s) > 0.0]
        order, signs = max(proper, key=lambda turn: float(np.sum(before * axes[k][:, turn[0]] * turn[1])))
        sizes[k], found[k] = semiaxes[k][order], axes[k][:, order] * signs
        before = found[k]
    return sizes, found
