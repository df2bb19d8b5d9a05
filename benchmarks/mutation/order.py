"""Which tests are run for a mutant, in which order: those that reach the function it is in, the cheapest and nearest first.

A test is cheap if it took little time, and if little has to be compiled again for the fault. It is near if it stands in the test
file of the source file's name, or in the same folder. Of tests that differ in their parameters only, the first comes before
others of more cost, since one is often enough.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

COMPILING = 0.05  # seconds, about, for each function that goes into a compiled one
START = 0.3  # seconds, about, for reading another test file
AWAY = 4.0  # tests of other folders come as late as if they took so many times as long


@cache
def functions(file: Path) -> list[tuple[int, int, str]]:
    """First line, last line and name of every function of a file and of every method of its classes."""
    found = []
    for node in ast.parse(file.read_text()).body:
        members = [(f"{node.name}.", each) for each in node.body] if isinstance(node, ast.ClassDef) else [("", node)]
        for prefix, each in members:
            if isinstance(each, ast.FunctionDef):
                found.append((each.lineno, each.end_lineno or each.lineno, prefix + each.name))
    return found


def function_at(root: Path, path: str, line: int) -> str | None:
    """The function that a line of a file belongs to, as tests name what they reach; None outside of functions."""
    for first, last, name in functions(root / path):
        if first <= line <= last:
            return f"{path}:{name}"
    return None


def importers(root: Path, path: str) -> list[str]:
    """The files that take names from this one: what they reach tells of one that has numbers only."""
    wanted = f"{Path(path).stem} import "
    return [each.relative_to(root).as_posix() for each in sorted(root.rglob("*.py")) if wanted in each.read_text()]


def ordered(tests: dict[str, dict[str, Any]], path: str, function: str | None) -> list[tuple[float, str]]:
    """The tests for a fault in this function, or in this file outside of functions, with what they cost: first those that reach
    it, then those that reach another function of the file, since its result may have been kept from an earlier test. What is
    outside of functions is also reached by all tests of the file's own test file."""

    def hit(names: Any) -> bool:
        return function in names if function else any(name.startswith(f"{path}:") for name in names)

    folder, stem = Path("tests", path).parent, Path(path).stem
    reaching: list[tuple[float, str]] = []
    rest: list[tuple[float, str]] = []
    for test, what in tests.items():
        recompiled = {name for names in what["compiled"] if hit(names) for name in names}
        cost = START + what["seconds"] + COMPILING * len(recompiled)
        file = Path(test.partition("::")[0])
        named = file == folder / f"test_{stem}.py" or file.as_posix() == f"src/polhode/{path}"
        cost *= 1.0 if named else AWAY**0.5 if file.parent == folder else AWAY
        if recompiled or hit(what["python"]) or (named and function is None):
            reaching.append((cost, test))
        elif any(name.startswith(f"{path}:") for name in chain(what["python"], *what["compiled"])):
            rest.append((cost, test))
    return [*first_parameters_first(reaching), *first_parameters_first(rest)]


def first_parameters_first(tests: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """By cost; a test function costs twice as much the second time, three times as much the third time."""
    times, found = Counter[str](), []
    for cost, test in sorted(tests):
        function = test.partition("[")[0]
        times[function] += 1
        found.append((cost * times[function], test))
    return sorted(found)
