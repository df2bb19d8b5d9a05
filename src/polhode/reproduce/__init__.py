"""The sources' tables and figures, printed beside found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .base import Row, brief, failing, reasons

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


def figures(source: str) -> dict[str, Callable[[], Figure]]:
    """What draws each figure of a source, by the name of its file; some sources have none."""
    if source == "nontwisting":
        from .nontwisting_figures import drawings
    elif source == "quaternion":
        from .quaternion_figures import drawings
    else:
        return {}
    return drawings()


__all__ = ["Row", "brief", "failing", "figures", "reasons", "sources"]
