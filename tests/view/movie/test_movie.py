"""Movies: files that play, with as many frames as asked for, which show where the bodies are."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import polhode as ph
from polhode.errors import InvalidInputError
from polhode.view.movie.drawing import camera_at
from polhode.view.movie.writer import _figure, draw_picture
from polhode.view.scene.scene import scene


@pytest.fixture(scope="module")
def binary() -> ph.Trajectory:
    return ph.simulate(ph.FullTwoBodyProblem.example(), step=0.02, steps=200)


def picture(shown, fraction: float) -> np.ndarray:
    figure = _figure(50)
    draw_picture(figure, shown, fraction)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)


def test_a_gif_has_its_frames_and_they_differ(binary: ph.Trajectory, tmp_path: Path) -> None:
    binary.movie(tmp_path / "run.gif", seconds=0.3)
    with Image.open(tmp_path / "run.gif") as film:
        assert film.n_frames == 6
        first = np.asarray(film.convert("RGB"))
        film.seek(5)
        assert (np.asarray(film.convert("RGB")) != first).any(axis=-1).mean() > 0.01


def test_an_mp4_plays(binary: ph.Trajectory, tmp_path: Path) -> None:
    encoder = pytest.importorskip("imageio_ffmpeg").get_ffmpeg_exe()
    binary.movie(tmp_path / "run.mp4", seconds=0.2)
    done = subprocess.run(
        [encoder, "-i", str(tmp_path / "run.mp4"), "-f", "null", "-"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert "1280x960" in done.stderr
    assert not [file for file in tmp_path.iterdir() if file.name != "run.mp4"]


def test_bodies_are_drawn_where_they_are(binary: ph.Trajectory) -> None:
    """Around the place of each body the picture has its colour, at any time."""
    shown = scene(binary)
    for fraction in (0.0, 0.4, 1.0):
        pixels = picture(shown, fraction)
        camera = camera_at(shown, fraction)
        for item, (position, _) in zip(shown.objects, shown.at(fraction)[0], strict=True):
            (x, y), _ = camera.project(position)
            row, column = round(120 * (1 - y / 1.08)), round(160 + 120 * x / 1.08)
            near = pixels[row - 3 : row + 4, column - 3 : column + 4].reshape(-1, 3)
            red_first = int(item.colour[1:3], 16) > int(item.colour[5:7], 16)
            assert np.median((near[:, 0] > near[:, 2]) == red_first) == 1.0


def test_a_long_title_stays_in_the_picture_beside_the_names(binary: ph.Trajectory) -> None:
    figure = _figure(100)
    draw_picture(figure, replace(scene(binary), title="A title of many words " * 5), 0.0)
    figure.canvas.draw()
    title, _, *names = [text.get_window_extent() for text in figure.texts]
    assert title.height > 40.0
    assert title.x1 < min(name.x0 for name in names)


@pytest.mark.parametrize(
    ("path", "seconds", "said"),
    [("run.avi", None, r"ends in \.mp4 or \.gif"), ("run.gif", 0.0, "above 0"), ("run.gif", 1e9, "at most")],
)
def test_what_cannot_be_made_is_said(
    binary: ph.Trajectory, path: str, seconds: float | None, said: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        binary.movie(tmp_path / path, seconds=seconds)


def test_what_has_no_picture_has_no_movie(tmp_path: Path) -> None:
    run = ph.simulate(ph.CoupledDoubleBrackets.example(), step=0.02, steps=2, method=ph.RK4())
    with pytest.raises(InvalidInputError, match="cannot be drawn"):
        run.movie(tmp_path / "x.gif")
