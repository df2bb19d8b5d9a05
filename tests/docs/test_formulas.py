"""Formulas of the documentation: each becomes MathML whole, and no page needs anything from elsewhere to draw it."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("latex2mathml")

DOCS = Path(__file__).resolve().parents[2] / "docs"
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.S)
PAGES = sorted(page for page in DOCS.rglob("*.md") if FORMULA.search(CODE.sub("", page.read_text())))


@pytest.fixture(autouse=True)
def extensions(monkeypatch):
    """The steps of the build can be imported by their names, as Sphinx does."""
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_formula_of_a_page_converts(page):
    from formulas import mathml

    for match in FORMULA.finditer(CODE.sub("", page.read_text())):
        found = mathml(match[1] or match[2], block=bool(match[1]))
        ElementTree.fromstring(found)  # well-formed


def test_a_page_with_formulas(tmp_path):
    """Sphinx writes them into the page, in the text, on lines of their own and in a heading, and asks for nothing else."""
    pytest.importorskip("myst_parser")
    from sphinx.application import Sphinx

    (tmp_path / "index.md").write_text("# Solving $x^2$\n\nWith $a < \\dot R$\n\n$$\n\\mathcal M\n$$\n")
    settings = {
        "extensions": ["myst_parser", "formulas"],
        "html_math_renderer": "mathml",
        "myst_enable_extensions": ["dollarmath"],
    }
    site = tmp_path / "site"
    Sphinx(tmp_path, None, site, tmp_path / "trees", "html", settings, status=None, freshenv=True).build()
    content = (site / "index.html").read_text()
    assert content.count("<math") >= 3  # the heading stands in the list of contents too
    assert 'display="block"' in content
    assert "ℳ" in content
    assert not re.findall(r"(?:src|<link[^>]*href)=.https?:", content)


def test_what_is_no_formula_is_an_error():
    from formulas import mathml

    with pytest.raises(ValueError, match="nonsense"):
        mathml(r"\nonsense{x}", block=False)
    with pytest.raises(ValueError, match="aligned"):
        mathml(r"\begin{aligned}a&=b\\c&=d\end{aligned}", block=True)
