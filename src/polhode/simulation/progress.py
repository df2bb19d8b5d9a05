"""A progress bar with rate, remaining time and drift of conserved quantities; silent if the output is not a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType


def rate_text(steps_per_second: float) -> str:
    """A rate as text.

    >>> rate_text(8.4e6), rate_text(1250.0), rate_text(3.0)
    ('8.4 M steps/s', '1.2 k steps/s', '3.0 steps/s')
    """
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if steps_per_second >= size:
            return f"{steps_per_second / size:.1f}{letter} steps/s"
    return f"{steps_per_second:.1f} steps/s"


class Bar:
    """Progress of one run from step `first` to `total`, used as a context.

    `drift` returns the largest relative deviation of each conserved quantity; it is called only if the bar is shown.
    """

    shown = False  # whether one is on the screen

    def __init__(self, first: int, total: int, drift: Callable[[], dict[str, float]]) -> None:
        from rich.console import Console, Group
        from rich.live import Live
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text

        console = Console(stderr=True)
        self._seen = console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._progress.add_task("integrating", total=total, completed=first, rate="")
        self._drift_line = Text("", style="dim")
        self._live = Live(Group(self._progress, self._drift_line), console=console, refresh_per_second=8)
        self._first, self._drift = first, drift
        self._began = time.perf_counter()

    def __enter__(self) -> Bar:
        if self._seen:
            self._live.start()
            Bar.shown = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._seen:
            self._live.stop()
            Bar.shown = False

    def update(self, done: int) -> None:
        """Show that `done` steps are done."""
        if not self._seen:
            return
        rate = (done - self._first) / max(time.perf_counter() - self._began, 1e-9)
        self._progress.update(self._task, completed=done, rate=rate_text(rate))
        self._drift_line.plain = drift_text(self._drift())


def drift_text(drift: dict[str, float]) -> str:
    """The relative drift of each conserved quantity, in one line.

    >>> drift_text({"energy": 2.6961e-07, "linear_momentum": 0.0})
    'relative drift: energy 2.7e-07, linear_momentum 0'
    """
    return "relative drift: " + ", ".join(f"{name} {worst:.2g}" for name, worst in drift.items()) if drift else ""
