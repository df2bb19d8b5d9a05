"""Gravity near contact as it is timed: a variational step of two meshes, or two ellipsoids, by their true shapes, and how far
force and moments are from those of a refinement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import polhode as ph
from polhode.bodies import Body, Ellipsoid, Polyhedron
from polhode.bodies.separation import Separation
from polhode.gravity import Shapes

from .jobs import Job
from .timing import best_times

RINGS = (8, 12, 16, 32)  # of facets, from pole to pole
APART = (1.001, 2.0)  # in units of the distance of the mass centres at contact
TOWARDS = np.array([0.8, 0.5, 0.33]) / np.linalg.norm([0.8, 0.5, 0.33])
REFINED = 1e-12
STEPS = 2


@dataclass(frozen=True)
class Cost:
    """A pair at a distance: the processor's time per step in seconds, and the largest error, relative to its length, of the
    force and of both moments."""

    what: str
    apart: float
    seconds: float
    force: float
    moments: float


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


def cost(what: str, first: Body, second: Body, apart: float, rounds: int) -> Cost:
    """The time of a step, and the errors."""
    X = place(first, second, apart)
    state = ph.FullTwoBodyProblem(first, second, gravity="shapes").state(X=X, V=[0.0, 0.3, 0.1])
    job = Job(ph.LGVI(), state, step=1e-4, steps=STEPS)
    seconds = best_times({what: job}, rounds)[what] / STEPS
    found, refined = (Shapes(first, second, 1.0, tolerance=t) for t in (Shapes(first, second, 1.0).tolerance, REFINED))
    F, exact = (pair.evaluate(X, np.eye(3))[1] for pair in (found, refined))
    errors = [_relative(a, b) for a, b in zip(found.moments(X, np.eye(3)), refined.moments(X, np.eye(3)), strict=True)]
    return Cost(what, apart, seconds, _relative(F, exact), max(errors))


def _relative(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


def costs(rounds: int) -> Iterator[Cost]:
    """Every pair at every distance."""
    for what, first, second in pairs():
        for apart in APART:
            yield cost(what, first, second, apart, rounds)
