"""The view served to a browser, by viser: the scene is here, and the browser shows it while this process runs."""

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
from ..scene.objects import Thing
from ..scene.scene import Scene

Array = NDArray[np.float64]

RATE = 30.0  # pictures a second
TRAIL_PIECES = 300
AXES = (ORANGE, GREEN, BLUE)
SPEEDS = ("0.125×", "0.25×", "0.5×", "1×", "2×", "4×", "8×")


class ViewServer:
    """A scene on a port of this machine; `address` is what to open, `close` ends it.

    Port 0 takes any that is free, and so does viser if the wanted one is taken.
    """

    def __init__(self, shown: Scene, port: int = 8080, host: str = "127.0.0.1") -> None:
        if shown.empty:
            raise PolhodeError(shown.note)
        self.shown = shown
        self._viser = _server(host, port)
        self.address = f"http://{host}:{self._viser.get_port()}"
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self.now, self._span = 0.0, float(shown.t[-1] - shown.t[0]) or 1.0
        self.playing = False
        self._make_scene()
        self._make_controls()
        self.show(0.0)
        self._player = threading.Thread(target=self._play, daemon=True)
        self._player.start()

    def wait(self) -> None:
        """Until it is closed, or Ctrl-C."""
        while not self._closed.wait(0.5):
            pass

    def close(self) -> None:
        self._closed.set()
        self._player.join()
        with redirect_stdout(StringIO()):
            self._viser.stop()

    def show(self, now: float) -> None:
        """Show the part `now` (0 to 1) of the time."""
        with self._lock, self._viser.atomic():
            self.now = now
            things, arrows = self.shown.at(now)
            for frame, (position, q) in zip(self._frames, things, strict=True):
                frame.position, frame.wxyz = position, quaternion.as_wxyz(q)
            for handle, (start, vector) in zip(self._arrows, arrows, strict=True):
                handle.points = np.stack([start, start + vector])[None].astype(np.float32)
            for handle, thing in self._trails:
                handle.points = self._trail(thing)
            self._time.value = round(float(self.shown.t[0] + now * self._span), 12)

    def _play(self) -> None:
        """Go on while playing, at the speed that is chosen."""
        before = time.monotonic()
        while not self._closed.wait(1.0 / RATE):
            after = time.monotonic()
            if self.playing:
                speed = float(self._speed.value.rstrip("×"))
                self.show((self.now + speed * (after - before) / self.shown.seconds) % 1.0)
            before = after

    def _make_scene(self) -> None:
        scene, shown = self._viser.scene, self.shown
        centre, radius = (x[0] for x in shown.framing)
        scene.set_up_direction("+z")
        viewer = np.array(shown.look.viewer) / np.linalg.norm(shown.look.viewer)
        camera = self._viser.initial_camera
        camera.position, camera.look_at, camera.up = centre + 3.2 * radius * viewer, centre, (0.0, 0.0, 1.0)
        camera.fov, camera.near, camera.far = 0.7, 0.01 * radius, 200.0 * radius
        self._frames, self._trails, self._axes = [], [], []
        for i, thing in enumerate(shown.things):
            name = f"/{i + 1} {thing.name}"
            self._frames.append(scene.add_frame(name, show_axes=False))
            scene.add_mesh_simple(
                f"{name}/shape", thing.mesh.vertices, thing.mesh.faces, color=_rgb(thing.colour), side="double"
            )
            if thing.axes is not None:
                ends = np.stack([np.zeros((3, 3)), np.diag(thing.axes)], axis=1)
                colours = np.array([_rgb(colour) for colour in AXES])
                thick = min(0.008 * radius, 0.05 * thing.mesh.radius)
                self._axes.append(self._arrow(f"{name}/axes", ends, colours, thick))
            if thing.trail is not None and shown.joined and len(shown.t) > 1:
                trail = scene.add_line_segments(
                    f"/trails/{i + 1}",
                    np.zeros((TRAIL_PIECES, 2, 3), dtype=np.float32),
                    np.array(_rgb(thing.colour)),
                    thickness=2.5,
                    thickness_units="screen",
                )
                self._trails.append((trail, thing))
        self._arrows = [
            self._arrow(
                f"/vectors/{i + 1} {arrow.name}", np.zeros((1, 2, 3)), np.array(_rgb(arrow.colour)), 0.01 * radius
            )
            for i, arrow in enumerate(shown.arrows)
        ]

    def _arrow(self, name: str, points: Array, colours: NDArray[np.int_], thick: float) -> Any:
        head = {"shaft_radius": thick, "head_radius": 2.4 * thick, "head_length": 6.0 * thick}
        return self._viser.scene.add_arrows(name, points.astype(np.float32), colours, **head)

    def _make_controls(self) -> None:
        gui, shown = self._viser.gui, self.shown
        gui.set_panel_label("polhode")
        gui.configure_theme(show_logo=False, show_share_button=False)
        gui.main_panel.dock_right()
        gui.add_markdown(f"**{shown.title}**\n\n{shown.subtitle}.\n\n{shown.note}".rstrip())
        first, last = sorted((float(shown.t[0]), float(shown.t[-1])))
        step = 10.0 ** np.floor(np.log10((last - first) / 1000.0)) if first < last else 1.0
        self._time = gui.add_slider("time", min=first, max=max(last, first + step), step=step, initial_value=shown.t[0])
        self._button = gui.add_button("▶ play")
        self._speed = gui.add_dropdown("speed", SPEEDS, initial_value="1×")
        marks = {thing.name: thing.colour for thing in shown.things}
        marks |= {arrow.name: arrow.colour for arrow in shown.arrows}
        marks |= {f"axis {i + 1}": colour for i, colour in enumerate(AXES) if self._axes}
        rows = "".join(f'<div><b style="color: {colour}">●</b> {escape(name)}</div>' for name, colour in marks.items())
        gui.add_html(f'<div style="padding: 0 0.8em; font-size: 0.85em">{rows}</div>')
        parts = {"axes": self._axes, "vectors": self._arrows, "trails": [trail for trail, _ in self._trails]}
        for label, handles in parts.items():
            if handles:
                self._switch(label, handles)

        @self._time.on_update
        def _(event: Any) -> None:
            if event.client is not None:  # moved by a user, not by `show`
                self.play(False)
                self.show((float(self._time.value) - float(shown.t[0])) / self._span)

        @self._button.on_click
        def _(_: Any) -> None:
            self.play(not self.playing)

    def play(self, yes: bool = True) -> None:
        """Play, or pause."""
        self.playing = yes
        self._button.label = "❚❚ pause" if yes else "▶ play"

    def _switch(self, label: str, handles: list[Any]) -> None:
        box = self._viser.gui.add_checkbox(label, True)

        @box.on_update
        def _(_: Any) -> None:
            for handle in handles:
                handle.visible = box.value

    def _trail(self, thing: Thing) -> NDArray[np.float32]:
        """The last of a thing's path, in pieces."""
        part = (self.shown.t - self.shown.t[0]) / self._span
        length = self.shown.trail / abs(self._span)
        when = np.linspace(max(0.0, self.now - length), self.now, TRAIL_PIECES + 1)
        path = np.broadcast_to(thing.path, (len(part), 3))
        points = np.stack([np.interp(when, part, column) for column in path.T], axis=1)
        return np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _server(host: str, port: int) -> Any:
    try:
        import viser
    except ImportError:
        raise PolhodeError(
            "serving the view needs viser: pip install 'polhode[view]'; --html FILE writes it as a file without"
        ) from None
    with redirect_stdout(StringIO()):  # it greets
        return viser.ViserServer(host=host, port=port, verbose=False)
