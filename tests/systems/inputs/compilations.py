"""What Numba compiles while tests look."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event


@contextmanager
def compilations() -> Iterator[list[str]]:
    """The names of the functions that Numba compiles meanwhile."""
    found: list[str] = []

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, happened: Any) -> None:
            found.append(str(happened.data["dispatcher"]))

        def on_end(self, happened: Any) -> None: ...

    with event.install_listener("numba:compile", Listener()):
        yield found
