"""Which tests concern a source file, the quickest first; `tests/` mirrors `src/polhode/`.

1. the doctests of the file, and the test file of its name
2. the tests of its folder, and those that lie directly in the folders above
3. the test files anywhere that use most of what it defines
4. the tests and the promises of the systems and methods that are built on it, nearest first
5. the long tests of the same folder
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from polhode.methods import known_methods
from polhode.systems import known_systems

FILES = 3  # how many test files of other folders
NEAREST = 4  # how many systems stand for all that are built on a file
SHORT, LONG = ["-m", "not verify"], ["-m", "verify"]


def imported(root: Path, path: str) -> set[str]:
    """The files of the package that a file imports from when it is itself imported."""
    found = set()
    for node in ast.parse((root / path).read_text()).body:
        if isinstance(node, ast.ImportFrom):
            base = (root / path).parents[node.level - 1] if node.level else root.parent
            module = base.joinpath(*(node.module or ".").split("."))
            for alias in node.names:  # a file by itself, or a name in one
                targets = (module / alias.name, module)
                files = [file for t in targets for file in (t.with_suffix(".py"), t / "__init__.py")]
                file = next((f for f in files if f.is_file() and f.is_relative_to(root)), None)
                if file is not None:
                    found.add(file.relative_to(root).as_posix())
    return found


@cache
def imports(root: Path) -> dict[str, set[str]]:
    """What each file imports from."""
    paths = [path.relative_to(root).as_posix() for path in root.rglob("*.py")]
    return {path: imported(root, path) for path in paths}


def distance(root: Path, start: str, goal: str) -> int | None:
    """How many imports lead from one file to another; None where none do."""
    near, seen, steps = {start}, {start}, 0
    while near:
        if goal in near:
            return steps
        near = {other for path in near for other in imports(root).get(path, ())} - seen
        seen |= near
        steps += 1
    return None


def source_of(cls: type) -> str:
    """The file that defines a class."""
    return "/".join(cls.__module__.split(".")[1:]) + ".py"


def named_test(root: Path, path: str) -> list[Path]:
    """The test file of a source file's name, if there is one."""
    file = root.parents[1] / "tests" / Path(path).parent / f"test_{Path(path).stem}.py"
    return [file] if file.exists() else []


def nearest(root: Path, path: str, classes: dict[str, type]) -> list[str]:
    """The classes whose files lead to this one, nearest first."""
    found = []
    for name, cls in classes.items():
        steps = distance(root, source_of(cls), path)
        if steps is not None:
            found.append((steps, name))
    return [name for _, name in sorted(found)][:NEAREST]


def promises(root: Path, path: str) -> list[str]:
    """Arguments of pytest for the promises that concern a file; none where there are none."""
    systems, methods = nearest(root, path, known_systems()), nearest(root, path, known_methods())
    if path.startswith("methods/"):
        systems = []
    wanted = systems or methods
    few = "" if systems else " and (FreeRigidBody or Pendulum3D or DirectorBody or RigidBodySOn)"
    return ["tests/verification", "-k", f"({' or '.join(wanted)}){few}"] if wanted else []


@cache
def used_names(file: Path) -> set[str]:
    """The names and attributes that a file uses, and the words of its texts: scenarios name systems there."""
    nodes = list(ast.walk(ast.parse(file.read_text())))
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    found = {n.id for n in nodes if isinstance(n, ast.Name)} | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    return found | set(re.findall(r"\w+", " ".join(texts)))


def users(root: Path, path: str, besides: list[Path]) -> list[Path]:
    """The test files that use most of the names that a source file defines, for others to use."""
    body = ast.parse((root / path).read_text()).body
    defined = {n.name for n in body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    defined |= {n.name for c in body if isinstance(c, ast.ClassDef) for n in c.body if isinstance(n, ast.FunctionDef)}
    files = [
        file for file in sorted((root.parents[1] / "tests").rglob("test_*.py")) if "verification" not in file.parts
    ]
    others = [file for file in files if not any(file.is_relative_to(other) for other in besides)]
    counts = sorted((-len({n for n in defined if n[0] != "_"} & used_names(file)), file) for file in others)
    return [file for count, file in counts if count][:FILES]


def concerned(root: Path, path: str) -> list[list[str]]:
    """Arguments of pytest for each stage."""
    tree = root.parents[1]
    tests, here = tree / "tests", tree / "tests" / Path(path).parent
    above = [folder for folder in here.parents if folder.is_relative_to(tests) and folder != tests]
    folder = next(folder for folder in (here, *above) if folder.is_dir())
    classes = {**known_systems(), **known_methods()}
    built_on_it = [file for name in nearest(root, path, classes) for file in named_test(root, source_of(classes[name]))]
    stages = [
        [tree / "src/polhode" / path, *named_test(root, path)],
        [folder],
        [file for other in above if other != folder for file in sorted(other.glob("test_*.py"))],
    ]
    stages.append(users(root, path, [folder, *stages[-1]]))
    stages.append(sorted({file for file in built_on_it if not file.is_relative_to(folder)}))
    short = [[each.relative_to(tree).as_posix() for each in stage] for stage in stages if stage]
    short += [promises(root, path)] if promises(root, path) else []
    return [*([*stage, *SHORT] for stage in short), [folder.relative_to(tree).as_posix(), *LONG]]
