"""What gravity asks of the scalar layer beyond its own: whole numbers among the parameters, and `log1p`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..scalars import kernel, par, value, worst
from ..scalars.functions import _chain, _lane_by_lane, _register


@kernel
def count(p: Any, i: int, S: Any) -> int:
    """Parameter `i` as an integer; lanes, whose members must agree on it, give the one number that loops run to."""
    return int(worst(par(p, i, S)))


def log1p(x: Any) -> Any:
    """ln(1 + x)."""
    return np.log1p(x)


def _dual_log1p(x: Any) -> Any:
    v = value(x)
    return _chain(math.log1p(v), 1.0 / (1.0 + v), x)


_each_log1p = _lane_by_lane("log1p")
_register(log1p, lambda x: math.log1p(x), lambda x: _each_log1p(x, 0.0), _dual_log1p)
