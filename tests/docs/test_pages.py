"""Every Python block of the documentation, and every cell of the notebook, runs, page by page, as a reader would type it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
NOTEBOOK = DOCS / "tutorials" / "first_steps.ipynb"
WRITTEN = [page for page in DOCS.rglob("*.md") if page.relative_to(DOCS).parts[0] != "made"]
PAGES = [*sorted(page for page in [*WRITTEN, DOCS.parent / "README.md"] if BLOCK.search(page.read_text())), NOTEBOOK]


def _always(page: Path) -> bool:
    """Whether a page is among the short tests: what a newcomer reads first, and how to add a system and a method."""
    return page.name in ("README.md", "architecture.md")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=str(page.relative_to(DOCS.parent)), marks=[] if _always(page) else [pytest.mark.verify])
        for page in PAGES
    ],
)
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of their own, as for the documentation, which shows what they print and draw: what runs here is not run
    again when it is built from the same code."""
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))
    import outputs

    text, notebook = page.read_text(), page == NOTEBOOK
    blocks = outputs.BLOCK.findall(outputs.notebook_markdown(text) if notebook else text)
    folder = DOCS / "made" / page.relative_to(DOCS).with_suffix("") if page.is_relative_to(DOCS) else tmp_path
    given = {"values": notebook, "code": outputs.code_digest()}
    found = outputs.stored_outputs(blocks, folder, **given)
    assert len(found) == len(blocks) == len(re.findall(r'^```python$|"cell_type": "code"', text, re.M))
    monkeypatch.delattr(outputs, "run_blocks")
    assert outputs.known_outputs(blocks, folder, **given) == found


def test_the_examples_are_short() -> None:
    """A system takes under 60 lines, a method under 120."""
    blocks = BLOCK.findall((DOCS / "architecture.md").read_text())
    (system,) = [b for b in blocks if "class HeavyTop" in b]
    (method,) = [b for b in blocks if "class ForestRuth" in b]
    assert len(system.splitlines()) < 60
    assert len(method.splitlines()) < 120


@pytest.mark.parametrize("task", ["t_handle", "binary_from_meshes", "satellite", "chaos_and_sections"])
def test_a_whole_task_is_short(task: str) -> None:
    """A movie of a flipping body, libration and kernels of a binary, a satellite in control, exponents and a section of a
    heavy top: at most 40 lines each. The satellite's thrusters are a second task."""
    text, _, _ = (DOCS / "tutorials" / f"{task}.md").read_text().partition("\n## Thrusters\n")
    lines = "\n".join(BLOCK.findall(text)).splitlines()
    assert 15 <= len([line for line in lines if line.strip()]) <= 40
