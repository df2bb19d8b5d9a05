"""Formulas become MathML when the documentation is built: browsers draw it themselves, and nothing is fetched."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

# letters in another hand, which browsers take from Unicode and not from an attribute
VARIANT = re.compile(r'<mi mathvariant="(script|double-struck|fraktur)">([A-Za-z])</mi>')

# "+=" and "-=", written \\mathrel{+}=, of which the converter makes an operator inside an operator
ASSIGNMENT = re.compile(r"<mo><mrow><mo>(&#x\w+;)</mo></mrow></mo><mo>&#x0003D;</mo>")

# the dot of a time derivative, which is lost in small type unless it is drawn larger
DOT = "<mo>&#x002D9;</mo></mover>"
LARGER = DOT.replace("<mo>", '<mo style="font-size:180%">')


def mathml(latex: str, *, block: bool) -> str:
    """A formula as MathML; one that cannot be converted whole is an error."""
    from latex2mathml.converter import convert

    found = VARIANT.sub(_letter, convert(latex, display="block" if block else "inline"))
    found = ASSIGNMENT.sub(r"<mo>\1&#x0003D;</mo>", found)
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


def _write(block: bool) -> Any:
    """The visitor that writes formulas in the text, or (`block`) on lines of their own."""

    def visit(writer: Any, node: Any) -> None:
        from docutils.nodes import SkipNode

        try:
            found = mathml(node.astext(), block=block)
        except Exception as error:
            raise ValueError(f"{writer.docnames[0]}: {error}") from error
        writer.body.append(f'<div class="formula">{found}</div>' if block else found)
        raise SkipNode

    return visit


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer of formulas."""
    app.add_html_math_renderer("mathml", (_write(block=False), None), (_write(block=True), None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
