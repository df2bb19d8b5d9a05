"""A scene as a web page: one file that needs nothing else, and no network.

The page is `static/view.js` and `static/view.css` around the scene's numbers. `fragment` is the part that another page,
such as a report, takes in; `page` is a whole one; `frame` puts a whole one inside another, as notebooks need it.
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
from ...simulation.trajectory import Trajectory
from ..scene.objects import Arrow, Thing
from ..scene.scene import Scene, scene

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>html, body {{ margin: 0; height: 100%; }}</style>
{head}
</head>
<body>
{body}
</body>
</html>
"""


@cache
def static(name: str) -> str:
    """The text of a file that belongs to the page."""
    return files("polhode.view.html").joinpath("static", name).read_text(encoding="utf-8")


def head() -> str:
    """Style and program of the view: once a page."""
    return f"<style>\n{static('view.css')}</style>\n<script>\n{static('view.js')}</script>"


def fragment(shown: Scene) -> str:
    """The view of a scene, for the body of a page that has `head` in its head."""
    if shown.empty:
        return f'<p class="polhode-note">{escape(shown.note)}</p>'
    numbers = json.dumps(plain(shown), separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    return (
        f'<div class="polhode-view"><script type="application/json">{numbers}</script></div>\n'
        "<script>polhodeView(document.currentScript.previousElementSibling)</script>"
    )


def page(shown: Scene) -> str:
    """A whole page.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> text = page(scene(ph.simulate(start, step=0.1, steps=10)))
    >>> "http" in text, len(text) < 100_000
    (False, True)
    """
    return PAGE.format(title=escape(shown.title), head=head(), body=fragment(shown))


def frame(shown: Scene, height: int = 480) -> str:
    """A whole page inside another one."""
    look = f"width: 100%; height: {height}px; border: 0"
    return f'<iframe title="{escape(shown.title)}" style="{look}" srcdoc="{escape(page(shown))}"></iframe>'


def save_page(trajectory: Trajectory, path: str | PathLike[str]) -> None:
    """Write the view of a trajectory as one file that works offline."""
    write_text(path, page(scene(trajectory)))


def plain(shown: Scene) -> dict[str, Any]:
    """The scene as JSON can hold it; arrays are little-endian numbers in base 64."""
    centre, radius = shown.framing
    return {
        "title": shown.title,
        "note": f"{shown.subtitle}. {shown.note}".rstrip(),
        "t": packed(shown.t, "<f8"),
        "joined": shown.joined,
        "trail": shown.trail,
        "seconds": shown.seconds,
        "viewer": list(shown.look.viewer),
        "centre": packed(centre),
        "radius": packed(radius),
        "things": [_thing(thing) for thing in shown.things],
        "arrows": [_arrow(arrow) for arrow in shown.arrows],
    }


def packed(array: NDArray[Any], kind: str = "<f4") -> str:
    """An array's numbers as text."""
    return b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def _thing(thing: Thing) -> dict[str, Any]:
    def numbers(x: ArrayLike | None) -> list[float] | None:
        return None if x is None else np.asarray(x, dtype=float).tolist()

    return {
        "name": thing.name,
        "colour": thing.colour,
        "vertices": packed(thing.mesh.vertices),
        "faces": packed(thing.mesh.faces, "<u4"),
        "position": packed(thing.position),
        "q": packed(thing.q),
        "axes": numbers(thing.axes),
        "trail": numbers(thing.trail),
    }


def _arrow(arrow: Arrow) -> dict[str, Any]:
    return {
        "name": arrow.name,
        "colour": arrow.colour,
        "start": packed(arrow.start),
        "vector": packed(arrow.vector),
    }
