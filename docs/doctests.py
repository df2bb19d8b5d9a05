"""Examples in docstrings, as mkdocstrings should show them: fenced, so that Markdown leaves them alone."""

from __future__ import annotations

from typing import Any

import griffe


def fenced(text: str) -> str:
    """`text` with every run of lines from `>>>` to an empty line in a fence of its own."""
    lines: list[str] = []
    inside = False
    for line in [*text.splitlines(), ""]:
        starts = line.lstrip().startswith(">>>") and not inside
        if starts or (inside and not line.strip()):
            lines.append("```pycon" if starts else "```")
            inside = starts
        lines.append(line)
    return "\n".join(lines).rstrip()


class Doctests(griffe.Extension):
    """Fences the examples of everything that is documented."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
