"""Formulas of the documentation: each becomes MathML whole, and no page needs anything from elsewhere to draw it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

pytest.importorskip("latex2mathml")

DOCS = Path(__file__).resolve().parents[2] / "docs"
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.S)
PAGES = sorted(page for page in DOCS.rglob("*.md") if FORMULA.search(CODE.sub("", page.read_text())))

_spec = importlib.util.spec_from_file_location("formulas", DOCS / "formulas.py")
assert _spec is not None
assert _spec.loader is not None
formulas = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(formulas)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_formula_of_a_page_converts(page):
    for match in FORMULA.finditer(CODE.sub("", page.read_text())):
        found = formulas.mathml(match[1] or match[2], block=bool(match[1]))
        ElementTree.fromstring(found)  # well-formed


def test_a_page_with_formulas():
    heading = SimpleNamespace(title=r"Solving \(x^2\)", children=[])
    page = SimpleNamespace(toc=[heading], file=SimpleNamespace(src_uri="page.md"))
    html = r'<p>With <span class="arithmatex">\(a &lt; \dot R\)</span></p><div class="arithmatex">\[\mathcal M\]</div>'
    content = formulas.on_page_content(html, page, None, None)
    assert content.count("<math") == 2
    assert 'display="block"' in content
    assert "ℳ" in content
    assert "arithmatex" not in content
    assert "<math" in heading.title


def test_what_is_no_formula_is_an_error():
    with pytest.raises(ValueError, match="nonsense"):
        formulas.mathml(r"\nonsense{x}", block=False)
    with pytest.raises(ValueError, match="aligned"):
        formulas.mathml(r"\begin{aligned}a&=b\\c&=d\end{aligned}", block=True)
