"""How mutants are tried: a clean copy of the tree, a record of what each test reaches, and for each mutant a copy with the fault.

Copies share their files by hard links: files are replaced, never written to. They bring the compiled cache with them, so that
only what a fault touches is compiled again.
"""

from __future__ import annotations

import compileall
import hashlib
import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from .changes import Mutant
from .forks import USED_UP, Watch, end, fork, load_libraries
from .order import function_at, importers, ordered
from .reach import Reach

PARTS = ("src", "tests", "benchmarks", "examples", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", "Makefile")
FOLDERS = [
    "geometry",
    "gravity",
    "estimation",
    "systems",
    "methods",
    "bodies",
    "core",
    "verification",
    "simulation",
    "analysis",
    "control",
]
SHARE = 0.25  # of the time, for one that is expected to survive
PATIENCE = 900.0  # seconds by the clock, for what waits for ever
NOTHING_FAILED = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, USED_UP)
SHORT = ["-m", "not verify"]


@dataclass
class Job:
    """A run of pytest in another process, and what is to be done with its status when it has ended."""

    process: int
    done: Callable[[int], None]
    begin: float = field(default_factory=time.monotonic)


def run_all(jobs: Iterator[Job], count: int) -> None:
    """Start so many at a time; if anything goes wrong here, end them all."""
    running: dict[int, Job] = {}
    exhausted = False
    try:
        while True:
            while not exhausted and len(running) < count:
                job = next(jobs, None)
                exhausted = job is None
                if job is not None:
                    running[job.process] = job
            if not running:
                break
            for process, job in list(running.items()):  # not any child: some are those of another call
                ended, status = os.waitpid(process, os.WNOHANG)
                if ended:
                    end(process)  # what its tests have left behind
                    running.pop(process).done(os.waitstatus_to_exitcode(status))
                elif time.monotonic() - job.begin > PATIENCE:
                    end(process)
            time.sleep(0.02)
    finally:
        for process in running:
            end(process)


