"""Which systems and methods there are: every subclass that says in one line what it is."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def described_subclasses(base: type[T]) -> dict[str, type[T]]:
    """All subclasses of `base`, direct or not, that have a `summary`, by name."""
    found: dict[str, type[T]] = {}
    pending = [base]
    while pending:
        for cls in pending.pop().__subclasses__():
            pending.append(cls)
            if hasattr(cls, "summary"):
                found[cls.__name__] = cls
    return dict(sorted(found.items()))
