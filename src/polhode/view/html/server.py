"""The view served to a browser by viser: the browser shows the scene while this process runs."""

from __future__ import annotations

import threading
import time
from contextlib import redirect_stdout
from html import escape
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import PolhodeError
from ...geometry import quaternion
from ..figures.style import BLUE, GREEN, ORANGE
from ..scene.objects import SceneObject, rgb
from ..scene.scene import Scene
from .guard import guarded_server

Array = NDArray[np.float64]

FRAME_RATE = 30.0  # per second
TRAIL_SEGMENTS = 300
AXIS_COLOURS = (ORANGE, GREEN, BLUE)
SPEEDS = ("0.125×", "0.25×", "0.5×", "1×", "2×", "4×", "8×")


class ViewServer:
    """A server that shows a scene; open `address` in a browser, and call `close` to end it.

    Port 0 means any free port. If the port is taken, viser uses another one.
    """

    def __init__(self, shown: Scene, port: int = 8080, host: str = "127.0.0.1") -> None:
        if shown.is_empty:
            raise PolhodeError(shown.note)
        self.shown = shown
        self._viser = _start_viser(host, port)
        self.address = f"http://{host}:{self._viser.get_port()}"
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self.fraction, self._span = 0.0, float(shown.t[-1] - shown.t[0]) or 1.0
        self.playing = False
        self._make_scene()
        self._make_controls()
        self.show(0.0)
        self._player = threading.Thread(target=self._play, daemon=True)
        self._player.start()

    def wait(self) -> None:
        """Block until the server is closed, or Ctrl-C."""
        while not self._closed.wait(0.5):
            pass

    def close(self) -> None:
        """Stop serving."""
        self._closed.set()
        self._player.join()
        with redirect_stdout(StringIO()):
            self._viser.stop()

    def show(self, fraction: float) -> None:
        """Show the scene at a fraction (0 to 1) of its time."""
        with self._lock, self._viser.atomic():
            self.fraction = fraction
            objects, arrows = self.shown.at(fraction)
            for frame, (position, q) in zip(self._frames, objects, strict=True):
                frame.position, frame.wxyz = position, quaternion.as_wxyz(q)
            for handle, (start, vector) in zip(self._arrows, arrows, strict=True):
                handle.points = np.stack([start, start + vector])[None].astype(np.float32)
            for handle, item in self._trails:
                handle.points = self._trail_segments(item)
            self._time.value = round(float(self.shown.t[0] + fraction * self._span), 12)
            if self._clock is not None:
                self._clock.value = self.shown.clock.text(float(self.shown.t[0] + fraction * self._span))

    def _play(self) -> None:
        """Advance the scene while playing, at the chosen speed."""
        before = time.monotonic()
        while not self._closed.wait(1.0 / FRAME_RATE):
            after = time.monotonic()
            if self.playing:
                speed = float(self._speed.value.rstrip("×"))
                self.show((self.fraction + speed * (after - before) / self.shown.playback_seconds) % 1.0)
            before = after

    def _make_scene(self) -> None:
        scene, shown = self._viser.scene, self.shown
        centre, radius = (x[0] for x in shown.framing)
        scene.set_up_direction("+z")
        direction = np.array(shown.appearance.view_direction) / np.linalg.norm(shown.appearance.view_direction)
        camera = self._viser.initial_camera
        camera.position, camera.look_at, camera.up = centre + 3.2 * radius * direction, centre, (0.0, 0.0, 1.0)
        camera.fov, camera.near, camera.far = 0.7, 0.01 * radius, 200.0 * radius
        self._frames, self._trails, self._axes = [], [], []
        for i, item in enumerate(shown.objects):
            name = f"/{i} {item.name}"
            self._frames.append(scene.add_frame(name, show_axes=False))
            scene.add_mesh_simple(
                f"{name}/shape", item.mesh.vertices, item.mesh.faces, color=rgb(item.colour), side="double"
            )
            if item.axis_lengths is not None:
                ends = np.stack([np.zeros((3, 3)), np.diag(item.axis_lengths)], axis=1)
                colours = np.array([rgb(colour) for colour in AXIS_COLOURS])
                thickness = min(0.008 * radius, 0.05 * item.mesh.radius)
                self._axes.append(self._add_arrows(f"{name}/axes", ends, colours, thickness))
            if item.trail_point is not None and shown.interpolated and len(shown.t) > 1:
                trail = scene.add_line_segments(
                    f"/trails/{i}",
                    np.zeros((TRAIL_SEGMENTS, 2, 3), dtype=np.float32),
                    np.array(rgb(item.colour)),
                    thickness=2.5,
                    thickness_units="screen",
                )
                self._trails.append((trail, item))
        self._arrows = [
            self._add_arrows(
                f"/vectors/{i} {arrow.name}", np.zeros((1, 2, 3)), np.array(rgb(arrow.colour)), 0.01 * radius
            )
            for i, arrow in enumerate(shown.arrows)
        ]

    def _add_arrows(self, name: str, points: Array, colours: NDArray[np.int_], thickness: float) -> Any:
        head = {"shaft_radius": thickness, "head_radius": 2.4 * thickness, "head_length": 6.0 * thickness}
        return self._viser.scene.add_arrows(name, points.astype(np.float32), colours, **head)

    def _make_controls(self) -> None:
        gui, shown = self._viser.gui, self.shown
        gui.set_panel_label("polhode")
        gui.configure_theme(show_logo=False, show_share_button=False)
        gui.main_panel.dock_right()
        said = f"<p><b>{escape(shown.title)}</b></p><p>{escape(shown.subtitle)}.</p><p>{escape(shown.note)}</p>"
        gui.add_html(f'<div style="padding: 0 0.8em; font-size: 0.9em">{said}</div>')  # Markdown would run code in it
        first, last = sorted((float(shown.t[0]), float(shown.t[-1])))
        step = 10.0 ** np.floor(np.log10((last - first) / 1000.0)) if first < last else 1.0
        self._clock = (
            gui.add_text("", shown.clock.text(float(shown.t[0])), disabled=True) if shown.clock.seconds else None
        )
        self._time = gui.add_slider("time", min=first, max=max(last, first + step), step=step, initial_value=shown.t[0])
        self._button = gui.add_button("▶ play")
        self._speed = gui.add_dropdown("speed", SPEEDS, initial_value="1×")
        legend = {item.name: item.colour for item in shown.objects}
        legend |= {arrow.name: arrow.colour for arrow in shown.arrows}
        legend |= {f"axis {i + 1}": colour for i, colour in enumerate(AXIS_COLOURS) if self._axes}
        rows = "".join(f'<div><b style="color: {colour}">●</b> {escape(name)}</div>' for name, colour in legend.items())
        gui.add_html(f'<div style="padding: 0 0.8em; font-size: 0.85em">{rows}</div>')
        switches = {"axes": self._axes, "vectors": self._arrows, "trails": [trail for trail, _ in self._trails]}
        for label, handles in switches.items():
            if handles:
                self._add_visibility_switch(label, handles)

        @self._time.on_update
        def _(event: Any) -> None:
            if event.client is not None:  # moved by a user, not by `show`
                self.play(False)
                self.show((float(self._time.value) - float(shown.t[0])) / self._span)

        @self._button.on_click
        def _(_: Any) -> None:
            self.play(not self.playing)

    def play(self, playing: bool = True) -> None:
        """Play, or pause with `playing=False`."""
        self.playing = playing
        self._button.label = "❚❚ pause" if playing else "▶ play"

    def _add_visibility_switch(self, label: str, handles: list[Any]) -> None:
        box = self._viser.gui.add_checkbox(label, True)

        @box.on_update
        def _(_: Any) -> None:
            for handle in handles:
                handle.visible = box.value

    def _trail_segments(self, item: SceneObject) -> NDArray[np.float32]:
        """The most recent part of an object's path, as line segments."""
        fractions = (self.shown.t - self.shown.t[0]) / self._span
        length = self.shown.trail_duration / abs(self._span)
        when = np.linspace(max(0.0, self.fraction - length), self.fraction, TRAIL_SEGMENTS + 1)
        path = np.broadcast_to(item.path, (len(fractions), 3))
        points = np.stack([np.interp(when, fractions, column) for column in path.T], axis=1)
        return np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)


def _start_viser(host: str, port: int) -> Any:
    try:
        import viser
    except ImportError:
        raise PolhodeError(
            "serving the view needs viser: pip install 'polhode[view]'; or write it to a file with --html FILE"
        ) from None
    with redirect_stdout(StringIO()), guarded_server():  # viser prints a greeting
        return viser.ViserServer(host=host, port=port, verbose=False)