class Trial:
    """The clean copy of the tree, what its tests reach, the results so far, and how a mutant is tried."""

    def __init__(self, tree: Path, folder: Path, seconds: float = 240.0, most: int = 150) -> None:
        # so many seconds of processor time, and tests, for one mutant; after that it has survived
        self.seconds, self.most = seconds, most
        self.tree, self.folder, self.clean = tree, folder, folder / "clean"
        self.file = folder / "results.jsonl"
        (folder / "reach").mkdir(parents=True, exist_ok=True)
        entries = [json.loads(line) for line in self.file.read_text().splitlines()] if self.file.exists() else []
        self.results: dict[str, dict[str, Any]] = {entry["key"]: entry for entry in entries}
        self.tests: dict[str, dict[str, Any]] = {}

    def refresh(self) -> None:
        """The clean copy has the sources of the tree; what is compiled stays, it is recognised by its content."""
        for part in PARTS:
            here, there = files(self.tree / part), files(self.clean / part)
            for path in there.keys() - here.keys():
                there[path].unlink()
            for path, file in here.items():
                target = self.clean / part / path if path else self.clean / part
                if path not in there or target.read_bytes() != file.read_bytes():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.unlink(missing_ok=True)
                    shutil.copy2(file, target)
        compileall.compile_dir(self.clean / "src", quiet=2)
        load_libraries()

    def record(self, folders: list[str], jobs: int) -> None:
        """Run the tests of these folders without a fault, each file in a process of its own, and keep what they reach; files
        that did not change since they were last run are left out."""
        source, tests = self.clean / "src/polhode", self.clean / "tests"
        wanted = [file for folder in folders for file in sorted((tests / folder).rglob("test_*.py"))]
        wanted += [
            file for folder in folders for file in sorted((source / folder).rglob("*.py")) if ">>>" in file.read_text()
        ]

        def start() -> Iterator[Job]:
            for file in wanted:
                path, digest = file.relative_to(self.clean).as_posix(), hashlib.sha256(file.read_bytes()).hexdigest()
                target = self.folder / "reach" / f"{path.replace('/', '.')}.json"
                known = json.loads(target.read_text()) if target.exists() else {}
                if known.get("digest") != digest:
                    yield self._recording(path, digest, target)

        run_all(start(), jobs)
        for target in sorted((self.folder / "reach").glob("*.json")):
            self.tests |= json.loads(target.read_text())["tests"]

    def _recording(self, path: str, digest: str, target: Path) -> Job:
        reach = Reach(self.clean / "src/polhode")

        def save() -> None:
            target.write_text(json.dumps({"digest": digest, "tests": reach.tests}))

        begin = time.monotonic()
        process = fork(self.clean, [path, *SHORT, "--maxfail=1000"], [reach], save)
        return Job(process, lambda status: print(f"{path}: {status}, {time.monotonic() - begin:.0f} s", flush=True))

    def mutate(self, mutants: list[Mutant], jobs: int, answered: Collection[str] = ()) -> None:
        """Try all of these, those first whose tests cost least; those last, for a shorter time, to which there is an answer."""
        found = [(mutant.key in answered, self._tests_for(mutant), mutant) for mutant in mutants]

        def start() -> Iterator[Job]:
            for known, chosen, mutant in sorted(found, key=lambda each: (each[0], each[1][0][0] if each[1] else 0.0)):
                if chosen:
                    seconds = self.seconds * (SHARE if known else 1.0)
                    yield self._mutation(mutant, [test for _, test in chosen], seconds)
                else:
                    self.keep(
                        {"key": mutant.key, "mutant": str(mutant), "outcome": "unreached", "by": "", "seconds": 0}
                    )

        run_all(start(), jobs)

    def _tests_for(self, mutant: Mutant) -> list[tuple[float, str]]:
        root = self.tree / "src/polhode"
        chosen = ordered(self.tests, mutant.path, function_at(root, mutant.path, mutant.line))
        if not chosen:
            chosen = [each for path in importers(root, mutant.path) for each in ordered(self.tests, path, None)]
        return chosen[: self.most]

    def _mutation(self, mutant: Mutant, chosen: list[str], seconds: float, whole_files: bool = False) -> Job:
        """A copy with the fault, and the tests that concern it, for so many seconds."""
        arguments = list(dict.fromkeys(t.partition("::")[0] for t in chosen)) + SHORT if whole_files else chosen
        copy, seen = self.folder / f"copy-{mutant.key}", self.folder / f"seen-{mutant.key}.json"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.clean, copy, copy_function=os.link)
        path = copy / "src/polhode" / mutant.path
        faulty = mutant.applied(path.read_text())
        path.unlink()
        path.write_text(faulty)
        watch = Watch(seen, seconds, lambda test: 30.0 + 10.0 * self.tests.get(test, {}).get("seconds", 0.0))
        watch.note("", "nothing run")
        begin = time.monotonic()
        process = fork(copy, arguments, [watch])

        def done(status: int) -> None:
            last = json.loads(seen.read_text())
            shutil.rmtree(copy)
            seen.unlink()
            outcome = "survived" if status in NOTHING_FAILED else "timeout" if status == -signal.SIGPROF else "killed"
            if status == pytest.ExitCode.USAGE_ERROR and not whole_files:  # tests have other names with the fault
                run_all(iter([self._mutation(mutant, chosen, seconds, whole_files=True)]), 1)
                return
            entry = {"key": mutant.key, "mutant": str(mutant), "outcome": outcome, "status": status}
            entry |= {"by": last["test"] if outcome != "survived" else "", "what": last["what"]}
            entry |= {"passed": last["passed"], "chosen": len(chosen), "seconds": round(time.monotonic() - begin)}
            self.keep(entry)

        return Job(process, done)

    def keep(self, entry: dict[str, Any]) -> None:
        """Append a result to the file, and show it."""
        self.results[entry["key"]] = entry
        with self.file.open("a") as file:
            file.write(json.dumps(entry) + "\n")
        print(f"{entry['outcome']:8s} {entry['seconds']:4d} s  {entry['mutant']}  {entry['by']}", flush=True)


def files(path: Path) -> dict[str, Path]:
    """The files below a path that are not made by running it, by their names relative to it."""
    if path.is_file():
        return {"": path}
    found = {p.relative_to(path).as_posix(): p for p in path.rglob("*") if p.is_file()}
    return {name: file for name, file in found.items() if "__pycache__" not in file.parts}
