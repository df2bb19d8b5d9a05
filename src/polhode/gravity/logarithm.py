"""`log1p` for every scalar: the one function that the field of a polyhedron needs beyond the scalar layer's own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..scalars.functions import _chain, _lane_by_lane, _register, value


def log1p(x: Any) -> Any:
    """ln(1 + x)."""
    return np.log1p(x)


def _dual_log1p(x: Any) -> Any:
    v = value(x)
    return _chain(math.log1p(v), 1.0 / (1.0 + v), x)


_each_log1p = _lane_by_lane("log1p")
_register(log1p, lambda x: math.log1p(x), lambda x: _each_log1p(x, 0.0), _dual_log1p)
