"""Say that code is being compiled: the first run of a kind of system does that, later ones find it on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event
from rich.console import Console

from ..simulation.progress import Bar

COMPILING = "compiling … (first run only)"


class _Note(event.Listener):  # type: ignore[misc]
    """Shows a spinner while something is compiled; where the output is not a terminal, it prints one line."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self.status = self.console.status(COMPILING)
        self.depth = 0  # what is compiled may compile what it calls
        self.said = False

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth > 1 or Bar.shown:  # two moving lines would overwrite each other
            return
        if self.console.is_terminal:
            self.status.start()
        elif not self.said:
            self.console.print(COMPILING)
        self.said = True

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.status.stop()


@contextmanager
def say_when_compiling(wanted: bool = True) -> Iterator[None]:
    """Say on standard error, if that is `wanted`, that code is being compiled inside this context."""
    if not wanted:
        yield
        return
    note = _Note()
    try:
        with event.install_listener("numba:compile", note):
            yield
    finally:
        note.status.stop()
