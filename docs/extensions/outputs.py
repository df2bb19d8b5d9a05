"""Python blocks of a page run when it is built, in order, and what each prints and draws is shown below it.

A page runs in a process and a folder of its own, as a reader would type it. Pictures that a block writes are shown, and of a
notebook the last value of each cell. A block that fails stops the build.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.M | re.S)
LONGEST = 60  # lines of output that are shown
SOURCES = Path(__file__).resolve().parents[2] / "src"
KEPT = "outputs.json"
DRIVER = Path(__file__).with_name("run_blocks.py")


def notebook_markdown(text: str) -> str:
    """The cells of a notebook as a page, code in fences."""
    cells = json.loads(text)["cells"]
    sources = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    return "\n\n".join(f"```python\n{source}\n```\n" if kind == "code" else source for kind, source in sources)


def run_blocks(blocks: list[str], pictures: Path, *, values: bool = False) -> list[dict[str, Any]]:
    """What each block prints (`text`), draws (`pictures`: names of files in that folder) and, with `values`, is worth (`html`)."""
    job = json.dumps({"blocks": blocks, "pictures": str(pictures), "values": values})
    command, env = [sys.executable, str(DRIVER)], os.environ | {"PYTHONPATH": str(SOURCES)}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, input=job, cwd=folder, env=env, capture_output=True, text=True, timeout=1800)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def code_digest() -> str:
    """What the package's code is known by: pages show what it prints."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(blocks: list[str], values: bool, code: str) -> str:
    return hashlib.sha256(repr((blocks, values, code)).encode()).hexdigest()


def stored_outputs(blocks: list[str], pictures: Path, *, values: bool, code: str) -> list[dict[str, Any]]:
    """What the blocks give, kept for the next build; the tests run the pages in this way too."""
    pictures.mkdir(parents=True, exist_ok=True)
    outputs = run_blocks(blocks, pictures, values=values)
    (pictures / KEPT).write_text(json.dumps({"key": _key(blocks, values, code), "outputs": outputs}))
    return outputs


def known_outputs(blocks: list[str], pictures: Path, *, values: bool, code: str) -> list[dict[str, Any]]:
    """What the blocks give, as it was kept if the blocks and the `code` were the same."""
    file = pictures / KEPT
    if file.exists() and (kept := json.loads(file.read_text()))["key"] == _key(blocks, values, code):
        return kept["outputs"]
    return stored_outputs(blocks, pictures, values=values, code=code)


def with_outputs(text: str, pictures: Path, link: str, *, values: bool = False, code: str = "") -> str:
    """A page with the output of its blocks; `link` is how it reaches the folder `pictures`."""
    found = iter(known_outputs(BLOCK.findall(text), pictures, values=values, code=code))

    def shown(match: re.Match[str]) -> str:
        output = next(found)
        parts = [match[0]]
        if lines := output["text"].rstrip().splitlines():
            lines = lines if len(lines) <= LONGEST else [*lines[:LONGEST], "…"]
            parts.append("````{code-block} text\n:class: output\n\n" + "\n".join(lines) + "\n````\n")
        parts += [f"![what this draws]({link}/{name})\n" for name in output["pictures"]]
        parts += [f"````{{raw}} html\n{html}\n````\n" for html in output["html"]]
        return "\n".join(parts)

    return BLOCK.sub(shown, text)


def on_source(app: Any, docname: str, source: list[str]) -> None:
    """Run the blocks of a page that Sphinx has read."""
    is_notebook = str(app.env.doc2path(docname)).endswith(".ipynb")
    if is_notebook:
        source[0] = notebook_markdown(source[0])
    if not BLOCK.search(source[0]) or any(fnmatch.fnmatch(docname, page) for page in app.config.pages_without_output):
        return
    folder = Path(app.srcdir) / "made" / docname
    try:
        source[0] = with_outputs(source[0], folder, f"/made/{docname}", values=is_notebook, code=app.config.code_digest)
    except Exception as error:
        from sphinx.errors import ExtensionError

        raise ExtensionError(f"{docname}: a Python block failed\n{error}") from error


def setup(app: Any) -> dict[str, bool]:
    """Run the blocks of each page before it is parsed."""
    app.add_config_value("pages_without_output", [], "env")
    app.connect("source-read", on_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
