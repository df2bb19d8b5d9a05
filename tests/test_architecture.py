"""The layers hold without exception, and no module imports itself by a detour, lazy imports counted."""

from __future__ import annotations

from pathlib import Path

import pytest

import polhode

PACKAGE = Path(polhode.__file__).parent
LONGEST = 400


def test_there_is_no_import_cycle() -> None:
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph("polhode", exclude_type_checking_imports=True)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    # a package's own file stands for the names that it hands on: what it imports is below it
    done: set[str] = set()
    path: list[str] = []

    def visit(module: str) -> None:
        if module in done:
            return
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        path.append(module)
        for other in sorted(imports[module]):
            visit(other)
        path.pop()
        done.add(module)

    for module in sorted(imports):
        visit(module)


def test_files_are_short_enough_to_read() -> None:
    long = {
        str(f.relative_to(PACKAGE)): n
        for f in PACKAGE.rglob("*.py")
        if (n := len(f.read_text().splitlines())) > LONGEST
    }
    assert long == {}
