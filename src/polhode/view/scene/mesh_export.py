"""The bodies of a trajectory as meshes in their poses, one file per frame: OBJ or PLY, for rendering tools.

The files hold the objects that `appearance` gives: true shapes where they are known. Lengths are those of the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...core.checks import one_of
from ...errors import InvalidInputError, PolhodeError
from ...geometry import unchecked
from ...io.atomic_files import make_folder, replacing
from ...simulation.trajectory import Trajectory
from .appearance import appearance
from .objects import SceneObject, rgb

Array = NDArray[np.float64]

DEFAULT_FRAMES = 100
SLICE = re.compile(r"(-?\d*)(?::(-?\d*))?(?::([1-9]\d*)?)?")


def save_frames(
    trajectory: Trajectory,
    folder: str | PathLike[str],
    kind: str = "obj",
    *,
    frames: str | None = None,
    body: int | str | None = None,
    prefix: str = "frame-",
) -> list[Path]:
    """Write samples as numbered files into a folder.

    `frames` is a slice of the samples, "0:1000:10", or one of them, "0"; by default up to 100 samples, evenly spaced.
    `body` selects one body, by its number from 0 or its name; by default all bodies are written.
    """
    one_of("kind", kind, WRITERS)
    rows = select_frames(frames, len(trajectory))
    objects = list(appearance(trajectory.system, trajectory[rows]).objects)
    if not any(item.is_body for item in objects):
        raise PolhodeError(f"{type(trajectory.system).__name__} has no bodies that can be drawn in three dimensions")
    if body is not None:
        body = trajectory.system.body_number(body) if isinstance(body, str) else body
        if not 0 <= body < len(objects):
            raise InvalidInputError("body", body, f"the number of a body, from 0 to {len(objects) - 1}")
        objects = [objects[body]]
    target = make_folder(folder)
    digits = len(str(len(rows) - 1))
    paths = []
    for k in range(len(rows)):
        path = target / f"{prefix}{k:0{digits}d}.{kind}"
        with replacing(path) as beside:
            beside.write_bytes(WRITERS[kind](objects, k))
        paths.append(path)
    return paths


def select_frames(frames: str | None, count: int) -> NDArray[np.int_]:
    """The indices of the samples that `frames` selects.

    >>> select_frames("2:10:3", 100).tolist(), select_frames("-1", 100).tolist()
    ([2, 5, 8], [99])
    """
    if frames is None:
        return np.unique(np.linspace(0, count - 1, min(count, DEFAULT_FRAMES)).round().astype(int))
    match = SLICE.fullmatch(frames)
    if not match or not frames:
        raise InvalidInputError("frames", frames, "START:STOP:STEP in samples, as in 0:1000:10, or one number")
    start, stop, step = (int(part) if part else None for part in match.groups())
    part = slice(start, stop, step) if ":" in frames else slice(start, None if start == -1 else (start or 0) + 1)
    rows = np.arange(count)[part]
    if not len(rows):
        raise InvalidInputError("frames", frames, f"at least one of the samples 0 to {count - 1}")
    return rows


def vertices_in_space(item: SceneObject, k: int) -> Array:
    """The vertices of an object in frame k, in space."""
    q, position = item.q[k if len(item.q) > 1 else 0], item.position[k if len(item.position) > 1 else 0]
    return item.mesh.vertices @ unchecked.to_matrix(q).T + position


def _obj_bytes(objects: list[SceneObject], k: int) -> bytes:
    lines, first = [], 1
    for item in objects:
        points = vertices_in_space(item, k)
        lines.append(f"o {item.name.replace(' ', '_')}\n")
        lines += [f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in points]
        lines += [f"f {a} {b} {c}\n" for a, b, c in item.mesh.faces + first]
        first += len(points)
    return "".join(lines).encode()


def _ply_bytes(objects: list[SceneObject], k: int) -> bytes:
    """Little-endian binary, with the colour of each face, or of its object, at its vertices."""
    vertices, faces, first = [], [], 0
    for item in objects:
        points = vertices_in_space(item, k)
        block = np.zeros(len(points), dtype=[("x", "<f8", 3), ("colour", "u1", 3)])
        block["x"], block["colour"] = points, rgb(item.colour)
        painted = item.mesh.colours != ""
        if painted.any():
            block["colour"][item.mesh.faces[painted]] = [[rgb(str(c))] * 3 for c in item.mesh.colours[painted]]
        triangles = np.zeros(len(item.mesh.faces), dtype=[("count", "u1"), ("corners", "<i4", 3)])
        triangles["count"], triangles["corners"] = 3, item.mesh.faces + first
        vertices.append(block)
        faces.append(triangles)
        first += len(points)
    header = [
        "ply",
        "format binary_little_endian 1.0",
        f"element vertex {first}",
        *(f"property double {axis}" for axis in "xyz"),
        *(f"property uchar {colour}" for colour in ("red", "green", "blue")),
        f"element face {sum(map(len, faces))}",
        "property list uchar int vertex_indices",
        "end_header",
    ]
    return "\n".join([*header, ""]).encode() + b"".join(block.tobytes() for block in [*vertices, *faces])


WRITERS: dict[str, Callable[[list[SceneObject], int], bytes]] = {"obj": _obj_bytes, "ply": _ply_bytes}
