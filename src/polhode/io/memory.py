"""How much this machine can hold."""

from __future__ import annotations

import os


def physical_memory() -> float:
    """This machine's memory in bytes; infinite where the operating system does not say.

    >>> physical_memory() > 1e8
    True
    """
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return float("inf")
