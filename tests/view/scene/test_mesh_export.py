"""Meshes of bodies in their poses, read back by another library."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Ellipsoid, Polyhedron
from polhode.view.scene.mesh_export import save_frames, select_frames

trimesh = pytest.importorskip("trimesh")

CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACETS = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


@pytest.fixture(scope="module")
def pair():
    """A tetrahedron and an ellipsoid."""
    system = ph.FullTwoBodyProblem(Polyhedron(CORNERS, FACETS, mass=1.0), Ellipsoid(2.0, [0.5, 0.4, 0.3]), gravity=2)
    state = system.state(X=[4.0, 0.5, 0.0], V=[0.0, 0.9, 0.1], Omega1=[0.4, -0.2, 1.0], Omega2=[0.0, 0.3, -0.8])
    return ph.simulate(state, step=0.05, steps=300)


def read(path):
    mesh = trimesh.load(path, process=False, force="mesh")
    return np.asarray(mesh.vertices), np.asarray(mesh.faces), mesh


@pytest.mark.parametrize("kind", ["obj", "ply"])
def test_bodies_are_where_they_are(kind, pair, tmp_path):
    paths = save_frames(pair, tmp_path, kind, frames="0:301:50", body=0)
    assert [path.name for path in paths] == [f"frame-{i}.{kind}" for i in range(7)]
    assert sorted(path.name for path in tmp_path.iterdir()) == [path.name for path in paths]
    local = pair.system.body1.vertices
    for path, k in zip(paths, range(0, 301, 50), strict=True):
        points, _, mesh = read(path)
        expected = local @ pair.R1[k].T + pair.x1[k]
        distance = np.linalg.norm(points[:, None] - expected, axis=2)
        assert distance.min(axis=1).max() < 1e-7  # every point is a corner in its pose
        assert distance.min(axis=0).max() < 1e-7  # and every corner is there
        assert mesh.volume == pytest.approx(1.0 / 6.0, rel=1e-6)  # facets run round as they should


@pytest.mark.parametrize("kind", ["obj", "ply"])
def test_all_bodies_in_one_file(kind, pair, tmp_path):
    (path,) = save_frames(pair, tmp_path, kind, frames="-1")
    _, _, mesh = read(path)
    assert mesh.volume == pytest.approx(1 / 6 + 4 / 3 * np.pi * 0.06, rel=0.03)
    separation = np.linalg.norm(pair.x1[-1] - pair.x2[-1])
    assert np.linalg.norm(np.ptp(mesh.vertices, axis=0)) > separation
    if kind == "obj":
        assert path.read_text().count("\no ") + path.read_text().startswith("o ") == 2
    else:
        assert len(np.unique(mesh.visual.vertex_colors[:, :3], axis=0)) == 2


def test_which_frames(pair, tmp_path):
    assert len(save_frames(pair, tmp_path)) == 100
    assert select_frames(None, 5).tolist() == [0, 1, 2, 3, 4]
    assert select_frames("::2", 5).tolist() == [0, 2, 4]
    assert select_frames("3", 5).tolist() == [3]
    assert select_frames("-2:", 5).tolist() == [3, 4]
    for wrong in ("", "a", "1:2:0", "7", "3:3", "1:2:3:4", "1.5"):
        with pytest.raises(ph.InvalidInputError, match="frames"):
            select_frames(wrong, 5)


def test_what_cannot_be_drawn_is_said(pair, tmp_path):
    start = ph.RigidBodySOn.example()
    trajectory = ph.simulate(start, step=0.01, steps=2, method=ph.MoserVeselov())
    with pytest.raises(ph.PolhodeError, match="no bodies"):
        save_frames(trajectory, tmp_path / "frames")
    with pytest.raises(ph.InvalidInputError, match="from 0 to 1"):
        save_frames(pair, tmp_path / "frames", body=2)
    with pytest.raises(ph.InvalidInputError, match="'obj', 'ply'"):
        save_frames(pair, tmp_path / "frames", "fbx")
    assert list(tmp_path.iterdir()) == []


def test_a_body_that_only_turns(tmp_path):
    start = ph.FreeRigidBody.example()
    trajectory = ph.simulate(start, step=0.1, steps=20)
    first, last = (read(path)[0] for path in save_frames(trajectory, tmp_path, frames="0:21:20"))
    turn = trajectory.R[20] @ trajectory.R[0].T
    assert np.abs(first @ turn.T - last).max() < 1e-7
