"""Every Python block of the documentation runs, page by page, as a reader would type it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
PAGES = sorted(page for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"] if BLOCK.search(page.read_text()))


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
def test_code_blocks_run(page: Path, tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text("\n".join(BLOCK.findall(page.read_text())))
    # a process of its own: what a page defines must not become part of the library for other tests
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{page.name}:\n{done.stdout}\n{done.stderr}"


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
