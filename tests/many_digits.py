"""The same kernels and flows, interpreted by Python in many digits: what their derivatives are compared with.

A kernel is an ordinary function that uses `+ − * /` and what `polhode.scalars` has. Called from Python with numbers of many
digits it computes with all of them, once what reads and writes entries of arrays, and the elementary functions, do so too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import mpmath
import numpy as np
import pytest

from polhode import scalars
from polhode.core.representation import Representation
from polhode.geometry.common_angle import common_sin
from polhode.scalars import functions, memory
from polhode.scalars.compile import Compiled
from polhode.scalars.protocol import REPORT_SIZE

DIGITS = 40
ELEMENTARY = (
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "log",
    "log1p",
)


def _put(array: Any, i: int, S: Any, x: Any) -> None:
    array[i] = x


def _forms() -> dict[Any, Any]:
    """What stands, in many digits, for what compiled code has its own forms of."""
    forms = {
        memory.get: lambda array, i, S: array[i],
        memory.par: lambda array, i, S: array[i],
        memory.put: _put,
        memory.accumulated: lambda array, i, S, x: array[i] + x,  # nothing is lost
        memory.hand_over: lambda array, i, j, S: None,
        memory.plain_parameters: lambda S: S,
        memory.tail: lambda array, i: array[i:],
        memory.local: lambda size: np.zeros(size, dtype=object),
        functions.where: lambda condition, x, y: x if condition else y,
        functions.any_of: bool,
        functions.worst: lambda x: x,
        scalars.absolute: abs,
        scalars.power: lambda x, y: mpmath.mpf(x) ** y,
        functions.multiply_add: lambda x, y, z: x * y + z,
        common_sin: mpmath.sin,
    }
    return forms | {getattr(scalars, name): getattr(mpmath, name) for name in ELEMENTARY}


def _modules() -> Iterator[ModuleType]:
    return (module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "polhode")


@contextmanager
def many_digits() -> Iterator[None]:
    """Inside, kernels called from Python compute in 40 digits."""
    forms = {id(old): new for old, new in _forms().items()}
    with pytest.MonkeyPatch.context() as patch, mpmath.workdps(DIGITS):
        for module in _modules():
            for name, thing in list(vars(module).items()):
                if id(thing) in forms:
                    patch.setattr(module, name, forms[id(thing)])
        patch.setattr(Compiled, "__call__", lambda self, *args: self.function(*args))
        yield


def variational_steps(representation: Representation, y: Any, p: Any, step: float, steps: int) -> Any:
    """The state after so many steps of order 2 (half a kick, a drift, half a kick) from y, in many digits."""
    layout = representation.layout
    size = layout.size + representation.forces + representation.workspace
    state = np.array([mpmath.mpf(float(x)) for x in y] + [mpmath.mpf(0)] * (size - layout.size), dtype=object)
    numbers = np.array([mpmath.mpf(float(x)) for x in p], dtype=object)
    report, h = np.zeros(REPORT_SIZE, dtype=object), mpmath.mpf(step)
    momenta, forces = layout.kicked, slice(layout.size, layout.size + representation.forces)

    def kick() -> None:
        if representation.force is not None:
            state[momenta] += h / 2 * state[forces]

    def find_force(t: Any) -> None:
        if representation.force is not None:
            assert representation.force.function(None, state, numbers, t, h, report) == 0

    assert representation.drift is not None
    find_force(mpmath.mpf(0))
    for k in range(steps):
        kick()
        assert representation.drift.function(None, state, numbers, k * h, h, report) == 0
        find_force((k + 1) * h)
        kick()
    return state[: layout.size]
