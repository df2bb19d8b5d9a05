"""The motion of each body of a trajectory in inertial coordinates, from which the formats of other tools are written.

`R` maps body to inertial coordinates and `omega` is the angular velocity in the body frame, with `Ṙ = R S(ω)`; `x` and
`v` are position and velocity of the mass centre. Other coordinates (relative ones, the orbiting frame, angles in a plane)
are converted to these. Bodies are counted from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInputError, PolhodeError
from ...geometry import so3, unchecked
from ...geometry.array_api import NEAR
from ...simulation.trajectory import Trajectory
from ...systems.full_body.placements import placements

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """One body over time; what the system does not have is None. `metadata` is that of the file it was read from."""

    name: str
    t: Array
    R: Array | None = None
    omega: Array | None = None
    x: Array | None = None
    v: Array | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.t)

    @property
    def q(self) -> Array:
        """The attitude as unit quaternions, scalar last, without jumps of sign from sample to sample."""
        q = unchecked.from_matrix(self.need_attitude())
        jumps = np.sum(q[1:] * q[:-1], axis=1) < 0.0
        q[1:] *= np.where(np.cumsum(jumps) % 2, -1.0, 1.0)[:, None]
        return q

    def need_attitude(self) -> Array:
        """R, projected to the nearest rotations where rounding and truncation have moved it off them."""
        if self.R is None:
            raise PolhodeError(f"{self.name} has no attitude in space, which this format needs")
        off = float(np.abs(np.swapaxes(self.R, 1, 2) @ self.R - np.eye(3)).max())
        if off > NEAR:
            raise PolhodeError(f"the attitude of {self.name} is not a rotation: RᵀR differs from 1 by {off:.2g}")
        return so3.project(self.R) if off > 1e-14 else self.R

    def need_rates(self) -> Array:
        """The angular velocities; an error where there are none."""
        if self.omega is None:
            raise PolhodeError(f"{self.name} has no angular velocity, which this format needs")
        return self.omega

    def need_position(self) -> tuple[Array, Array]:
        """x and v."""
        if self.x is None or self.v is None:
            raise PolhodeError(
                f"{self.name} has no position and velocity, which this format needs, only an attitude: see --to ck and aem"
            )
        return self.x, self.v


def motions(trajectory: Trajectory, body: int | str | None = None) -> list[Motion]:
    """The motion of every body, in ascending time; or of one body, by its number from 0 or its name.

    >>> import polhode as ph
    >>> traj = ph.simulate(ph.FullTwoBodyProblem.example(), step=0.01, steps=3)
    >>> [m.name for m in motions(traj)], [m.name for m in motions(traj, "body2")]
    (['body1', 'body2'], ['body2'])
    """
    found = _motions(trajectory.system, trajectory)
    if len(trajectory) > 1 and trajectory.t[-1] < trajectory.t[0]:
        found = [_reversed(motion) for motion in found]
    if body is None:
        return found
    return [found[find_body([motion.name for motion in found], body)]]


def find_body(names: Sequence[str], body: int | str) -> int:
    """The index of a body that is given by its number, counted from 0, or by its name.

    >>> find_body(["body1", "body2"], "body2"), find_body(["body1", "body2"], 0)
    (1, 0)
    """
    if body in names:
        return list(names).index(str(body))
    if isinstance(body, bool) or not isinstance(body, int) or not 0 <= body < len(names):
        raise InvalidInputError("body", body, f"a number from 0 to {len(names) - 1}, or one of {', '.join(names)}")
    return body


def body_rotations(trajectory: Trajectory, body: int | str) -> Rotation:
    """The attitudes of a body, by its number from 0 or its name, in the order of the samples, as SciPy's rotations."""
    from scipy.spatial.transform import Rotation

    rotations = Rotation.from_quat(motions(trajectory, body)[0].q)
    return rotations if len(trajectory) < 2 or trajectory.t[-1] >= trajectory.t[0] else rotations[::-1]


def _motions(system: Any, trajectory: Trajectory) -> list[Motion]:
    """The motion of every body, in the order of the samples."""
    t = trajectory.t
    if bodies := system.bodies:
        first = 1 if system.body_names[0] == "body1" else 0
        at = placements(system, trajectory.values)
        return [
            Motion(f"body{first + i}", t, at.R[:, i], at.omega[:, i], at.x[:, i], at.v[:, i])
            for i in range(len(bodies))
        ]
    rotation = system.inertial_rotation(trajectory.values, t)
    if rotation is None:
        return [Motion("body0", t)]
    R, omega = rotation
    if R.ndim == 3:
        return [Motion("body0", t, R, omega)]
    return [Motion(f"body{i}", t, R[:, i], omega[:, i]) for i in range(R.shape[1])]


def _reversed(motion: Motion) -> Motion:
    R, omega, x, v = (None if a is None else a[::-1] for a in (motion.R, motion.omega, motion.x, motion.v))
    return Motion(motion.name, motion.t[::-1], R, omega, x, v)
