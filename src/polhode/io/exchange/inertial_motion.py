"""The motion of each body of a trajectory in inertial coordinates: what the formats of other tools are made from.

`R` maps body to inertial coordinates and `omega` is the rate in the body frame, with `Ṙ = R S(ω)`; `x` and `v` are
position and velocity of the mass centre. Systems in other coordinates are brought to these: relative ones, the orbiting
frame, angles in a plane.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInputError, PolhodeError
from ...geometry import so3, unchecked
from ...geometry.array_api import NEAR
from ...simulation.trajectory import Trajectory
from ...systems import AxisPendulum, OrbitingBody
from ...systems.full_body.placements import bodies_of, placements

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """One body over time; what a system does not have is None. `metadata` is what a file said about it."""

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
        """R, brought to the nearest rotations where a method left them by no more than rounding and truncation."""
        if self.R is None:
            raise PolhodeError(f"{self.name} has no attitude in space, which this format is about")
        off = float(np.abs(np.swapaxes(self.R, 1, 2) @ self.R - np.eye(3)).max())
        if off > NEAR:
            raise PolhodeError(f"the attitude of {self.name} is no rotation any more: RᵀR differs from 1 by {off:.2g}")
        return so3.project(self.R) if off > 1e-14 else self.R

    def need_rates(self) -> Array:
        if self.omega is None:
            raise PolhodeError(f"{self.name} has no angular velocity, which this format is about")
        return self.omega

    def need_position(self) -> tuple[Array, Array]:
        """x and v."""
        if self.x is None or self.v is None:
            raise PolhodeError(
                f"{self.name} has no position and velocity, which this format is about, only an attitude: see --to ck and aem"
            )
        return self.x, self.v


def motions(trajectory: Trajectory, body: int | None = None) -> list[Motion]:
    """Every body's motion, times ascending; or that of one, counted from 0.

    >>> import polhode as ph
    >>> start = ph.FullTwoBodyProblem.example()
    >>> [m.name for m in motions(ph.simulate(start, step=0.01, steps=3))]
    ['body1', 'body2']
    """
    found = _of(trajectory.system, trajectory)
    if len(trajectory) > 1 and trajectory.t[-1] < trajectory.t[0]:
        found = [_reversed(motion) for motion in found]
    if body is None:
        return found
    if isinstance(body, bool) or not isinstance(body, int) or not 0 <= body < len(found):
        raise InvalidInputError("body", body, f"a body's number, from 0 to {len(found) - 1}")
    return [found[body]]


def body_rotations(trajectory: Trajectory, body: int) -> Rotation:
    """The attitudes of a body, counted from 0, in the order of the samples, as SciPy's rotations."""
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_quat(motions(trajectory, body)[0].q)
    return turns if len(trajectory) < 2 or trajectory.t[-1] >= trajectory.t[0] else turns[::-1]


def _of(system: Any, trajectory: Trajectory) -> list[Motion]:
    t = trajectory.t
    if bodies := bodies_of(system):
        at = placements(system, trajectory.values)
        return [
            Motion(f"body{i + 1}", t, at.R[:, i], at.omega[:, i], at.x[:, i], at.v[:, i]) for i in range(len(bodies))
        ]
    if "R" not in system.fields or "omega" not in system.fields:
        return [Motion("body1", t)]
    R, omega = trajectory.R, trajectory.omega
    if isinstance(system, OrbitingBody):  # R is relative to a frame that turns at the rate n about e₂; ω is inertial
        R = unchecked.rotation_exp(t[:, None] * system.n * np.array([0.0, 1.0, 0.0])) @ R
    elif isinstance(system, AxisPendulum):
        omega = omega[:, None] * system.axis
    elif R.shape[-1] == 2:
        R, omega = _about_z(R), omega[..., None] * np.array([0.0, 0.0, 1.0])
    if R.ndim == 3:
        return [Motion("body1", t, R, omega)]
    return [Motion(f"body{i + 1}", t, R[:, i], omega[:, i]) for i in range(R.shape[1])]


def _about_z(R: Array) -> Array:
    """Rotations of the plane as rotations about the third axis."""
    turned = np.zeros((*R.shape[:-2], 3, 3))
    turned[..., :2, :2] = R
    turned[..., 2, 2] = 1.0
    return turned


def _reversed(motion: Motion) -> Motion:
    R, omega, x, v = (None if a is None else a[::-1] for a in (motion.R, motion.omega, motion.x, motion.v))
    return Motion(motion.name, motion.t[::-1], R, omega, x, v)
