"""The progress bar of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any


class MembersBar:
    """How many members are done, how many of them failed, and how long the rest will take."""

    def __init__(self, total: int, done: int = 0) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[failed]}"), TimeRemainingColumn())
        self._progress = Progress(TextColumn("members"), *columns)
        self._task = self._progress.add_task("members", total=total, completed=done, failed="")
        self._failed = 0

    def __enter__(self) -> MembersBar:
        self._progress.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._progress.stop()

    def add(self, done: int, failed: int) -> None:
        """So many more are done."""
        self._failed += failed
        text = f"{self._failed} failed" if self._failed else ""
        self._progress.update(self._task, advance=done, failed=text)


def members_bar(progress: bool, members: int, blocks: Sequence[range]) -> Any:
    """The progress bar of so many members, of which these blocks are still to do, if one is wanted."""
    return MembersBar(members, members - sum(map(len, blocks))) if progress else nullcontext()
