"""The sine of an angle that members of an ensemble most often share.

The members of an ensemble in lanes may differ in every number, so that a sine is computed lane by lane, sixteen times for
what is mostly one angle: the step times the rate of an orbit. Here it is computed once where all lanes agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..scalars import Lanes, any_of, sin, where, worst
from ..scalars.functions import overloads


def common_sin(angle: Any) -> Any:
    """Sine, with the bits of `sin` for every scalar.

    >>> float(common_sin(0.5))
    0.479425538604203
    """
    return np.sin(angle)


@overloads(common_sin)
def _common_sin(angle: Any) -> Any:
    if not isinstance(angle, Lanes):
        return lambda angle: sin(angle)

    def once(angle: Any) -> Any:
        first = worst(angle)
        if any_of(angle != first):
            return sin(angle)
        return where(angle == 0.0, angle, sin(first))  # zeros may differ in sign

    return once
