"""Every Python block of the documentation, and every cell of the notebook, runs, page by page, as a reader would type it."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import polhode as ph

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


def documented() -> list[Any]:
    """What the pages in `docs/api` document: modules, what these define, and objects by themselves."""
    found: list[Any] = []
    for page in (DOCS / "api").glob("*.md"):
        for kind, name in re.findall(r"^\.\. auto(\w+):: (\S+)$", page.read_text(), re.M):
            if kind == "module":
                module = import_module(name)
                found += [module, *(x for x in vars(module).values() if getattr(x, "__module__", None) == name)]
            else:
                module_name, _, attribute = name.rpartition(".")
                found.append(getattr(import_module(module_name), attribute))
    return found


def test_every_public_name_is_on_a_page_of_the_reference() -> None:
    pages = set(map(id, documented()))
    packages = ("__version__", "methods", "systems")  # lists of what else is here
    missing = [name for name in ph.__all__ if name not in packages and id(getattr(ph, name)) not in pages]
    assert missing == []


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
