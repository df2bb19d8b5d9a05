"""The motion of each body of a trajectory in inertial coordinates, from which the formats of other tools are written.

`R` maps body to inertial coordinates and `omega` is the angular velocity in the body frame, with `Ṙ = R S(ω)`; `x` and
`v` are position and velocity of the mass centre. Other coordinates (relative ones, the orbiting frame, angles in a plane)
are converted to these. Bodies are counted from 0, or called by their names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import PolhodeError
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
    own_name: bool = False  # whether its user named it

    @property
    def ascii_name(self) -> str:
        """The name in the letters that other tools read: without accents, and _ for what is not a letter, a digit or a sign.

        >>> Motion("Čapek 1", np.zeros(1)).ascii_name, Motion("月", np.zeros(1)).ascii_name
        ('Capek 1', '_')
        """
        plain = unicodedata.normalize("NFKD", self.name)
        return re.sub(r"[^ -~]", "_", "".join(c for c in plain if not unicodedata.combining(c)))

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
    return [found[trajectory.system.body_number(body)]]


def body_rotations(trajectory: Trajectory, body: int | str) -> Rotation:
    """The attitudes of a body, by its number from 0 or its name, in the order of the samples, as SciPy's rotations."""
    from scipy.spatial.transform import Rotation

    rotations = Rotation.from_quat(motions(trajectory, body)[0].q)
    return rotations if len(trajectory) < 2 or trajectory.t[-1] >= trajectory.t[0] else rotations[::-1]


def _motions(system: Any, trajectory: Trajectory) -> list[Motion]:
    """The motion of every body, in the order of the samples."""
    t, names = trajectory.t, system.body_labels
    own = {body.name for body in (*system.bodies, *([] if system.shape is None else [system.shape]))}
    if system.bodies:
        at = placements(system, trajectory.values)
        return [
            Motion(name, t, at.R[:, i], at.omega[:, i], at.x[:, i], at.v[:, i], own_name=name in own)
            for i, name in enumerate(names)
        ]
    rotation = system.inertial_rotation(trajectory.values, t)
    if rotation is None:
        return [Motion(names[0], t)]
    R, omega = rotation
    if R.ndim == 3:
        return [Motion(names[0], t, R, omega, own_name=names[0] in own)]
    return [Motion(name, t, R[:, i], omega[:, i]) for i, name in enumerate(names)]


def _reversed(motion: Motion) -> Motion:
    R, omega, x, v = (None if a is None else a[::-1] for a in (motion.R, motion.omega, motion.x, motion.v))
    return replace(motion, t=motion.t[::-1], R=R, omega=omega, x=x, v=v)
