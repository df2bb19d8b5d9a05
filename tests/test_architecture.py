"""The layers hold without exception, no module imports itself by a detour, lazy imports counted, files are short enough to
read, and everything public has a docstring."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import polhode

PACKAGE = Path(polhode.__file__).parent
TESTS = Path(__file__).parent
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
        str(f.relative_to(folder)): n
        for folder in (PACKAGE, TESTS)
        for f in folder.rglob("*.py")
        if (n := len(f.read_text().splitlines())) > LONGEST
    }
    assert long == {}


def public(owner: object) -> Iterator[tuple[str, object]]:
    """What a module or a class defines itself under a public name; descriptors as the class hands them out."""
    here = owner.__name__ if inspect.ismodule(owner) else owner.__module__  # type: ignore[attr-defined]
    for name, value in vars(owner).items():
        seen = value if inspect.ismodule(owner) else inspect.getattr_static(owner, name)
        if isinstance(seen, (classmethod, staticmethod)):
            seen = getattr(owner, name)
        function = getattr(
            seen, "function", getattr(seen, "func", getattr(seen, "fget", seen))
        )  # of a flow, a property …
        if name.startswith("_") or getattr(function, "__module__", None) != here:
            continue
        if inspect.isclass(seen) or callable(seen) or isinstance(seen, property) or seen is not function:
            yield name, seen


def undocumented(owner: object, path: str) -> Iterator[str]:
    """The public names in a module or class that have no docstring, neither their own nor one that they inherit."""
    for name, value in public(owner):
        base = getattr(value, "function", value)
        bases = getattr(owner, "__mro__", ())
        inherited = [getattr(cls, name, None) for cls in bases]
        declared = any(name in inspect.get_annotations(cls) for cls in bases)  # its class says what it is
        if not declared and not any(inspect.getdoc(each) for each in (base, *inherited) if each is not None):
            yield f"{path}.{name}"
        if inspect.isclass(value) and value.__doc__ is None:
            yield f"{path}.{name}"
        if inspect.isclass(value):
            yield from undocumented(value, f"{path}.{name}")


def test_everything_public_has_a_docstring() -> None:
    missing: list[str] = []
    for module in pkgutil.walk_packages(polhode.__path__, "polhode."):
        if not module.name.endswith("__main__"):
            loaded = importlib.import_module(module.name)
            missing += [] if loaded.__doc__ else [module.name]
            missing += undocumented(loaded, module.name)
    assert missing == []


def test_what_has_no_docstring_is_found() -> None:
    class Base:
        """A base."""

        def told(self) -> None:
            """Told."""

        def untold(self) -> None: ...

    class Heir(Base):
        """An heir."""

        def told(self) -> None: ...

    assert list(undocumented(Base, "Base")) == ["Base.untold"]
    assert list(undocumented(Heir, "Heir")) == []
