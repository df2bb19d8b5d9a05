"""Which members can run side by side in lanes: those whose flows are the same functions and take the same way.

Flows read numbers of their own for each lane, but whole numbers, such as how many points there are, only once for all
(`par_int`). Members that differ in one of these do not share lanes.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.representation import Representation
from ..core.system import System
from ..scalars import Flow
from ..scalars.fingerprint import named, plain
from ..scalars.protocol import par_int

Array = NDArray[np.float64]


def flows_of(representation: Representation) -> tuple[Flow, ...]:
    """All flows that a representation holds."""
    values = (getattr(representation, field.name) for field in fields(representation))
    return tuple(value for value in values if isinstance(value, Flow))


@cache
def reads_whole_numbers(flow: Flow) -> bool:
    """Whether a flow, or a kernel in it, reads parameters as whole numbers.

    >>> import polhode as ph
    >>> free, points = (ph.FreeRigidBody.example().system, ph.CoupledBodies.example().system)
    >>> [any(map(reads_whole_numbers, flows_of(s.representations["default"]))) for s in (free, points)]
    [False, True]
    """
    target = plain(par_int)
    pending: list[Any] = [flow.function]
    seen: set[Any] = set()
    while pending:
        current = pending.pop()
        if current is target:
            return True
        values: list[Any] = list(named(current))
        for value in values:
            if isinstance(value, tuple):
                values.extend(value)
                continue
            inner = plain(getattr(value, "__wrapped__", value))
            if isinstance(inner, FunctionType) and inner not in seen:
                seen.add(inner)
                pending.append(inner)
    return False


def lane_key(system: System, representation: Representation, parameters: Array) -> Hashable:
    """Members with equal keys can share lanes. Where whole numbers are read, any parameter that is one has to agree."""
    flows = flows_of(representation)
    variables = tuple((v.name, v.manifold.shape) for v in representation.layout.variables)
    whole: tuple[Any, ...] = ()
    if any(map(reads_whole_numbers, flows)):
        places = np.flatnonzero(parameters == np.floor(parameters))
        whole = places.tobytes(), parameters[places].tobytes()
    return type(system), tuple(map(id, flows)), variables, representation.workspace, len(parameters), whole
