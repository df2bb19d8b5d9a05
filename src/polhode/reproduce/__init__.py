"""The sources' tables and figures, printed beside found."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from .base import Row, failing


def sources() -> dict[str, Callable[[], list[Row]]]:
    """What makes the rows of each source, by name.

    >>> sorted(sources())
    ['full_body', 'nontwisting']
    """
    from .full_body import full_body
    from .nontwisting import nontwisting

    return {"full_body": full_body, "nontwisting": nontwisting}


def figures() -> dict[str, Callable[[str | PathLike[str]], list[Path]]]:
    """What draws the figures of each source into a folder, by name, where there are any; it returns the files."""
    from .nontwisting_figures import save_figures

    return {"nontwisting": save_figures}


__all__ = ["Row", "failing", "figures", "sources"]
