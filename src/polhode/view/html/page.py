"""A scene as a web page: one file that needs no other file and no network.

The page is the program and the style in `static/` with the scene as JSON. `scene_html` is the part that another page,
such as a report, includes; `page_html` is a complete page; `iframe_html` embeds a complete page, as notebooks need it.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from html import escape
from importlib.resources import files
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...io.atomic_files import write_text
from ...plain_text import printable
from ...simulation.trajectory import Trajectory
from ..scene.objects import Arrow, SceneObject, UncertaintyMark
from ..scene.scene import Scene, scene
from .policy import policy

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{policy}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
{head}
</head>
<body>
{body}
</body>
</html>
"""
WHOLE_WINDOW = "<style>html, body { margin: 0; height: 100%; }</style>"
PROGRAM = ("numbers.js", "graphics.js", "camera.js", "labels.js", "view.js")  # each uses what is before it
START = "<script>polhodeView(document.currentScript.previousElementSibling)</script>"


def complete_page(title: str, head: str, body: str) -> str:
    """A page that may run the scripts and use the styles of `head`, start views, and do nothing else."""
    tag = f'<meta http-equiv="Content-Security-Policy" content="{escape(page_policy(head))}">'
    return PAGE.format(policy=tag, title=escape(printable(title)), head=f"{WHOLE_WINDOW}\n{head}", body=body)


def page_policy(head: str) -> str:
    """The Content-Security-Policy of a complete page with this head."""
    return policy(WHOLE_WINDOW + head + START)


@cache
def static_file(name: str) -> str:
    """The text of one of the files in `static/`."""
    return files("polhode.view.html").joinpath("static", name).read_text(encoding="utf-8")


def view_program() -> str:
    """The program of the view: it defines the function `polhodeView`, and nothing else that a page can see."""
    inner = "\n".join(static_file(name) for name in PROGRAM)
    return f'"use strict";\nconst polhodeView = (() => {{\n{inner}\nreturn polhodeView;\n}})();\n'


def page_head() -> str:
    """The style and the program of the view: needed once per page."""
    return f"<style>\n{static_file('view.css')}</style>\n<script>\n{view_program()}</script>"


def scene_html(shown: Scene, whole: tuple[float, float] | None = None) -> str:
    """The view of a scene, for the body of a page that has `page_head` in its head. `whole`: the first and the last time of
    a run, if a server shows any part of it that the page asks for."""
    if shown.is_empty:
        return f'<p class="polhode-note">{escape(shown.note)}</p>'
    # without "<", nothing in the data can end or change the element that holds it
    numbers = json.dumps(scene_data(shown) | {"whole": whole}, separators=(",", ":")).replace("<", "\\u003c")
    return f'<div class="polhode-view"><script type="application/json">{numbers}</script></div>\n{START}'


def page_html(shown: Scene, whole: tuple[float, float] | None = None) -> str:
    """A complete page; `whole` as in `scene_html`.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> text = page_html(scene(ph.simulate(start, step=0.1, steps=10)))
    >>> "http:" in text or "https:" in text, len(text) < 100_000
    (False, True)
    """
    return complete_page(shown.title, page_head(), scene_html(shown, whole))


def iframe_html(shown: Scene, height: int = 480) -> str:
    """A complete page embedded in another one."""
    style = f"width: 100%; height: {height}px; border: 0"
    return f'<iframe title="{escape(printable(shown.title))}" style="{style}" srcdoc="{escape(page_html(shown))}"></iframe>'


def save_page(trajectory: Trajectory, path: str | PathLike[str]) -> None:
    """Write the view of a trajectory as one HTML file that works offline."""
    write_text(path, page_html(scene(trajectory)))


def scene_data(shown: Scene) -> dict[str, Any]:
    """The scene as data for JSON; arrays are little-endian numbers in base 64."""
    centre, radius = shown.framing
    return {
        "title": shown.title,
        "note": f"{shown.subtitle}. {shown.note}".rstrip(),
        "t": to_base64(shown.t, "<f8"),
        "clock": shown.clock.data(),
        "interpolated": shown.interpolated,
        "trail_duration": shown.trail_duration,
        "playback_seconds": shown.playback_seconds,
        "view_direction": list(shown.appearance.view_direction),
        "centre": to_base64(centre),
        "radius": to_base64(radius),
        "objects": [_object_data(item) for item in shown.objects],
        "arrows": [_arrow_data(arrow) for arrow in shown.arrows],
        "marks": [_mark_data(mark) for mark in shown.appearance.marks],
    }


def to_base64(array: NDArray[Any], kind: str = "<f4") -> str:
    """The numbers of an array as text in base 64."""
    return b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def _object_data(item: SceneObject) -> dict[str, Any]:
    def numbers(x: ArrayLike | None) -> list[float] | None:
        return None if x is None else np.asarray(x, dtype=float).tolist()

    # the faces by their colours, and how many have each
    names, which, counts = np.unique(item.mesh.colours_in(item.colour), return_inverse=True, return_counts=True)
    order = np.argsort(which, kind="stable")
    return {
        "name": item.name,
        "colour": item.colour,
        "vertices": to_base64(item.mesh.vertices),
        "faces": to_base64(item.mesh.faces[order], "<u4"),
        "colours": [[str(name), int(count)] for name, count in zip(names, counts, strict=True)],
        "position": to_base64(item.position),
        "q": to_base64(item.q),
        "axis_lengths": numbers(item.axis_lengths),
        "trail_point": numbers(item.trail_point),
    }


def _mark_data(mark: UncertaintyMark) -> dict[str, Any]:
    tracks = {"position": mark.position, "q": mark.q, "semiaxes": mark.semiaxes}
    return {"colour": mark.colour} | {name: to_base64(track) for name, track in tracks.items()}


def _arrow_data(arrow: Arrow) -> dict[str, Any]:
    return {
        "name": arrow.name,
        "colour": arrow.colour,
        "start": to_base64(arrow.start),
        "vector": to_base64(arrow.vector),
    }
