"""The steps of the documentation's build: docstrings, outputs of pages, references made from the code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("myst_parser")

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(autouse=True)
def extensions(monkeypatch):
    """The steps of the build can be imported by their names, as Sphinx does."""
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))


def test_examples_in_docstrings_are_fenced():
    from docstrings import fenced

    assert fenced("Adds.\n\n>>> 1 + 1\n2\n\nMore.") == "Adds.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore."
    assert fenced("No example.") == "No example."


def test_what_blocks_print_and_draw_is_shown_below_them(tmp_path):
    from outputs import with_outputs

    page = """
```python
print("first")
```

```python
from pathlib import Path

seven = 7
Path("red.svg").write_text("<svg/>")
```

```python
seven
```
"""
    shown = with_outputs(page, tmp_path, "/made/page")
    assert shown.index('print("first")') < shown.index("\nfirst\n") < shown.index("seven = 7")
    assert "![what this draws](/made/page/1_red.svg)" in shown
    assert (tmp_path / "1_red.svg").read_text() == "<svg/>"
    assert "\n7\n" not in shown
    assert "\n7\n" in with_outputs(page, tmp_path, "/made/page", values=True)


def test_a_block_that_fails_is_an_error(tmp_path):
    from outputs import run_blocks

    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_blocks(["1 / 0"], tmp_path)


def test_a_notebook_becomes_a_page():
    from outputs import notebook_markdown

    cells = [{"cell_type": "markdown", "source": ["# Title"]}, {"cell_type": "code", "source": ["a = 1\n", "a"]}]
    assert notebook_markdown(json.dumps({"cells": cells})) == "# Title\n\n```python\na = 1\na\n```\n"


def test_the_references_tell_everything():
    from references import command_page, scenario_page

    from polhode.core.method import known_methods
    from polhode.systems.registry import known_systems

    scenario, command = scenario_page(), command_page()
    for name in [*known_systems(), *known_methods()]:
        assert f"\n### {name}\n" in scenario
    assert "\n| `semiaxes` | numbers, or with units | required | the three semiaxes |\n" in scenario
    assert "\n## polhode run\n\n```text\npolhode run SCENARIO [OPTIONS]\n```\n" in command
    assert "\n| `--dry-run` |" in command


def test_every_page_is_in_the_navigation():
    """The lists of contents in index.md name every page, each once."""
    lines = (DOCS / "index.md").read_text().splitlines()
    pages = [
        page.relative_to(DOCS).with_suffix("").as_posix()
        for page in DOCS.rglob("*")
        if page.suffix in (".md", ".ipynb") and "made" not in page.parts and page.name != "index.md"
    ]
    assert {page: lines.count(page) for page in pages} == dict.fromkeys(pages, 1)


def test_every_example_has_a_small_picture():
    pictures = {file.stem: file.stat().st_size for file in (DOCS / "images" / "gallery").glob("*.png")}
    assert set(pictures) == {file.stem for file in (DOCS.parent / "examples").glob("*.toml")}
    assert max(pictures.values()) <= 60_000
