"""Which systems there are."""

from __future__ import annotations

from importlib import import_module

from ..core.registry import described_subclasses
from ..core.system import System


def known_systems() -> dict[str, type[System]]:
    """Every system class, by name: the library's, and what others have defined."""
    library = import_module(__package__)
    for name in library.__all__:
        getattr(library, name)  # reads its file
    return described_subclasses(System)
