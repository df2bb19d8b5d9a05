"""Run the Python blocks of one page, and report what each printed and drew: JSON in, JSON out. See `outputs.py`."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

SHOWN = {".png", ".gif", ".svg"}


def run(blocks: list[str], pictures: Path, values: bool) -> list[dict[str, Any]]:
    """Run `blocks` one after the other in one namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}
    outputs = []
    for number, block in enumerate(blocks):
        before = set(Path().iterdir())
        printed = io.StringIO()
        html: list[str] = []
        with contextlib.redirect_stdout(printed):
            tree = ast.parse(block)
            last = tree.body.pop() if values and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, f"<block {number}>", "exec"), names)
            value = eval(compile(ast.Expression(last.value), f"<block {number}>", "eval"), names) if last else None
        drawn = sorted(path for path in set(Path().iterdir()) - before if path.suffix in SHOWN)
        kept = [shutil.copy(path, pictures / f"{number}_{path.name}").name for path in drawn]
        if hasattr(value, "savefig"):
            kept.append(f"{number}.png")
            value.savefig(pictures / kept[-1], dpi=100)
        elif hasattr(value, "_repr_html_"):
            html.append(value._repr_html_())
        elif value is not None:
            print(repr(value), file=printed)
        outputs.append({"text": printed.getvalue(), "pictures": kept, "html": html})
    return outputs


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    warnings.simplefilter("ignore", ResourceWarning)
    job = json.load(sys.stdin)
    json.dump(run(job["blocks"], Path(job["pictures"]), job["values"]), sys.stdout)
