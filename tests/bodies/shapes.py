"""Meshes for tests: made here, or real ones where their files are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polhode.bodies import Body, Polyhedron
from polhode.bodies.separation import Separation

SHAPES = Path(__file__).resolve().parents[2].parent / "shared" / "shapes"
ALPHA, BETA, ITOKAWA = "a66391_1999kw4_primary.obj", "a66391_1999kw4_secondary.obj", "itokawa_16_sbgat.obj"

CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
CUBE_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4]]
    + [[1, 5, 7], [1, 7, 3]]
)


def shape_file(name: str) -> Path:
    """The path of a real shape; the test is skipped where it is not at hand."""
    path = SHAPES / name
    if not path.exists():
        pytest.skip(f"{name} is not here")
    pytest.importorskip("trimesh")
    return path


def sphere_mesh(level: int) -> tuple[np.ndarray, np.ndarray]:
    """An octahedron whose facets are cut in four `level` times and pushed out to the unit sphere."""
    points = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float)
    faces = np.array([[x, y, z] if (x + y + z) % 2 else [y, x, z] for x in (0, 1) for y in (2, 3) for z in (4, 5)])
    centres = points[faces].mean(axis=1)
    inward = np.linalg.det(points[faces]) < 0
    faces[inward] = faces[inward][:, ::-1]
    assert np.all(np.sum(centres * np.cross(*np.diff(points[faces], axis=1).transpose(1, 0, 2)), axis=1) > 0)
    for _ in range(level):
        a, b, c = faces.T
        corners = points[faces]
        middles = (corners + np.roll(corners, -1, axis=1)) / 2
        middles /= np.linalg.norm(middles, axis=-1, keepdims=True)
        n, m = len(points), len(faces)
        x, y, z = (n + 3 * np.arange(m) + i for i in range(3))
        points = np.vstack([points, middles.reshape(-1, 3)])
        faces = np.vstack([np.stack(t, axis=1) for t in ((a, x, z), (x, b, y), (z, y, c), (x, y, z))])
        _, first, where = np.unique(np.round(points, 9), axis=0, return_index=True, return_inverse=True)
        points, faces = points[first], where.reshape(-1)[faces]
    return points, faces


def ellipsoid_mesh(level: int, semiaxes: list[float], **arguments: float) -> Polyhedron:
    points, faces = sphere_mesh(level)
    return Polyhedron(points * semiaxes, faces, **arguments)


def lumpy(seed: int = 5, **arguments: float) -> Polyhedron:
    """A closed body without any symmetry."""
    points, faces = sphere_mesh(1)
    rng = np.random.default_rng(seed)
    points = points * [1.3, 1.0, 0.7] * rng.uniform(0.7, 1.3, size=(len(points), 1)) + [0.2, -0.1, 0.3]
    return Polyhedron(points, faces, **arguments)


def ridged(level: int, semiaxes: list[float], seed: int, **arguments: float) -> Polyhedron:
    """A body like the primary of 1999 KW4: an equatorial ridge, and broad hills without any symmetry."""
    points, faces = sphere_mesh(level)
    rng = np.random.default_rng(seed)
    waves = rng.normal(size=(6, 3))
    waves *= 2.0 / np.linalg.norm(waves, axis=1, keepdims=True)
    hills = 1.0 + 0.04 * np.sum(np.sin(points @ waves.T + rng.uniform(0.0, 6.0, 6)), axis=1)
    ridge = 1.0 + 0.06 * np.exp(-((points[:, 2] / 0.15) ** 2))
    return Polyhedron(points * semiaxes * (hills * ridge)[:, None], faces, recentre=True, **arguments)


def contact_distance(first: Body, second: Body, direction: np.ndarray, R: np.ndarray) -> float:
    """How far apart the mass centres are where body 1, coming in along this direction, touches body 2."""
    apart = Separation(first, second)
    low, high = 0.0, first.radius + second.radius
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if apart(middle * direction, R) > 0.0 else (middle, high)
    return high


def horseshoe(**arguments: float) -> Polyhedron:
    """A slab 4 × 4 × 1 with a notch 2 wide and 3 deep from above: neither convex nor star-shaped about its centre."""
    outline = [(-2, -2), (2, -2), (2, 2), (1, 2), (1, -1), (-1, -1), (-1, 2), (-2, 2)]
    caps = [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)]
    n = len(outline)
    points = [[x, y, z] for z in (-0.5, 0.5) for x, y in outline]
    faces = [[c, b, a] for a, b, c in caps] + [[a + n, b + n, c + n] for a, b, c in caps]
    for i in range(n):
        j = (i + 1) % n
        faces += [[i, j, j + n], [i, j + n, i + n]]
    return Polyhedron(points, faces, **({"mass": 1.0, "recentre": False} | arguments))


def write_obj(path: Path, body: Polyhedron) -> Path:
    """The mesh of a body as a file."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in body.vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in body.faces.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path
