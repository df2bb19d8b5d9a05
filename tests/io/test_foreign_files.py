"""Result files and meshes that others made: no code in them runs, no other file is read, and a mesh stays the run's own."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Polyhedron, body_from

CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


class Hit:
    """What leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = str(mark)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.mark,)


def zarr_run(path: Path) -> Path:
    pytest.importorskip("zarr")
    ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=3).save(path)
    return path


def edit(file: Path, **changes: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_pickled_numbers_in_a_zarr_folder_are_refused_unread(tmp_path: Path) -> None:
    folder, mark = zarr_run(tmp_path / "run.zarr"), tmp_path / "hit"
    attributes = json.loads((folder / "zarr.json").read_text())["attributes"]
    (folder / "zarr.json").unlink()
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    (folder / ".zattrs").write_text(json.dumps(attributes))
    described: dict[str, Any] = {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|O", "order": "C"}
    described |= {"compressor": None, "fill_value": None, "filters": [{"id": "pickle", "protocol": 4}]}
    (folder / "time" / "zarr.json").unlink()
    (folder / "time" / ".zarray").write_text(json.dumps(described))
    (folder / "time" / "0").write_bytes(pickle.dumps(Hit(mark)))
    with pytest.raises(ph.InvalidInputError, match="Zarr folder is damaged or incomplete"):
        ph.load(folder)
    assert not mark.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"codecs": [{"name": "numcodecs.pickle", "configuration": {}}]},
        {"codecs": [{"name": "vlen-utf8"}]},
        {"data_type": "variable_length_bytes"},
        {"data_type": {"name": "fixed_length_utf32", "configuration": {"length_bytes": 4}}},
        {"zarr_format": 2},
    ],
    ids=str,
)
def test_only_what_polhode_writes_is_decoded_from_zarr(changes: dict[str, Any], tmp_path: Path) -> None:
    folder = zarr_run(tmp_path / "run.zarr")
    edit(folder / "omega" / "zarr.json", **changes)
    with pytest.raises(ph.InvalidInputError, match=r"not written by polhode|damaged"):
        ph.load(folder)


def test_a_mesh_file_names_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimesh = pytest.importorskip("trimesh")
    asked: list[str] = []
    monkeypatch.setattr(trimesh.resolvers.FilePathResolver, "get", lambda self, name: asked.append(name) or b"")
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    (tmp_path / "a.obj").write_text("mtllib other.mtl\nusemtl m\n" + "\n".join(lines))
    assert len(Polyhedron.from_file(tmp_path / "a.obj", mass=1.0).faces) == 4
    assert asked == []


@pytest.mark.parametrize("name", ["a.gltf", "a.zip", "a.json", "a.dae", "a.npz", "a", "http://127.0.0.1:9/a.glb"])
def test_other_formats_are_refused_by_name(name: str) -> None:
    pytest.importorskip("trimesh")
    with pytest.raises(ph.InvalidInputError, match=r"ends in \.obj, \.stl, \.ply, \.off"):
        Polyhedron.from_file(name, mass=1.0)


def mesh_file(path: Path, scale: float) -> Path:
    lines = [f"v {scale * x} {y} {z}" for x, y, z in CORNERS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    path.write_text("\n".join(lines))
    return path


def test_a_result_holds_its_mesh(tmp_path: Path) -> None:
    """Another mesh of the same name, or none, changes nothing: the numbers of the body are those of the run, bit for bit."""
    pytest.importorskip("trimesh")
    body = Polyhedron.from_file(mesh_file(tmp_path / "a.obj", 1.0), density=3.0, principal=True)
    pair = ph.FullTwoBodyProblem(body, ph.bodies.Sphere(5.0, 0.5), gravity=2)
    ph.simulate(pair.state(X=[3, 0, 0], V=[0, 1, 0]), step=0.01, steps=2).save(tmp_path / "run.nc")
    mesh_file(tmp_path / "a.obj", 2.0)
    other: Any = ph.load(tmp_path / "run.nc").system
    assert other.body1.source == str(tmp_path / "a.obj")
    assert np.array_equal(other.body1.vertices, body.vertices)
    assert other.body1.mass == body.mass
    assert np.array_equal(other.body1.inertia_integrals(4), body.inertia_integrals(4))
    (tmp_path / "a.obj").unlink()
    assert ph.load(tmp_path / "run.nc").system.describe() == pair.describe()


def test_a_mesh_given_by_mass_is_rebuilt_too(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    body = Polyhedron.from_file(mesh_file(tmp_path / "a.obj", 1.5), mass=3.0, scale=10.0)
    again: Any = body_from(json.loads(json.dumps(body.describe())))
    assert (again.mass, again.density, again.volume) == (body.mass, body.density, body.volume)


def test_a_name_that_is_too_long_is_refused_in_words() -> None:
    with pytest.raises(ph.InvalidInputError, match="name too long"):
        ph.load("n" * 5000)
