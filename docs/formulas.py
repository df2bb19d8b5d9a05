"""Formulas become MathML when the documentation is built: browsers draw it themselves, and nothing is fetched."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

# what arithmatex leaves where a page has $...$ or $$...$$
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.S)

# letters in another hand, which browsers take from Unicode and not from an attribute
VARIANT = re.compile(r'<mi mathvariant="(script|double-struck|fraktur)">([A-Za-z])</mi>')

# the dot of a time derivative, which is lost in small type unless it is drawn larger
DOT = "<mo>&#x002D9;</mo></mover>"
LARGER = DOT.replace("<mo>", '<mo style="font-size:180%">')

IN_HEADING = re.compile(r"\\\((.*?)\\\)", re.S)


def mathml(latex: str, *, block: bool) -> str:
    """A formula as MathML; one that cannot be converted whole is an error."""
    from latex2mathml.converter import convert

    found = VARIANT.sub(_letter, convert(latex, display="block" if block else "inline"))
    if left := re.search(r"\\[A-Za-z]+|<m\w>&</m\w>", found):
        raise ValueError(f"{left.group()} in the formula {latex}")
    return found.replace(DOT, LARGER)


def _letter(match: re.Match[str]) -> str:
    hand, letter = match[1].upper(), match[2]
    name = f"{hand} {'CAPITAL' if letter.isupper() else 'SMALL'} {letter.upper()}"
    for known in (f"MATHEMATICAL {name}", name, name.replace("FRAKTUR", "BLACK-LETTER")):
        try:
            return f"<mi>{unicodedata.lookup(known)}</mi>"
        except KeyError:
            continue
    return match[0]


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """Convert the formulas of a page."""
    from mkdocs.exceptions import PluginError

    def converted(match: re.Match[str]) -> str:
        try:
            return mathml(html.unescape(match[2]), block=match[1] == "div")
        except Exception as error:
            raise PluginError(f"{page.file.src_uri}: {error}") from error

    for item in _headings(page.toc):
        item.title = IN_HEADING.sub(lambda match: mathml(html.unescape(match[1]), block=False), item.title)
    return FORMULA.sub(converted, content)


def _headings(items: Any) -> Iterator[Any]:
    """The entries of a page's table of contents, however deep."""
    for item in items:
        yield item
        yield from _headings(item.children)
