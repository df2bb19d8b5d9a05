"""Pages made when the documentation is built: tables from the data of the classes, published values, and the animated view."""

from __future__ import annotations

import json
from typing import Any

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


def reproduced() -> str:
    """The page of published values and ours."""
    from polhode.reproduce import misprint_reasons, sources, table_row
    from polhode.tables import Table

    parts = [REPRODUCED]
    for name, rows_of in sources().items():
        rows = rows_of()
        parts.append(f"## {name}\n\n" + Table(name, [table_row(row) for row in rows]).to_markdown() + "\n")
        parts.append("\n".join(f"- {reason}" for reason in misprint_reasons(rows)) + "\n")
    return "\n".join(parts)


def on_files(files: Any, config: Any) -> Any:
    """Add `tables.md`, `reproduce.md`, `scenario.schema.json` and `view.html`, which exist nowhere on disk."""
    from mkdocs.structure.files import File

    import polhode as ph
    from polhode.io.scenario.build import build_plan
    from polhode.io.scenario.document import load_scenario
    from polhode.io.scenario.examples import find_example
    from polhode.io.scenario.json_schema import scenario_schema
    from polhode.view.html.page import page_html
    from polhode.view.scene.scene import scene

    content = TABLES.format(systems=ph.list_systems().to_markdown(), methods=ph.list_methods().to_markdown())
    files.append(File.generated(config, "tables.md", content=content))
    files.append(File.generated(config, "reproduce.md", content=reproduced()))
    schema = json.dumps(scenario_schema(), indent=1, ensure_ascii=False)
    files.append(File.generated(config, "scenario.schema.json", content=schema))
    shown = page_html(scene(build_plan(load_scenario(find_example("two_dumbbells"))).run()))
    files.append(File.generated(config, "view.html", content=shown))
    return files
