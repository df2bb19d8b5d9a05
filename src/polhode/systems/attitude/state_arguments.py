"""What the state of a body is given by: its attitude in one of four ways, its rate or its momentum, and the time."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_finite, check_quaternion, check_rotation
from ...errors import InvalidInputError

Array = NDArray[np.float64]


class GivenState(TypedDict, total=False):
    """What `state` of every system with an attitude takes; each may be left out."""

    R: ArrayLike | None
    q: ArrayLike | None
    q_wxyz: ArrayLike | None
    euler: ArrayLike | None
    sequence: str | None
    omega: ArrayLike | None
    Pi: ArrayLike | None
    t: float


def given_attitude(
    R: ArrayLike | None, q: ArrayLike | None, q_wxyz: ArrayLike | None, euler: ArrayLike | None, sequence: str | None
) -> dict[str, Array]:
    """The attitude as the variable `R` or `q` of a state; the identity if nothing is given.

    Euler angles are in radians, in the order of `sequence`, by default "ZYX": capital letters for rotations about the axes as they turn with
    the body ("ZYX": yaw, pitch, roll), small ones about the fixed axes.
    """
    given = {"R": R, "q": q, "q_wxyz": q_wxyz, "euler": euler}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise InvalidInputError(names[1], given[names[1]], f"either {names[0]} or {names[1]}, not both")
    if sequence is not None and euler is None:
        raise InvalidInputError("sequence", sequence, problem="sequence names the axes of the angles euler: give both")
    if q_wxyz is not None:
        return {"q": np.roll(check_quaternion("q_wxyz", q_wxyz), -1)}
    if q is not None:
        return {"q": check_quaternion("q", q)}
    if euler is not None:
        from scipy.spatial.transform import Rotation

        angles = check_finite("euler", euler, (3,))
        try:
            return {"R": Rotation.from_euler("ZYX" if sequence is None else sequence, angles).as_matrix()}
        except (ValueError, TypeError, AttributeError):
            allowed = "three of X, Y, Z (about axes that turn with the body) or of x, y, z, no two neighbours equal"
            raise InvalidInputError("sequence", sequence, allowed) from None
    return {"R": np.eye(3) if R is None else check_rotation("R", R)}
