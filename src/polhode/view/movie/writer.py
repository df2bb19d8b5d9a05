"""Movies as GIF files, which need nothing more, and as MP4 files, which need an encoder (`pip install polhode[movie]`)."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InvalidInputError
from ...io.atomic_files import replacing
from ...simulation.trajectory import Trajectory
from ..figures.axes import plain_label
from ..figures.style import check_matplotlib, styled
from ..scene.scene import Scene, scene
from .drawing import draw_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST = 20.0  # seconds, unless another length is asked for
FRAMES_PER_SECOND = {".gif": 20, ".mp4": 30}
INCHES = (6.4, 4.8)  # the same for both kinds, so that letters and lines have the same share of the picture
DOTS_PER_INCH = {".gif": 100, ".mp4": 200}
MOST_FRAMES = 20_000
TITLE_LETTERS = 50  # in a line, which ends before the names on the right
MARGIN = 1.08  # from the middle of the picture to its nearest edge, in radii of the scene


def save_movie(
    trajectory: Trajectory, path: str | PathLike[str], *, seconds: float | None = None, progress: bool = False
) -> None:
    """Write a movie of a trajectory, an MP4 or a GIF file by the name of `path`, that lasts so many `seconds` (default: as
    the view plays it, 20 at most)."""
    kind = Path(path).suffix.lower()
    if kind not in FRAMES_PER_SECOND:
        raise InvalidInputError("path", str(path), "a name that ends in .mp4 or .gif")
    shown = scene(trajectory)
    if shown.is_empty:
        raise InvalidInputError("trajectory", repr(trajectory), problem=shown.note or "there is nothing to draw")
    lasting = min(shown.playback_seconds, LONGEST) if seconds is None else seconds
    count = round(lasting * FRAMES_PER_SECOND[kind]) if np.isfinite(lasting) else 0
    if not 1 <= count <= MOST_FRAMES:
        longest = MOST_FRAMES // FRAMES_PER_SECOND[kind]
        raise InvalidInputError("seconds", seconds, f"a number above 0, and at most {longest}")
    check_matplotlib()
    figure = _figure(DOTS_PER_INCH[kind])
    with replacing(path) as beside:
        writer = _writer(kind)
        with writer.saving(figure, str(beside), dpi=DOTS_PER_INCH[kind]):
            for i in _counted(count, progress):
                draw_picture(figure, shown, i / max(count - 1, 1))
                writer.grab_frame()


@styled
def draw_picture(figure: Figure, shown: Scene, fraction: float) -> None:
    """One frame with title and time, in place of what the figure shows."""
    figure.clear()
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    draw_frame(ax, shown, fraction)
    wide, high = figure.get_size_inches() / figure.get_size_inches().min()
    ax.set_xlim(-MARGIN * wide, MARGIN * wide)
    ax.set_ylim(-MARGIN * high, MARGIN * high)
    title = "\n".join(wrap(plain_label(shown.title), TITLE_LETTERS))
    figure.text(0.02, 0.965, title, size=12, va="top")
    t = shown.t[0] + fraction * (shown.t[-1] - shown.t[0])
    figure.text(0.02, 0.03, shown.clock.text(float(t), moving=True), size=11)
    names = [(item.name, item.colour) for item in shown.objects] + [
        (arrow.name, arrow.colour) for arrow in shown.arrows
    ]
    for i, (name, colour) in enumerate(dict(names).items()):
        figure.text(0.98, 0.965 - 0.042 * i, plain_label(name), size=10, color=colour, ha="right", va="top")


def _figure(dots_per_inch: int) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=INCHES, dpi=dots_per_inch)
    FigureCanvasAgg(figure)
    return figure


def _writer(kind: str) -> Any:
    from matplotlib import animation, rcParams

    rate = FRAMES_PER_SECOND[kind]
    if kind == ".gif":
        return animation.PillowWriter(fps=rate)
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        if not animation.FFMpegWriter.isAvailable():
            problem = "no encoder is installed: pip install 'polhode[movie]', or choose a name that ends in .gif"
            raise InvalidInputError("path", kind, problem=problem) from None
    else:
        rcParams["animation.ffmpeg_path"] = get_ffmpeg_exe()
    return animation.FFMpegWriter(fps=rate, codec="libx264", extra_args=["-pix_fmt", "yuv420p", "-crf", "20"])


def _counted(count: int, progress: bool) -> Any:
    if not progress:
        return range(count)
    from rich.console import Console
    from rich.progress import track

    return track(range(count), "drawing", console=Console(stderr=True), transient=True)
