"""Every kind of file with bits flipped or its end cut off: refused in words, or read as what was written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Polyhedron
from polhode.errors import PolhodeError
from polhode.io.checkpoint_folder import CheckpointFolder
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.simulation import checkpoints

from ..random_inputs import CASES

SHARE = max(12, CASES // 50)  # damages per kind of file
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
SCENARIO = """
[system]
type = "FreeRigidBody"
inertia = [1.0, 2.0, 3.0]
[state]
omega = [0.7, -0.6, 0.5]
[method]
type = "LGVI"
[run]
step = 0.1
steps = 10
"""


def damaged(content: bytes) -> list[bytes]:
    """The content with a bit flipped or its end cut off, at places that are the same each time."""
    random = np.random.default_rng(11)
    found = [b"", content[: len(content) // 2], content[:-1]]
    for place in random.integers(0, len(content), SHARE):
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(random.integers(8))
        found += [bytes(flipped)]
    return found


def try_all(file: Path, read: Callable[[], Any], same: Callable[[Any], bool]) -> int:
    """Read each damaged version; returns how many were refused."""
    refused = 0
    for content in damaged(file.read_bytes()):
        file.write_bytes(content)
        try:
            found = read()
        except PolhodeError:
            refused += 1
        else:
            assert same(found)
    return refused


def run(**more: Any) -> ph.Trajectory:
    return ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=40, **more)


def test_results(tmp_path: Path) -> None:
    plain, file = run(), tmp_path / "run.nc"
    plain.save(file)

    def same(found: ph.Trajectory) -> bool:
        return all(np.array_equal(found.values[n], v) for n, v in plain.values.items()) and repr(found) == repr(plain)

    assert try_all(file, lambda: ph.load(file), same) > 3


def test_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "FIRST_LEG", 20)
    plain = run(checkpoint=tmp_path / "c", checkpoint_every=0.0)
    file = CheckpointFolder(tmp_path / "c").segments[0]

    def same(found: ph.Trajectory) -> bool:
        return all(np.array_equal(found.values[n], v) for n, v in plain.values.items())

    assert try_all(file, lambda: CheckpointFolder(tmp_path / "c").load(), same) > 3


def test_scenarios(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO)
    assert try_all(file, lambda: build_plan(load_scenario(file)), lambda plan: plan.steps is not None) > 3


@pytest.mark.parametrize("kind", ["obj", "stl", "ply", "off"])
def test_meshes(kind: str, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / f"body.{kind}"
    trimesh.Trimesh(CORNERS, FACES, process=False).export(file)
    try_all(file, lambda: Polyhedron.from_file(file, mass=1.0), lambda body: bool(body.mass == 1.0))
