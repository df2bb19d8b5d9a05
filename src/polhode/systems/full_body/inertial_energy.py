"""The energy of n bodies in inertial coordinates, on any scalar: what canonical methods ask for."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...geometry.vectors import apply_symmetric, dot
from ...scalars import Flow, flow, get3, par, par6, put
from ...scalars.protocol import SUCCESS, par_int
from .inertial_flows import (
    BODIES,
    INVERSE_INERTIA,
    MASS,
    PAIRS,
    angular_at,
    body_at,
    force_at,
    linear_at,
    pair_gravity,
)


@cache
def energy_flow(gravity: Any) -> Flow:
    """The energy of bodies with this kernel of gravity."""

    @flow
    def energy(S: Any, y: Any, p: Any, t: Any, h: Any, report: Any) -> int:
        """Kinetic energy and mutual potential of all bodies."""
        n, pairs = par_int(p, BODIES, S), par_int(p, PAIRS, S)
        total = 0.0 * par(p, BODIES, S)
        for i in range(n):
            gamma, Pi, b = get3(y, linear_at(n, i), S), get3(y, angular_at(n, i), S), body_at(i)
            turning = dot(Pi, apply_symmetric(par6(p, b + INVERSE_INERTIA, S), Pi))
            total = total + 0.5 * (dot(gamma, gamma) / par(p, b + MASS, S) + turning)
        for k in range(pairs):
            _, _, U, _, _, _ = pair_gravity(S, y, p, n, k, gravity)
            total = total + U
        put(y, force_at(n, 0), S, total)
        return SUCCESS

    return energy
