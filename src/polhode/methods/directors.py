"""Schemes for bodies given by three directors, holonomic and nonholonomic.

Both discretise the equations of the directors `q = (d₁, d₂, d₃)` under six constraints of orthonormality, with
multipliers λ, and where the body must not twist one nonholonomic constraint `G(q) q̇ = 0`, with a multiplier μ,

    G(q) = [(1 − a) d₂ᵀ, −a d₁ᵀ, 0],    0 ≤ a ≤ 1                                          (80) of [GR20].

`a` only says how the force of constraint is shared between λ and μ; the motion does not depend on it. The steps are
flows of the system, that solve for the rotation alone; `multipliers` finds λ and μ when someone wants them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.method import Array, Method, Start
from ..core.representation import Form
from ..core.system import System
from ..errors import InvalidInputError
from ..geometry import so3, unchecked
from .composition import composition_stages
from .loops import DriftKickRun


class DirectorScheme(Method):
    """What the two schemes share."""

    order = 2
    symmetric = True
    preserves_momentum = True
    preserves_group = True
    implicit = True

    def __init__(self, a: float = 0.5) -> None:
        if isinstance(a, bool) or not isinstance(a, (int, float)) or not 0.0 <= a <= 1.0:
            raise InvalidInputError("a", a, "a number from 0 to 1")
        self.a = float(a)

    def options(self) -> dict[str, Any]:
        return {"a": self.a} if self.a != 0.5 else {}

    def why_not(self, system: System) -> str | None:
        if self.representation in system.representations:
            return None
        return "it is not described by directors; DirectorBody and NonTwistingBody are"

    def run(self, start: Start) -> DriftKickRun:
        return DriftKickRun(start, composition_stages(2))

    def multipliers(self, trajectory: Any) -> tuple[Array, Array]:
        """λ (n, 6) and μ (n,) of each step of a trajectory of which every step was saved.

        λ belongs to the constraints ½ (d₁·d₁ − 1), ½ (d₂·d₂ − 1), ½ (d₃·d₃ − 1), d₂·d₃, d₁·d₃, d₁·d₂. μ is the moment
        about d₃ that keeps the body from spinning, and zero for a body that may.
        """
        if not np.allclose(np.diff(trajectory.t), trajectory.step):
            raise InvalidInputError("trajectory", trajectory, "a run with save_every=1")
        C = self._constraint_force(trajectory)
        mu = C[:, 1, 0] - C[:, 0, 1] if trajectory.system.twistless else np.zeros(len(C))
        C[:, 1, 0] -= mu * (1.0 - self.a)
        C[:, 0, 1] += mu * self.a
        return np.stack([C[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))], axis=-1), mu

    def _constraint_force(self, trajectory: Any) -> Array:
        """The matrices C (n, 3, 3) of the forces of constraint `Q C`, Q being the directors that the scheme has there."""
        raise NotImplementedError


def _middle(trajectory: Any) -> tuple[Array, Array]:
    """Mean directors, and the forces ½ m × dᵢ on them (68) as columns, half-way through each step."""
    R, h = trajectory.R, trajectory.step
    Q = 0.5 * (R[1:] + R[:-1])
    omega = unchecked.rotation_vee(np.linalg.solve(Q, np.diff(R, axis=0))) / h
    M = trajectory.system.moment.at(trajectory.t[:-1] + 0.5 * h, Q, omega)
    return Q, 0.5 * so3.hat(np.einsum("nij,nj->ni", Q, M)) @ Q


class EnergyMomentum(DirectorScheme):
    """The energy–momentum scheme: midpoint rule for the momenta, constraints at the end of each step.

    It conserves the kinetic energy and, of the standard body, the momentum in space, of the non-twisting one the momentum's
    components along d₁ and d₂. It carries the velocities of the directors, which lie in the tangent space of SO(3) only
    to order 2. `a` from 0 to 1 shares the force of constraint between `multipliers`, and changes nothing else.

    >>> EnergyMomentum()
    EnergyMomentum()
    """

    summary = "energy–momentum, directors"
    reference = (
        "C. G. Gebhardt, I. Romero, J. Nonlinear Sci. 30 (2020) 3199 [GR20], (86)–(95); "
        "J. C. Simo, K. K. Wong, Int. J. Numer. Meth. Engng 31 (1991) 19"
    )
    preserves_energy = True
    representation = Form.DIRECTOR_VELOCITIES

    def _constraint_force(self, trajectory: Any) -> Array:
        Q, force = _middle(trajectory)
        system = trajectory.system
        P = system.velocities(trajectory.values) @ system.inertia.nonstandard
        return np.linalg.solve(Q, force - np.diff(P, axis=0) / trajectory.step)


class LagrangeDAlembert(DirectorScheme):
    """The discrete Lagrange–d'Alembert equations, with the constraint on twist at the mean directors.

    On the standard body with no moment this is the variational step of `LGVI`. `a` as for `EnergyMomentum`.

    >>> LagrangeDAlembert(a=0.0)
    LagrangeDAlembert(a=0.0)
    """

    summary = "discrete Lagrange–d'Alembert, directors"
    reference = (
        "J. Cortés, S. Martínez, Nonlinearity 14 (2001) 1365; "
        "C. G. Gebhardt, I. Romero, J. Nonlinear Sci. 30 (2020) 3199 [GR20], (124)–(129)"
    )
    representation = Form.DIRECTOR_MOMENTA

    def _constraint_force(self, trajectory: Any) -> Array:
        _, force = _middle(trajectory)
        system, R, h = trajectory.system, trajectory.R, trajectory.step
        v = system.velocities(trajectory.values)[:-1] - np.diff(R, axis=0) / h
        return np.swapaxes(R[:-1], -1, -2) @ ((2.0 / h) * v @ system.inertia.nonstandard + force)

    @staticmethod
    def discrete_energy(trajectory: Any) -> Array:
        """`½ v·M v` with `v = (q₁ − q₀)/h`, half-way through each step (128)."""
        v = np.diff(trajectory.R, axis=0) / trajectory.step
        return 0.5 * np.einsum("nij,jk,nik->n", v, trajectory.system.inertia.nonstandard, v)


__all__ = ["EnergyMomentum", "LagrangeDAlembert"]
