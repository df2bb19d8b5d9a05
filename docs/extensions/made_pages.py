"""Pages made from the code when the documentation is built, into `docs/made/`: tables, references, and the animated view."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from gallery import gallery_page
from references import command_page, scenario_page

TABLES = """# Systems and methods

These tables are made from the classes; `polhode systems` and `polhode methods` print the same.

## Systems

{systems}

## Methods

{methods}
"""

REPRODUCED = """# Published values and ours

Every published value of the five sources, every statement of them that can be tested numerically, and the value that polhode
computes; `polhode reproduce all` prints the same tables. "agrees" means: to the last published digit, to rounding for an
equation, or within a published bound. For a misprint the table also has the corrected value; ours must agree with that and
not with the published one. The reasons are below each table.
"""


def systems_and_methods() -> str:
    """The page of systems and methods."""
    import polhode as ph

    return TABLES.format(systems=ph.list_systems().to_markdown(), methods=ph.list_methods().to_markdown())


def published_values() -> str:
    """The page of published values and ours."""
    from polhode.reproduce import misprint_reasons, sources, table_row
    from polhode.tables import Table

    parts = [REPRODUCED]
    for name, rows_of in sources().items():
        rows = rows_of()
        parts.append(f"## {name}\n\n" + Table(name, [table_row(row) for row in rows]).to_markdown() + "\n")
        parts.append("\n".join(f"- {reason}" for reason in misprint_reasons(rows)) + "\n")
    return "\n".join(parts)


PAGES = {
    "gallery": gallery_page,
    "systems_and_methods": systems_and_methods,
    "scenario": scenario_page,
    "command": command_page,
    "published_values": published_values,
}


def write_pages(app: Any) -> None:
    """Write the pages that Sphinx will read, unless they were made from the same code."""
    from polhode.errors import RunWarning

    folder = Path(app.srcdir) / "made"
    folder.mkdir(exist_ok=True)
    mark = f"% made from the code with the digest {app.config.code_digest}\n\n"
    for name, make in PAGES.items():
        path = folder / f"{name}.md"
        if not (path.exists() and path.read_text().startswith(mark)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RunWarning)  # published steps are sometimes long
                path.write_text(mark + make())


def write_files(app: Any, exception: Exception | None) -> None:
    """Write the files that pages link to: the schema of scenarios, and the view of the home page."""
    if exception is not None:
        return
    from polhode.io.scenario.build import build_plan
    from polhode.io.scenario.document import load_scenario
    from polhode.io.scenario.examples import find_example
    from polhode.io.scenario.json_schema import scenario_schema
    from polhode.view.html.page import page_html
    from polhode.view.scene.scene import scene

    site = Path(app.outdir)
    (site / "scenario.schema.json").write_text(json.dumps(scenario_schema(), indent=1, ensure_ascii=False))
    (site / "view.html").write_text(page_html(scene(build_plan(load_scenario(find_example("two_dumbbells"))).run())))


def setup(app: Any) -> dict[str, bool]:
    """Write pages before Sphinx looks for them, and files after it has written its own."""
    app.connect("builder-inited", write_pages)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
