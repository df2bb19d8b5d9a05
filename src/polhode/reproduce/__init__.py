"""The sources' tables and figures, printed beside found."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from .base import Row, brief, failing, reasons


def sources() -> dict[str, Callable[[], list[Row]]]:
    """What makes the rows of each source, by name.

    >>> sorted(sources())
    ['attitude', 'full_body', 'nontwisting', 'quaternion', 'son']
    """
    from .attitude import attitude
    from .full_body import full_body
    from .nontwisting import nontwisting
    from .quaternion import quaternion
    from .son import son

    return {
        "attitude": attitude,
        "full_body": full_body,
        "nontwisting": nontwisting,
        "quaternion": quaternion,
        "son": son,
    }


def figures() -> dict[str, Callable[[str | PathLike[str]], list[Path]]]:
    """What draws the figures of each source into a folder, by name, where there are any; it returns the files."""
    from .nontwisting_figures import save_figures as nontwisting
    from .quaternion_figures import save_figures as quaternion

    return {"nontwisting": nontwisting, "quaternion": quaternion}


__all__ = ["Row", "brief", "failing", "figures", "reasons", "sources"]
