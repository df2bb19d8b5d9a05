"""`python -m benchmarks.mutation`: plants faults one by one in a copy of the tree, and runs the tests that reach each.

Results are appended to `results.jsonl` in the folder `--results`; a run that was killed goes on where it was. The report lists
the survivors, with the answers that `answers.toml` gives to them.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tomllib
from pathlib import Path
from typing import Any

from .changes import Mutant, sample
from .trial import FOLDERS, Trial

TREE = Path(__file__).resolve().parents[2]
PACKAGES = ("geometry", "methods", "systems", "estimation", "gravity")
ANSWERS = Path(__file__).parent / "answers.toml"
AGAIN = ("survived", "unreached")
PAGE, DATA = TREE / "docs" / "mutation.md", TREE / "docs" / "mutation.json"
BEGIN, END = "<!-- made by python -m benchmarks.mutation -->", "<!-- end -->"


def report(mutants: list[Mutant], results: dict[str, dict[str, Any]]) -> str:
    """The score and a table of the survivors, in Markdown. Those that no test reached, of the tests that were recorded, are not
    counted as tried."""
    answers = tomllib.loads(ANSWERS.read_text())
    outcomes = {m.key: results[m.key]["outcome"] for m in mutants if m.key in results}
    unreached = sum(outcome == "unreached" for outcome in outcomes.values())
    survivors = [m for m in mutants if outcomes.get(m.key) == "survived"]
    same = [m for m in survivors if m.key in answers]
    tried = len(outcomes) - unreached
    counted, killed = tried - len(same), tried - len(survivors)
    score = f"{100.0 * killed / counted:.1f} %" if counted else "unknown"
    lines = [
        f"{tried} of {len(mutants)} mutants tried: {killed} killed ({list(outcomes.values()).count('timeout')} by the time "
        f"limit), {len(survivors)} survive, {len(same)} of them for a reason. Killed of those that can be: {score}.",
        *([f"{unreached} more are reached by none of the tests that were recorded."] if unreached else []),
        "",
        "| survivor | change | line | answer |",
        "|---|---|---|---|",
    ]
    for m in sorted(survivors, key=lambda m: (m.path, m.line)):
        context = m.context.replace("|", "\\|")
        answer = answers.get(m.key, "")
        lines.append(f"| {m.path}:{m.line} ({m.key}) | `{m.old}` → `{m.new}` | `{context}` | {answer} |")
    return "\n".join(lines) + "\n"


def write(mutants: list[Mutant], results: dict[str, dict[str, Any]]) -> None:
    """The outcomes into the data file, from which a later run goes on, and the report into the page."""
    kept = {m.key: results[m.key] for m in mutants if m.key in results and results[m.key]["outcome"] != "unreached"}
    lines = [json.dumps({k: e[k] for k in ("key", "outcome", "by")}) for _, e in sorted(kept.items())]
    DATA.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    text = PAGE.read_text()
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{head}\n{report(mutants, results)}{tail}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=500, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument("--results", type=Path, default=TREE / "out" / "mutants", help="the folder to work in")
    parser.add_argument("--folders", nargs="*", default=FOLDERS, help="of tests, whose reach is recorded first")
    parser.add_argument("--seconds", type=float, default=240.0, help="of processor time for the tests of one mutant")
    parser.add_argument("--tests", type=int, default=150, help="for one mutant, at most")
    parser.add_argument("--only", default="", help="try only those in this file or folder of the package")
    parser.add_argument("--again", action="store_true", help="try the survivors without an answer once more")
    parser.add_argument("--report", action="store_true", help="only print the report")
    parser.add_argument("--write", action="store_true", help="write what was found into docs/mutation.md and .json")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    mutants = sample(TREE / "src/polhode", PACKAGES, given.sample, given.seed)
    trial = Trial(TREE, given.results.resolve(), given.seconds, given.tests)
    known = {entry["key"]: entry for entry in json.loads(DATA.read_text())} if DATA.exists() else {}
    trial.results = known | trial.results
    if not given.report:
        trial.refresh()
        trial.record(given.folders, given.jobs)
        answered = tomllib.loads(ANSWERS.read_text())
        survived = {key for key, entry in trial.results.items() if entry["outcome"] in AGAIN} - answered.keys()
        todo = [m for m in mutants if m.key not in trial.results or (given.again and m.key in survived)]
        trial.mutate([m for m in todo if m.path.startswith(given.only)], given.jobs, answered.keys())
    text = report(mutants, trial.results)
    (trial.folder / "report.md").write_text(text)
    print(text)
    if given.write:
        write(mutants, trial.results)


if __name__ == "__main__":
    main()
