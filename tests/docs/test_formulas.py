"""Formulas of the documentation: each becomes MathML whole, and no page needs anything from elsewhere to draw it."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ..view.html.browser import browser, needs_browser

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


DRAWN = """
const wrong = [];
for (const [i, math] of [...document.querySelectorAll("math")].entries()) {
  const box = math.getBoundingClientRect();
  if (!(box.width > 3 && box.height > 3)) wrong.push([i, "not drawn"]);
  for (const part of math.querySelectorAll("*")) {
    if (!(part instanceof MathMLElement)) wrong.push([i, part.tagName + " is no MathML"]);
    const [first, second] = [...part.children].map((child) => child.getBoundingClientRect());
    if (part.tagName === "mfrac" && !(first.bottom <= second.top + 2)) wrong.push([i, "a fraction is not one above the other"]);
    if (part.tagName === "msup" && !(second.bottom < first.bottom)) wrong.push([i, "an exponent is not raised"]);
    if (part.tagName === "msub" && !(second.top > first.top - 1)) wrong.push([i, "an index is not lowered"]);
  }
}
return [document.querySelectorAll("math").length, wrong];
"""


@pytest.mark.verify
@needs_browser
def test_a_browser_draws_every_formula(tmp_path):
    from formulas import mathml

    found = [
        (page.name, match[1] or match[2], mathml(match[1] or match[2], block=bool(match[1])))
        for page in PAGES
        for match in FORMULA.finditer(CODE.sub("", page.read_text()))
    ]
    drawn = "\n".join(f"<p>{math}</p>" for _, _, math in found)
    (tmp_path / "formulas.html").write_text(f"<!doctype html><meta charset=utf-8>{drawn}")
    with browser(tmp_path) as driver:
        driver.get((tmp_path / "formulas.html").as_uri())
        count, wrong = driver.execute_script(DRAWN)
    assert count == len(found)
    assert not wrong, [(found[i][:2], what) for i, what in wrong]
