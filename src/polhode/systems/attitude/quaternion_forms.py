"""Forces on attitude systems whose state is kept on unit quaternions, as `QuaternionVI` does (33–37 of [MP16]).

A force is a flow on rotation matrices. Behind the variables and the slots of a state on quaternions lies room for one on
matrices: the attitude is put there, the force is evaluated there, and the moment is copied back.
"""

from __future__ import annotations

from typing import Any

from ...core.representation import Representation
from ...geometry.quaternion import to_matrix_
from ...scalars import Flow, get3, get4, kernel, put3, put9, tail, width
from ...scalars.functions import overloads
from ..inputs.user_flow import UserFlow
from ..inputs.user_functions import remembered
from .base import (
    ATTITUDE,
    FORCE,
    MATRIX,
    MOMENTUM,
    QUATERNION,
    QUATERNION_MOMENTUM,
    UNIT_QUATERNION,
)

(SLOTS,) = QUATERNION.force_slots("Pi")
ROOM = QUATERNION.size + QUATERNION.forces  # where the state on matrices begins
WORKSPACE = MATRIX.size + MATRIX.forces


def doubles_per_entry(S: Any) -> int:
    """How many doubles an entry of the scalar S occupies."""
    return width(S)


@overloads(doubles_per_entry)
def _doubles_per_entry(S: Any) -> Any:
    count = width(S.instance_type)
    return lambda S: count


@remembered
def force_on_quaternions(force: Flow) -> Flow:
    """The force of a system on matrices, for states on quaternions."""
    on_matrices: Any = kernel(force.function)

    def evaluate(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        room = tail(y, ROOM * doubles_per_entry(S))
        put9(room, ATTITUDE, S, to_matrix_(get4(y, UNIT_QUATERNION, S)))
        put3(room, MOMENTUM, S, get3(y, QUATERNION_MOMENTUM, S))
        status = on_matrices(S, room, p, t, h, report)
        put3(y, SLOTS, S, get3(room, FORCE, S))
        return status  # type: ignore[no-any-return]

    return UserFlow(evaluate, **(force.given if isinstance(force, UserFlow) else {}))


def quaternion_form(drift: Flow, force: Flow | None) -> Representation:
    """The representation on quaternions of a system with this drift on quaternions and this force on matrices."""
    if force is None:
        return Representation(QUATERNION, drift=drift)
    return Representation(QUATERNION, drift=drift, force=force_on_quaternions(force), workspace=WORKSPACE)
