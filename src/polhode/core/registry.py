"""Which systems and methods there are: every subclass that says in one line what it is."""

from __future__ import annotations

from typing import Any


def described_subclasses(base: Any) -> dict[str, Any]:
    """All subclasses of `base`, direct or not, that have a `summary` of their own, by name."""
    found: dict[str, Any] = {}
    pending = [base]
    while pending:
        for cls in pending.pop().__subclasses__():
            pending.append(cls)
            if "summary" in vars(cls):
                found[cls.__name__] = cls
    return dict(sorted(found.items()))
