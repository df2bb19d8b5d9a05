"""A progress bar with rate and remaining time; silent where the output is not a terminal."""

from __future__ import annotations

import time
from types import TracebackType


def rate_text(steps_per_second: float) -> str:
    """A rate in words.

    >>> rate_text(8.4e6), rate_text(1250.0), rate_text(3.0)
    ('8.4 M steps/s', '1.2 k steps/s', '3.0 steps/s')
    """
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if steps_per_second >= size:
            return f"{steps_per_second / size:.1f}{letter} steps/s"
    return f"{steps_per_second:.1f} steps/s"


class Bar:
    """Progress of one run of `total` steps, used as a context."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("integrating", total=total, rate="")
        self._began = time.perf_counter()

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def update(self, done: int) -> None:
        rate = done / max(time.perf_counter() - self._began, 1e-9)
        self._progress.update(self._task, completed=done, rate=rate_text(rate))
