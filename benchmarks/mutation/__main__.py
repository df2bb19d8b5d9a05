"""`python -m benchmarks.mutation`: plants faults one by one in a copy of the tree, and runs the tests that concern each.

Results are appended to `results.jsonl` in the folder `--results`; a run that was killed goes on where it was. Only what a fault
touches is compiled again: copies of the tree bring the compiled cache with them. The report lists the survivors, with the
answers that `answers.toml` gives to them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from .changes import Mutant, sample
from .concerned import concerned

TREE = Path(__file__).resolve().parents[2]
PACKAGES = ("geometry", "methods", "systems", "estimation", "gravity")
PARTS = ("src", "tests", "benchmarks", "examples", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", "mkdocs.yml")
LONGEST = 900  # seconds of processor time of one stage, whatever else the machine does
PATIENCE = 10_800.0  # seconds by the clock, for what waits for ever
WHOLE = ["tests", "-m", "not verify"]
NOTHING_FAILED = (0, 5)  # what pytest returns if all tests pass, or if there are none
RUNNING = set[int]()  # the groups of processes of the tests
TOO_LONG = (-signal.SIGXCPU, -signal.SIGKILL)


def pytest(tree: Path, arguments: list[str]) -> str:
    """ "passed", "failed" or "timeout"."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-o", "timeout=0", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    process = subprocess.Popen(
        command,
        cwd=tree,
        env=environment,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    RUNNING.add(process.pid)
    try:
        status = process.wait(PATIENCE)
        return "passed" if status in NOTHING_FAILED else "timeout" if status in TOO_LONG else "failed"
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        end(process.pid)
        process.wait()
        RUNNING.discard(process.pid)


def end(group: int) -> None:
    """End a run of tests and what the tests have started."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def stop(*_: object) -> None:
    """End everything at once; what was found so far is in the file."""
    for group in RUNNING:
        end(group)
    os._exit(130)


def link_or_copy(source: str, target: str) -> None:
    """Files are replaced, never written to, so that both copies may share one until then."""
    os.link(source, target)


class Trial:
    """The clean copy of the tree, the results so far, and how a mutant is tried."""

    def __init__(self, folder: Path, whole: bool) -> None:
        self.folder, self.clean, self.whole = folder, folder / "clean", whole
        self.file, self.lock = folder / "results.jsonl", threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        self.results: dict[str, dict[str, Any]] = {}
        self.sound: dict[str, bool] = {}
        for line in lines:
            entry = json.loads(line)
            if "stage" in entry:
                self.sound[entry["stage"]] = entry["passed"]
            else:
                self.results[entry["key"]] = entry

    def refresh(self) -> None:
        """The clean copy has the sources of the tree; what is compiled stays, it is recognised by its content."""
        if not self.clean.exists():
            for part in PARTS:
                source, target = TREE / part, self.clean / part
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)
        for part in PARTS:
            here, there = files(TREE / part), files(self.clean / part)
            for path in there.keys() - here.keys():
                there[path].unlink()
            for path, file in here.items():
                target = self.clean / part / path if path else self.clean / part
                if path not in there or target.read_bytes() != file.read_bytes():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(file, target)

    def append(self, entry: dict[str, Any]) -> None:
        with self.lock, self.file.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def is_sound(self, arguments: list[str]) -> bool:
        """Whether these tests pass without a fault; the first time they are run for it, which also compiles what they use."""
        name = " ".join(arguments)
        if name not in self.sound:
            begin = time.monotonic()
            self.sound[name] = pytest(self.clean, arguments) == "passed"
            self.append({"stage": name, "passed": self.sound[name], "seconds": round(time.monotonic() - begin)})
        return self.sound[name]

    def try_mutant(self, mutant: Mutant) -> None:
        """Run the tests until one is red, and note the outcome."""
        begin, outcome, red = time.monotonic(), "survived", ""
        stages = concerned(TREE / "src/polhode", mutant.path) + ([WHOLE] if self.whole else [])
        copy = self.folder / f"copy-{mutant.key}"
        for arguments in stages:
            if not self.is_sound(arguments):
                continue
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(self.clean, copy, copy_function=link_or_copy)
            path = copy / "src/polhode" / mutant.path
            faulty = mutant.applied(path.read_text())
            path.unlink()
            path.write_text(faulty)
            found = pytest(copy, arguments)
            if found != "passed":
                outcome, red = ("killed" if found == "failed" else "timeout"), " ".join(arguments)
                break
        shutil.rmtree(copy, ignore_errors=True)
        entry = {"key": mutant.key, "mutant": str(mutant), "outcome": outcome, "by": red}
        entry |= {"whole": self.whole, "seconds": round(time.monotonic() - begin)}
        self.results[mutant.key] = entry
        self.append(entry)
        print(f"{outcome:8s} {entry['seconds']:4d} s  {mutant}", flush=True)


def files(path: Path) -> dict[str, Path]:
    """The files below a path that are not made by running it, by their names relative to it."""
    if path.is_file():
        return {"": path}
    found = {p.relative_to(path).as_posix(): p for p in path.rglob("*") if p.is_file()}
    return {name: file for name, file in found.items() if "__pycache__" not in file.parts}


def report(mutants: list[Mutant], results: dict[str, dict[str, Any]]) -> str:
    """The score and a table of the survivors, in Markdown."""
    answers = tomllib.loads((Path(__file__).parent / "answers.toml").read_text())
    tried = [mutant for mutant in mutants if mutant.key in results]
    outcomes = [results[mutant.key]["outcome"] for mutant in tried]
    survivors = [mutant for mutant in tried if results[mutant.key]["outcome"] == "survived"]
    same = [mutant for mutant in survivors if mutant.key in answers]
    counted = len(tried) - len(same)
    killed = len(tried) - len(survivors)
    lines = [
        f"{len(tried)} of {len(mutants)} mutants tried: {killed} killed ({outcomes.count('timeout')} by the time limit), "
        f"{len(survivors)} survive, {len(same)} of them for a reason. "
        f"Killed of those that can be: {100.0 * killed / max(counted, 1):.1f} %.",
        "",
        "| survivor | change | line | answer |",
        "|---|---|---|---|",
    ]
    for m in sorted(survivors, key=lambda m: (m.path, m.line)):
        context = m.context.replace("|", "\\|")
        lines.append(
            f"| {m.path}:{m.line} ({m.key}) | `{m.old}` → `{m.new}` | `{context}` | {answers.get(m.key, '')} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=500, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument("--results", type=Path, default=TREE / "out" / "mutants", help="the folder to work in")
    parser.add_argument("--again", action="store_true", help="try the survivors without an answer once more")
    parser.add_argument("--whole", action="store_true", help="run all short tests on what survives the others")
    parser.add_argument("--report", action="store_true", help="only print the report")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    mutants = sample(TREE / "src/polhode", PACKAGES, given.sample, given.seed)
    trial = Trial(given.results.resolve(), given.whole)
    if not given.report:
        trial.refresh()
        answered = tomllib.loads((Path(__file__).parent / "answers.toml").read_text())
        survived = {key for key, entry in trial.results.items() if entry["outcome"] == "survived"} - answered.keys()
        todo = [m for m in mutants if m.key not in trial.results or (given.again and m.key in survived)]
        if given.again:  # tests may have changed
            trial.sound = {}
        pool = ThreadPoolExecutor(given.jobs)
        try:
            for _ in pool.map(trial.try_mutant, todo):
                pass
        finally:  # an error ends the run at once
            pool.shutdown(cancel_futures=True)
    text = report(mutants, trial.results)
    (trial.folder / "report.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
