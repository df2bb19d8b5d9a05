"""Gravity near contact as it is timed: a variational step of two meshes, or two ellipsoids, by their true shapes, and how far
force and moments are from those of a refinement."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..bodies import Body, Ellipsoid, Polyhedron
from ..bodies.separation import Separation
from ..gravity import Shapes
from ..methods import LGVI
from ..systems import FullTwoBodyProblem
from .entries import Effort, Entry
from .jobs import Job

RINGS = (8, 12, 16, 32)  # of facets, from pole to pole
APART = (1.001, 2.0)  # in units of the distance of the mass centres at contact
TOWARDS = np.array([0.8, 0.5, 0.33]) / np.linalg.norm([0.8, 0.5, 0.33])
REFINED = 1e-12
STEPS = 2


def ridged(rings: int, semiaxes: list[float]) -> Polyhedron:
    """A body like the primary of 1999 KW4, with a ridge about its equator: rings of twice as many facets, but for the poles."""
    latitudes = np.pi * np.arange(1, rings) / rings - np.pi / 2
    longitudes = 2.0 * np.pi * np.arange(rings) / rings
    lat, lon = (angle.ravel() for angle in np.meshgrid(latitudes, longitudes, indexing="ij"))
    points = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    points = np.vstack([points, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    hills = 1.0 + 0.06 * np.exp(-((points[:, 2] / 0.15) ** 2)) + 0.04 * np.sin(3.0 * points[:, 0] + 2.0 * points[:, 1])
    i = np.arange(rings)
    j = (i + 1) % rings
    south, north, top = len(points) - 2, len(points) - 1, rings * (rings - 2)
    facets = [
        np.stack([j, i, np.full(rings, south)], axis=1),
        np.stack([top + i, top + j, np.full(rings, north)], axis=1),
    ]
    for ring in range(rings - 2):
        low, high = rings * ring, rings * (ring + 1)
        facets += [np.stack([low + i, low + j, high + j], axis=1), np.stack([low + i, high + j, high + i], axis=1)]
    return Polyhedron(points * semiaxes * hills[:, None], np.vstack(facets), density=1.0)


def pairs() -> Iterator[tuple[str, Body, Body]]:
    """What is timed."""
    yield "two ellipsoids", Ellipsoid(1.0, [0.9, 0.8, 0.7]), Ellipsoid(2.0, [1.2, 1.1, 0.9])
    for rings in RINGS:
        first, second = ridged(rings, [0.9, 0.8, 0.7]), ridged(rings, [1.2, 1.2, 1.0])
        yield f"two meshes of {len(first.faces)} facets", first, second


def place(first: Body, second: Body, apart: float) -> np.ndarray:
    """Where body 1 is: this times as far as at contact."""
    separation, low, high = Separation(first, second), 0.0, first.radius + second.radius
    for _ in range(25):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if separation(middle * TOWARDS, np.eye(3)) > 0.0 else (middle, high)
    return apart * high * TOWARDS


def force_error(first: Body, second: Body, X: np.ndarray) -> float:
    """The largest error, relative to its length, of the force and of both moments."""
    found, refined = (Shapes(first, second, 1.0, tolerance=t) for t in (Shapes(first, second, 1.0).tolerance, REFINED))
    F, exact = (pair.evaluate(X, np.eye(3))[1] for pair in (found, refined))
    errors = [_relative(a, b) for a, b in zip(found.moments(X, np.eye(3)), refined.moments(X, np.eye(3)), strict=True)]
    return max(_relative(F, exact), *errors)


def _relative(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


def _known(wrong: float, end: object) -> float:
    return wrong


def contact_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """A step of every pair at every distance, with the error of what acts between them."""
    for what, first, second in list(pairs())[: 1 if effort.quick else None]:
        for apart in APART:
            X = place(first, second, apart)
            state = FullTwoBodyProblem(first, second, gravity="shapes").state(X=X, V=[0.0, 0.3, 0.1])
            job = Job(LGVI(), state, step=1e-4, steps=STEPS)
            wrong = force_error(first, second, X)
            setting = f"{what}, {apart:g} times contact"
            yield Entry("LGVI 2", setting, job, STEPS, error=partial(_known, wrong))
