"""Mutation testing: which faults are planted, which tests are run for them, and what the report says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from benchmarks.mutation import __main__ as runner
from benchmarks.mutation.changes import Mutant, mutants_of, sample
from benchmarks.mutation.concerned import concerned

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


def test_the_tests_that_concern_a_file() -> None:
    stages = concerned(ROOT, "geometry/increments/gyrostat.py")
    folder = "tests/geometry/increments"
    assert stages[0] == [
        "src/polhode/geometry/increments/gyrostat.py",
        f"{folder}/test_gyrostat.py",
        "-m",
        "not verify",
    ]
    assert stages[1] == [folder, "-m", "not verify"]
    assert "tests/geometry/test_so3.py" in stages[2]
    assert stages[-3][:2] == [f"tests/systems/spacecraft/test_{name}.py" for name in ("damped_gyrostat", "gyrostat")]
    assert stages[-2][:3] == ["tests/verification", "-k", "(DampedGyrostat or Gyrostat)"]
    assert stages[-1] == [folder, "-m", "verify"]
    assert "tests/systems/directors/test_bodies.py" in concerned(ROOT, "systems/inputs/external_moment.py")[3]
    assert "tests/gravity/test_kepler.py" in concerned(ROOT, "gravity/kepler.py")[0]
    assert "DOP853" in concerned(ROOT, "methods/dop853_coefficients.py")[-2][2]


@pytest.mark.verify
def test_a_fault_is_found_and_a_harmless_change_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small tree of its own; the second call tries nothing again."""
    tree = tmp_path / "tree"
    for folder in ("src/polhode/geometry", "tests/geometry"):
        (tree / folder).mkdir(parents=True)
    for folder in ("src/polhode", "src/polhode/geometry"):
        (tree / folder / "__init__.py").touch()
    (tree / "src/polhode/geometry/area.py").write_text("def area(a, b):\n    return a * b if a >= b else b * a\n")
    test = "from polhode.geometry.area import area\ndef test_area(): assert area(2.0, 3.0) == 6.0\n"
    (tree / "tests/geometry/test_area.py").write_text(test)
    for name, value in (("TREE", tree), ("PARTS", ("src", "tests")), ("PACKAGES", ("geometry",))):
        monkeypatch.setattr(runner, name, value)
    monkeypatch.setattr("sys.argv", ["mutation", "--results", str(tmp_path / "results")])
    for name in ("SIGINT", "SIGTERM"):  # the handlers of pytest stay
        monkeypatch.setattr(runner.signal, name, runner.signal.SIGUSR1)
    runner.main()
    lines = (tmp_path / "results" / "results.jsonl").read_text().splitlines()
    report = (tmp_path / "results" / "report.md").read_text()
    assert "3 of 3 mutants tried: 1 killed" in report
    assert "geometry/area.py:2" in report
    assert (tree / "src/polhode/geometry/area.py").read_text().count("*") == 2
    runner.main()
    assert (tmp_path / "results" / "results.jsonl").read_text().splitlines() == lines
