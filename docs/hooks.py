"""Pages made when the documentation is built: tables from the classes' own data."""

from __future__ import annotations

from typing import Any

TABLES = """# Systems and methods

Made from the classes' own data: `polhode systems` and `polhode methods` print the same.

## Systems

{systems}

## Methods

{methods}
"""


def on_files(files: Any, config: Any) -> Any:
    """Add `tables.md`, which exists nowhere on disk."""
    from mkdocs.structure.files import File

    import polhode as ph

    content = TABLES.format(systems=ph.systems().to_markdown(), methods=ph.methods().to_markdown())
    files.append(File.generated(config, "tables.md", content=content))
    return files
