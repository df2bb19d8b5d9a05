"""Published tables and figures of the sources, compared with ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .base import Comparison, misprint_reasons, table_row, unexpected

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def sources() -> dict[str, Callable[[], list[Comparison]]]:
    """For each source, by name, the function that makes its comparisons.

    >>> sorted(sources())
    ['attitude', 'full_body', 'nontwisting', 'quaternion', 'son']
    """
    from .attitude import compare_attitude
    from .full_body import compare_full_body
    from .nontwisting import compare_nontwisting
    from .quaternion import compare_quaternion
    from .son import compare_son

    return {
        "attitude": compare_attitude,
        "full_body": compare_full_body,
        "nontwisting": compare_nontwisting,
        "quaternion": compare_quaternion,
        "son": compare_son,
    }


def figures(source: str) -> dict[str, Callable[[], Figure]]:
    """For each figure of a source, by its file name, the function that draws it; some sources have none."""
    if source == "nontwisting":
        from .nontwisting_figures import figure_functions
    elif source == "quaternion":
        from .quaternion_figures import figure_functions
    else:
        return {}
    return figure_functions()


__all__ = ["Comparison", "figures", "misprint_reasons", "sources", "table_row", "unexpected"]
