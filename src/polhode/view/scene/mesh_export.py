"""The bodies of a trajectory as meshes in their poses, a file a frame: OBJ or PLY, for tools that render.

What is written are the things of `look`: true shapes where they are known. Lengths are the run's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInputError, PolhodeError
from ...geometry import unchecked
from ...io.atomic_files import make_folder, replacing
from ...simulation.trajectory import Trajectory
from .appearance import look
from .scene import Thing, rows_of

Array = NDArray[np.float64]

MOST = 100  # frames, unless others are asked for
SLICE = re.compile(r"(-?\d*)(?::(-?\d*))?(?::([1-9]\d*)?)?")


def save_frames(
    trajectory: Trajectory,
    folder: str | PathLike[str],
    kind: str = "obj",
    *,
    frames: str | None = None,
    body: int | None = None,
    prefix: str = "frame-",
) -> list[Path]:
    """Write samples as numbered files into a folder; `frames` as a slice of the samples, "0:1000:10", or one, "0".

    Without it, up to 100 samples, evenly spread. `body` takes one body only, counted from 1.
    """
    if kind not in WRITERS:
        raise InvalidInputError("kind", kind, f"one of {', '.join(WRITERS)}")
    rows = chosen(frames, len(trajectory))
    things = list(look(trajectory.system, rows_of(trajectory, rows)).things)
    if not things:
        raise PolhodeError(f"{type(trajectory.system).__name__} has no bodies in three dimensions to draw")
    if body is not None:
        if not 1 <= body <= len(things):
            raise InvalidInputError("body", body, f"a body's number, from 1 to {len(things)}")
        things = [things[body - 1]]
    target = make_folder(folder)
    digits = len(str(len(rows) - 1))
    paths = []
    for k in range(len(rows)):
        path = target / f"{prefix}{k:0{digits}d}.{kind}"
        with replacing(path) as beside:
            beside.write_bytes(WRITERS[kind](things, k))
        paths.append(path)
    return paths


def chosen(frames: str | None, count: int) -> NDArray[np.int_]:
    """The samples that `frames` names.

    >>> chosen("2:10:3", 100).tolist(), chosen("-1", 100).tolist()
    ([2, 5, 8], [99])
    """
    if frames is None:
        return np.unique(np.linspace(0, count - 1, min(count, MOST)).round().astype(int))
    match = SLICE.fullmatch(frames)
    if not match or not frames:
        raise InvalidInputError("frames", frames, "START:STOP:STEP in samples, as in 0:1000:10, or one number")
    start, stop, step = (int(part) if part else None for part in match.groups())
    part = slice(start, stop, step) if ":" in frames else slice(start, None if start == -1 else (start or 0) + 1)
    rows = np.arange(count)[part]
    if not len(rows):
        raise InvalidInputError("frames", frames, f"some of the samples 0 to {count - 1}")
    return rows


def posed(thing: Thing, k: int) -> Array:
    """The vertices of a thing in frame k, in space."""
    q, position = thing.q[k if len(thing.q) > 1 else 0], thing.position[k if len(thing.position) > 1 else 0]
    return thing.mesh.vertices @ unchecked.to_matrix(q).T + position


def _obj(things: list[Thing], k: int) -> bytes:
    parts, first = [], 1
    for thing in things:
        points = posed(thing, k)
        parts.append(f"o {thing.name.replace(' ', '_')}\n")
        parts += [f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in points]
        parts += [f"f {a} {b} {c}\n" for a, b, c in thing.mesh.faces + first]
        first += len(points)
    return "".join(parts).encode()


def _ply(things: list[Thing], k: int) -> bytes:
    """Little-endian binary, with each thing's colour at its vertices."""
    vertices, faces, first = [], [], 0
    for thing in things:
        points = posed(thing, k)
        block = np.zeros(len(points), dtype=[("x", "<f8", 3), ("colour", "u1", 3)])
        block["x"], block["colour"] = points, _rgb(thing.colour)
        triangles = np.zeros(len(thing.mesh.faces), dtype=[("count", "u1"), ("corners", "<i4", 3)])
        triangles["count"], triangles["corners"] = 3, thing.mesh.faces + first
        vertices.append(block)
        faces.append(triangles)
        first += len(points)
    lines = [
        "ply",
        "format binary_little_endian 1.0",
        f"element vertex {first}",
        *(f"property double {axis}" for axis in "xyz"),
        *(f"property uchar {colour}" for colour in ("red", "green", "blue")),
        f"element face {sum(map(len, faces))}",
        "property list uchar int vertex_indices",
        "end_header",
    ]
    return "\n".join([*lines, ""]).encode() + b"".join(block.tobytes() for block in [*vertices, *faces])


def _rgb(colour: str) -> tuple[int, int, int]:
    from matplotlib.colors import to_rgb

    red, green, blue = (round(255 * part) for part in to_rgb(colour))
    return red, green, blue


WRITERS: dict[str, Callable[[list[Thing], int], bytes]] = {"obj": _obj, "ply": _ply}
