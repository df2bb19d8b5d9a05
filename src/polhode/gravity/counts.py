"""Whole numbers among the parameters: how many points, which order, which vertex."""

from __future__ import annotations

from typing import Any

from ..scalars import kernel, par, worst


@kernel
def count(p: Any, i: int, S: Any) -> int:
    """Parameter `i` as an integer; lanes, whose members must agree on it, give the one number that loops run to."""
    return int(worst(par(p, i, S)))
