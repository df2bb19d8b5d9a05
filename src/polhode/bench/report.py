"""What a run of the benchmark found: rows of times and errors, as JSON, and compared with those of another run."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InvalidInputError
from ..io.atomic_files import write_text

FORMAT = 1
SMALLEST = 1e-17  # error on a logarithmic scale
CHANGED = 0.05  # relative change of a ratio that is told


@dataclass(frozen=True)
class Row:
    """One run: its time in seconds per unit of work, the ratio of that to the yard-stick, its error if it has one; and the
    comparison with another solver, with the bar for it, if there is one."""

    solver: str
    setting: str
    seconds: float
    ratio: float
    error: float | None = None
    compared_with: str | None = None
    compared: float | None = None
    bar: str = ""
    cleared: bool | None = None

    @property
    def measured(self) -> tuple[str, str, float, float, float | None]:
        """What it is without the comparison."""
        return self.solver, self.setting, self.seconds, self.ratio, self.error

    @property
    def key(self) -> tuple[str, str]:
        """The key by which the same row of another run is found."""
        return self.solver, self.setting


@dataclass(frozen=True)
class Result:
    """The rows of a problem, and the time of the yard-stick that was measured in turn with them."""

    problem: str
    title: str
    unit: str
    accuracy: bool
    yardstick: float
    rows: tuple[Row, ...]

    @property
    def solvers(self) -> list[str]:
        """All solvers, in the order of their first runs."""
        return list(dict.fromkeys(row.solver for row in self.rows))

    def time_for(self, solver: str, level: float) -> float | None:
        """The time in which a solver reaches an error of `level`: the best between two of its runs, on logarithmic scales;
        None if it does not.

        >>> rows = Row("a", "1", 1.0, 1.0, 1e-4), Row("a", "2", 4.0, 4.0, 1e-8)
        >>> round(Result("p", "p", "run", True, 1.0, rows).time_for("a", 1e-6), 6)
        2.0
        """
        mine = [row for row in self.rows if row.solver == solver and row.error is not None]
        points = sorted((row.seconds, max(row.error or 0.0, SMALLEST)) for row in mine)
        best = min((seconds for seconds, wrong in points if wrong <= level), default=None)
        for (s, e), (t, f) in itertools.pairwise(points):
            if best is not None and e > level >= f and t <= best:
                best = s * (t / s) ** (math.log(level / e) / math.log(f / e))
        return best


@dataclass(frozen=True)
class Report:
    """All results of a run; `machine` says on what, and with which versions."""

    machine: dict[str, Any]
    results: tuple[Result, ...]
    notes: tuple[str, ...] = field(default=())

    def write(self, file: Path) -> None:
        """Write the report as JSON."""
        write_text(file, json.dumps({"format": FORMAT} | asdict(self), indent=1) + "\n")

    @classmethod
    def read(cls, file: Path) -> Report:
        """Read a report from a file that `write` has written."""
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            if found["format"] != FORMAT:
                raise ValueError
            results = tuple(
                Result(**{**each, "rows": tuple(Row(**row) for row in each["rows"])}) for each in found["results"]
            )
            return cls(dict(found["machine"]), results, tuple(found["notes"]))
        except (ValueError, KeyError, TypeError) as error:
            problem = "not a result of `polhode bench --json`, or of another version of it"
            raise InvalidInputError("file", str(file), problem=problem) from error

    def result(self, problem: str) -> Result | None:
        """The result of a problem, if it was measured."""
        return next((each for each in self.results if each.problem == problem), None)


@dataclass(frozen=True)
class Change:
    """A row whose ratio to the yard-stick differs between two runs; `before` or `now` is None where it is missing there."""

    problem: str
    solver: str
    setting: str
    before: float | None
    now: float | None

    def __str__(self) -> str:
        name = f"{self.problem}: {self.solver}" + (f", {self.setting}" if self.setting else "")
        if self.before is None or self.now is None:
            return f"{name}: {'new' if self.before is None else 'not measured now'}"
        how = "slower" if self.now > self.before else "faster"
        return f"{name}: {self.now / self.before:.2f} times the time, {how}"


def changes(now: Report, before: Report, least: float = CHANGED) -> Iterator[Change]:
    """The rows whose ratio changed by more than `least`, those that are new, and those that are missing, of the problems
    that both have. The ratios are compared, not the seconds: another machine or another load then matters less.

    >>> a, b = (Report({}, (Result("p", "p", "run", False, 1.0, (Row("s", "", t, t),)),)) for t in (1.0, 1.2))
    >>> [str(change) for change in changes(b, a)]
    ['p: s: 1.20 times the time, slower']
    """
    for result in now.results:
        other = before.result(result.problem)
        if other is None:
            continue
        mine, theirs = ({row.key: row.ratio for row in each.rows} for each in (result, other))
        for key in dict.fromkeys([*mine, *theirs]):
            new, old = mine.get(key), theirs.get(key)
            if new is None or old is None or abs(new - old) > least * old:
                yield Change(result.problem, *key, old, new)
