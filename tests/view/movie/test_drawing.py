"""Triangles cut small for sorting: nothing is lost, nothing changes its colour or side."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.view.movie.drawing import cut, face_colours
from polhode.view.scene.elements import IDENTITY, ORIGIN
from polhode.view.scene.meshes import brick
from polhode.view.scene.objects import SceneObject


def test_cut_triangles_cover_the_same_surface() -> None:
    mesh = brick([1.0, 0.7, 0.4], "#FF0000")
    triangles = mesh.vertices[mesh.faces]
    colours = face_colours(SceneObject("body", mesh, "#0000FF", ORIGIN, IDENTITY))
    small, painted = cut(triangles, colours, 0.2)
    sides = np.linalg.norm(small - np.roll(small, 1, axis=1), axis=2)
    assert sides.max() <= 0.2
    assert len(small) == len(painted) > 500
    for colour in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]):
        # the sum of the areas as vectors: of the three faces in one colour, which look to one side
        before, after = (
            np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])[np.all(c == colour, axis=1)].sum(axis=0)
            for t, c in ((triangles, colours), (small, painted))
        )
        np.testing.assert_allclose(after, before, rtol=1e-12)
        assert np.abs(before).min() > 1.0
    assert np.linalg.det(small).sum() == pytest.approx(6.0 * 8.0 * 0.28)


def test_what_is_small_is_left_as_it_is() -> None:
    triangles = np.array([[[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]]])
    same, _ = cut(triangles, np.zeros((1, 3)), 1.0)
    assert np.array_equal(same, triangles)
