"""Mutation testing: which faults are planted, which tests are run for them, and what the report says."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.mutation.changes import Mutant, mutants_of, sample
from benchmarks.mutation.order import function_at, ordered
from benchmarks.mutation.trial import Job, run_all

ROOT = Path(__file__).resolve().parents[2] / "src" / "polhode"

SOURCE = '''
"""Not 1 + 1."""
from x import y
__all__ = ["a", "b"]
SIZE: int = 3
@decorated(1)
def area(a: float, b: float = 0.5) -> float:
    """The 2 sides."""
    check(a)
    if not a >= 0 and b != 1.0:
        raise ValueError(f"a = {a + 1}: more than " + 5 * "-")
    total = -a ** 2  # µ + 1
    total += b // a
    return total if True else f"{a + b}"
'''


@pytest.fixture
def found(tmp_path: Path) -> list[Mutant]:
    (tmp_path / "file.py").write_text(SOURCE)
    return list(mutants_of(tmp_path, "file.py"))


def test_what_is_changed(found: list[Mutant]) -> None:
    assert [(m.old, m.new) for m in found] == [
        ("3", "4"),
        ("0.5", "1.0"),
        ("check(a)", "None"),
        ("not ", ""),
        (">=", ">"),
        ("0", "1"),
        ("and", "or"),
        ("!=", "=="),
        ("1.0", "2.0"),
        ("-", ""),
        ("**", "*"),
        ("2", "3"),
        ("+=", "-="),
        ("//", "*"),
        ("True", "False"),
    ]


def test_every_mutant_is_another_program(found: list[Mutant]) -> None:
    programs = {ast.dump(ast.parse(text)) for text in (SOURCE, *(mutant.applied(SOURCE) for mutant in found))}
    assert len(programs) == len(found) + 1


def test_a_sample_lasts_when_files_change(tmp_path: Path) -> None:
    """A line that is added moves the others, and takes at most a few places in the sample."""
    (tmp_path / "package").mkdir()
    for name in "abcdefgh":
        (tmp_path / "package" / f"{name}.py").write_text(SOURCE)
    before = [m.key for m in sample(tmp_path, ("package",), 40, seed=1)]
    assert before == [m.key for m in sample(tmp_path, ("package",), 40, seed=1)]
    assert set(before) != {m.key for m in sample(tmp_path, ("package",), 40, seed=2)}
    (tmp_path / "package" / "a.py").write_text("X = 1\n" + SOURCE)
    assert len(set(before) - {m.key for m in sample(tmp_path, ("package",), 40, seed=1)}) <= 1


def reached(seconds: float, *python: str, compiled: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"seconds": seconds, "python": list(python), "compiled": [list(compiled)] if compiled else []}


def test_the_nearest_and_cheapest_tests_come_first() -> None:
    path, function = "geometry/so3.py", "geometry/so3.py:exp_"
    tests = {
        "tests/systems/test_far.py::test_far": reached(0.01, function),
        "tests/geometry/test_so3.py::test_exp[1]": reached(0.2, function),
        "tests/geometry/test_so3.py::test_exp[2]": reached(0.21, function),
        "tests/geometry/test_so3.py::test_log": reached(0.01, "geometry/so3.py:log_"),
        "tests/geometry/test_so3.py::test_both": reached(0.4, function),
        "tests/geometry/test_so3.py::test_loop": reached(0.1, compiled=(function, *map(str, range(40)))),
        "tests/geometry/test_s2.py::test_other": reached(0.01, "geometry/s2.py:exp_"),
    }
    found = [test.partition("::")[2] for _, test in ordered(tests, path, function)]
    assert found == ["test_exp[1]", "test_both", "test_exp[2]", "test_far", "test_loop", "test_log"]
    outside = [test.partition("::")[2] for _, test in ordered(tests, path, None)]
    assert set(outside) == set(found)


def test_the_function_of_a_line() -> None:
    lines = (ROOT / "geometry/so3.py").read_text().splitlines()
    inside = next(i for i, line in enumerate(lines, 1) if line.startswith("def ")) + 1
    assert function_at(ROOT, "geometry/so3.py", inside) == f"geometry/so3.py:{lines[inside - 2][4:].partition('(')[0]}"
    assert function_at(ROOT, "geometry/so3.py", 1) is None
    base = (ROOT / "systems/attitude/base.py").read_text().splitlines()
    method = next(i for i, line in enumerate(base, 1) if line.startswith("    def __init__"))
    assert function_at(ROOT, "systems/attitude/base.py", method) == "systems/attitude/base.py:AttitudeSystem.__init__"


@pytest.mark.skipif(os.name != "posix", reason="runs are forked")
def test_a_run_after_another_takes_none_of_those_beside_it() -> None:
    """What is tried again when a run has ended waits for its own process only."""
    ended: list[str] = []

    def job(name: str, seconds: float, after: Callable[[], None] = lambda: None) -> Job:
        def done(status: int) -> None:
            after()
            ended.append(f"{name} {status}")

        return Job(os.posix_spawnp("sleep", ["sleep", str(seconds)], os.environ, setpgroup=0), done)

    run_all(iter([job("first", 0.0, lambda: run_all(iter([job("again", 1.0)]), 1)), job("beside", 0.2)]), 2)
    assert ended == ["again 0", "first 0", "beside 0"]


MUTATE = """
import subprocess
import sys
from pathlib import Path
from benchmarks.mutation import __main__ as runner, trial

runner.TREE, results = map(Path, sys.argv[1:])
runner.PACKAGES, runner.DATA = ("geometry",), results / "none.json"
trial.PARTS, trial.load_libraries = ("src", "tests", "pyproject.toml"), lambda: None
sys.argv = ["mutation", "--results", str(results)]
runner.main()
"""


@pytest.mark.verify
def test_a_fault_is_found_and_a_harmless_change_survives(tmp_path: Path) -> None:
    """A small tree of its own; the second call tries nothing again."""
    tree = tmp_path / "tree"
    for folder in ("src/polhode/geometry", "tests/geometry"):
        (tree / folder).mkdir(parents=True)
    for folder in ("src/polhode", "src/polhode/geometry"):
        (tree / folder / "__init__.py").touch()
    (tree / "src/polhode/geometry/area.py").write_text("def area(a, b):\n    return a * b if a >= b else b * a\n")
    test = "from polhode.geometry.area import area\ndef test_area(): assert area(2.0, 3.0) == 6.0\n"
    (tree / "tests/geometry/test_area.py").write_text(test)
    (tree / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\nmarkers = ["verify"]\n'
    )
    results = tmp_path / "results"
    lines, report = tried(tree, results)
    assert "3 of 3 mutants tried: 1 killed" in report
    assert "geometry/area.py:2" in report
    assert (tree / "src/polhode/geometry/area.py").read_text().count("*") == 2
    assert tried(tree, results)[0] == lines


def tried(tree: Path, results: Path) -> tuple[list[str], str]:
    """What mutation testing of a tree finds, in a process of its own: it forks, and must not have imported the package."""
    command = [sys.executable, "-c", MUTATE, str(tree), str(results)]
    subprocess.run(command, check=True, timeout=600, cwd=ROOT.parents[1], stdin=subprocess.DEVNULL)
    return (results / "results.jsonl").read_text().splitlines(), (results / "report.md").read_text()
