"""Docstrings are Markdown: autodoc, which takes them for reStructuredText, gets each one inside a directive that knows it."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils import new_document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.util.docutils import SphinxDirective


def fenced(text: str) -> str:
    """`text` with every run of lines from `>>>` to an empty line in a fence of its own, which Markdown leaves alone."""
    lines: list[str] = []
    inside = False
    for line in [*text.splitlines(), ""]:
        starts = line.lstrip().startswith(">>>") and not inside
        if starts or (inside and not line.strip()):
            lines.append("```pycon" if starts else "```")
            inside = starts
        lines.append(line)
    return "\n".join(lines).rstrip()


class Markdown(SphinxDirective):
    """`.. markdown::`: its content is Markdown."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        document = new_document(self.env.docname, self.state.document.settings)
        MystParser().parse(fenced("\n".join(self.content)), document)
        return document.children


def wrap(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Replace the lines of a docstring, which autodoc has found, by the directive that holds them."""
    if any(line.strip() for line in lines):
        lines[:] = [".. markdown::", "", *("   " + line for line in lines), ""]


def setup(app: Any) -> dict[str, bool]:
    """Register the directive, and give it every docstring."""
    app.add_directive("markdown", Markdown)
    app.connect("autodoc-process-docstring", wrap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
