"""How long the steps of `DOP853` are: what is known of the present one and of those before it, in one array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..scalars import kernel

Array = NDArray[np.float64]

# what is known of the present step: where it starts, how long it is, whether a longer one was refused before it (these
# three are carried), its error relative to the tolerance, and whether its dense terms are there; of those before it,
# how long the longest was and how many of the last were far shorter; and of those since they no longer grow from one to
# the next as at the start, how many there are, how short a few together have been, and how long the last few are
START, LENGTH, REFUSED, ERROR, DENSE, LONGEST, SHORT_STEPS, STEPS, SHORTEST, RECENT = range(10)
CARRIED, FEW = 3, 4
CONTROLS = RECENT + FEW
START_UP = 2.0  # by such factors steps grow at the start, where the method does not know their length yet
# so many steps, each this part of the longest: a switch that is crossed for ever
SHORT, MOST_SHORT_STEPS = 1e-8, 10_000
AT_CORNER = 1e-9  # a step that begins so near to a corner, relative to its length, begins at it


@kernel
def up_to_corner(start: float, length: float, corners: Array) -> float:
    """The length of a step from `start`, or of its part before the first of the `corners` in it."""
    for i in range(corners.shape[0]):
        part = (corners[i] - start) / length
        if AT_CORNER < part < 1.0:
            length = corners[i] - start
    return length


@kernel
def note_length(control: Array, length: float) -> None:
    """Note how long a step is: whether it is the longest, or far shorter than that; and among the last few how short these
    are together, if they have never been shorter."""
    control[LONGEST] = max(control[LONGEST], length)
    control[SHORT_STEPS] = control[SHORT_STEPS] + 1.0 if length < SHORT * control[LONGEST] else 0.0
    count = int(control[STEPS])
    if count == 0 and length >= START_UP * control[RECENT]:
        control[RECENT] = length
        return
    count = max(count, 1)
    control[RECENT + count % FEW] = length
    count += 1
    together = 0.0
    for i in range(min(count, FEW)):
        together += control[RECENT + i]
    mean = together / min(count, FEW)
    control[SHORTEST] = mean if count <= FEW else min(control[SHORTEST], mean)
    control[STEPS] = count
