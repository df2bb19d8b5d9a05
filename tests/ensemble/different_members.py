"""Members of an ensemble of any system: states around its example, each moving differently."""

from __future__ import annotations

import numpy as np

from polhode.core.representation import Form
from polhode.core.system import State


def different_states(first: State, count: int, seed: int = 3) -> list[State]:
    """`count` states of the same system: the first, and points near it on its phase space."""
    rng = np.random.default_rng(seed)
    system = first.system
    layout = system.representations[Form.DEFAULT].layout
    y = system.enter(Form.DEFAULT, first)
    found = [first]
    for i in range(1, count):
        moved = layout.retract(y, 0.03 * i / count * rng.normal(size=layout.dimension))
        found.append(State(system, layout.unpack(moved), first.t))
    return found
