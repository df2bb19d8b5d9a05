"""What a problem of the benchmark consists of: entries, each of which is one run of one solver with one setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

YARDSTICK = "yard-stick"


@dataclass(frozen=True)
class Effort:
    """How long to measure: what a run may take in seconds before its solver is given no finer setting, how long all rounds
    of a run take together, how many rounds there are, and whether problems are small."""

    longest: float = 3.0
    share: float = 0.6
    most_rounds: int = 40
    fewest_rounds: int = 3
    quick: bool = False

    @classmethod
    def small(cls) -> Effort:
        """Enough to see that everything runs; the times mean little."""
        return cls(longest=0.05, share=0.02, most_rounds=3, fewest_rounds=1, quick=True)

    def count(self, number: int, divisor: int = 20) -> int:
        """So many steps or members, or fewer where problems are small.

        >>> Effort().count(1000), Effort.small().count(1000), Effort.small().count(10)
        (1000, 50, 2)
        """
        return max(2, number // divisor) if self.quick else number

    def rounds(self, seconds: float) -> int:
        """How often to repeat a run that takes so long."""
        return int(min(max(self.share / max(seconds, 1e-9), self.fewest_rounds), self.most_rounds))


@dataclass(frozen=True)
class Bar:
    """With which solver, at the same setting, an entry is compared; whether that is a cost or a gain, and the ratio that it
    should reach, if any.

    >>> Bar("C", 1.3).cleared(1.2), Bar("LGVI 2", 6.0, gain=True).cleared(5.5), Bar("C").cleared(9.9)
    (True, False, None)
    """

    solver: str = YARDSTICK
    limit: float | None = None
    gain: bool = False

    def ratio(self, mine: float, other: float) -> float:
        """What is compared with the limit."""
        return other / mine if self.gain else mine / other

    def cleared(self, ratio: float) -> bool | None:
        """Whether the limit is reached; None where there is none."""
        if self.limit is None:
            return None
        return ratio >= self.limit if self.gain else ratio <= self.limit

    def __str__(self) -> str:
        return "" if self.limit is None else f"{'≥' if self.gain else '≤'} {self.limit:g}"


@dataclass(frozen=True)
class Entry:
    """One run: the `solver`, its `setting`, and how much `work` it is, in units of the problem.

    `error` gives the error of what the run returns, or raises ArithmeticError where it is not a solution. With `on_the_wall`
    the time on the wall counts: for work in threads of its own, whose processor time is known only every few milliseconds.
    With `own_time` the run returns its time in seconds itself, such as that of another process.
    """

    solver: str
    setting: str
    run: Callable[[], Any]
    work: float = 1.0
    bar: Bar | None = None
    error: Callable[[Any], float] | None = None
    on_the_wall: bool = False
    own_time: bool = False


@dataclass(frozen=True)
class Problem:
    """Something to time. `unit` is the unit of work; `entries(effort, peers)` the runs, by us and by those of the peers,
    named in `peers`, that can do it. Where `accuracy` is set, what counts is the time to reach an error."""

    name: str
    title: str
    unit: str
    entries: Callable[[Effort, tuple[str, ...]], Iterator[Entry]]
    accuracy: bool = False
